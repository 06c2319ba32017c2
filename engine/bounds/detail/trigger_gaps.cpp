// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/trigger_gaps.hpp"

#include <algorithm>

#include "engine/bounds/detail/step_times.hpp"

namespace amalthea::engine::bounds {

bool triggers(const AnalyzedSystem& subject, TaskStep task_step, TaskIndex called) {
  if (subject.step(task_step).kind != StepKind::trigger) return false;
  const auto& activates = subject.system.stimuli[subject.activity<Trigger>(task_step).stimulus].activates;
  return std::find(activates.begin(), activates.end(), called) != activates.end();
}

TriggerGaps trigger_gaps(const AnalyzedSystem& subject, TaskIndex caller, TaskIndex called,
                         const std::function<bool(std::size_t)>& awaits) {
  TriggerGaps gaps;
  Duration executed;  // since the wait for the last trigger
  bool awaited = false, triggered = false;
  for (const bool first_job : {true, false}) {
    bool within = false;  // the last trigger was in this job
    for (std::size_t step = 0; step < subject.steps(caller).size(); ++step) {
      const TaskStep task_step{caller, step};
      if (awaits(step)) {
        executed = {};
        awaited = true;
      } else if (subject.step(task_step).kind == StepKind::execute) {
        executed += span_of(subject, task_step).best;
      } else if (triggers(subject, task_step, called)) {
        bool& gap = within ? gaps.within : gaps.across;
        if (triggered && (within || !first_job)) gap = gap && awaited && !executed.is_zero();
        awaited = false;
        triggered = within = true;
      }
    }
  }
  return gaps;
}

}  // namespace amalthea::engine::bounds
