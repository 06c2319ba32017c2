// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/pending.hpp"

#include <algorithm>

#include "engine/bounds/detail/sections.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::bounds {
namespace {

/// Whether a job that ends when the bound is over ends before an activation at the same instant.
bool makes_room(const ProblemInput& input, TaskIndex task) {
  const AnalyzedSystem& subject = input.subject;
  const std::vector<Activation>& all = input.activations[task].all;
  if (!subject.is_host(task) ||
      std::any_of(all.begin(), all.end(), [](const Activation& each) { return each.source.has_value(); }))
    return false;
  const bool cooperative = subject.task(task).preemption == Preemption::cooperative;
  const auto& steps = subject.steps(task);
  std::size_t after = 0;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const StepKind kind = steps[step].kind;
    const bool point = cooperative && (kind == StepKind::schedule_point ||
                                       std::holds_alternative<Call>(subject.activity({task, step})));
    if (point || kind == StepKind::wait || kind == StepKind::request_semaphore) after = step + 1;
  }
  return !execution_of(subject, task, after, steps.size()).worst.is_zero();
}

/// Its host triggers it again only after it has waited for it.
bool has_one_job(const ProblemInput& input, TaskIndex device) {
  const auto& steps = input.subject.steps(device);
  const auto driver = input.offloads.driver[device];
  return driver && !ends_early(input.subject.worst[*driver]) &&
         std::none_of(steps.begin(), steps.end(),
                      [](const Step& step) { return step.kind == StepKind::request_semaphore; });
}

}  // namespace

std::int64_t most_pending(const ProblemInput& input, TaskIndex task, Duration response) {
  if (has_one_job(input, task)) return 1;
  const Duration window = makes_room(input, task) ? response - Duration::picoseconds(1) : response;
  std::int64_t pending = 0;
  for (const Activation& each : input.activations[task].all)
    pending += cpu::max_arrivals({each.period, each.jitter, each.minimum_distance}, window);
  return pending;
}

void add_pending(const ProblemInput& input, SystemBounds& bounds) {
  const AnalyzedSystem& subject = input.subject;
  for (TaskIndex task = 0; task < subject.tasks(); ++task) {
    Bound& bound = bounds.tasks[task];
    if (bound.worst && !bound.exact && input.activations[task].fault.empty() && !subject.task(task).folded_into)
      bound.pending = most_pending(input, task, *bound.worst);
  }
  for (TaskIndex task = 0; task < subject.tasks(); ++task)
    if (const auto function = subject.task(task).folded_into)
      bounds.tasks[task].pending = bounds.tasks[*function].pending;
}

}  // namespace amalthea::engine::bounds
