// SPDX-License-Identifier: Apache-2.0
#include "exporter/peers/peer_system.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/cpu/urgency.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/program/program.hpp"
#include "engine/program/releases.hpp"

namespace amalthea::exporter {
namespace {

using engine::Program;
using engine::Step;
using engine::StepKind;

/// A trigger step of a task.
struct TriggerStep {
  TaskIndex task = 0;
  std::size_t step = 0;
};

class Expression {
 public:
  Expression(const System& system, std::string_view tool, const PeerLimits& limits)
      : system_(system),
        tool_(tool),
        limits_(limits),
        periods_(engine::periods_of(system)),
        urgency_(system, periods_),
        peer_{system, {}, {}, {}},
        why_not_(system.tasks.size()) {
    engine::CompileOptions compile;
    compile.flatten_branches = true;
    const auto devices = engine::default_devices(system);
    compile.rounding = Rounding::up;
    worst_ = compile_programs(system, engine::Execution::worst, devices, compile);
    compile.rounding = Rounding::down;
    best_ = compile_programs(system, engine::Execution::best, devices, compile);
  }

  PeerSystem run(const PlaceOf& place_of, Diagnostics& findings) {
    find_triggers();
    find_tasks();
    for (PeerTask& task : peer_.tasks) find_release(task);
    for (const PeerTask& task : peer_.tasks) {
      find_cycle(task);
      explain(task.task, fault_of(task.task));
    }
    for (PeerCore& core : peer_.cores) find_policy(core);
    for (PeerCore& core : peer_.cores) find_ranks(core);
    for (const PeerTask& task : peer_.tasks)
      if (why_not_[task.task].empty()) explain(task.task, limits_(peer_, task));
    find_consequences();
    report(place_of, findings);
    return kept();
  }

 private:
  const Scheduler& scheduler_of(TaskIndex task) const {
    return system_.platform.schedulers[system_.tasks[task].scheduler];
  }
  void explain(TaskIndex task, std::string why) {
    if (why_not_[task].empty()) why_not_[task] = std::move(why);
  }

  void find_triggers() {
    triggers_.resize(system_.stimuli.size());
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      for (std::size_t step = 0; step < worst_[task].steps.size(); ++step)
        if (worst_[task].steps[step].kind == StepKind::trigger)
          triggers_[std::get<Trigger>(activity(task, step)).stimulus].push_back({task, step});
    activating_.resize(system_.tasks.size());
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus)
      for (const TaskIndex task : system_.stimuli[stimulus].activates)
        if (!std::holds_alternative<InterProcess>(system_.stimuli[stimulus].occurrence) || !triggers_[stimulus].empty())
          activating_[task].push_back(stimulus);
  }
  const Activity& activity(TaskIndex task, std::size_t step) const {
    return system_.graph[worst_[task].steps[step].node].activity;
  }

  /// All host tasks that something releases, by core.
  void find_tasks() {
    place_.resize(system_.tasks.size());
    std::map<UnitIndex, std::size_t> core_of;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      const Task& stated = system_.tasks[task];
      if (stated.side != Side::host || stated.folded_into || activating_[task].empty()) continue;
      const auto [core, added] = core_of.emplace(stated.unit, peer_.cores.size());
      if (added) peer_.cores.push_back({stated.unit, {}, true, {}, {}});
      peer_.cores[core->second].tasks.push_back(peer_.tasks.size());
      PeerTask entry;
      entry.task = task;
      entry.core = core->second;
      entry.best = best_[task].execution;
      entry.worst = worst_[task].execution;
      entry.interrupt = stated.kind != ProcessKind::task;
      place_[task] = peer_.tasks.size();
      peer_.tasks.push_back(entry);
    }
  }

  void find_release(PeerTask& task) {
    const std::string& name = peer_.name(task);
    const StimulusIndex stimulus = activating_[task.task].front();
    const Stimulus& stated = system_.stimuli[stimulus];
    const auto& sources = triggers_[stimulus];
    if (activating_[task.task].size() > 1)
      return explain(task.task, fmt::format("{} is activated by several stimuli", name));
    if (engine::is_conditional(stated))
      return explain(task.task, fmt::format("not every occurrence of its stimulus activates {}", name));
    if (std::holds_alternative<EventDriven>(stated.occurrence))
      return explain(task.task, fmt::format("an event activates {}", name));
    if (std::holds_alternative<InterProcess>(stated.occurrence)) {
      if (sources.size() > 1) return explain(task.task, fmt::format("{} is triggered at several places", name));
      task.trigger = place_[sources.front().task];
      if (!task.trigger) return explain(task.task, fmt::format("the task that triggers {} never runs on a core", name));
      const auto& steps = worst_[sources.front().task].steps;
      task.triggered_at_end =
          std::all_of(steps.begin() + static_cast<std::ptrdiff_t>(sources.front().step), steps.end(),
                      [](const Step& step) { return step.kind != StepKind::execute || step.work.is_zero(); });
      return;
    }
    const auto arrivals = engine::arrival_bound(stated);
    if (!arrivals || !sources.empty())
      return explain(task.task, fmt::format("the stimulus of {} has no minimum inter-arrival time", name));
    task.stimulus = stimulus;
    task.arrivals = *arrivals;
  }

  void find_cycle(const PeerTask& task) {
    std::size_t hops = 0;
    for (const PeerTask* at = &task; at->trigger && hops <= peer_.tasks.size(); ++hops) at = &peer_.tasks[*at->trigger];
    if (hops > peer_.tasks.size())
      explain(task.task, fmt::format("{} is triggered by tasks that trigger each other in a cycle", peer_.name(task)));
  }

  /// What no tool of these expresses.
  std::string fault_of(TaskIndex task) const {
    const Task& stated = system_.tasks[task];
    if (stated.units.size() > 1) return fmt::format("{} may run on several cores", stated.name);
    const Scheduler& scheduler = scheduler_of(task);
    const SchedulingTraits& traits = traits_of(scheduler.kind);
    if (scheduler.parent || traits.server != ServerKind::none || traits.passes_tasks_on)
      return fmt::format("the scheduler of {} has a budget or a parent", stated.name);
    if (stated.preemption == Preemption::cooperative) return fmt::format("{} is cooperative", stated.name);
    if (!worst_[task].unanalyzable.empty()) return fmt::format("{}: {}", stated.name, worst_[task].unanalyzable);
    for (const Step& step : worst_[task].steps) switch (step.kind) {
        case StepKind::wait:
          return fmt::format("{} waits for an event", stated.name);
        case StepKind::copy:
        case StepKind::kernel:
          return fmt::format("{} uses a GPU", stated.name);
        case StepKind::request_semaphore:
        case StepKind::release_semaphore:
          return fmt::format("{} uses a semaphore", stated.name);
        case StepKind::uninterruptible:
          return fmt::format("a part of {} cannot be preempted", stated.name);
        default:
          break;
      }
    return {};
  }

  void explain_all(const PeerCore& core, const std::string& why) {
    for (const std::size_t i : core.tasks) explain(peer_.tasks[i].task, why);
  }

  /// How its tasks share a core.
  void find_policy(PeerCore& core) {
    std::set<SchedulerIndex> schedulers;
    std::set<std::int64_t> priorities;
    std::size_t non_preemptive = 0, interrupts = 0;
    for (const std::size_t i : core.tasks) {
      const Task& task = peer_.task_of(peer_.tasks[i]);
      if (peer_.tasks[i].interrupt) {
        ++interrupts;
        continue;
      }
      schedulers.insert(task.scheduler);
      priorities.insert(task.priority);
      if (task.preemption == Preemption::non_preemptive) ++non_preemptive;
    }
    if (schedulers.size() > 1)
      return explain_all(core, fmt::format("several schedulers share the core {}", peer_.name(core)));
    core.preemptive = non_preemptive == 0;
    if (non_preemptive > 0 && non_preemptive < core.tasks.size())
      return explain_all(core, fmt::format("only some tasks of the core {} can be preempted", peer_.name(core)));
    if (schedulers.empty()) return;
    const Scheduler& scheduler = system_.platform.schedulers[*schedulers.begin()];
    const SchedulingTraits& traits = traits_of(scheduler.kind);
    if (traits.order == UrgencyOrder::absolute_deadline) {
      core.policy = PeerPolicy::earliest_deadline;
      if (interrupts > 0)
        explain_all(core, fmt::format("interrupts preempt the deadlines on the core {}", peer_.name(core)));
    } else if (traits.takes_turns && core.tasks.size() > 1 && priorities.size() + interrupts < core.tasks.size()) {
      core.policy = PeerPolicy::round_robin;
      core.slice = scheduler.time_slice.value_or(Duration{});
      if (priorities.size() + interrupts > 1 || core.slice.is_zero() || !core.preemptive)
        explain_all(core, fmt::format("tasks of several priorities take turns on the core {}", peer_.name(core)));
    }
  }

  void find_ranks(PeerCore& core) {
    const auto key_of = [&](const PeerTask& task) {
      return std::pair(task.interrupt,
                       core.policy == PeerPolicy::earliest_deadline ? 0 : urgency_.own_urgency(task.task));
    };
    std::set<std::pair<bool, std::int64_t>> keys;
    for (const std::size_t i : core.tasks) keys.insert(key_of(peer_.tasks[i]));
    for (const std::size_t i : core.tasks) {
      PeerTask& task = peer_.tasks[i];
      task.rank = 1 + std::distance(keys.begin(), keys.find(key_of(task)));
      task.deadline = engine::scheduling_deadline(system_, task.task, periods_);
      if (core.policy == PeerPolicy::earliest_deadline && !task.deadline)
        explain(task.task, fmt::format("{} has no deadline", peer_.name(task)));
    }
  }

  /// Cores with a task that cannot be expressed, and tasks that such a task triggers, until nothing changes.
  void find_consequences() {
    for (bool changed = true; changed;) {
      changed = false;
      const auto conclude = [&](TaskIndex task, const std::string& why) {
        if (!why_not_[task].empty()) return;
        why_not_[task] = why;
        changed = true;
      };
      for (const PeerCore& core : peer_.cores)
        for (const std::size_t i : core.tasks)
          if (const std::string& why = why_not_[peer_.tasks[i].task]; !why.empty())
            for (const std::size_t other : core.tasks) conclude(peer_.tasks[other].task, why);
      for (const PeerTask& task : peer_.tasks)
        if (task.trigger && !why_not_[peer_.tasks[*task.trigger].task].empty())
          conclude(task.task, fmt::format("the task that triggers {} is left out", peer_.name(task)));
    }
  }

  void report(const PlaceOf& place_of, Diagnostics& findings) {
    const auto leave_out = [&](UnitIndex unit, TaskIndex task, std::size_t tasks, const std::string& why) {
      peer_.left_out.push_back(fmt::format("{} is left out, with its {} task{}: {}", system_.platform.units[unit].name,
                                           tasks, tasks == 1 ? "" : "s", why));
      findings.add("AM0720", Severity::warning,
                   fmt::format("{} cannot express this system: {}", tool_, peer_.left_out.back()),
                   place_of(system_.tasks[task].origin));
    };
    for (const PeerCore& core : peer_.cores)
      if (const TaskIndex first = peer_.tasks[core.tasks.front()].task; !why_not_[first].empty())
        leave_out(core.unit, first, core.tasks.size(), why_not_[first]);
    std::map<UnitIndex, std::vector<TaskIndex>> on_gpu;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (system_.tasks[task].side == Side::device) on_gpu[system_.tasks[task].unit].push_back(task);
    for (const auto& entry : on_gpu) leave_out(entry.first, entry.second.front(), entry.second.size(), "it is a GPU");
  }

  /// Without what is left out.
  PeerSystem kept() const {
    PeerSystem kept{system_, {}, {}, peer_.left_out};
    std::vector<std::size_t> place(peer_.tasks.size());
    for (const PeerCore& core : peer_.cores) {
      if (!why_not_[peer_.tasks[core.tasks.front()].task].empty()) continue;
      PeerCore& copy = kept.cores.emplace_back(core);
      for (std::size_t& i : copy.tasks) {
        place[i] = kept.tasks.size();
        kept.tasks.push_back(peer_.tasks[i]);
        kept.tasks.back().core = kept.cores.size() - 1;
        i = place[i];
      }
    }
    for (PeerTask& task : kept.tasks)
      if (task.trigger) task.trigger = place[*task.trigger];
    return kept;
  }

  const System& system_;
  std::string_view tool_;
  const PeerLimits& limits_;
  std::vector<std::optional<Duration>> periods_;  ///< of every task
  engine::Urgency urgency_;
  std::vector<Program> best_, worst_;
  std::vector<std::vector<TriggerStep>> triggers_;      ///< of every stimulus
  std::vector<std::vector<StimulusIndex>> activating_;  ///< of every task: stimuli that occur
  PeerSystem peer_;
  std::vector<std::optional<std::size_t>> place_;  ///< of every task: into the tasks of `peer_`
  std::vector<std::string> why_not_;               ///< of every task
};

}  // namespace

PeerSystem peer_system(const System& system, std::string_view tool, const PeerLimits& limits, const PlaceOf& place_of,
                       Diagnostics& findings) {
  return Expression(system, tool, limits).run(place_of, findings);
}

std::optional<Duration> hyperperiod_of(const PeerSystem& peer, const PeerCore& core) {
  std::int64_t common = 1;
  for (const std::size_t i : core.tasks) {
    if (!peer.tasks[i].stimulus) continue;
    const std::int64_t period = peer.tasks[i].arrivals.period.picoseconds();
    const std::int64_t factor = period / std::gcd(common, period);
    if (common > longest_simulation.picoseconds() / factor) return std::nullopt;
    common *= factor;
  }
  return Duration::picoseconds(common);
}

}  // namespace amalthea::exporter
