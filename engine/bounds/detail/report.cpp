// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/report.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/bounds/detail/contributions.hpp"
#include "engine/bounds/detail/reasons.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/gpu/contexts.hpp"

namespace amalthea::engine::bounds {
namespace {

/// The sums in time_slice_analysis saturate; values near the limit are not real times.
constexpr Duration largest_time = Duration::picoseconds(std::int64_t{1} << 60);
const char* beyond_counting(const AnalyzedSystem& subject, TaskIndex device) {
  const UnitIndex unit = subject.task(device).unit;
  if (subject.devices[unit]->amd) return "kernels of other tasks may delay it on the GPU without limit";
  return schedules_by_urgency(subject.system, unit)
             ? "contexts of at least its urgency may keep the GPU without limit"
             : "the time that the GPU may serve other contexts or streams overflows";
}

/// A lower bound for every job of the host: all its steps in sequence, which at a wait has reached at least the trigger
/// and the operations of the device task. After a Terminate, which may be in an alternative, only the steps of the
/// operating system count.
class ShortestJob {
 public:
  ShortestJob(const ProblemInput& input, TaskIndex host)
      : input_(input), subject_(input.subject), host_(host), steps_(subject_.steps(host)) {}

  Duration run() {
    pass(0, steps_.size());
    return total_;
  }

 private:
  void pass(std::size_t begin, std::size_t end) {
    for (std::size_t step = begin; step < end; ++step) {
      ended_ = ended_ || steps_[step].kind == StepKind::terminate;
      if (ended_ && (step + 1 < steps_.size() || !steps_[step].overhead)) continue;
      pass(step);
      if (!steps_[step].keeps_all) continue;
      take_shortest(step);
      step = steps_[step].next - 1;
    }
  }

  void pass(std::size_t step) {
    const TaskStep task_step{host_, step};
    const auto& waits = input_.offloads.waits[host_];
    if (steps_[step].kind == StepKind::execute) total_ += span_if_taken(subject_, task_step).best;
    if (steps_[step].kind == StepKind::trigger)
      for (const TaskIndex device : subject_.system.stimuli[subject_.activity<Trigger>(task_step).stimulus].activates)
        triggered_[device] = total_;
    for (std::size_t at = 0; step < waits.size() && at < waits[step].size(); ++at)
      total_ = std::max(total_, triggered_[waits[step][at]] + operations_of(subject_, waits[step][at]).best);
  }

  void take_shortest(std::size_t step) {
    const std::vector<std::uint32_t>& first = steps_[step].alternatives;
    const Duration before = total_;
    std::optional<Duration> least;
    if (!always_takes_one(subject_.activity<Branch>({host_, step}))) least = before;
    for (std::size_t i = 0; i < first.size(); ++i) {
      total_ = before;
      pass(first[i], i + 1 < first.size() ? first[i + 1] : steps_[step].next);
      least = std::min(total_, least.value_or(total_));
    }
    total_ = least.value_or(before);
  }

  const ProblemInput& input_;
  const AnalyzedSystem& subject_;
  TaskIndex host_;
  const std::vector<Step>& steps_;
  Duration total_;
  std::map<TaskIndex, Duration> triggered_;
  bool ended_ = false;
};

class Report {
 public:
  Report(const ProblemInput& input, const Problems& problems, const Solution& solution, const Faults& faults)
      : input_(input), subject_(input.subject), problems_(problems), solution_(solution), faults_(faults) {}

  SystemBounds run() const {
    SystemBounds result;
    result.tasks.resize(subject_.tasks());
    for (TaskIndex task = 0; task < subject_.tasks(); ++task) {
      if (subject_.task(task).folded_into) continue;
      result.tasks[task] = bound_of(task);
      if (!subject_.is_host(task)) add_operations(task, result.tasks[task].reason, result.operations);
    }
    for (TaskIndex task = 0; task < subject_.tasks(); ++task)
      if (const auto function = subject_.task(task).folded_into) result.tasks[task] = result.tasks[*function];
    return result;
  }

 private:
  bool is_active(TaskIndex task) const { return input_.activations[task].any(); }

  Bound bound_of(TaskIndex task) const {
    Bound bound;
    if (!is_active(task)) {
      bound.reason = "nothing activates it";
      return bound;
    }
    bound.best = subject_.is_host(task) ? ShortestJob(input_, task).run() : operations_of(subject_, task).best;
    bound.reason = solution_.fault.empty() ? faults_[task] : solution_.fault;
    if (!bound.reason.empty()) return bound;
    if (input_.offloads.driver[task])
      bound_driven(task, bound);
    else
      bound_entities(task, bound);
    return bound;
  }

  /// The maximum over all activations of the task.
  void bound_entities(TaskIndex task, Bound& bound) const {
    for (const std::size_t index : problems_.of_task[task]) {
      const ProblemTask& problem_task = problems_.problem_tasks[index];
      const auto response = solution_.response_of(problem_task);
      if (!response) {
        bound.worst.reset();
        bound.parts.clear();
        bound.reason = why_unbounded(input_, problems_, solution_, faults_, problem_task);
        return;
      }
      if (bound.worst && *bound.worst >= *response) continue;
      bound.worst = response;
      bound.parts = parts_of(problem_task);
    }
  }

  std::vector<Contribution> parts_of(const ProblemTask& problem_task) const {
    if (problem_task.core) {
      std::vector<Contribution> waiting;
      const auto add = [&](const std::vector<nvidia::BoundShare>& segment, const std::vector<TaskIndex>& devices) {
        for (const Contribution& part :
             contributions_with_gpu(subject_, problems_, problem_task.task, segment, devices))
          waiting.push_back(part);
      };
      if (problem_task.waiting) {
        for (const auto& segment : solution_.gpu.tasks[*problem_task.waiting].segment_parts)
          add(segment, problems_.gpu.members[*problem_task.waiting].segments);
        for (const nvidia::WaitSegment& wait : solution_.longest_waits(problems_.gpu.problem, *problem_task.waiting))
          add(solution_.gpu.tasks[wait.task].segment_parts[wait.segment], {problems_.gpu.members[wait.task].task});
      }
      const auto& others = solution_.waits[problem_task.task];
      waiting.insert(waiting.end(), others.begin(), others.end());
      return contributions_on_core(subject_, problems_.cores[*problem_task.core], problem_task.task,
                                   solution_.cores[*problem_task.core][problem_task.at].parts, waiting);
    }
    const nvidia::TaskBound& bound = solution_.gpu.tasks[problem_task.at];
    std::vector<TaskIndex> devices = problems_.gpu.members[problem_task.at].segments;
    for (const std::size_t awaited : bound.awaited) devices.push_back(problems_.gpu.members[awaited].task);
    return contributions_with_gpu(subject_, problems_, problem_task.task, bound.parts, devices);
  }

  /// For a device task for which its host waits: the longest of its segments, which do not depend on the host's bound.
  void bound_driven(TaskIndex device, Bound& bound) const {
    for_segments(device, [&](std::size_t at, std::size_t segment) {
      const nvidia::TaskBound& found = solution_.gpu.tasks[at];
      if (bound.worst && *bound.worst >= found.gpu_segments[segment]) return;
      bound.worst = found.gpu_segments[segment];
      bound.parts = contributions_with_gpu(subject_, problems_, problems_.gpu.members[at].task,
                                           found.segment_parts[segment], {device});
    });
    if (bound.worst && *bound.worst < largest_time) return;
    bound.worst.reset();
    bound.parts.clear();
    bound.reason = beyond_counting(subject_, device);
  }

  /// Calls `visit` for each occurrence of the device task: a task of the GPU's problem, and one of its segments.
  template <typename Visit>
  void for_segments(TaskIndex device, Visit visit) const {
    if (problems_.of_task[device].empty()) return;
    // Its own place, that of its host, or one of those that follow the host.
    const std::size_t first = problems_.problem_tasks[problems_.of_task[device].front()].on_gpu();
    for (std::size_t at = first;
         at == first || (at < problems_.gpu.members.size() && problems_.gpu.problem.tasks[at].host == first); ++at) {
      const auto& segments = problems_.gpu.members[at].segments;
      for (std::size_t segment = 0; segment < segments.size(); ++segment)
        if (segments[segment] == device) visit(at, segment);
    }
  }

  /// Operations have bounds even if jobs queue up, because each job submits one at a time; `reason` is why the task has
  /// none.
  void add_operations(TaskIndex device, const std::string& reason, std::map<NodeIndex, Bound>& operations) const {
    std::size_t operation = 0;
    for (std::size_t step = 0; step < subject_.steps(device).size(); ++step) {
      const TaskStep task_step{device, step};
      if (!is_operation(subject_.step(task_step))) continue;
      Bound bound;
      if (is_active(device)) bound.best = span_of(subject_, task_step).best;
      if (is_active(device) && solution_.fault.empty() && !input_.offloads.unknown_times[device])
        for_segments(device, [&](std::size_t at, std::size_t segment) {
          const Duration found = solution_.gpu.tasks[at].operations[segment][operation];
          if (found < largest_time) bound.worst = std::max(found, bound.worst.value_or(Duration{}));
        });
      if (!bound.worst) bound.reason = reason.empty() ? beyond_counting(subject_, device) : reason;
      operations.emplace(subject_.step(task_step).node, std::move(bound));
      ++operation;
    }
  }

  const ProblemInput& input_;
  const AnalyzedSystem& subject_;
  const Problems& problems_;
  const Solution& solution_;
  const Faults& faults_;
};

}  // namespace

SystemBounds report(const ProblemInput& input, const Problems& problems, const Solution& solution,
                    const Faults& faults) {
  return Report(input, problems, solution, faults).run();
}

}  // namespace amalthea::engine::bounds
