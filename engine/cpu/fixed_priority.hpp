// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times under fixed priorities on one core: preemptive, non-preemptive, cooperative, with critical sections.
///
/// Let p be priorities, C worst-case execution times, n(w) the maximum number of arrivals in a closed window, d(q) the
/// minimum distance from a release to the q-th after it, B the blocking of task i, hep(i) the other tasks of at least
/// its priority, F the length of its last section and 0 the start of a level-i busy period. For its q-th job
///   start   s = B + (q + 1) C_i - F + sum over hep(i) of n(s) C
///   end     f = s + F + sum over those to which the last section is left of (n(f - 1) - n(s)) C
///   R_i = max over q with d(q) < L of f - d(q),
///   L = B + sum over hep(i) and i of n(L - 1) C
/// with the smallest solutions. Windows are whole picoseconds: [0, f) is the closed window f - 1. A fully preemptive
/// task has a last section of one picosecond. This covers
/// - Joseph, Pandya, "Finding response times in a real-time system", Computer Journal 1986; Audsley et al., "Applying
///   new scheduling theory to static priority pre-emptive scheduling", Software Engineering Journal 1993 (jitter,
///   blocking);
/// - Tindell, Burns, Wellings, "An extendible approach for analyzing fixed priority hard real-time tasks", Real-Time
///   Systems 1994: deadlines beyond the period, all q of the busy period. Their response times count from the arrival;
///   here they count from the release, which follows the jitter;
/// - George, Rivierre, Spuri, "Preemptive and non-preemptive real-time uniprocessor scheduling", INRIA RR-2966, 1996,
///   and Davis, Burns, Bril, Lukkien, "Controller Area Network (CAN) schedulability analysis: refuted, revisited and
///   revised", Real-Time Systems 2007, equations (6) to (11): F = C. They use B minus one time unit, or n over an open
///   window with the full B; here B is in full;
/// - Wang, Saksena, "Scheduling fixed-priority tasks with preemption threshold", RTCSA 1999; Bril, Lukkien, Verhaegh,
///   "Worst-case response time analysis of real-time tasks under fixed-priority scheduling with deferred preemption",
///   Real-Time Systems 2009: thresholds and last sections.
///
/// Blocking. At most one section of a lower-priority task delays a level-i busy period: one with a threshold of at
/// least p_i that began before it (Baker, "Stack-based scheduling of realtime processes", Real-Time Systems 1991; for
/// the immediate priority ceiling, Sha, Rajkumar, Lehoczky, "Priority inheritance protocols", IEEE Trans. Computers
/// 1990). If a task of at least priority p_i is cooperative, a section of a lower-priority cooperative task may also
/// block: it inherits the urgency of the waiting task, so that no task in between delays both.
///
/// Until the last section begins, tasks of equal priority count as higher-priority ones, whatever their order. The
/// bounds therefore hold for FIFO order and for round robin with any time slice. Under round robin there is no last
/// section, unless tasks of equal priority cannot preempt it either.

#include <optional>
#include <vector>

#include "engine/cpu/periodic_resource.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

/// For every task. With a resource, the tasks get only what it supplies; last sections do not count then.
std::vector<CpuBound> fixed_priority_bounds(const std::vector<CpuTask>& tasks,
                                            const std::optional<PeriodicResource>& resource = std::nullopt,
                                            const Limits& limits = {});

/// The same for one of the tasks.
CpuBound fixed_priority_bound(const std::vector<CpuTask>& tasks, std::size_t index,
                              const std::optional<PeriodicResource>& resource = std::nullopt,
                              const Limits& limits = {});

/// The longest blocking of every task and the task that causes it: the response and at most two parts.
std::vector<CpuBound> blocking_bounds(const std::vector<CpuTask>& tasks);
CpuBound blocking_bound(const std::vector<CpuTask>& tasks, std::size_t index);

}  // namespace amalthea::engine::cpu
