// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Earliest deadline first on one core, preemptive, deadlines of any length.
///
/// Spuri, "Analysis of deadline scheduled real-time systems", INRIA RR-2772, 1996: the longest response time of task i
/// is found in a deadline busy period in which all others are released at once at its beginning 0 and then as often as
/// they may be, and i at a:
///   L(a) = n_i(a) C_i + sum over others of min(n(L - 1), n(a + D_i - D)) C + sum over interrupts of n(L - 1) C
///   R_i = max over a < L of max(C_i, L(a) - a)
/// with the smallest L(a), n(w) the most arrivals in a closed window (none if w < 0), and L the longest busy period.
/// Only those a count at which an n grows. Deadlines count from the release, the jitter after which Spuri has it; equal
/// deadlines count as earlier.
///
/// The second algorithm is the processor demand of Baruah, Rosier, Howell, "Algorithms and complexity concerning the
/// preemptive scheduling of periodic, real-time tasks on one processor", Real-Time Systems 1990: no deadline is missed
/// if and only if, for every t < L, sum of n(t - D) C <= t.

#include <optional>
#include <vector>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

/// Of every task; indices beyond the tasks are those of interrupts. `interrupts` come before all of them, whatever
/// their priority.
std::vector<CpuBound> earliest_deadline_bounds(const std::vector<CpuTask>& tasks,
                                               const std::vector<CpuTask>& interrupts = {}, const Limits& limits = {});

/// Whether all deadlines are met; nothing when that would take more steps than the limits allow.
std::optional<bool> meets_demand(const std::vector<CpuTask>& tasks, const Limits& limits = {});

}  // namespace amalthea::engine::cpu
