// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Decides which of two ready processes is more urgent, according to the algorithms of their schedulers.
///
/// Two processes are compared where their paths in the scheduler hierarchy meet, by the algorithm of that scheduler; a
/// child scheduler counts with the share under which its parent schedules it. A child that only groups (Grouping)
/// passes its processes on. Interrupts precede tasks. If all tasks are directly below outermost schedulers with fixed
/// priorities, their priorities decide between such schedulers; otherwise the scheduler that is first in the model wins.
/// The same holds for all interrupts. Tasks of equal urgency run in the order in which they became ready (round robin: in which they were put at the
/// end of the queue); at the same instant, model order decides. Children of equal urgency precede the scheduler's own
/// tasks, in model order. Interrupt controllers have no parents, so this is a total order.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::engine {

/// The relative deadline that EDF and DM use: the specified one, else the period; nothing if there is neither.
std::optional<Duration> scheduling_deadline(const System& system, TaskIndex task,
                                            const std::vector<std::optional<Duration>>& periods);

class Urgency {
 public:
  /// `periods` is parallel to System::tasks: RM uses them, and so do DM and EDF where no deadline is specified.
  Urgency(const System& system, const std::vector<std::optional<Duration>>& periods);

  /// A job of the task was released.
  void released(TaskIndex task, Instant release);
  /// The task became ready, or moved to the end of its queue.
  void queued(TaskIndex task, Instant now) { states_[task].key.since = now; }
  /// The task holds resources that raise its urgency at least to this ceiling; nothing: its own urgency. No effect
  /// under EDF.
  void raise(TaskIndex task, std::optional<std::int64_t> ceiling);
  std::optional<std::int64_t> ceiling(TaskIndex task) const { return states_[task].ceiling; }
  /// The task's own urgency, without ceilings; larger is more urgent. Ceilings are computed from it.
  std::int64_t own_urgency(TaskIndex task) const { return states_[task].own; }
  /// Sets the deadline of a server under EDF.
  void set_deadline(SchedulerIndex server, Instant deadline) { server_deadline_[server] = deadline; }

  bool before(TaskIndex a, TaskIndex b) const;

  /// The key that `before` currently compares, for processes that are `comparable`. It allows a later query of an
  /// earlier order.
  struct Key {
    bool interrupt = false;
    std::int64_t urgency = 0;  ///< larger is more urgent
    Instant since;             ///< when it became ready or moved to the end of its queue
    friend bool operator==(const Key&, const Key&) = default;
  };
  const Key& key(TaskIndex task) const { return states_[task].key; }
  static bool before(const Key& key_a, TaskIndex a, const Key& key_b, TaskIndex b) {
    if (key_a.interrupt != key_b.interrupt) return key_a.interrupt;
    if (key_a.urgency != key_b.urgency) return key_a.urgency > key_b.urgency;
    return key_a.since != key_b.since ? key_a.since < key_b.since : a < b;
  }
  /// Whether keys alone order these processes: they share one scheduler, or all their schedulers are outermost ones
  /// with fixed priorities.
  bool comparable(const std::vector<TaskIndex>& tasks) const;

  /// Equal for tasks of one scheduler that take turns with each other.
  std::int64_t round_robin_level(TaskIndex task) const { return states_[task].key.urgency; }
  /// The schedulers of a task, from its own up to the outermost one.
  const std::vector<SchedulerIndex>& scheduler_path(TaskIndex task) const { return states_[task].scheduler_path; }

 private:
  struct State {
    Key key;                       ///< its urgency is the one within the task's own scheduler
    SchedulerIndex scheduler = 0;  ///< the task's own
    std::vector<SchedulerIndex> scheduler_path;
    std::optional<Duration> relative_deadline;
    Instant deadline = Instant::never();
    std::optional<std::int64_t> ceiling;
    SchedulingAlgorithm by{};  ///< of the task's own scheduler
    std::int64_t own = 0;      ///< urgency under that algorithm; for device tasks the priority
  };
  SchedulingAlgorithm algorithm(SchedulerIndex scheduler) const;
  /// Larger is more urgent, for a task or a child scheduler under this algorithm.
  std::int64_t own_urgency(SchedulingAlgorithm algorithm, TaskIndex task) const;
  std::int64_t of_task(SchedulingAlgorithm algorithm, TaskIndex task) const;
  void update(TaskIndex task) { states_[task].key.urgency = of_task(states_[task].by, task); }
  std::int64_t of_child(SchedulingAlgorithm algorithm, SchedulerIndex child) const;

  const System& system_;
  const std::vector<std::optional<Duration>> periods_;
  std::vector<State> states_;
  std::vector<Instant> server_deadline_;
  /// All tasks, and all interrupts, are directly below outermost schedulers with fixed priorities.
  std::array<bool, 2> roots_by_priority_{true, true};
};

}  // namespace amalthea::engine
