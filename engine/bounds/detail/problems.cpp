// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/problems.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/cpu/fixed_priority.hpp"
#include "engine/results/servers.hpp"

namespace amalthea::engine::bounds {
namespace {

/// The task as the core analyses see it, without its releases.
cpu::CpuTask cpu_task(const ProblemInput& input, TaskIndex host, const Faults& faults) {
  const TaskShape& shape = input.cores.shapes[host];
  cpu::CpuTask task;
  task.arrivals.period = longest_period;
  task.worst = execution_of(input.subject, host).worst;
  task.priority = input.cores.ranks.rank[host];
  task.sections = shape.sections;
  task.last = shape.last;
  task.cooperative = shape.cooperative;
  task.last_cooperative = shape.last_cooperative;
  task.preemptible_at_end = shape.preemptible_at_end;
  task.deadline = input.cores.ranks.relative_deadline[host].value_or(Duration::max());
  for (const SemaphoreRequest& request : shape.requests) task.waits += request.polls ? 0 : 1;
  for (const GrantedSection& granted : shape.granted) task.granted.push_back(granted.section);
  // Longer times are useless, and must not count as less.
  task.unlimited = !faults[host].empty() || task.worst >= nvidia::longest_analyzed;
  return task;
}

CoreProblem::Member member_of(const CoreModel& core, const Task& task, TaskIndex index) {
  CoreProblem::Member member{
      index, is_interrupt(task), !is_interrupt(task) && task.preemption == Preemption::non_preemptive, {}, {}};
  for (std::size_t unit = 0; unit < core.units.size(); ++unit)
    if (task.units.empty() ? task.unit == core.units[unit]
                           : std::find(task.units.begin(), task.units.end(), core.units[unit]) != task.units.end())
      member.cores.push_back(unit);
  return member;
}

/// The number of waits before which it executes nothing since the one before, or since its start. It may wait at one
/// step for several device tasks.
std::int64_t idle_steps_before_waits(const nvidia::GpuTask& task) {
  std::int64_t count = 0;
  bool executes = false;
  std::optional<std::size_t> last;
  for (const nvidia::Segment& segment : task.segments) {
    const auto* cpu = std::get_if<nvidia::CpuSegment>(&segment);
    const auto* wait = std::get_if<nvidia::WaitSegment>(&segment);
    if (cpu != nullptr)
      executes = executes || !cpu->worst.is_zero();
    else if ((wait == nullptr || last != wait->to) && !std::exchange(executes, false))
      ++count;
    if (cpu == nullptr) last = wait == nullptr ? std::nullopt : std::optional(wait->to);
  }
  return count;
}

class ProblemBuilder {
 public:
  ProblemBuilder(const ProblemInput& input, Faults& faults) : input_(input), faults_(faults) {}

  Problems run(const std::vector<UnitIndex>& gpus) {
    const AnalyzedSystem& subject = input_.subject;
    problems_.of_task.resize(subject.tasks());
    problems_.cores.resize(input_.cores.cores.size());
    for (CoreProblem& core : problems_.cores) core.limits.taken = input_.subject.taken;
    problems_.gpu = empty_gpu_problem(input_, gpus);
    problems_.gpu.problem.taken = input_.subject.taken;
    for (TaskIndex task = 0; task < subject.tasks(); ++task)
      if (problems_.gpu.streams[task]) add_device(task);
    for (TaskIndex task = 0; task < subject.tasks(); ++task) {
      if (!input_.cores.core_of[task] || !problems_.of_task[task].empty()) continue;
      if (input_.cores.core(task).apart)
        add_to_core(task);
      else
        add_host(task);
    }
    add_rows();
    for (std::size_t core = 0; core < input_.cores.cores.size(); ++core)
      input_.cores.cores[core].apart ? add_turns(core) : add_blocking(input_.cores.cores[core]);
    return std::move(problems_);
  }

 private:
  /// Returns the index into `problem_tasks`.
  std::size_t add(GpuEntry entry, std::size_t activation) {
    problems_.problem_tasks.push_back({entry.member.task, activation, std::nullopt, problems_.gpu.members.size()});
    add_with_beside(std::move(entry));
    return problems_.problem_tasks.size() - 1;
  }

  /// With the device tasks that may be active beside each other.
  void add_with_beside(GpuEntry entry) {
    const std::size_t at = problems_.gpu.members.size();
    for (nvidia::Segment& segment : entry.task.segments)
      if (auto* wait = std::get_if<nvidia::WaitSegment>(&segment)) wait->task += at + 1;
    const Duration period = entry.task.period;
    auto beside = std::move(entry.beside);
    add_to_gpu(std::move(entry));
    for (GpuEntry& device : beside) {
      device.task.period = period;
      device.task.host = at;
      device.task.core = problems_.gpu.problem.cores.size();
      problems_.gpu.problem.cores.push_back(device.task.name);
      add_to_gpu(std::move(device));
    }
  }

  void add_to_gpu(GpuEntry entry) {
    entry.task.deadline = entry.task.period;
    problems_.gpu.problem.tasks.push_back(std::move(entry.task));
    problems_.gpu.members.push_back(std::move(entry.member));
  }

  /// With its host, if one waits for it.
  void add_device(TaskIndex device) {
    if (const auto driver = input_.offloads.driver[device]) {
      if (problems_.of_task[*driver].empty())
        input_.cores.core(*driver).apart ? add_to_core(*driver) : add_host(*driver);
      problems_.of_task[device].assign(input_.activations[device].count(), problems_.of_task[*driver].front());
      return;
    }
    GpuEntry entry = device_entry(input_, problems_.gpu, device, faults_);
    entry.task.core = problems_.gpu.problem.cores.size();
    problems_.gpu.problem.cores.push_back(entry.task.name);
    add_merged(std::move(entry));
  }

  /// One task of the problem for all activations: its jobs run one after the other, also while they use the GPU.
  void add_merged(GpuEntry entry) {
    const TaskIndex task = entry.member.task;
    entry.task.period = merged(input_.activations[task].all).period;
    const std::size_t first = add(std::move(entry), 0);
    problems_.of_task[task] = {first};
    const ProblemTask problem_task = problems_.problem_tasks[first];
    for (std::size_t activation = 1; activation < input_.activations[task].all.size(); ++activation) {
      problems_.of_task[task].push_back(problems_.problem_tasks.size());
      problems_.problem_tasks.push_back({task, activation, std::nullopt, problem_task.at});
    }
  }

  void add_host(TaskIndex host) {
    const Activations& activations = input_.activations[host];
    GpuEntry entry = host_entry(input_, problems_.gpu, host, faults_);
    entry.task.period = longest_period;
    auto& problem_tasks = problems_.of_task[host];
    if (input_.offloads.waits_for_any(host) && !entry.task.unlimited) return add_merged(std::move(entry));
    if (entry.task.unlimited) {
      problem_tasks.assign(activations.count(), add(std::move(entry), 0));
      return;
    }
    for (std::size_t activation = 0; activation < activations.all.size(); ++activation) {
      entry.task.period = activations.all[activation].period;
      problem_tasks.push_back(add(entry, activation));
    }
  }

  void add_to_core(TaskIndex host) {
    const Activations& activations = input_.activations[host];
    add_fault(faults_, host, activations.fault);
    cpu::CpuTask task = cpu_task(input_, host, faults_);
    if (task.unlimited)
      add_fault(faults_, host, fmt::format("a job may take {} or more", format_duration(nvidia::longest_analyzed)));
    const std::size_t core = *input_.cores.core_of[host];
    CoreProblem& problem = problems_.cores[core];
    problem.waits_for_semaphores = problem.waits_for_semaphores || input_.cores.shapes[host].waits_for_semaphores;
    for (const cpu::SemaphoreSection& held : input_.cores.shapes[host].held)
      problem.one_holder = problem.one_holder && input_.subject.system.semaphores[held.semaphore].capacity == 1;
    problem.one_holder = problem.one_holder && input_.cores.shapes[host].requests.empty();
    std::optional<std::size_t> server;
    bool by_deadline = false;
    const auto& path = input_.cores.ranks.schedulers[host];
    for (auto index = path.rbegin(); index != path.rend(); ++index) {  // from the outermost one
      const Scheduler& scheduler = input_.subject.system.platform.schedulers[*index];
      by_deadline = by_deadline || uses_deadlines(scheduler.kind);
      if (limits_time(scheduler)) server = place_of(*index, server, by_deadline, problem);
    }
    problem.by_deadline = problem.by_deadline || by_deadline;
    auto& problem_tasks = problems_.of_task[host];
    add_event_waits(host, server.has_value(), task);
    const auto waiting = add_waiting(host, server.has_value(), task);
    for (std::size_t activation = 0; activation < (task.unlimited ? 1 : activations.all.size()); ++activation) {
      if (!task.unlimited) {
        const Activation& releases = activations.all[activation];
        task.arrivals = {releases.period, {}, releases.minimum_distance};
      }
      problem_tasks.push_back(problems_.problem_tasks.size());
      problems_.problem_tasks.push_back({host, activation, core, problem.tasks.size(), waiting});
      problem.tasks.push_back(task);
      problem.members.push_back(member_of(input_.cores.cores[core], input_.subject.task(host), host));
      problem.members.back().server = server;
      problem.members.back().own_rank = input_.cores.ranks.own_rank[host];
      problem.members.back().held = input_.cores.shapes[host].held;
    }
    const std::size_t first = problem_tasks.front();
    problem_tasks.resize(activations.count(), first);
    for (std::size_t gpu = 0; gpu < problems_.gpu.units.size() && !waiting; ++gpu) add_accesses(host, gpu);
  }

  /// The index of a server among those of its core.
  std::size_t place_of(SchedulerIndex index, std::optional<std::size_t> parent, bool by_deadline,
                       CoreProblem& problem) {
    const Scheduler& scheduler = input_.subject.system.platform.schedulers[index];
    const auto [at, added] = servers_.emplace(index, problem.servers.size());
    if (added)
      problem.servers.push_back({{*scheduler.share.period, std::min(*scheduler.share.period, *scheduler.share.budget),
                                  traits_of(scheduler.kind).server == ServerKind::polling},
                                 index,
                                 parent,
                                 by_deadline});
    return at->second;
  }

  /// Their times follow from the solution.
  void add_event_waits(TaskIndex host, bool in_server, cpu::CpuTask& task) {
    for (const EventWait& wait : input_.offloads.event_waits[host]) {
      if (wait.polls) {
        // The time for which it polls may belong to its last section.
        task.last = {};
        task.last_cooperative = {};
      } else {
        ++task.waits;
        // It waits for budget also where it executes nothing before.
        if (in_server) task.worst += Duration::picoseconds(1);
      }
      // It needs its core once more after the last wait.
      const std::size_t steps = input_.subject.steps(host).size();
      if (execution_of(input_.subject, host, wait.step, steps).worst.is_zero()) task.preemptible_at_end = true;
    }
  }

  /// For a host on a separate core that waits for a GPU: adds its GPU segments to the problem of the GPUs.
  std::optional<std::size_t> add_waiting(TaskIndex host, bool in_server, cpu::CpuTask& task) {
    if (!input_.offloads.waits_for_any(host)) return std::nullopt;
    GpuEntry entry = host_entry(input_, problems_.gpu, host, faults_);
    task.unlimited = task.unlimited || entry.task.unlimited;
    // It needs its core once more after the last wait.
    const auto* last = std::get_if<nvidia::CpuSegment>(&entry.task.segments.back());
    if (last == nullptr || last->worst.is_zero()) task.preemptible_at_end = true;
    task.polls = task.waits == 0 && entry.task.wait == nvidia::WaitMode::busy && !entry.task.also_suspends;
    task.waits += static_cast<std::int64_t>(entry.member.segments.size());
    std::set<std::size_t> steps;  // it may wait at one step for several device tasks
    for (const nvidia::WaitSegment& wait : nvidia::waits_of(entry.task)) steps.insert(wait.to);
    task.waits += static_cast<std::int64_t>(steps.size());
    // It waits for budget also where it executes nothing before a wait.
    if (in_server && !task.polls) task.worst += Duration::picoseconds(1) * idle_steps_before_waits(entry.task);
    entry.task.elsewhere.emplace(Duration{});
    entry.task.core = problems_.gpu.problem.cores.size();
    problems_.gpu.problem.cores.push_back(entry.task.name);
    entry.task.period = merged(input_.activations[host].all).period;
    const std::size_t at = problems_.gpu.members.size();
    add_with_beside(std::move(entry));
    return at;
  }

  /// The solution adds the response bound to the jitter.
  void add_accesses(TaskIndex host, std::size_t gpu) {
    const std::size_t steps = input_.subject.steps(host).size();
    const Duration accesses = accesses_of(input_.subject, host, problems_.gpu.units[gpu], 0, steps);
    if (accesses.is_zero()) return;
    std::vector<std::size_t> indices = problems_.of_task[host];
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    for (const std::size_t index : indices) {
      const ProblemTask& problem_task = problems_.problem_tasks[index];
      const cpu::CpuTask& task = problems_.cores[*problem_task.core].tasks[problem_task.at];
      nvidia::CpuDemand demand = nvidia::EngineDemand{task.arrivals.period, {}, accesses, 1};
      if (task.unlimited) demand.reset();
      problems_.gpu.problem.other_accesses.push_back({input_.subject.name(host), demand, gpu});
      problems_.gpu.other_accesses.push_back({index, execution_of(input_.subject, host).best});
    }
  }

  /// Of the tasks on separate cores, those that trigger others, and those that share a core with others of their row.
  void add_rows() {
    for (CoreProblem& core : problems_.cores) core.rows.resize(core.tasks.size());
    for (const ProblemTask& problem_task : problems_.problem_tasks) {
      const auto& all = input_.activations[problem_task.task].all;
      if (problem_task.activation >= all.size()) continue;
      const Activation& activation = all[problem_task.activation];
      if (problem_task.core) add_step(problem_task, activation);
      if (const auto* trigger = problem_task_of(activation.source); trigger && activation.source->most_before) {
        auto& triggers = problems_.cores[*trigger->core].rows[trigger->at].triggers;
        const Duration before = *activation.source->most_before;
        if (std::find(triggers.begin(), triggers.end(), before) == triggers.end()) triggers.push_back(before);
      }
    }
    for (CoreProblem& core : problems_.cores) {
      std::set<std::size_t> seen;
      if (std::none_of(core.rows.begin(), core.rows.end(), [&](const cpu::RowStep& step) {
            return !step.triggers.empty() || (step.row && !seen.insert(*step.row).second);
          }))
        core.rows.clear();
    }
  }

  void add_step(const ProblemTask& problem_task, const Activation& activation) {
    cpu::RowStep& step = problems_.cores[*problem_task.core].rows[problem_task.at];
    if (activation.row) {
      step.row = activation.row->id;
      step.periodic = activation.row->periodic;
      step.offset = activation.row->offset;
    }
    if (const auto* trigger = problem_task_of(activation.source); trigger && activation.source->is_last &&
                                                                  trigger->core == problem_task.core &&
                                                                  input_.activations[problem_task.task].count() == 1)
      step.released_by = trigger->at;
    for (auto source = activation.source; source;) {
      const auto* trigger = problem_task_of(source);
      if (source->is_last && trigger && trigger->core == problem_task.core) step.done.push_back(trigger->at);
      source = input_.activations[source->task].all[source->activation].source;
    }
  }

  /// On a separate core; null if it is elsewhere.
  const ProblemTask* problem_task_of(const std::optional<Activation::Source>& source) const {
    if (!source || source->activation >= problems_.of_task[source->task].size()) return nullptr;
    const ProblemTask& found = problems_.problem_tasks[problems_.of_task[source->task][source->activation]];
    return found.core && found.task == source->task && found.activation == source->activation ? &found : nullptr;
  }

  /// Of the tasks of each priority that take turns.
  void add_turns(std::size_t core) {
    CoreProblem& problem = problems_.cores[core];
    if (input_.cores.cores[core].several() || !problem.servers.empty()) return;
    const auto turn_of = [&](std::size_t at) -> std::optional<Duration> {
      const TaskIndex task = problem.members[at].task;
      const auto& path = input_.cores.ranks.schedulers[task];
      const Scheduler& scheduler = input_.subject.system.platform.schedulers[path.front()];
      if (!traits_of(scheduler.kind).takes_turns || problem.members[at].interrupt || problem.tasks[at].has_sections() ||
          input_.activations[task].count() > 1 || !scheduler.time_slice || *scheduler.time_slice <= Duration{})
        return std::nullopt;
      return scheduler.time_slice;
    };
    for (std::size_t at = 0; at < problem.tasks.size(); ++at) {
      std::optional<Duration> turn = turn_of(at);
      for (std::size_t other = 0; turn && other < problem.tasks.size(); ++other)
        if (problem.tasks[other].priority == problem.tasks[at].priority &&
            (!turn_of(other) || input_.cores.ranks.schedulers[problem.members[other].task].front() !=
                                    input_.cores.ranks.schedulers[problem.members[at].task].front()))
          turn.reset();
      problem.tasks[at].turn = turn;
    }
  }

  /// Adds the blocking of tasks on a core that they share with tasks that wait for a GPU.
  void add_blocking(const CoreModel& core) {
    std::vector<cpu::CpuTask> tasks;
    for (const TaskIndex task : core.tasks) tasks.push_back(cpu_task(input_, task, faults_));
    const auto blocking = cpu::blocking_bounds(tasks);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const TaskIndex task = core.tasks[i];
      if (!blocking[i].response || blocking[i].response->is_zero()) continue;
      const bool for_ever = *blocking[i].response >= endless;
      if (for_ever && faults_[task].empty()) faults_[task] = endless_blocking(core, blocking[i]);
      std::size_t seen = problems_.gpu.members.size();
      for (const std::size_t problem_task : problems_.of_task[task]) {
        const std::size_t at = problems_.problem_tasks[problem_task].at;
        if (std::exchange(seen, at) == at) continue;
        nvidia::GpuTask& blocked = problems_.gpu.problem.tasks[at];
        if (for_ever) blocked.unlimited = true;
        for (std::size_t part = 0; part < blocking[i].parts.size() && !for_ever; ++part) {
          const auto& by = problems_.of_task[core.tasks[*blocking[i].parts[part].by]];
          blocked.blocking.push_back({problems_.problem_tasks[by.front()].at, blocking[i].parts[part].time});
        }
      }
    }
  }

  std::string endless_blocking(const CoreModel& core, const cpu::CpuBound& blocking) const {
    for (const cpu::CpuShare& share : blocking.parts)
      if (share.time >= endless)
        return fmt::format("{} may block its core while it waits for an event",
                           input_.subject.name(core.tasks[*share.by]));
    return "lower-priority tasks may block its core";
  }

  const ProblemInput& input_;
  Faults& faults_;
  Problems problems_;
  std::map<SchedulerIndex, std::size_t> servers_;
};

}  // namespace

Duration& Problems::jitter_of(const ProblemTask& problem_task) {
  return problem_task.core ? cores[*problem_task.core].tasks[problem_task.at].arrivals.jitter
                           : gpu.problem.tasks[problem_task.at].jitter;
}

bool Problems::is_unlimited(const ProblemTask& problem_task) const {
  return problem_task.core ? cores[*problem_task.core].tasks[problem_task.at].unlimited
                           : gpu.problem.tasks[problem_task.at].unlimited;
}

void Problems::set_unlimited(const ProblemTask& problem_task) {
  (problem_task.core ? cores[*problem_task.core].tasks[problem_task.at].unlimited
                     : gpu.problem.tasks[problem_task.at].unlimited) = true;
  if (problem_task.waiting) gpu.problem.tasks[*problem_task.waiting].unlimited = true;
}

Problems problems_of(const ProblemInput& input, const std::vector<UnitIndex>& gpus, Faults& faults) {
  return ProblemBuilder(input, faults).run(gpus);
}

}  // namespace amalthea::engine::bounds
