// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Preemptive global fixed priorities on several cores; jobs migrate between cores at no cost. Where cores differ, C is
/// the longest time for which a job occupies them: the equations add up this time, and need no speeds.
///
/// Bertogna, Cirinei, "Response-time analysis for globally scheduled symmetric multiprocessor platforms", RTSS 2007.
/// While a ready job of k does not run, all m cores execute other tasks. With the workload W_i(L) of each
/// higher-priority task in a window of length L
///   R_k = C_k + floor(1/m sum over i of min(W_i(R_k), R_k - C_k + 1)),
///   W_i(L) = N C_i + min(C_i, L + x - N T_i),  x = R_i - C_i + J_i,  N = floor((L + x) / T_i)
/// (their Theorem 6 and equation (5) with the slack D_i - R_i; J_i is the release jitter). All R together are the
/// smallest common fixed point, reached from below. With affinities, m counts the cores of k, and all tasks count that
/// may run on one of them. W bounds what a job of i executes anywhere between its release and R_i after it, also if R_i
/// > T_i.
///
/// Carry-in (Guan, Stigge, Yi, Yu, "New response time bounds for fixed priority multiprocessor scheduling", RTSS 2009).
/// Let the window begin at the last instant, not after the release, before which some core of k executes none of these
/// tasks; k has no sections. Until the release, all cores execute them, so that the same equation bounds the window. At
/// its start, a job of a preemptive task of higher priority on the same cores is pending only if it executes. So at most
/// m - 1 of these tasks carry work in; for the others x = J_i. The m - 1 for which this matters most count. Tasks that
/// suspend themselves, cooperative ones, and those with several activations always carry work in.
///
/// Beyond the period. Let t be a release of k at which no earlier job of k is pending. Until the end of the q-th job
/// after that one, k waits while all m cores execute other tasks, or one of its q + 1 jobs progresses. So the same
/// equation with (q + 1) C_k in place of C_k bounds this end, R_k is the maximum over q of it minus d(q), and the last
/// q is the first with an end of at most d(q + 1).
///
/// Waiting. A job of k that suspends itself, for example for a GPU, or polls adds this time to C_k. In W_i it counts
/// only if i polls, since a suspended task leaves its core.
///
/// Sections. A task of lower priority with non-preemptive or cooperative sections counts like one of higher priority,
/// for every task that shares a core with it: k waits only while its cores execute tasks of at least its priority, or
/// such sections. If k is cooperative, one core may execute a cooperative task that k waits for, while others execute
/// tasks of lower priority; so cooperative tasks of no higher priority count in full, and not to the sum. In the same
/// way, `any_order` counts all tasks: the bounds hold for every work-conserving order, also for earliest deadline
/// first.
///
/// A task with several activations counts as several tasks here, but its jobs run one after the other: k also waits for
/// an earlier job of its own task, even while cores are idle. While that job runs, its workload decreases; while it
/// does not, all m cores execute other tasks. So W_i(R_k) of each such i is added in full, and not to the sum.
///
/// Equal priorities count as higher.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

struct GlobalTask {
  CpuTask task;                    ///< a minimum distance does not improve the bound
  std::vector<std::size_t> cores;  ///< cores it may run on, without repetition
  std::optional<std::size_t> one =
      {};  ///< jobs of tasks with the same value run one after the other; these tasks share their cores
};

/// A task of which more jobs may be pending has no bound.
inline constexpr std::int64_t most_pending_jobs = 64;

std::vector<CpuBound> global_fixed_priority_bounds(const std::vector<GlobalTask>& tasks, const Limits& limits = {},
                                                   bool any_order = false);

}  // namespace amalthea::engine::cpu
