// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times under fixed priorities on one core: preemptive, non-preemptive, cooperative, with critical sections.
///
/// Let p be priorities, C worst executions, n(w) the most arrivals in a closed window, d(q) the least distance from a
/// release to the q-th after it, B the blocking of task i, hep(i) the other tasks of at least its priority, F the
/// length of its last section and 0 the beginning of a busy period of level i. Of the q-th job in it
///   start   s = B + (q + 1) C_i - F + sum over hep(i) of n(s) C
///   end     f = s + F + sum over those to which the last section is left of (n(f - 1) - n(s)) C
///   R_i = max over q with d(q) < L of f - d(q),
///   L = B + sum over hep(i) and i of n(L - 1) C
/// with the smallest solutions. Windows of whole picoseconds: [0, f) is the closed window f - 1. A task that can be
/// preempted at any time has a last section of one picosecond. This contains
/// - Joseph, Pandya, "Finding response times in a real-time system", Computer Journal 1986; Audsley et al., "Applying
/// new
///   scheduling theory to static priority pre-emptive scheduling", Software Engineering Journal 1993 (jitter,
///   blocking);
/// - Tindell, Burns, Wellings, "An extendible approach for analyzing fixed priority hard real-time tasks", Real-Time
///   Systems 1994: deadlines beyond the period, all q of the busy period. They count from the arrival, here it is from
///   the release, the jitter after it;
/// - George, Rivierre, Spuri, "Preemptive and non-preemptive real-time uniprocessor scheduling", INRIA RR-2966, 1996,
/// and
///   Davis, Burns, Bril, Lukkien, "Controller Area Network (CAN) schedulability analysis: refuted, revisited and
///   revised", Real-Time Systems 2007, equations (6) to (11): F = C. They have B one time unit less, or n over an open
///   window and B in full, respectively; here B is in full;
/// - Wang, Saksena, "Scheduling fixed-priority tasks with preemption threshold", RTCSA 1999; Bril, Lukkien, Verhaegh,
///   "Worst-case response time analysis of real-time tasks under fixed-priority scheduling with deferred preemption",
///   Real-Time Systems 2009: thresholds and last sections.
///
/// Blocking. At most one section of a less urgent task delays a busy period of level i, one with a threshold of at
/// least p_i that began before it (Baker, "Stack-based scheduling of realtime processes", Real-Time Systems 1991; for
/// the immediate priority ceiling, Sha, Rajkumar, Lehoczky, "Priority inheritance protocols", IEEE Trans. Computers
/// 1990). If a task of at least priority p_i is cooperative, that may also be the section of a less urgent cooperative
/// task, which runs in the place of the more urgent one that waits for its end, so that nothing in between holds both
/// up.
///
/// Equal priorities count as more urgent before the last section begins, whatever the order among them: they are safe
/// for first in, first out as well as for round robin with any time slice. Under round robin there is no last section,
/// unless those of equal priority are not left to either.

#include <optional>
#include <vector>

#include "engine/cpu/periodic_resource.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

/// Of every task. With a resource the tasks have no more than that gives; last sections do not count then.
std::vector<CpuBound> fixed_priority_bounds(const std::vector<CpuTask>& tasks,
                                            const std::optional<PeriodicResource>& resource = std::nullopt,
                                            const Limits& limits = {});

/// The longest blocking of every task and by whom: the response and its parts, two at most.
std::vector<CpuBound> blocking_bounds(const std::vector<CpuTask>& tasks);

}  // namespace amalthea::engine::cpu
