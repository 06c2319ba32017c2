// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/pending.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "engine/bounds/detail/trigger_gaps.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::bounds {
namespace {

/// Whether its host triggers it only after it has waited for it. The last job may not have ended then.
bool takes_turns(const ProblemInput& input, TaskIndex device) {
  const auto& steps = input.subject.steps(device);
  const auto driver = input.offloads.driver[device];
  return driver && !ends_early(input.subject.worst[*driver]) &&
         std::none_of(steps.begin(), steps.end(),
                      [](const Step& step) { return step.kind == StepKind::request_semaphore; });
}

/// Whether the host certainly executes between its wait for the device task and the next trigger.
bool is_apart(const ProblemInput& input, TaskIndex host, TaskIndex device) {
  const TriggerGaps gaps = trigger_gaps(input.subject, host, device, [&](std::size_t step) {
    const auto& waits = input.offloads.waits[host][step];
    return std::find(waits.begin(), waits.end(), device) != waits.end();
  });
  return gaps.within && gaps.across;
}

/// A job of a host that begins when the one before ends may lose its trigger, and then waits for ever.
void drop_lost_triggers(const ProblemInput& input, SystemBounds& bounds) {
  for (TaskIndex device = 0; device < input.subject.tasks(); ++device) {
    const auto host = input.offloads.driver[device];
    if (!host || input.subject.task(device).activation_limit != 1 || is_apart(input, *host, device)) continue;
    for (const TaskIndex task : {*host, device}) {
      Bound& bound = bounds.tasks[task];
      if (!bound.worst || bounds.tasks[*host].pending == 1) continue;
      bound.worst.reset();
      bound.parts.clear();
      bound.reason = fmt::format("activations of {} may be lost: {} may trigger it before its last job has ended",
                                 input.subject.name(device), input.subject.name(*host));
    }
  }
}

}  // namespace

std::int64_t most_pending(const ProblemInput& input, TaskIndex task, Duration response) {
  if (takes_turns(input, task)) return is_apart(input, *input.offloads.driver[task], task) ? 1 : 2;
  std::int64_t pending = 0;
  for (const Activation& each : input.activations[task].all)
    pending += cpu::max_arrivals({each.period, each.jitter, each.minimum_distance}, response);
  return pending;
}

void add_pending(const ProblemInput& input, SystemBounds& bounds) {
  const AnalyzedSystem& subject = input.subject;
  for (TaskIndex task = 0; task < subject.tasks(); ++task) {
    Bound& bound = bounds.tasks[task];
    if (bound.worst && !bound.exact && input.activations[task].fault.empty() && !subject.task(task).folded_into)
      bound.pending = most_pending(input, task, *bound.worst);
  }
  drop_lost_triggers(input, bounds);
  for (TaskIndex task = 0; task < subject.tasks(); ++task)
    if (const auto function = subject.task(task).folded_into)
      bounds.tasks[task].pending = bounds.tasks[*function].pending;
}

}  // namespace amalthea::engine::bounds
