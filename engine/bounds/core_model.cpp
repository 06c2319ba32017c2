// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/core_model.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/core.h>

namespace amalthea::engine::cpu {
namespace {

constexpr std::int64_t least_urgent = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

bool is_interrupt(const Task& task) { return task.kind != ProcessKind::task; }

bool by_fixed_priority(SchedulingAlgorithm algorithm) {
  return algorithm == SchedulingAlgorithm::fixed_priority_preemptive || algorithm == SchedulingAlgorithm::osek ||
         algorithm == SchedulingAlgorithm::priority_based_round_robin ||
         algorithm == SchedulingAlgorithm::priority_based;
}
bool by_deadline(SchedulingAlgorithm algorithm) {
  return algorithm == SchedulingAlgorithm::earliest_deadline_first ||
         algorithm == SchedulingAlgorithm::constant_bandwidth_server;
}
bool is_server(SchedulingAlgorithm algorithm) {
  return algorithm == SchedulingAlgorithm::polling_periodic_server ||
         algorithm == SchedulingAlgorithm::deferrable_server ||
         algorithm == SchedulingAlgorithm::constant_bandwidth_server;
}

class Modeller {
 public:
  Modeller(const System& system, const std::vector<bool>& active, const std::vector<Program>& programs,
           const std::function<StepTime(TaskIndex, std::size_t)>& time_of,
           const std::vector<std::optional<Duration>>& periods)
      : system_(system),
        active_(active),
        programs_(programs),
        time_of_(time_of),
        periods_(periods),
        ways_(system.tasks.size()) {
    models_.shapes.resize(system.tasks.size());
    models_.core_of.resize(system.tasks.size());
  }

  CoreModels run() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      models_.relative_deadline.push_back(system_.tasks[task].deadline ? system_.tasks[task].deadline : periods_[task]);
    find_ways();
    find_ranks();
    find_semaphores();
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (active_[task]) find_sections(task);
    find_cores();
    return std::move(models_);
  }

 private:
  const Scheduler& scheduler(SchedulerIndex index) const { return system_.platform.schedulers[index]; }
  const Task& task_of(TaskIndex task) const { return system_.tasks[task]; }
  const std::vector<Step>& steps(TaskIndex task) const { return programs_[task].steps; }
  template <typename Kind>
  const Kind& activity(TaskIndex task, std::size_t step) const {
    return std::get<Kind>(system_.graph[steps(task)[step].node].activity);
  }

  // ---- ranks

  /// Of every task its schedulers, from its own, or the one to which that passes it on, up to the outermost.
  void find_ways() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (task_of(task).side == Side::device) continue;
      auto& way = ways_[task];
      SchedulerIndex front = task_of(task).scheduler;
      const std::size_t most = system_.platform.schedulers.size();
      for (std::size_t hops = 0; hops < most && scheduler(front).kind == SchedulingAlgorithm::grouping; ++hops)
        if (const auto parent = scheduler(front).parent) front = *parent;
      way.push_back(front);
      for (std::size_t hops = 0; hops < most && scheduler(way.back()).parent; ++hops)
        way.push_back(*scheduler(way.back()).parent);
      if (!is_interrupt(task_of(task)) && (way.size() > 1 || !by_fixed_priority(scheduler(way.front()).kind)))
        roots_by_priority_ = false;
    }
  }

  std::int64_t own_urgency(TaskIndex task) const {
    const SchedulingAlgorithm algorithm = scheduler(ways_[task].front()).kind;
    const auto& deadline = models_.relative_deadline[task];
    if (algorithm == SchedulingAlgorithm::rate_monotonic)
      return periods_[task] ? -periods_[task]->picoseconds() : least_urgent;
    if (by_deadline(algorithm)) return 0;
    if (algorithm == SchedulingAlgorithm::deadline_monotonic) return deadline ? -deadline->picoseconds() : least_urgent;
    return task_of(task).priority;
  }
  std::int64_t urgency_of_child(SchedulingAlgorithm algorithm, SchedulerIndex child) const {
    const SchedulerShare& share = scheduler(child).share;
    if (algorithm == SchedulingAlgorithm::rate_monotonic || algorithm == SchedulingAlgorithm::deadline_monotonic)
      return share.period ? -share.period->picoseconds() : least_urgent;
    return share.priority;
  }

  /// Larger in alphabetical order is more urgent.
  std::vector<std::int64_t> key_of(TaskIndex task) const {
    std::vector<std::int64_t> key = {is_interrupt(task_of(task)) ? 1 : 0};
    const auto& way = ways_[task];
    if (!roots_by_priority_) key.push_back(-static_cast<std::int64_t>(way.back()));
    for (std::size_t level = way.size() - 1; level > 0; --level) {
      key.push_back(urgency_of_child(scheduler(way[level]).kind, way[level - 1]));
      key.push_back(1);
      key.push_back(-static_cast<std::int64_t>(way[level - 1]));
    }
    key.push_back(own_urgency(task));
    key.push_back(0);
    return key;
  }

  void find_ranks() {
    std::vector<std::vector<std::int64_t>> keys;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (task_of(task).side == Side::host) keys.push_back(key_of(task));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (task_of(task).side == Side::device) continue;
      const auto at = std::lower_bound(keys.begin(), keys.end(), key_of(task));
      models_.shapes[task].rank = at - keys.begin();
      if (!is_interrupt(task_of(task))) top_task_ = std::max(top_task_, models_.shapes[task].rank);
    }
  }

  // ---- semaphores

  struct Use {
    TaskIndex task = 0;
    std::int64_t most = 0;  ///< held at a time
    bool exclusive = false;
  };

  void find_semaphores() {
    ceilings_.resize(system_.semaphores.size());
    faulty_.assign(system_.semaphores.size(), false);
    for (SemaphoreIndex semaphore = 0; semaphore < system_.semaphores.size(); ++semaphore) {
      std::vector<Use> uses;
      std::string fault;
      for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
        if (const auto use = use_of(semaphore, task, fault)) uses.push_back(*use);
      if (uses.empty()) continue;
      const Semaphore& stated = system_.semaphores[semaphore];
      if (stated.priority_ceiling) ceilings_[semaphore] = ceiling_of(uses);
      if (!fault.empty() || !never_waits(stated, uses)) {
        if (fault.empty()) fault = fault_of(stated, uses);
        faulty_[semaphore] = !fault.empty();
      } else if (stated.priority_ceiling && !of_one_scheduler(uses)) {
        ceilings_[semaphore] = nobody;  // whom it keeps from its core is not told apart
      }
      if (!faulty_[semaphore]) continue;
      if (stated.priority_ceiling) ceilings_[semaphore] = nobody;
      for (const Use& use : uses)
        if (std::string& of_task = models_.shapes[use.task].fault; of_task.empty())
          of_task = fmt::format("it uses the semaphore {}, {}", stated.name, fault);
    }
  }

  /// Sets `fault` where the task does not treat it as it should.
  std::optional<Use> use_of(SemaphoreIndex semaphore, TaskIndex task, std::string& fault) const {
    std::optional<Use> use;
    std::int64_t held = 0;
    const auto complain = [&](const char* what) {
      if (fault.empty()) fault = fmt::format("which {} {}", task_of(task).name, what);
    };
    for (std::size_t step = 0; step < steps(task).size(); ++step) {
      const StepKind kind = steps(task)[step].kind;
      if (kind == StepKind::wait && held > 0) complain("holds while it waits for an event");
      if (kind != StepKind::request_semaphore && kind != StepKind::release_semaphore) continue;
      const auto& access = activity<UseSemaphore>(task, step);
      if (access.semaphore != semaphore) {
        const Semaphore& other = system_.semaphores[access.semaphore];
        if (held > 0 && kind == StepKind::request_semaphore && !other.priority_ceiling)
          complain("holds while it requests another without a priority ceiling");
        continue;
      }
      if (!use) use = Use{task, 0, false};
      if (task_of(task).side == Side::device) complain("uses on a GPU");
      if (!programs_[task].unanalysable.empty()) complain("may use inside of a branch");
      const std::int64_t count =
          access.operation == UseSemaphore::Operation::exclusive ? system_.semaphores[semaphore].capacity : 1;
      use->exclusive = use->exclusive || access.operation == UseSemaphore::Operation::exclusive;
      if (kind == StepKind::request_semaphore) {
        held += count;
      } else {
        if (held == 0) complain("releases without having requested it");
        held = use->exclusive ? 0 : std::max<std::int64_t>(0, held - 1);
      }
      use->most = std::max(use->most, held);
    }
    if (use && held > 0) complain("does not release");
    return use;
  }

  std::int64_t ceiling_of(const std::vector<Use>& uses) const {
    std::int64_t ceiling = least_urgent;
    for (const Use& use : uses)
      ceiling = std::max(ceiling, task_of(use.task).side == Side::host ? models_.shapes[use.task].rank : nobody);
    return ceiling;
  }
  static bool never_waits(const Semaphore& semaphore, const std::vector<Use>& uses) {
    std::int64_t all = 0;
    for (const Use& use : uses) all += use.most;
    return all <= semaphore.free;
  }
  bool of_one_scheduler(const std::vector<Use>& uses) const {
    return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      return ways_[use.task].front() == ways_[uses.front().task].front() &&
             is_interrupt(task_of(use.task)) == is_interrupt(task_of(uses.front().task));
    });
  }

  /// Why nothing bounds how long tasks wait for it.
  std::string fault_of(const Semaphore& semaphore, const std::vector<Use>& uses) const {
    for (const Use& use : uses) {
      const Task& first = task_of(uses.front().task);
      const Task& task = task_of(use.task);
      if (task.unit != first.unit || task.units.size() > 1)
        return fmt::format("which is shared between cores: {} may wait for {}", first.name,
                           &task == &first ? std::string("others") : task.name);
    }
    if (!semaphore.priority_ceiling) return "which has no priority ceiling";
    if (!of_one_scheduler(uses)) return "which tasks of several schedulers share";
    if (scheduler(ways_[uses.front().task].front()).kind == SchedulingAlgorithm::priority_based_round_robin)
      return "whose users take turns (round robin)";
    for (const Use& use : uses)
      if (use.most > semaphore.free)
        return fmt::format("of which {} wants more than is free at first", task_of(use.task).name);
    if (semaphore.free < semaphore.capacity &&
        std::any_of(uses.begin(), uses.end(), [](const Use& use) { return use.exclusive; }))
      return "which is wanted as a whole and is not at first";
    return {};
  }

  // ---- sections

  /// Who is more urgent than this comes between; nothing: every more urgent task does.
  using Threshold = std::optional<std::int64_t>;
  struct Piece {
    Duration time;
    Duration least;
    Threshold threshold;
    bool leaves = false;  ///< the core, perhaps, by waiting passively
  };

  void find_sections(TaskIndex task) {
    if (std::string& fault = models_.shapes[task].fault; fault.empty()) {
      fault = programs_[task].unanalysable;
      if (fault.empty() && ends_early(task)) fault = "it ends before its last step";
    }
    const std::vector<Piece> pieces = pieces_of(task);
    TaskShape& shape = models_.shapes[task];
    std::vector<std::int64_t> thresholds;
    for (const Piece& piece : pieces)
      if (piece.threshold) thresholds.push_back(*piece.threshold);
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    for (const std::int64_t threshold : thresholds) {
      Duration longest, run;
      for (const Piece& piece : pieces) {
        // What may take no time, such as a wait for what is there already, does not leave the core.
        if (piece.threshold.value_or(least_urgent) < threshold && !piece.least.is_zero()) run = {};
        if (piece.threshold.value_or(least_urgent) >= threshold) run = std::min(endless, run + piece.time);
        longest = std::max(longest, run);
      }
      if (!longest.is_zero()) shape.sections.push_back({longest, threshold});
    }
    if (const Threshold at_end = pieces.empty() ? std::nullopt : pieces.back().threshold) {
      shape.last.threshold = *at_end;
      for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
        if (piece->leaves || piece->threshold.value_or(least_urgent) < *at_end) break;
        shape.last.length = std::min(endless, shape.last.length + piece->time);
      }
    }
    if (task_of(task).preemption == Preemption::cooperative) find_cooperative_sections(task, pieces);
    if (programs_[task].unanalysable.empty()) return;
    // How long its sections are is not known either.
    for (Section& section : shape.sections) section.length = endless;
    if (shape.sections.empty() && !thresholds.empty()) shape.sections.push_back({endless, thresholds.back()});
    shape.last = {};
    if (shape.cooperative) shape.cooperative = endless;
  }

  /// A Terminate before other steps than those that the operating system adds.
  bool ends_early(TaskIndex task) const {
    bool ended = false;
    for (const Step& step : steps(task)) {
      if (ended && !step.overhead) return true;
      ended = ended || step.kind == StepKind::terminate;
    }
    return false;
  }

  std::vector<Piece> pieces_of(TaskIndex task) const {
    std::vector<Piece> pieces;
    const auto in_branch = in_branches(task);
    std::int64_t uninterruptible = 0;
    std::map<SemaphoreIndex, std::int64_t> held;
    const auto threshold = [&] {
      Threshold most;
      const auto raise = [&most](std::int64_t value) { most = std::max(value, most.value_or(value)); };
      if (task_of(task).preemption == Preemption::non_preemptive && !is_interrupt(task_of(task))) raise(top_task_);
      if (uninterruptible > 0) raise(nobody);
      for (const auto& [semaphore, count] : held)
        if (count > 0 && ceilings_[semaphore]) raise(*ceilings_[semaphore]);
      return most;
    };
    for (std::size_t index = 0; index < steps(task).size(); ++index) {
      const Step& step = steps(task)[index];
      const Threshold before = threshold();
      Piece piece;
      switch (step.kind) {
        case StepKind::execute:
          piece.time = time_of_(task, index).worst;
          if (!in_branch[index]) piece.least = time_of_(task, index).best;
          break;
        case StepKind::wait:
          piece.leaves = !activity<WaitEvents>(task, index).active;
          if (!piece.leaves) piece.time = endless;
          break;
        case StepKind::request_semaphore: {
          const auto& use = activity<UseSemaphore>(task, index);
          if (faulty_[use.semaphore]) {
            piece.leaves = !use.active && !system_.semaphores[use.semaphore].spinlock;
            if (!piece.leaves) piece.time = endless;
          }
          held[use.semaphore] += 1;
          break;
        }
        case StepKind::release_semaphore: {
          const auto& use = activity<UseSemaphore>(task, index);
          std::int64_t& count = held[use.semaphore];
          count = use.operation == UseSemaphore::Operation::exclusive ? 0 : std::max<std::int64_t>(0, count - 1);
          break;
        }
        case StepKind::uninterruptible:
          uninterruptible += activity<Uninterruptible>(task, index).begins ? 1 : -1;
          uninterruptible = std::max<std::int64_t>(0, uninterruptible);
          break;
        default:
          break;
      }
      const Threshold after = threshold();
      piece.threshold = before && after ? std::min(before, after) : std::nullopt;
      pieces.push_back(piece);
    }
    return pieces;
  }

  /// Which nodes are parts of alternatives.
  std::vector<bool> in_branches(TaskIndex task) const {
    const auto& body = task_of(task).body;
    std::vector<bool> inside(body.size(), false);
    for (std::size_t at = 0; at < body.size(); ++at)
      if (const auto* branch = std::get_if<Branch>(&system_.graph[body[at]].activity)) {
        std::size_t length = 0;
        for (const auto& alternative : branch->alternatives) length += alternative.length;
        for (std::size_t i = at + 1; i <= at + length && i < body.size(); ++i) inside[i] = true;
      }
    std::map<NodeIndex, bool> of_node;
    for (std::size_t at = 0; at < body.size(); ++at) of_node[body[at]] = inside[at];
    std::vector<bool> of_step;
    for (const Step& step : steps(task)) of_step.push_back(of_node[step.node]);
    return of_step;
  }

  /// At which steps a runnable begins while no other is under way.
  std::vector<bool> outer_calls(TaskIndex task) const {
    std::vector<bool> outer(steps(task).size(), false);
    std::map<std::uint32_t, bool> goes_on;  // whether the runnable's next step is another than its call
    for (std::size_t index = steps(task).size(); index-- > 0;) {
      const Step& step = steps(task)[index];
      if (!step.runnable) continue;
      const bool call = std::holds_alternative<Call>(system_.graph[step.node].activity);
      goes_on[*step.runnable] = !call;
      outer[index] = call && std::none_of(goes_on.begin(), goes_on.end(), [](const auto& each) { return each.second; });
    }
    return outer;
  }

  void find_cooperative_sections(TaskIndex task, const std::vector<Piece>& pieces) {
    TaskShape& shape = models_.shapes[task];
    const auto in_branch = in_branches(task);
    const auto outer = outer_calls(task);
    Duration longest, run, last, after_point;
    for (std::size_t index = 0; index < pieces.size(); ++index) {
      const Step& step = steps(task)[index];
      if (step.kind == StepKind::schedule_point || std::holds_alternative<Call>(system_.graph[step.node].activity))
        after_point = {};
      after_point = std::min(endless, after_point + pieces[index].time);
      const bool changes = (index > 0 && steps(task)[index - 1].runnable != step.runnable) ||
                           std::holds_alternative<Call>(system_.graph[step.node].activity);
      if (!in_branch[index] && (outer[index] || step.kind == StepKind::schedule_point)) run = {};
      if (pieces[index].leaves || in_branch[index] || changes || step.kind == StepKind::schedule_point) last = {};
      run = std::min(endless, run + pieces[index].time);
      if (!in_branch[index]) last = std::min(endless, last + pieces[index].time);
      longest = std::max(longest, run);
    }
    shape.lingers = after_point.is_zero();
    shape.cooperative = longest;
    shape.last_cooperative = last;
  }

  // ---- cores

  std::vector<UnitIndex> units_of(TaskIndex task) const {
    return task_of(task).units.empty() ? std::vector<UnitIndex>{task_of(task).unit} : task_of(task).units;
  }

  void find_cores() {
    std::vector<UnitIndex> leader(system_.platform.units.size());
    std::iota(leader.begin(), leader.end(), UnitIndex{0});
    const auto find = [&](UnitIndex unit) {
      while (leader[unit] != unit) unit = leader[unit];
      return unit;
    };
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!active_[task]) continue;
      const auto units = units_of(task);
      for (const UnitIndex unit : units) {
        const UnitIndex a = find(units.front()), b = find(unit);
        leader[std::max(a, b)] = std::min(a, b);
      }
    }
    std::map<UnitIndex, std::size_t> of_leader;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!active_[task]) continue;
      const auto [at, added] = of_leader.emplace(find(units_of(task).front()), models_.cores.size());
      if (added) models_.cores.emplace_back();
      models_.core_of[task] = at->second;
      models_.cores[at->second].tasks.push_back(task);
    }
    for (UnitIndex unit = 0; unit < leader.size(); ++unit)
      if (const auto at = of_leader.find(find(unit)); at != of_leader.end())
        models_.cores[at->second].units.push_back(unit);
    for (CoreModel& core : models_.cores) choose_analysis(core);
  }

  std::string algorithm_of(SchedulerIndex index) const {
    return fmt::format("{} schedules by {}", scheduler(index).name, to_string(scheduler(index).kind));
  }
  bool has_sections(TaskIndex task) const {
    const TaskShape& shape = models_.shapes[task];
    return !shape.sections.empty() || shape.cooperative;
  }

  void choose_analysis(CoreModel& core) const {
    for (const TaskIndex task : core.tasks)
      for (const SchedulerIndex index : ways_[task]) {
        const Scheduler& of_task = scheduler(index);
        const bool limits = of_task.share.budget && of_task.share.period;
        if (is_server(of_task.kind) && (limits || by_deadline(of_task.kind)) && core.fault.empty())
          core.fault = fmt::format("{}, and servers are not analysed", algorithm_of(index));
        if (by_deadline(of_task.kind)) core.analysis = CoreAnalysis::earliest_deadline;
      }
    if (core.fault.empty() && core.analysis == CoreAnalysis::earliest_deadline) core.fault = fault_by_deadline(core);
    if (core.units.size() == 1) return;
    if (core.fault.empty()) core.fault = fault_of_global(core);
    core.analysis = CoreAnalysis::global;
  }

  std::string fault_by_deadline(const CoreModel& core) const {
    std::optional<SchedulerIndex> only;
    for (const TaskIndex task : core.tasks) {
      if (is_interrupt(task_of(task))) continue;
      if (!only) only = ways_[task].front();
      if (ways_[task].size() > 1 || ways_[task].front() != *only || !by_deadline(scheduler(*only).kind))
        return fmt::format("{}, beside another scheduler", algorithm_of(*only));
    }
    for (const TaskIndex task : core.tasks) {
      if (!is_interrupt(task_of(task)) && !models_.relative_deadline[task])
        return fmt::format("{}, and {} has neither a deadline nor a period", algorithm_of(*only), task_of(task).name);
      if (has_sections(task))
        return fmt::format("{}, and {} has parts that cannot be preempted at any time", algorithm_of(*only),
                           task_of(task).name);
    }
    return {};
  }

  static bool alike(const ProcessingUnit& a, const ProcessingUnit& b) {
    const auto same = [](const Cycles& x, const Cycles& y) {
      return x.lower == y.lower && x.average == y.average && x.upper == y.upper;
    };
    return a.definition == b.definition && a.frequency == b.frequency && a.cache_line.bytes == b.cache_line.bytes &&
           a.accesses.size() == b.accesses.size() &&
           std::equal(a.accesses.begin(), a.accesses.end(), b.accesses.begin(),
                      [&](const MemoryAccess& x, const MemoryAccess& y) {
                        return x.memory == y.memory && same(x.read, y.read) && same(x.write, y.write) &&
                               x.data_rate.bytes_per_second == y.data_rate.bytes_per_second;
                      });
  }

  std::string fault_of_global(const CoreModel& core) const {
    const std::string& first = system_.platform.units[core.units.front()].name;
    for (const UnitIndex unit : core.units)
      if (!alike(system_.platform.units[core.units.front()], system_.platform.units[unit]))
        return fmt::format("tasks move between {} and {}, which are not alike", first,
                           system_.platform.units[unit].name);
    std::optional<SchedulerIndex> only;
    for (const TaskIndex task : core.tasks) {
      if (!is_interrupt(task_of(task))) {
        if (!only) only = ways_[task].front();
        if (ways_[task].size() > 1 || ways_[task].front() != *only)
          return fmt::format("tasks of several schedulers share {} and the cores between which they move", first);
        if (by_deadline(scheduler(*only).kind)) return fmt::format("{} on several cores", algorithm_of(*only));
      }
      if (has_sections(task))
        return fmt::format("tasks move between cores, and {} has parts that cannot be preempted at any time",
                           task_of(task).name);
    }
    return {};
  }

  const System& system_;
  const std::vector<bool>& active_;
  const std::vector<Program>& programs_;
  const std::function<StepTime(TaskIndex, std::size_t)>& time_of_;
  const std::vector<std::optional<Duration>>& periods_;
  std::vector<std::vector<SchedulerIndex>> ways_;  ///< of every host task
  bool roots_by_priority_ = true;
  std::int64_t top_task_ = 0;  ///< the largest rank of all but interrupts
  std::vector<std::optional<std::int64_t>> ceilings_;
  std::vector<bool> faulty_;
  CoreModels models_;
};

}  // namespace

CoreModels core_models(const System& system, const std::vector<bool>& active, const std::vector<Program>& programs,
                       const std::function<StepTime(TaskIndex, std::size_t)>& time_of,
                       const std::vector<std::optional<Duration>>& periods) {
  return Modeller(system, active, programs, time_of, periods).run();
}

}  // namespace amalthea::engine::cpu
