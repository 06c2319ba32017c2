// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Preemptive global fixed priorities on several identical cores; jobs migrate between cores at no cost.
///
/// Bertogna, Cirinei, "Response-time analysis for globally scheduled symmetric multiprocessor platforms", RTSS 2007.
/// While a ready job of k does not run, all m cores execute other tasks. With the workload W_i(L) of each
/// higher-priority task in a window of length L
///   R_k = C_k + floor(1/m sum over i of min(W_i(R_k), R_k - C_k + 1)),
///   W_i(L) = N C_i + min(C_i, L + x - N T_i),  x = R_i - C_i + J_i,  N = floor((L + x) / T_i)
/// (their Theorem 6 and equation (5) with the slack D_i - R_i; J_i is the release jitter). It holds while R_k <= T_k -
/// J_k. All R together are the smallest common fixed point, reached from below. With affinities, m counts the cores of
/// k, and all tasks count that may run on one of them.
///
/// A task with several activations counts as several tasks here, but its jobs run one after the other: k also waits for
/// an earlier job of its own task, even while cores are idle. While that job runs, its workload decreases; while it
/// does not, all m cores execute other tasks. So W_i(R_k) of each such i is added in full, and not to the sum.
///
/// Equal priorities count as higher.

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

struct GlobalTask {
  CpuTask task;                    ///< without sections; a minimum distance does not improve the bound
  std::vector<std::size_t> cores;  ///< cores it may run on, without repetition
  std::optional<std::size_t> one =
      {};  ///< jobs of tasks with the same value run one after the other; these tasks share their cores
};

std::vector<CpuBound> global_fixed_priority_bounds(const std::vector<GlobalTask>& tasks, const Limits& limits = {});

}  // namespace amalthea::engine::cpu
