// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How long jobs wait for events that tasks on CPUs set, or any of several tasks (Offloads::event_waits).
///
/// Let R_B be the bound of task B, and c_B the minimum that its jobs execute after a step. The next execution of this step
/// ends at most U after an instant of a wait:
///     U(step of B) = V(B) + R_B - c_B
///     V(B) = 0                    if the waiting job has triggered B since it cleared the event: a call
///          = D                    if a stimulus activates B at least once in any interval D (longest_until_next): a signal
///          = U(triggering step)   if another task triggers B, or sets an event that activates it
/// V is the minimum of what applies, and U for an event the minimum over the steps that set it. The wait W is the maximum
/// of U over the events, or the minimum if any of them suffices. A call happens before the wait: what the job certainly
/// executes in between does not count. Every job of B must execute the steps of B, and every job that reaches the wait must
/// execute the call.
///
/// An activation that is lost triggers nothing. With a limit of two or more, or none, this does no harm: some pending job
/// has not begun then, and it executes the step no later. With a limit of one, the step must end the job of B, or no other
/// job of B may be pending when one is released. It does not end the job if something follows, or if it wakes a task of
/// the same core that may run before the end. A call needs more: its trigger may come before the end of the job
/// whose event the caller awaited last, at the same instant. So then only the caller triggers B, and it certainly executes
/// in between (trigger_gaps.hpp).
///
/// The bounds R contain the waits W, and W follows from R. Both are a common fixed point, from below. It holds for every
/// execution: a wait can last longer only if a job of B has exceeded its bound before. So a step before which B executes
/// nothing counts one picosecond more. Tasks that wait for each other in a cycle have no finite solution.

#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/detail/fixed_point.hpp"

namespace amalthea::engine::bounds {

class EventWaits {
 public:
  EventWaits(const ProblemInput& input, const Triggers& triggers, Problems& problems);

  bool any() const { return !waiters_.empty(); }
  /// Adds the waits to the tasks of the core problems.
  void add() const;
  /// Finds the waits for these bounds; returns whether any changed. A task without a bound on its wait becomes unlimited
  /// and gets a fault. Unless they `may_grow`, waits that would grow have no bound.
  bool raise(const Solution& solution, bool may_grow, Faults& faults);
  /// The parts of the wait of a job.
  std::vector<Contribution> parts(TaskIndex task) const;
  /// Whether a wait of the task ends with a signal (V = D).
  bool awaits_signal(TaskIndex task) const;

 private:
  struct Time {
    std::optional<Duration> time;  ///< nothing: `reason` says why
    TaskIndex by = 0;              ///< who ends the wait
    std::string reason;
    bool depends = false;  ///< on bounds that do not exist, perhaps because they depend on this wait
    bool signal = false;   ///< it ends with the next occurrence of a stimulus, and so depends on its offset
    bool call = false;     ///< it ends with a trigger of the waiting job
  };
  struct Waiter {
    TaskIndex task = 0;
    std::vector<Time> waits;  ///< parallel to its waits in Offloads
  };
  /// A wait for one event.
  struct Waiting {
    TaskIndex task = 0;
    std::size_t step = 0;
    std::size_t since = 0;  ///< the step after the last one that clears the event
    bool contains(std::size_t other) const { return other >= since && other < step; }
  };

  const std::vector<EventWait>& waits_of(const Waiter& waiter) const {
    return input_.offloads.event_waits[waiter.task];
  }
  Time wait(TaskIndex task, const EventWait& wait, const Solution& solution, const Faults& faults) const;
  Time until(TaskStep step, const Waiting& waiting, const Solution& solution, const Faults& faults) const;
  Time until_release(TaskIndex task, const Waiting& waiting, const Solution& solution, const Faults& faults) const;
  std::optional<Duration> response_of(TaskIndex task, const Solution& solution, const Faults& faults) const;
  bool may_miss(TaskStep step, Duration response, std::optional<TaskIndex> caller) const;
  bool ends_with(TaskStep step) const;
  bool is_apart(TaskStep step, TaskIndex caller) const;
  std::optional<TaskIndex> next_in_cycle(TaskIndex task) const;

  const ProblemInput& input_;
  const AnalyzedSystem& subject_;
  const Triggers& triggers_;
  Problems& problems_;
  std::vector<Waiter> waiters_;
};

}  // namespace amalthea::engine::bounds
