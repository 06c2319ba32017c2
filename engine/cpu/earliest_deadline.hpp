// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Preemptive earliest deadline first on one core, with arbitrary deadlines.
///
/// Spuri, "Analysis of deadline scheduled real-time systems", INRIA RR-2772, 1996: the longest response time of task i
/// occurs in a deadline busy period in which all other tasks are released together at its start 0 and then as often as
/// possible, and task i is released at a:
///   L(a) = n_i(a) C_i + sum over others of min(n(L - 1), n(a + D_i - D)) C + sum over interrupts of n(L - 1) C
///   R_i = max over a < L of max(C_i, L(a) - a)
/// with the smallest L(a), n(w) the maximum number of arrivals in a closed window (none if w < 0), and L the longest
/// busy period. Only values of a at which some n increases need to be checked. Deadlines are relative to the release
/// after the jitter, as in Spuri; equal deadlines count as earlier.
///
/// Blocking. At the start of a deadline busy period, a section of a task with D > a + D_i may have begun that i cannot
/// preempt (George, Rivierre, Spuri, "Preemptive and non-preemptive real-time uniprocessor scheduling", INRIA
/// RR-2966, 1996), with cooperative tasks one more (longest_blocking). It is added to L(a) and L.
///
/// The second algorithm is the processor demand test of Baruah, Rosier, Howell, "Algorithms and complexity concerning
/// the preemptive scheduling of periodic, real-time tasks on one processor", Real-Time Systems 1990: all deadlines are
/// met if and only if, for every t < L, sum of n(t - D) C <= t.

#include <optional>
#include <vector>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

/// For every task; indices beyond the tasks are those of interrupts. All `interrupts` preempt all tasks, whatever their
/// priority. The tasks of `background` have no deadline, so that all others precede them: only their sections count.
std::vector<CpuBound> earliest_deadline_bounds(const std::vector<CpuTask>& tasks,
                                               const std::vector<CpuTask>& interrupts = {}, const Limits& limits = {},
                                               const std::vector<CpuTask>& background = {});

/// Whether all deadlines are met; nothing if the test would need more steps than the limits allow.
std::optional<bool> meets_demand(const std::vector<CpuTask>& tasks, const Limits& limits = {});

}  // namespace amalthea::engine::cpu
