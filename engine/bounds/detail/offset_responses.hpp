// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Tighter bounds for the stated offsets, on cores whose tasks wait for no GPU.
///
/// - Fixed priorities on one core: busy periods where they can start (cpu/offset_windows.hpp).
/// - The same without preemption, where all releases are known: all schedules (cpu/schedule_graph.hpp).
/// - Earliest deadline first, and fixed priorities on several cores, where all releases are known and have no jitter:
///   the longest schedule (cpu/longest_schedule.hpp).
///
/// A release is known if a periodic stimulus is the only one that activates its task.

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/detail/problems.hpp"

namespace amalthea::engine::bounds {

/// Replaces the upper bounds of tasks for which it finds smaller ones.
void add_offset_responses(const ProblemInput& input, const Problems& problems, const Faults& faults,
                          const BoundOptions& options, SystemBounds& bounds);

}  // namespace amalthea::engine::bounds
