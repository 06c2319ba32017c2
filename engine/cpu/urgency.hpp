// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which of two ready processes is the more urgent, by the algorithms of their schedulers.
///
/// Processes are compared where their ways up the hierarchy of schedulers meet: by the algorithm of that scheduler, a
/// child scheduler by the share under which its parent schedules it. A child that only groups (Grouping) passes its
/// processes on. Interrupts come before tasks. Outermost schedulers that share a core do so by the priorities of their
/// tasks if all of them go by fixed priorities and have no children; else whoever comes first in the model goes first.
/// Equally urgent tasks run in the order in which they became ready (round robin: in which they came to the end of the
/// queue), those that became ready at the same instant in model order; equally urgent children of a scheduler come
/// before its own tasks, in model order.

#include <cstdint>
#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::engine {

/// The relative deadline that EDF and DM go by: the stated one, else the period; nothing where there is neither.
std::optional<Duration> scheduling_deadline(const System& system, TaskIndex task,
                                            const std::vector<std::optional<Duration>>& periods);

class Urgency {
 public:
  /// `periods` are parallel to System::tasks: what RM and, without a stated deadline, DM and EDF go by.
  Urgency(const System& system, const std::vector<std::optional<Duration>>& periods);

  /// A job of the task was released.
  void released(TaskIndex task, Instant release);
  /// The task became ready, or was put to the end of its queue.
  void queued(TaskIndex task, Instant now) { of_[task].since = now; }
  /// The task holds what makes it at least as urgent as this; nothing: as it is by itself. Without effect under EDF.
  void raise(TaskIndex task, std::optional<std::int64_t> ceiling) { of_[task].ceiling = ceiling; }
  /// How urgent a task is by itself: larger is more. What ceilings are made of.
  std::int64_t own_urgency(TaskIndex task) const;
  /// A server's deadline under EDF.
  void set_deadline(SchedulerIndex server, Instant deadline) { server_deadline_[server] = deadline; }

  bool before(TaskIndex a, TaskIndex b) const;
  /// By time-sliced turns: equally urgent processes of one round robin.
  bool take_turns(TaskIndex a, TaskIndex b) const;
  /// A task's schedulers from its own up to the outermost.
  const std::vector<SchedulerIndex>& way(TaskIndex task) const { return of_[task].way; }

 private:
  struct State {
    std::vector<SchedulerIndex> way;
    std::optional<Duration> relative_deadline;
    Instant deadline = Instant::never();
    Instant since;
    std::optional<std::int64_t> ceiling;
  };
  SchedulingAlgorithm algorithm(SchedulerIndex scheduler) const;
  /// Larger is more urgent, as this algorithm sees a task, or a child scheduler.
  std::int64_t own_urgency(SchedulingAlgorithm algorithm, TaskIndex task) const;
  std::int64_t of_task(SchedulingAlgorithm algorithm, TaskIndex task) const;
  std::int64_t of_child(SchedulingAlgorithm algorithm, SchedulerIndex child) const;

  const System& system_;
  const std::vector<std::optional<Duration>> periods_;
  std::vector<State> of_;
  std::vector<Instant> server_deadline_;
  bool roots_by_priority_ = true;
};

}  // namespace amalthea::engine
