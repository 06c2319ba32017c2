// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Fixed priorities on several equal cores, preemptive, jobs that move from core to core without cost.
///
/// Bertogna, Cirinei, "Response-time analysis for globally scheduled symmetric multiprocessor platforms", RTSS 2007. A
/// ready job of k that does not run sees all m cores at work for others, so that with the workload W_i(L) of each more
/// urgent task in a window of length L
///   R_k = C_k + floor(1/m sum over i of min(W_i(R_k), R_k - C_k + 1)),
///   W_i(L) = N C_i + min(C_i, L + x - N T_i),  x = R_i - C_i + J_i,  N = floor((L + x) / T_i)
/// (their Theorem 6 and equation (5) with the slack D_i - R_i; J_i is the release jitter). It holds while R_k <= T_k -
/// J_k. All R together are the smallest common solution, reached from below. With affinities: m are the cores of k, and
/// all count that may run on one of them.
///
/// A task that comes in several ways is several here, but its jobs run one after the other: k also waits for an earlier
/// job of its own task, though cores are idle. While that runs its workload passes, and while it does not all m cores
/// are at work for others. So W_i(R_k) of each such i is added in full, and not to the sum.
///
/// Equal priorities count as more urgent.

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

struct GlobalTask {
  CpuTask task;                    ///< without sections; a minimum distance does not help
  std::vector<std::size_t> cores;  ///< where it may run, without repetition
  std::optional<std::size_t> one =
      {};  ///< jobs of all that have the same run one after the other; they share their cores
};

std::vector<CpuBound> global_fixed_priority_bounds(const std::vector<GlobalTask>& tasks, const Limits& limits = {});

}  // namespace amalthea::engine::cpu
