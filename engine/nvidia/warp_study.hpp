// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// When warp scheduling with budgets helps: random programs of two kernels under all policies.
///
/// The evaluation of QAWS (W5, docs/reference/gpu.md) needs GPGPU-Sim and its benchmarks. This study reproduces only
/// the shape of its result: the kernel with the larger budget gains, and the gain vanishes as the share of stalls
/// grows, since a sub-core that is mostly idle has nothing to distribute.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/nvidia/warps.hpp"

namespace amalthea::engine::nvidia {

struct WarpStudy {
  std::int64_t programs = 20;                     ///< pairs of programs per point
  std::int64_t instructions = 64;                 ///< per program
  std::int64_t warps = 4;                         ///< of each kernel on the sub-core
  std::int64_t offset = 8;                        ///< cycles after which the second kernel is released (W5)
  std::vector<std::int64_t> budgets = {2, 4, 8};  ///< of the second kernel; the first has 1
  /// Per mille of its time that a single warp spends waiting.
  std::vector<std::int64_t> stall_shares = {50, 100, 200, 300, 400, 500, 600, 700, 800, 850, 900, 950, 980};
  std::uint64_t seed = 1;  ///< the same seed yields the same programs on every machine
};

/// Stall share of the first kernel in heterogeneous pairs: it computes, while the second one varies.
inline constexpr std::int64_t computing_stall_share = 200;
inline constexpr std::int64_t max_stall_share = 990;

struct WarpStudyRow {
  bool homogeneous = true;       ///< both kernels have this share of stalls, else only the second
  std::int64_t stall_share = 0;  ///< per mille
  const WarpPolicy* policy = nullptr;
  std::int64_t budget = 0;  ///< of the second kernel; 0: the policy has no budgets
  // Sums over all programs, in cycles.
  std::int64_t first_response = 0;
  std::int64_t second_response = 0;
  std::int64_t cycles = 0;
  std::int64_t idle = 0;                 ///< number of these cycles without an issued instruction
  std::int64_t second_response_gto = 0;  ///< with GTO and the same programs
};

/// A random quarter of a program's instructions is followed by a stall; the waiting time is distributed evenly over
/// them. The error states which figure is out of range.
tl::expected<std::vector<WarpStudyRow>, std::string> study_warps(const WarpStudy& study);

}  // namespace amalthea::engine::nvidia
