// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/report.hpp"

#include <algorithm>

#include "engine/bounds/detail/contributions.hpp"
#include "engine/bounds/detail/reasons.hpp"
#include "engine/bounds/detail/step_times.hpp"

namespace amalthea::engine::bounds {
namespace {

/// At saturation nvidia's sums stop growing; what is near is no time.
constexpr Duration largest_time = Duration::picoseconds(std::int64_t{1} << 60);
constexpr const char* beyond_counting = "the time that the GPU may serve other contexts overflows";

/// No job of the host is shorter: all it does one after the other, but what it executes beside an offload. Behind a
/// Terminate, which may be in an alternative, it does no more than what the operating system adds.
Duration shortest_response(const Known& known, TaskIndex host) {
  const Subject& subject = known.subject;
  const auto& waits = known.offloads.waits[host];
  const auto& steps = subject.steps(host);
  Duration total, beside;
  bool at_work = false, ended = false;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    ended = ended || steps[step].kind == StepKind::terminate;
    if (ended && (step + 1 < steps.size() || !steps[step].overhead)) continue;
    if (steps[step].kind == StepKind::execute) (at_work ? beside : total) += span_of(subject, {host, step}).best;
    if (steps[step].kind == StepKind::trigger)
      for (const TaskIndex device : subject.system.stimuli[subject.activity<Trigger>({host, step}).stimulus].activates)
        at_work = at_work || known.offloads.waits_for(host, device);
    if (step >= waits.size() || !waits[step]) continue;
    total += std::max(beside, operations_of(subject, *waits[step]).best);
    beside = {};
    at_work = false;
  }
  return total + beside;
}

class Report {
 public:
  Report(const Known& known, const Problems& problems, const Solution& solution, const Faults& faults)
      : known_(known), subject_(known.subject), problems_(problems), solution_(solution), faults_(faults) {}

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
  bool is_active(TaskIndex task) const { return known_.activations[task].any(); }

  Bound bound_of(TaskIndex task) const {
    Bound bound;
    if (!is_active(task)) {
      bound.reason = "nothing activates it";
      return bound;
    }
    bound.best = subject_.is_host(task) ? shortest_response(known_, task) : operations_of(subject_, task).best;
    bound.reason = solution_.fault.empty() ? faults_[task] : solution_.fault;
    if (!bound.reason.empty()) return bound;
    if (known_.offloads.driver[task])
      bound_driven(task, bound);
    else
      bound_entities(task, bound);
    return bound;
  }

  /// The largest of all ways in which its jobs come.
  void bound_entities(TaskIndex task, Bound& bound) const {
    for (const std::size_t index : problems_.of_task[task]) {
      const Entity& entity = problems_.entities[index];
      const auto response = solution_.response_of(entity);
      if (!response) {
        bound.worst.reset();
        bound.parts.clear();
        bound.reason = why_unbounded(known_, problems_, solution_, faults_, entity);
        return;
      }
      if (bound.worst && *bound.worst >= *response) continue;
      bound.worst = response;
      bound.parts = parts_of(entity);
    }
  }

  std::vector<Contribution> parts_of(const Entity& entity) const {
    if (entity.core)
      return contributions_on_core(subject_, problems_.cores[*entity.core], entity.task,
                                   solution_.cores[*entity.core][entity.at].parts);
    const auto& members = problems_.gpu.members;
    return contributions_with_gpu(subject_, members, entity.task, solution_.gpu.tasks[entity.at].parts,
                                  members[entity.at].segments);
  }

  /// Of a device task for which its host waits: the longest of its segments, which do not depend on the host's bound.
  void bound_driven(TaskIndex device, Bound& bound) const {
    for_segments(device, [&](std::size_t at, std::size_t segment) {
      const nvidia::TaskBound& found = solution_.gpu.tasks[at];
      if (bound.worst && *bound.worst >= found.gpu_segments[segment]) return;
      bound.worst = found.gpu_segments[segment];
      bound.parts = contributions_with_gpu(subject_, problems_.gpu.members, problems_.gpu.members[at].task,
                                           found.segment_parts[segment], {device});
    });
    if (bound.worst && *bound.worst < largest_time) return;
    bound.worst.reset();
    bound.parts.clear();
    bound.reason = beyond_counting;
  }

  /// Calls `visit` with where the device task works: a task of the GPU's problem, and which of its segments.
  template <typename Visit>
  void for_segments(TaskIndex device, Visit visit) const {
    if (problems_.of_task[device].empty()) return;
    const std::size_t at = problems_.entities[problems_.of_task[device].front()].at;
    const auto& segments = problems_.gpu.members[at].segments;
    for (std::size_t segment = 0; segment < segments.size(); ++segment)
      if (segments[segment] == device) visit(at, segment);
  }

  /// Operations have bounds wherever no more than one is outstanding in the context, even if jobs pile up; `reason` is
  /// why the task has none.
  void add_operations(TaskIndex device, const std::string& reason, std::map<NodeIndex, Bound>& operations) const {
    std::size_t operation = 0;
    for (std::size_t step = 0; step < subject_.steps(device).size(); ++step) {
      const Place place{device, step};
      if (!is_operation(subject_.step(place))) continue;
      Bound bound;
      if (is_active(device)) bound.best = span_of(subject_, place).best;
      if (is_active(device) && solution_.fault.empty())
        for_segments(device, [&](std::size_t at, std::size_t segment) {
          const Duration found = solution_.gpu.tasks[at].operations[segment][operation];
          if (found < largest_time) bound.worst = std::max(found, bound.worst.value_or(Duration{}));
        });
      if (!bound.worst) bound.reason = reason.empty() ? beyond_counting : reason;
      operations.emplace(subject_.step(place).node, std::move(bound));
      ++operation;
    }
  }

  const Known& known_;
  const Subject& subject_;
  const Problems& problems_;
  const Solution& solution_;
  const Faults& faults_;
};

}  // namespace

SystemBounds report(const Known& known, const Problems& problems, const Solution& solution, const Faults& faults) {
  return Report(known, problems, solution, faults).run();
}

}  // namespace amalthea::engine::bounds
