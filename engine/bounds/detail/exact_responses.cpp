// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/exact_responses.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "engine/bounds/detail/placement_ties.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/program/arrivals.hpp"
#include "engine/program/releases.hpp"
#include "engine/simulation/simulation.hpp"

namespace amalthea::engine::bounds {
namespace {

/// Hyperperiods to simulate after the last offset. A schedule that does not repeat within them has no exact responses.
constexpr std::int64_t least_hyperperiods = 3, most_hyperperiods = 32;
/// The simulation costs less than the analysis of a large system.
constexpr std::int64_t most_jobs = 20'000;
constexpr std::uint64_t most_steps = 1'000'000;

/// The parts of a system, as sets of tasks.
class Parts {
 public:
  explicit Parts(const ProblemInput& input) : leader_(input.subject.tasks()) {
    const AnalyzedSystem& subject = input.subject;
    std::iota(leader_.begin(), leader_.end(), TaskIndex{0});
    for (const CoreModel& core : input.cores.cores) join(core.tasks);
    std::vector<TaskIndex> first_of_unit(subject.system.platform.units.size(), none);
    for (TaskIndex task = 0; task < subject.tasks(); ++task) {
      if (!subject.is_host(task)) {
        TaskIndex& first = first_of_unit[subject.task(task).unit];
        if (first != none) join(first, task);
        first = task;
      }
      for (const Step& step : subject.steps(task)) {
        for (const TaskIndex setter : step.setters) join(task, setter);
        if (step.kind != StepKind::trigger) continue;
        const auto& trigger = std::get<Trigger>(subject.system.graph[step.node].activity);
        for (const TaskIndex activated : subject.system.stimuli[trigger.stimulus].activates) join(task, activated);
      }
    }
  }

  /// All active tasks of the part of `task`.
  std::vector<TaskIndex> of(TaskIndex task, const std::vector<Activations>& activations) const {
    std::vector<TaskIndex> part;
    for (TaskIndex other = 0; other < leader_.size(); ++other)
      if (find(other) == find(task) && activations[other].any()) part.push_back(other);
    return part;
  }

 private:
  static constexpr TaskIndex none = static_cast<TaskIndex>(-1);

  TaskIndex find(TaskIndex task) const {
    while (leader_[task] != task) task = leader_[task];
    return task;
  }
  void join(TaskIndex a, TaskIndex b) {
    const TaskIndex first = find(a), second = find(b);
    leader_[std::max(first, second)] = std::min(first, second);
  }
  void join(const std::vector<TaskIndex>& tasks) {
    for (const TaskIndex task : tasks) join(tasks.front(), task);
  }

  std::vector<TaskIndex> leader_;
};

bool has_fixed_times(const AnalyzedSystem& subject, TaskIndex task) {
  const Program &best = subject.best[task], &worst = subject.worst[task];
  if (!worst.unanalyzable.empty() || best.steps.size() != worst.steps.size()) return false;
  for (std::size_t step = 0; step < worst.steps.size(); ++step) {
    const StepKind kind = worst.steps[step].kind;
    if (kind == StepKind::branch || kind == StepKind::set_mode || kind == StepKind::request_semaphore ||
        kind == StepKind::release_semaphore || kind == StepKind::terminate || worst.steps[step].skipped ||
        best.steps[step].skipped || best.steps[step].work != worst.steps[step].work)
      return false;
  }
  const auto& body = subject.task(task).body;
  return std::none_of(body.begin(), body.end(), [&](NodeIndex node) {
    return std::holds_alternative<Branch>(subject.system.graph[node].activity);
  });
}

bool has_fixed_releases(const AnalyzedSystem& subject, TaskIndex task) {
  return std::all_of(subject.system.stimuli.begin(), subject.system.stimuli.end(), [&](const Stimulus& stimulus) {
    if (std::find(stimulus.activates.begin(), stimulus.activates.end(), task) == stimulus.activates.end()) return true;
    if (is_conditional(stimulus)) return false;
    const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence);
    return std::holds_alternative<InterProcess>(stimulus.occurrence) ||
           std::holds_alternative<Single>(stimulus.occurrence) ||
           (periodic != nullptr && periodic->jitter.lower == 0 && periodic->jitter.upper == 0 &&
            periodic->minimum_distance <= periodic->period);
  });
}

/// Whether it runs on one core that keeps no state while it is idle.
bool has_plain_core(const ProblemInput& input, TaskIndex task) {
  if (!input.subject.is_host(task)) return true;
  const auto& schedulers = input.cores.ranks.schedulers[task];
  return !input.cores.core(task).several() &&
         std::none_of(schedulers.begin(), schedulers.end(), [&](SchedulerIndex scheduler) {
           return is_server(input.subject.system.platform.schedulers[scheduler].kind);
         });
}

/// Whether every GPU of the part has one active context, and one of these contexts several active tasks. A runlist of
/// several contexts keeps its position while it is idle.
bool has_one_process(const ProblemInput& input, const std::vector<TaskIndex>& part) {
  bool shared = false;
  std::set<UnitIndex> gpus;
  for (const TaskIndex task : part)
    if (!input.subject.is_host(task)) gpus.insert(input.subject.task(task).unit);
  for (const UnitIndex gpu : gpus) {
    const DeviceProfile& profile = *input.subject.devices[gpu];
    if (profile.amd) return false;
    std::size_t contexts = 0;
    for (const GpuContext& context : contexts_on(input.subject.system, gpu, profile)) {
      const auto active = std::count_if(context.tasks.begin(), context.tasks.end(),
                                        [&](TaskIndex task) { return input.activations[task].any(); });
      if (context.has_barriers() || context.processes > 1) return false;
      // As without the stated offsets, no bound is known for these.
      if (std::any_of(context.streams.begin(), context.streams.end(), [&](const GpuStream& stream) {
            return (stream.mps_share > 0 && stream.mps_share < 100) ||
                   (stream.high_priority && context.streams.size() > 1 && !profile.stream_preemption.is_zero());
          }))
        return false;
      contexts += active > 0 ? 1 : 0;
      shared = shared || active > 1;
    }
    if (contexts != 1) return false;
  }
  return shared;
}

/// Whether the simulation slows copies and kernels of the part down by no less than bounds must. The label accesses of
/// cores outside the part are not simulated, predictions are no bounds, and neither is a share of a factor. The factor for
/// blocks on one SM is the largest for any number of them, and fewer may let another block take a place.
bool is_slowed_as_at_worst(const ProblemInput& input, const std::vector<TaskIndex>& part) {
  const AnalyzedSystem& subject = input.subject;
  std::set<UnitIndex> gpus, gpus_with_shares;
  for (const TaskIndex task : part)
    for (std::size_t step = 0; step < subject.steps(task).size() && !subject.is_host(task); ++step) {
      if (!is_operation(subject.step({task, step}))) continue;
      gpus.insert(subject.task(task).unit);
      const auto* kernel = std::get_if<Kernel>(&subject.activity({task, step}));
      if (kernel != nullptr && kernel->memory_intensity > 0) gpus_with_shares.insert(subject.task(task).unit);
    }
  for (const UnitIndex gpu : gpus) {
    const DeviceProfile& profile = *subject.devices[gpu];
    const gpu::InterferenceTable& table = profile.interference;
    const bool shares = gpus_with_shares.count(gpu) > 0;
    const bool by_copies = std::max(table.kernel_by_memcpy, table.kernel_by_memset) > Slowdown{};
    if (shares && (profile.measured_memory || (by_copies && table.copying_processes > 1))) return false;
    if (profile.cpu_traffic > 0 || table.kernel_by_same_sm > Slowdown{}) return false;
    if (table.copy_by_cpu == Slowdown{} && (!shares || table.kernel_by_cpu == Slowdown{})) continue;
    for (TaskIndex task = 0; task < subject.tasks(); ++task)
      if (subject.is_host(task) && input.activations[task].any() &&
          !accesses_of(subject, task, gpu, 0, subject.steps(task).size()).is_zero())
        return false;
  }
  return true;
}

/// Whether the times of blocks and copies depend only on when they begin: nothing slows them down, and they do not follow
/// from the instructions of all warps on an SM.
bool is_undisturbed(const AnalyzedSystem& subject, const std::vector<TaskIndex>& part) {
  const auto has_share = [&](TaskIndex task) {
    return std::any_of(subject.steps(task).begin(), subject.steps(task).end(), [&](const Step& step) {
      return step.kind == StepKind::kernel &&
             std::get<Kernel>(subject.system.graph[step.node].activity).memory_intensity > 0;
    });
  };
  const auto has_instructions = [&](TaskIndex task) {
    return std::any_of(subject.steps(task).begin(), subject.steps(task).end(), [&](const Step& step) {
      return step.kind == StepKind::kernel && std::get<Kernel>(subject.system.graph[step.node].activity).instructions;
    });
  };
  return std::all_of(part.begin(), part.end(), [&](TaskIndex task) {
    if (subject.is_host(task) || has_instructions(task)) return false;
    const gpu::InterferenceTable& table = subject.devices[subject.task(task).unit]->interference;
    return !has_share(task) || table == gpu::InterferenceTable{};
  });
}

bool shares_a_stream(const AnalyzedSystem& subject, const std::vector<TaskIndex>& part) {
  std::set<std::tuple<UnitIndex, std::string, std::string>> streams;
  for (const TaskIndex task : part) {
    const Task& device = subject.task(task);
    if (device.gpu.stream.empty() || device.gpu.context.empty()) continue;
    if (!streams.emplace(device.unit, device.gpu.context, device.gpu.stream).second) return true;
  }
  return false;
}

/// Whether tasks of the part that share a core may be equally urgent: no standard orders them.
bool has_equal_ranks(const ProblemInput& input, const std::vector<TaskIndex>& part) {
  std::set<std::pair<std::size_t, std::int64_t>> ranks;
  return std::any_of(part.begin(), part.end(), [&](TaskIndex task) {
    return input.subject.is_host(task) &&
           !ranks.emplace(*input.cores.core_of[task], input.cores.ranks.rank[task]).second;
  });
}

/// Whether the order of what happens at one instant may decide on a core: where a section ends, a scheduler may begin
/// another one before a more urgent task becomes ready.
bool has_sections_beside_others(const ProblemInput& input, const std::vector<TaskIndex>& part) {
  std::map<std::size_t, std::pair<int, bool>> cores;  // tasks, and whether one has sections
  for (const TaskIndex task : part) {
    if (!input.subject.is_host(task)) continue;
    auto& [tasks, sections] = cores[*input.cores.core_of[task]];
    ++tasks;
    sections = sections || input.cores.shapes[task].has_sections();
  }
  return std::any_of(cores.begin(), cores.end(),
                     [](const auto& core) { return core.second.first > 1 && core.second.second; });
}

/// Looks for instants at which the schedule depends on an order that no standard fixes:
/// - operations of two tasks reach a GPU at the same instant;
/// - an operation of one task reaches it when a block or an operation of another one ends. If streams have different
///   priorities, also when one of its own ends: the freed place may be taken before the operation arrives;
/// - a task with an activation limit is released when a job of it ends: the activation may be lost.
class Ties {
 public:
  Ties(const AnalyzedSystem& subject, const std::vector<TaskIndex>& part)
      : subject_(subject), gpus_(subject.system.platform.units.size()), last_(subject.tasks()) {
    for (const TaskIndex task : part)
      if (!subject.is_host(task)) gpus_[subject.task(task).unit].levels.insert(subject.task(task).gpu.high_priority);
  }

  bool found() const { return found_; }
  void submitted(TaskIndex task, Instant now) { happened(task, now).submitting.insert(task), look(task); }
  void ended(TaskIndex task, Instant now) { happened(task, now).ending.insert(task), look(task); }
  void released(TaskIndex task, Instant now) { see(task, now, last_[task].release, last_[task].end); }
  void completed(TaskIndex task, Instant now) { see(task, now, last_[task].end, last_[task].release); }

 private:
  struct Gpu {
    std::set<bool> levels;  ///< of priority
    Instant now;
    std::set<TaskIndex> submitting, ending;  ///< at that instant
  };
  struct Last {
    std::optional<Instant> release, end;
  };

  Gpu& happened(TaskIndex task, Instant now) {
    Gpu& gpu = gpus_[subject_.task(task).unit];
    if (gpu.now != now) {
      gpu.now = now;
      gpu.submitting.clear();
      gpu.ending.clear();
    }
    return gpu;
  }
  void look(TaskIndex task) {
    const Gpu& gpu = gpus_[subject_.task(task).unit];
    for (const TaskIndex submitting : gpu.submitting)
      if (gpu.submitting.size() > 1 || gpu.ending.size() > gpu.ending.count(submitting) ||
          (gpu.levels.size() > 1 && gpu.ending.count(submitting) > 0))
        found_ = true;
  }
  void see(TaskIndex task, Instant now, std::optional<Instant>& this_one, const std::optional<Instant>& other) {
    this_one = now;
    found_ = found_ || (other == now && subject_.task(task).activation_limit > 0);
  }

  const AnalyzedSystem& subject_;
  std::vector<Gpu> gpus_;  ///< by unit
  std::vector<Last> last_;
  bool found_ = false;
};

/// Finds out whether a schedule repeats, and whether an order among equals matters in it. Two observations suffice:
/// - The part is idle before a release, and so it is one hyperperiod later.
/// - The part has only device tasks, and is in the same state one hyperperiod later: pending releases, the operations
///   in the order of their submission with their assigned blocks, and since when their resident blocks execute. The
///   placement of blocks also depends on who had blocks placed last, and on which blocks are those of the one before
///   (TiePolicy::stream).
class Repetition : public SimulationObserver {
 public:
  Repetition(const AnalyzedSystem& subject, const std::vector<TaskIndex>& part, Instant from, Duration hyperperiod,
             bool by_state)
      : subject_(subject),
        ties_(subject, part),
        placement_(subject, part),
        from_(from),
        hyperperiod_(hyperperiod),
        by_state_(by_state),
        next_(from),
        pending_(subject.tasks()) {}

  bool has_ties() const { return ties_.found() || placement_.found(); }
  bool found() const {
    return same_state_ || std::any_of(beginnings_.begin(), beginnings_.end(), [this](Instant instant) {
             return instant >= from_ && beginnings_.count(instant + hyperperiod_) > 0;
           });
  }

  bool wants_intervals() const override { return false; }
  bool wants_events() const override { return true; }
  void released(TaskIndex task, Instant now, bool lost) override {
    reach(now);
    ties_.released(task, now);
    if (lost) return;
    if (jobs_ == 0 && (!idle_since_ || *idle_since_ < now)) beginnings_.insert(now);
    ++jobs_;
    pending_[task].push_back(now);
  }
  void completed(TaskIndex task, std::uint64_t, Instant, Instant now) override {
    reach(now);
    ties_.completed(task, now);
    pending_[task].pop_front();
    if (--jobs_ == 0) idle_since_ = now;
  }
  void operation(const OperationChange& change) override {
    reach(change.now);
    if (change.what == ProcessEvent::activate) ties_.submitted(change.task, change.now);
    if (change.what == ProcessEvent::terminate) ties_.ended(change.task, change.now);
    if (!by_state_) return;
    if (change.what == ProcessEvent::activate) operations_.push_back({change.task, change.step, std::nullopt, 0, {}});
    const auto at = std::find_if(operations_.begin(), operations_.end(),
                                 [&](const Operation& each) { return each.task == change.task; });
    if (change.what == ProcessEvent::start) at->start = change.now;
    if (change.what == ProcessEvent::terminate) operations_.erase(at);
  }
  void block(const BlockChange& change) override {
    reach(change.now);
    placement_.block(change);
    if (!change.begins) ties_.ended(change.task, change.now);
    const auto at = std::find_if(operations_.begin(), operations_.end(),
                                 [&](const Operation& each) { return each.task == change.task; });
    if (at == operations_.end()) return;
    if (change.begins) {
      auto& [placing, turn] = placing_[subject_.task(change.task).unit];
      if (placing != change.task) ++turn;
      placing = change.task;
      ++at->assigned;
      at->blocks.insert({change.sm, change.now, turn});
    } else if (const auto block = at->blocks.lower_bound({change.sm, Instant{}, 0}); block != at->blocks.end()) {
      at->blocks.erase(block);  // the earliest of this SM
    }
  }

 private:
  struct Operation {
    TaskIndex task = 0;
    std::size_t step = 0;
    std::optional<Instant> start;
    std::size_t assigned = 0;
    std::multiset<std::tuple<gpu::SmIndex, Instant, std::int64_t>>
        blocks;  ///< resident: begin, and turn of its placement
  };

  /// The state before anything happens at `now` is the one at all earlier instants since the last event.
  void reach(Instant now) {
    while (by_state_ && !same_state_ && next_ <= now) {
      std::vector<std::int64_t> state;
      const auto add = [&](Instant instant) { state.push_back((instant - next_).picoseconds()); };
      for (const auto& releases : pending_) {
        state.push_back(static_cast<std::int64_t>(releases.size()));
        for (const Instant release : releases) add(release);
      }
      for (const Operation& operation : operations_) {
        state.push_back(static_cast<std::int64_t>(operation.task));
        state.push_back(static_cast<std::int64_t>(operation.step));
        state.push_back(static_cast<std::int64_t>(operation.assigned));
        if (operation.start && operation.assigned == 0) add(*operation.start);
        for (const auto& [sm, begin, turn] : operation.blocks) {
          state.push_back(sm);
          add(begin);
          const std::int64_t now = placing_.at(subject_.task(operation.task).unit).second;
          state.push_back(std::min<std::int64_t>(now - turn, 2));
        }
      }
      for (const auto& [unit, placing] : placing_) state.push_back(static_cast<std::int64_t>(placing.first));
      same_state_ = state == last_state_;
      last_state_ = std::move(state);
      next_ = next_ + hyperperiod_;
    }
  }

  const AnalyzedSystem& subject_;
  Ties ties_;
  PlacementTies placement_;
  Instant from_;
  Duration hyperperiod_;
  bool by_state_;
  /// By GPU: whose block was placed last, and how often that has changed.
  std::map<UnitIndex, std::pair<TaskIndex, std::int64_t>> placing_;
  Instant next_;
  std::vector<std::deque<Instant>> pending_;  ///< releases of jobs that have not ended, by task
  std::vector<Operation> operations_;         ///< at most one of each task, in the order of submission
  std::optional<std::vector<std::int64_t>> last_state_;
  bool same_state_ = false;
  std::int64_t jobs_ = 0;
  std::optional<Instant> idle_since_;
  std::set<Instant> beginnings_;  ///< when the part begins to work after it was idle
};

/// The periods and offsets of a part.
struct Pattern {
  std::optional<Duration> hyperperiod;  ///< nothing: all releases are single
  Duration from;                        ///< after that, all releases are periodic
  double jobs = 0;                      ///< per hyperperiod
};

std::optional<Pattern> pattern_of(const System& system) {
  Pattern pattern;
  std::int64_t multiple = 1;
  double rate = 0;
  for (const Stimulus& stimulus : system.stimuli) {
    if (stimulus.activates.empty()) continue;
    if (const auto* single = std::get_if<Single>(&stimulus.occurrence))
      pattern.from = std::max(pattern.from, single->occurrence + Duration::picoseconds(1));
    const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence);
    if (periodic == nullptr) continue;
    const std::int64_t period = periodic->period.picoseconds();
    if (__builtin_mul_overflow(multiple / std::gcd(multiple, period), period, &multiple)) return std::nullopt;
    pattern.hyperperiod = Duration::picoseconds(multiple);
    pattern.from = std::max(pattern.from, periodic->offset);
    rate += static_cast<double>(stimulus.activates.size()) / static_cast<double>(period);
  }
  if (std::max(pattern.hyperperiod.value_or(Duration{}), pattern.from) >
      Duration::picoseconds(nvidia::longest_analyzed.picoseconds() / (most_hyperperiods + 1)))
    return std::nullopt;
  pattern.jobs = rate * static_cast<double>(multiple);
  return pattern;
}

/// The schedule of the part, if it repeats.
std::optional<Results> schedule_of(const ProblemInput& input, const std::vector<TaskIndex>& part) {
  const AnalyzedSystem& subject = input.subject;
  System alone = subject.system;
  for (Stimulus& stimulus : alone.stimuli)
    std::erase_if(stimulus.activates,
                  [&](TaskIndex task) { return std::find(part.begin(), part.end(), task) == part.end(); });
  const auto pattern = pattern_of(alone);
  if (!pattern) return std::nullopt;
  Duration until = pattern->from;
  if (pattern->hyperperiod) {
    const double of_offsets =
        static_cast<double>(pattern->from.picoseconds() / pattern->hyperperiod->picoseconds() + 1);
    const auto hyperperiods = static_cast<std::int64_t>(most_jobs / std::max(1.0, pattern->jobs) - of_offsets);
    if (hyperperiods < least_hyperperiods) return std::nullopt;
    until += *pattern->hyperperiod * std::min(hyperperiods, most_hyperperiods);
  }
  const auto periods = periods_of(subject.system);
  SimulationInput simulated{alone, subject.worst, subject.devices, until, nvidia::longest_analyzed, periods};
  Repetition repetition(subject, part, Instant{} + pattern->from, pattern->hyperperiod.value_or(Duration{}),
                        pattern->hyperperiod && is_undisturbed(subject, part) && !shares_a_stream(subject, part));
  simulated.observer = &repetition;
  simulated.max_steps = most_steps;
  Results results;
  simulate(simulated, results);
  subject.taken.add(results.events);
  const bool unfinished = std::any_of(results.tasks.begin(), results.tasks.end(),
                                      [](const TaskResult& task) { return task.unfinished > 0; });
  if (results.stopped_early || unfinished || repetition.has_ties() || (pattern->hyperperiod && !repetition.found()))
    return std::nullopt;
  return results;
}

}  // namespace

void add_exact_responses(const ProblemInput& input, SystemBounds& bounds) {
  const AnalyzedSystem& subject = input.subject;
  const Parts parts(input);
  std::vector<bool> visited(subject.tasks(), false);
  for (TaskIndex first = 0; first < subject.tasks(); ++first) {
    if (visited[first] || subject.is_host(first) || !input.activations[first].any()) continue;
    const auto part = parts.of(first, input.activations);
    for (const TaskIndex task : part) visited[task] = true;
    if (!has_one_process(input, part) || has_equal_ranks(input, part) || has_sections_beside_others(input, part) ||
        !is_slowed_as_at_worst(input, part) || !std::all_of(part.begin(), part.end(), [&](TaskIndex task) {
          return !input.offloads.unknown_times[task] && !input.offloads.open_times[task] &&
                 has_fixed_times(subject, task) && has_fixed_releases(subject, task) && has_plain_core(input, task);
        }))
      continue;
    const auto schedule = schedule_of(input, part);
    if (!schedule) continue;
    for (const TaskIndex task : part) {
      const TaskResult& result = schedule->tasks[task];
      if (result.response.jobs == 0) continue;
      Bound& bound = bounds.tasks[task];
      bound.worst = result.response.max;
      bound.parts = result.contributions;
      bound.reason.clear();
      bound.exact = true;
      bound.method = BoundMethod::schedule;
      bound.pending.reset();
      if (result.lost_activations == 0) bound.pending = subject.task(task).activation_limit;
    }
    for (const OperationResult& operation : schedule->operations) {
      const auto bound = bounds.operations.find(operation.node);
      if (bound == bounds.operations.end() || operation.duration.jobs == 0) continue;
      bound->second.worst = operation.duration.max;
      bound->second.reason.clear();
      bound->second.exact = true;
      bound->second.method = BoundMethod::schedule;
    }
  }
}

}  // namespace amalthea::engine::bounds
