// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times under fixed priorities on one core where offsets are known.
///
/// The k-th release of a task with a known offset O is in [O + k T, O + k T + J]. Consider a level-i busy period that
/// starts at t, with the notation of fixed_priority.hpp. Every job of hep(i) and i that must have been released before t
/// has ended. A job that may be released at t or later delays most if it is released at max(t, O + k T). So with
///   n(t, w) = number of k with O + k T + J >= t and O + k T <= t + w
/// in place of n(w), the equations of fixed_priority.hpp bound the response times of all jobs of i in this busy period.
/// If t grows up to the next O + k T + J of a task of hep(i) or i, no job stops counting, and windows contain no fewer
/// releases. So these instants of one hyperperiod are the only values of t that count. Without sections, all of these
/// busy periods exist: the bounds are exact for the stated offsets and jitters if the execution times are.
///
/// A section of a lower-priority task blocks only if a job of the task may be active at t. Tasks without a known offset
/// count with n(w). The idea of counting the releases of known transactions is that of Tindell, "Adding time-offsets to
/// schedulability analysis", YCS 221, 1994, and Palencia, Gonzalez Harbour, "Schedulability analysis for tasks with
/// static and dynamic offsets", RTSS 1998; here all tasks share one origin of time.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

struct OffsetTask {
  CpuTask task;
  std::optional<Duration> offset;  ///< nothing: unknown
};

/// For every task: a bound that is not above the one in `general`, which holds for all offsets (fixed_priority.hpp).
/// `steps` limits the arrival computations for each task.
std::vector<CpuBound> offset_bounds(const std::vector<OffsetTask>& tasks, const std::vector<CpuBound>& general,
                                    std::int64_t steps, StepCount taken = {});

}  // namespace amalthea::engine::cpu
