// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/timeless_activities.hpp"

#include "engine/simulation/detail/listeners.hpp"

namespace amalthea::engine::simulation {

TimelessActivities::TimelessActivities(const SimulationInput& input, const Clock& clock, CoreScheduling& cpu,
                                       Jobs& jobs, Modes& modes, Stimuli& stimuli, const Listeners& listeners)
    : clock_(clock),
      cpu_(cpu),
      jobs_(jobs),
      modes_(modes),
      stimuli_(stimuli),
      listeners_(listeners),
      flags_(input.system, input.programs),
      semaphores_(input.system, cpu.urgency()) {}

void TimelessActivities::act(TaskIndex task) {
  listeners_.notify(StepBegun{task});
  const Activity& activity = jobs_.activity(task);
  if (const auto* trigger = std::get_if<Trigger>(&activity)) {
    stimuli_.occur(trigger->stimulus, task);
  } else if (const auto* set = std::get_if<SetEvents>(&activity)) {
    set_events(task, *set);
  } else if (const auto* clear = std::get_if<ClearEvents>(&activity)) {
    flags_.clear(task, *clear);
  } else if (const auto* mode = std::get_if<SetMode>(&activity)) {
    modes_.set(*mode);
  } else if (const auto* use = std::get_if<UseSemaphore>(&activity)) {
    if (use->operation == UseSemaphore::Operation::release) release(task, use->semaphore);
  } else if (const auto* section = std::get_if<Uninterruptible>(&activity)) {
    if (!jobs_.on_device(task)) cpu_.set_uninterruptible(task, section->begins);
  }
}

void TimelessActivities::set_events(TaskIndex by, const SetEvents& set) {
  for (const TaskIndex task : flags_.set(set)) {
    Job& job = jobs_[task];
    if (!job.active || !job.waiting || !satisfied(task)) continue;
    wake(task, by, wait_of(task).active);
    job.waiting = false;
  }
  stimuli_.occur_by(set.events, by);
}

bool TimelessActivities::request(TaskIndex task) {
  Job& job = jobs_[task];
  const UseSemaphore& use = use_of(task);
  const auto holder = semaphores_.holder(use.semaphore);
  const bool granted = job.granted || (!job.parked && semaphores_.request(task, use));
  job.granted = false;
  job.parked = !granted;
  holders_changed(use.semaphore, holder);
  if (granted && !jobs_.on_device(task)) cpu_.raise(task, semaphores_.ceiling(task));
  return granted;
}

void TimelessActivities::release(TaskIndex by, SemaphoreIndex semaphore) {
  std::vector<TaskIndex> granted;
  const auto holder = semaphores_.holder(semaphore);
  semaphores_.release(by, semaphore, granted);
  holders_changed(semaphore, holder);
  if (!jobs_.on_device(by)) cpu_.raise(by, semaphores_.ceiling(by));
  for (const TaskIndex task : granted) {
    jobs_[task].parked = false;
    jobs_[task].granted = true;
    if (!jobs_.on_device(task)) cpu_.raise(task, semaphores_.ceiling(task));
    wake(task, by, use_of(task).active);
  }
}

void TimelessActivities::wake(TaskIndex task, TaskIndex by, bool polls) {
  if (jobs_.on_device(task)) {
    jobs_.going_on().push_back(task);
    return;
  }
  listeners_.notify(WaitEnded{task, by});
  // A polling task is still ready; one that waits passively returns to the end of its queue.
  if (!polls) cpu_.make_ready(task, clock_.now());
  cpu_.call(cpu_.domain_of(task));
}

void TimelessActivities::holders_changed(SemaphoreIndex semaphore, std::optional<TaskIndex> from) {
  if (semaphores_.holder(semaphore) == from) return;
  semaphores_.for_each_waiting(semaphore, [this](TaskIndex task) { listeners_.notify(HoldersChanged{task}); });
}

}  // namespace amalthea::engine::simulation
