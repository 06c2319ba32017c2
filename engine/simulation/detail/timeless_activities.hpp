// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Activities that take no time, for tasks on cores and on devices: they trigger stimuli, set events and modes, request
/// and release semaphores, and wake the tasks that waited for that.

#include "engine/simulation/detail/event_flags.hpp"
#include "engine/simulation/detail/jobs.hpp"
#include "engine/simulation/detail/modes.hpp"
#include "engine/simulation/detail/semaphores.hpp"
#include "engine/simulation/detail/stimuli.hpp"

namespace amalthea::engine::simulation {

class TimelessActivities {
 public:
  TimelessActivities(const SimulationInput& input, const Clock& clock, CoreScheduling& cpu, Jobs& jobs, Modes& modes,
                     Stimuli& stimuli, const Listeners& listeners);

  /// The wait, or the semaphore request, that the job has reached.
  const WaitEvents& wait_of(TaskIndex task) const { return std::get<WaitEvents>(jobs_.activity(task)); }
  const UseSemaphore& use_of(TaskIndex task) const { return std::get<UseSemaphore>(jobs_.activity(task)); }
  bool satisfied(TaskIndex task) const { return flags_.satisfied(task, wait_of(task)); }
  /// True: the request is granted, and the job continues. False: it is parked.
  bool request(TaskIndex task);
  const Semaphores& semaphores() const { return semaphores_; }

  /// Executes the current step, if it is none of these.
  void act(TaskIndex task);

 private:
  void set_events(TaskIndex by, const SetEvents& set);
  void release(TaskIndex by, SemaphoreIndex semaphore);
  /// The task has what it waited for. `polls`: on its core, if it has one.
  void wake(TaskIndex task, TaskIndex by, bool polls);
  void holders_changed(SemaphoreIndex semaphore, std::optional<TaskIndex> from);

  const Clock& clock_;
  CoreScheduling& cpu_;
  Jobs& jobs_;
  Modes& modes_;
  Stimuli& stimuli_;
  const Listeners& listeners_;
  EventFlags flags_;
  Semaphores semaphores_;
};

}  // namespace amalthea::engine::simulation
