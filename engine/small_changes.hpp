// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Single changes of a system: another core for a task, other priorities, fewer ticks.

#include <cstdint>
#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::engine {

/// The scheduler of a task that moves to a unit: its own if that is responsible, else the first that is. Nothing if
/// there is none.
std::optional<SchedulerIndex> scheduler_on(const Platform& platform, SchedulerIndex own, UnitIndex unit);

/// The task runs on this unit alone, with the scheduler of `scheduler_on`, which must exist.
void move_task(System& system, TaskIndex task, UnitIndex unit);

/// The host task that a device task reports its end to: the one that offloads to it and waits.
std::optional<TaskIndex> wrapper_of(const System& system, TaskIndex task);

/// All ticks of the task, and of the device tasks that it offloads to, become this many per cent of what they are,
/// rounded up. Times of memory accesses, copies and the operating system stay.
void scale_ticks(System& system, TaskIndex task, std::int64_t percent);

/// Strictly ascending priorities for tasks in this order, the least urgent first, of which as many as possible keep
/// their present one. The others get whole numbers between, not below the smallest present one or 1.
std::vector<std::int64_t> ascending_priorities(const std::vector<std::int64_t>& present);

}  // namespace amalthea::engine
