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
/// before its own tasks, in model order. Interrupt controllers have no parents; so this is a total order.

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
  void queued(TaskIndex task, Instant now) { states_[task].key.since = now; }
  /// The task holds what makes it at least as urgent as this; nothing: as it is by itself. Without effect under EDF.
  void raise(TaskIndex task, std::optional<std::int64_t> ceiling);
  std::optional<std::int64_t> ceiling(TaskIndex task) const { return states_[task].ceiling; }
  /// How urgent a task is by itself: larger is more. What ceilings are made of.
  std::int64_t own_urgency(TaskIndex task) const { return states_[task].own; }
  /// A server's deadline under EDF.
  void set_deadline(SchedulerIndex server, Instant deadline) { server_deadline_[server] = deadline; }

  bool before(TaskIndex a, TaskIndex b) const;

  /// What `before` goes by at present, for processes that are `comparable`: so that it can be asked later how it was.
  struct Key {
    bool interrupt = false;
    std::int64_t urgency = 0;  ///< larger is more
    Instant since;             ///< when it became ready, or came to the end of its queue
    friend bool operator==(const Key&, const Key&) = default;
  };
  const Key& key(TaskIndex task) const { return states_[task].key; }
  static bool before(const Key& key_a, TaskIndex a, const Key& key_b, TaskIndex b) {
    if (key_a.interrupt != key_b.interrupt) return key_a.interrupt;
    if (key_a.urgency != key_b.urgency) return key_a.urgency > key_b.urgency;
    return key_a.since != key_b.since ? key_a.since < key_b.since : a < b;
  }
  /// Whether these processes are ordered by their keys alone: they have one scheduler, or all that they have are
  /// outermost ones that go by fixed priorities.
  bool comparable(const std::vector<TaskIndex>& tasks) const;

  /// By time-sliced turns: with equally urgent processes of its scheduler, a round robin.
  bool is_round_robin(TaskIndex task) const;
  /// Those of one scheduler that take turns have the same.
  std::int64_t round_robin_level(TaskIndex task) const { return states_[task].key.urgency; }
  /// A task's schedulers from its own up to the outermost.
  const std::vector<SchedulerIndex>& scheduler_path(TaskIndex task) const { return states_[task].scheduler_path; }

 private:
  struct State {
    Key key;                       ///< the urgency is that within its own scheduler
    SchedulerIndex scheduler = 0;  ///< its own
    std::vector<SchedulerIndex> scheduler_path;
    std::optional<Duration> relative_deadline;
    Instant deadline = Instant::never();
    std::optional<std::int64_t> ceiling;
    SchedulingAlgorithm by{};  ///< of its own scheduler
    std::int64_t own = 0;      ///< by that; of what runs on a device its priority
  };
  SchedulingAlgorithm algorithm(SchedulerIndex scheduler) const;
  /// Larger is more urgent, as this algorithm sees a task, or a child scheduler.
  std::int64_t own_urgency(SchedulingAlgorithm algorithm, TaskIndex task) const;
  std::int64_t of_task(SchedulingAlgorithm algorithm, TaskIndex task) const;
  void update(TaskIndex task) { states_[task].key.urgency = of_task(states_[task].by, task); }
  std::int64_t of_child(SchedulingAlgorithm algorithm, SchedulerIndex child) const;

  const System& system_;
  const std::vector<std::optional<Duration>> periods_;
  std::vector<State> states_;
  std::vector<Instant> server_deadline_;
  bool roots_by_priority_ = true;
};

}  // namespace amalthea::engine
