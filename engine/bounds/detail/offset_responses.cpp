// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/offset_responses.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/bounds/detail/contributions.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/cpu/longest_schedule.hpp"
#include "engine/cpu/offset_windows.hpp"
#include "engine/cpu/schedule_graph.hpp"
#include "engine/program/arrivals.hpp"

namespace amalthea::engine::bounds {
namespace {

/// When the jobs of a task are released: the k-th in [offset + k period, offset + k period + jitter].
struct KnownReleases {
  Duration period, offset, jitter;
  bool all = true;  ///< every one of them happens
};

std::optional<KnownReleases> releases_of(const ProblemInput& input, TaskIndex task) {
  const auto& activations = input.activations[task].all;
  if (activations.size() != 1 || activations.front().source) return std::nullopt;
  std::optional<KnownReleases> known;
  for (const Stimulus& stimulus : input.subject.system.stimuli) {
    const auto& activates = stimulus.activates;
    const auto times = std::count(activates.begin(), activates.end(), task);
    if (times == 0) continue;
    const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence);
    if (known || times > 1 || periodic == nullptr || periodic->minimum_distance > periodic->period ||
        periodic->period >= longest_period)
      return std::nullopt;
    known.emplace();
    known->period = periodic->period;
    known->offset = periodic->offset + Duration::picoseconds(periodic->jitter.lower);
    known->jitter = Duration::picoseconds(periodic->jitter.upper - periodic->jitter.lower);
    known->all = !is_conditional(stimulus);
  }
  return known;
}

/// The parts of a job that no other task of the core preempts; nothing: other things than execution decide how it runs.
std::optional<std::vector<cpu::GraphTask::Part>> parts_of(const AnalyzedSystem& subject, TaskIndex task) {
  const Task& stated = subject.task(task);
  const bool cooperative = stated.preemption == Preemption::cooperative;
  if (cooperative && std::any_of(stated.body.begin(), stated.body.end(), [&](NodeIndex node) {
        const GraphNode& part = subject.system.graph[node];
        return part.unordered != 0 || std::holds_alternative<Branch>(part.activity);
      }))
    return std::nullopt;
  const auto& steps = subject.steps(task);
  std::vector<cpu::GraphTask::Part> parts(1);
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const TaskStep task_step{task, step};
    switch (steps[step].kind) {
      case StepKind::wait:
      case StepKind::request_semaphore:
      case StepKind::release_semaphore:
      case StepKind::uninterruptible:
      case StepKind::terminate:
        return std::nullopt;
      default:
        break;
    }
    const bool call = std::holds_alternative<Call>(subject.activity(task_step)) && is_outer(subject, task_step);
    const bool point = cooperative && (steps[step].kind == StepKind::schedule_point || call);
    if (point && !parts.back().worst.is_zero()) parts.emplace_back();
    if (steps[step].kind != StepKind::execute) continue;
    const Span span = span_of(subject, task_step);
    parts.back().best += span.best;
    parts.back().worst += span.worst;
  }
  return parts;
}

/// Whether jobs may stand at a schedule point when they have executed all: a task that is released then precedes the end.
bool ends_at_point(const AnalyzedSystem& subject, TaskIndex task) {
  for (std::size_t step = subject.steps(task).size(); step-- > 0;) {
    if (subject.steps(task)[step].kind == StepKind::schedule_point) return true;
    if (!execution_of(subject, task, step, step + 1).worst.is_zero()) return false;
  }
  return false;
}

class OffsetResponses {
 public:
  OffsetResponses(const ProblemInput& input, const Problems& problems, const Faults& faults,
                  const BoundOptions& options, SystemBounds& bounds)
      : input_(input), problems_(problems), faults_(faults), options_(options), bounds_(bounds) {
    for (TaskIndex task = 0; task < input.subject.tasks(); ++task) known_.push_back(releases_of(input, task));
  }

  void run() {
    for (std::size_t core = 0; core < input_.cores.cores.size(); ++core) {
      const CoreModel& model = input_.cores.cores[core];
      const CoreProblem& problem = problems_.cores[core];
      if (!model.apart || problem.tasks.empty() || !only_executes(model) || has_server(model)) continue;
      if (model.analysis == &by_fixed_priority && !model.several()) {
        use_windows(problem);
        if (all_known(problem)) use_graph(problem);
      } else if (all_known(problem) && are_alike(model)) {
        use_longest_schedule(model, problem);
      }
    }
    for (TaskIndex task = 0; task < input_.subject.tasks(); ++task)
      if (const auto function = input_.subject.task(task).folded_into) bounds_.tasks[task] = bounds_.tasks[*function];
  }

 private:
  /// Whether no task waits for anything but the core.
  bool only_executes(const CoreModel& model) const {
    const AnalyzedSystem& subject = input_.subject;
    return std::all_of(model.tasks.begin(), model.tasks.end(), [&](TaskIndex task) {
      const auto& steps = subject.steps(task);
      for (std::size_t step = 0; step < steps.size(); ++step) {
        if (steps[step].kind == StepKind::wait) return false;
        if (steps[step].kind != StepKind::request_semaphore) continue;
        const auto& use = subject.activity<UseSemaphore>({task, step});
        if (!subject.system.semaphores[use.semaphore].priority_ceiling) return false;
      }
      return !input_.offloads.waits_for_any(task) && !input_.cores.shapes[task].waits_for_semaphores &&
             input_.cores.shapes[task].requests.empty();
    });
  }

  bool has_server(const CoreModel& model) const {
    return std::any_of(model.tasks.begin(), model.tasks.end(), [&](TaskIndex task) {
      const auto& schedulers = input_.cores.ranks.schedulers[task];
      return std::any_of(schedulers.begin(), schedulers.end(), [&](SchedulerIndex index) {
        const Scheduler& scheduler = input_.subject.system.platform.schedulers[index];
        return scheduler.share.budget || traits_of(scheduler.kind).server == ServerKind::constant_bandwidth;
      });
    });
  }

  /// Whether jobs take equally long on all cores; a memory table may say otherwise.
  bool are_alike(const CoreModel& model) const {
    if (model.several() && std::any_of(model.tasks.begin(), model.tasks.end(), [&](TaskIndex task) {
          return input_.subject.worst[task].contention.has_value();
        }))
      return false;
    const auto& units = input_.subject.system.platform.units;
    const ProcessingUnit& first = units[model.units.front()];
    return std::all_of(model.units.begin(), model.units.end(),
                       [&](UnitIndex index) { return equally_fast(units[index], first); });
  }

  /// Whether all releases are known, and all of them happen.
  bool all_known(const CoreProblem& problem) const {
    return std::all_of(problem.members.begin(), problem.members.end(), [this](const CoreProblem::Member& member) {
      return known_[member.task] && known_[member.task]->all && faults_[member.task].empty();
    });
  }

  void replace(const CoreProblem& problem, std::size_t at, const cpu::CpuBound& found, BoundMethod method) {
    const TaskIndex task = problem.members[at].task;
    Bound& bound = bounds_.tasks[task];
    if (!found.response || *found.response >= nvidia::longest_analyzed) return;
    if (bound.worst && *bound.worst <= *found.response) return;
    bound.worst = found.response;
    bound.parts = contributions_on_core(input_.subject, problem, task, found.parts, {});
    bound.reason.clear();
    bound.method = method;
  }

  void use_windows(const CoreProblem& problem) {
    std::vector<cpu::OffsetTask> tasks;
    std::vector<cpu::CpuBound> general;
    for (std::size_t at = 0; at < problem.tasks.size(); ++at) {
      const TaskIndex task = problem.members[at].task;
      cpu::OffsetTask& added = tasks.emplace_back();
      added.task = problem.tasks[at];
      general.emplace_back();
      // Of several activations of one task, each has a bound of its own.
      if (input_.activations[task].all.size() == 1) general.back().response = bounds_.tasks[task].worst;
      if (!known_[task] || added.task.unlimited) continue;
      added.offset = known_[task]->offset;
      added.task.arrivals.jitter = known_[task]->jitter;
    }
    const auto found = cpu::offset_bounds(tasks, general, static_cast<std::int64_t>(options_.steps), options_.taken);
    for (std::size_t at = 0; at < found.size(); ++at)
      if (tasks[at].offset && !found[at].parts.empty()) replace(problem, at, found[at], BoundMethod::offsets);
  }

  void use_graph(const CoreProblem& problem) {
    std::vector<cpu::GraphTask> tasks;
    std::optional<Preemption> all;
    for (std::size_t at = 0; at < problem.tasks.size(); ++at) {
      const TaskIndex task = problem.members[at].task;
      Preemption preemption = input_.subject.task(task).preemption;
      if (preemption == Preemption::preemptive && is_most_urgent(problem, at)) preemption = Preemption::non_preemptive;
      auto parts = parts_of(input_.subject, task);
      if (!parts || problem.members[at].interrupt || preemption == Preemption::preemptive ||
          all.value_or(preemption) != preemption)
        return;
      all = preemption;
      const KnownReleases& known = *known_[task];
      tasks.push_back({known.period, known.offset, known.jitter, problem.tasks[at].priority, std::move(*parts)});
    }
    const auto graph = cpu::explore_schedules(tasks, options_.states, options_.taken);
    if (!graph) return;
    for (std::size_t at = 0; at < tasks.size(); ++at) {
      // A lost activation would be another schedule. One that comes when the job ends may be lost.
      const Task& stated = input_.subject.task(problem.members[at].task);
      if (stated.activation_limit > 0 && *graph->bounds[at].response >= tasks[at].period - tasks[at].jitter) return;
    }
    for (std::size_t at = 0; at < tasks.size(); ++at) replace(problem, at, graph->bounds[at], BoundMethod::graph);
  }

  /// Nothing preempts a preemptive task that is more urgent than all others.
  static bool is_most_urgent(const CoreProblem& problem, std::size_t at) {
    for (std::size_t other = 0; other < problem.tasks.size(); ++other)
      if (other != at && problem.tasks[other].priority >= problem.tasks[at].priority) return false;
    return true;
  }

  void use_longest_schedule(const CoreModel& model, const CoreProblem& problem) {
    std::vector<cpu::ScheduledTask> tasks;
    std::optional<SchedulerIndex> only;
    std::size_t interrupts = 0;
    for (std::size_t at = 0; at < problem.tasks.size(); ++at) {
      const CoreProblem::Member& member = problem.members[at];
      const KnownReleases& known = *known_[member.task];
      const cpu::CpuTask& task = problem.tasks[at];
      if (!known.jitter.is_zero() || task.unlimited || member.cores.size() != model.units.size()) return;
      if (input_.cores.shapes[member.task].has_sections() || takes_turns(member.task)) return;
      if (ends_at_point(input_.subject, member.task)) return;
      tasks.push_back({known.period, known.offset, task.worst, task.priority, std::nullopt});
      interrupts += member.interrupt ? 1 : 0;
      if (member.interrupt) continue;
      // All tasks must have one scheduler. Under EDF no task has a priority.
      const auto& schedulers = input_.cores.ranks.schedulers[member.task];
      const bool edf = uses_deadlines(input_.subject.system.platform.schedulers[schedulers.front()].kind);
      if (schedulers.size() > 1 || only.value_or(schedulers.front()) != schedulers.front()) return;
      only = schedulers.front();
      if (!edf) continue;
      if (!input_.cores.ranks.relative_deadline[member.task]) return;
      tasks.back().priority = least_urgent + 1;
      tasks.back().deadline = task.deadline;
    }
    // The order of several interrupts is not among the ranks of a core with deadlines.
    if (interrupts > 1) return;
    const auto found =
        cpu::longest_schedule(tasks, model.units.size(), static_cast<std::int64_t>(options_.states), options_.taken);
    for (std::size_t at = 0; found && at < found->size(); ++at)
      replace(problem, at, (*found)[at], BoundMethod::longest_schedule);
  }

  bool takes_turns(TaskIndex task) const {
    const SchedulerIndex scheduler = input_.cores.ranks.schedulers[task].front();
    return traits_of(input_.subject.system.platform.schedulers[scheduler].kind).takes_turns;
  }

  const ProblemInput& input_;
  const Problems& problems_;
  const Faults& faults_;
  const BoundOptions& options_;
  SystemBounds& bounds_;
  std::vector<std::optional<KnownReleases>> known_;  ///< of every task
};

}  // namespace

void add_offset_responses(const ProblemInput& input, const Problems& problems, const Faults& faults,
                          const BoundOptions& options, SystemBounds& bounds) {
  OffsetResponses(input, problems, faults, options, bounds).run();
}

}  // namespace amalthea::engine::bounds
