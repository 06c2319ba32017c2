// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The ranks (relative urgency) of host tasks.
///
/// Ranks follow the scheduling algorithms as the simulation implements them: interrupts before tasks; fixed priorities
/// (also OSEK and round robin), periods (rate monotonic) or deadlines (deadline monotonic); a child scheduler has the
/// share under which its parent schedules it. Tasks that nothing distinguishes have the same rank. So has everything
/// below a scheduler that orders by deadlines, and everything below equally urgent children of a scheduler, or below
/// a child and tasks of its scheduler that are as urgent: the simulation has a rule for these, but no standard does.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::engine::bounds {

inline constexpr std::int64_t least_urgent = std::numeric_limits<std::int64_t>::min();
/// As a threshold: no task is more urgent.
inline constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

struct Ranks {
  /// The schedulers of every host task: from its own, or the one that its own passes the task on to, up to the
  /// outermost.
  std::vector<std::vector<SchedulerIndex>> schedulers;
  std::vector<std::int64_t> rank;      ///< of every host task; larger is more urgent
  std::vector<std::int64_t> own_rank;  ///< the same before semaphore_ceilings() gives several tasks one rank
  /// Of every host task, as the queues and ceilings of semaphores compare it (cpu/detail/urgency.hpp).
  std::vector<std::int64_t> urgency;
  bool by_urgency = true;  ///< ranks have the order of these, for all tasks: all are directly below fixed priorities
  std::int64_t most_urgent_task = 0;                       ///< the largest rank of all tasks except interrupts
  std::vector<std::optional<Duration>> relative_deadline;  ///< for every task: the deadline that EDF uses
};

Ranks ranks_of(const System& system);

/// By unit, one of the cores that count as one with it, because tasks migrate between them: all host tasks, or those of
/// them that are marked.
std::vector<UnitIndex> joined_cores(const System& system, const std::vector<bool>* marked = nullptr);

}  // namespace amalthea::engine::bounds
