// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Execution time of a kernel's block, computed from the instructions of its warps (gpu.instructions).
///
/// There are two notations, for two models:
/// - letters L, C, S, D (makespan/kernel.hpp): instructions of one cycle, by the unit that they need. The SM may make
///   any work-conserving choice in every cycle: the worst case is the longest schedule.
/// - latencies (warps.hpp), such as "2,1,int32:2,memory:20": the SM follows its warp policy, cycle by cycle.
///
/// Blocks that are resident together start together and have the SM to themselves, except for `company`.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "engine/gpu/occupancy.hpp"
#include "engine/nvidia/makespan/kernel.hpp"
#include "engine/nvidia/names.hpp"
#include "engine/nvidia/warps.hpp"

namespace amalthea::engine::nvidia {

using BlockInstructions = std::variant<makespan::Kernel, std::vector<WarpInstruction>>;

/// The first characters select the notation: a letter L, C, S or D, optionally after a repeat count, means letters. Or
/// an error message.
tl::expected<BlockInstructions, std::string> parse_block_instructions(std::string_view text);

/// Warps that execute these instructions, as a warp scheduler sees them: letters take one cycle each, on the pipeline
/// of memory (L), FP32 (C, D) or special functions (S).
WarpKernel warps_of(const BlockInstructions& instructions, std::int64_t warps, std::int64_t budget);

/// The warps of a kernel with letters on an SM. The error states which figure is missing or out of range.
tl::expected<makespan::Problem, std::string> problem_of(const makespan::Kernel& letters, const SmLimits& limits,
                                                        std::int64_t warps);

/// The environment of a block.
struct BlockPlace {
  SmLimits limits;
  std::int64_t warps = 1;   ///< per block
  std::int64_t blocks = 1;  ///< resident blocks of the kernel per SM; their warps are at most max_warps
  bool even = true;         ///< as many on every SM; otherwise one less on some
  bool in_rounds = false;   ///< whether further blocks follow them, which need not start together
  const WarpPolicy* policy = nullptr;
  const WarpPipelines* pipelines = nullptr;
  std::int64_t budget = 1;
  bool by_policy = false;  ///< a simulation lets the warp policy decide for letters, too (simulated_warps)
  /// Resident kernels of other streams; including them there are at most max_warps. All start together.
  std::vector<WarpKernel> company;
};

/// In cycles of the SM.
struct BlockCycles {
  std::int64_t best = 0;     ///< for a block alone
  std::int64_t average = 0;  ///< with `blocks` on the SM; for letters, warps take turns
  /// Letters: no work-conserving schedule is longer. Latencies: the maximum of alone and with `blocks`, or one less
  /// unless `even`. In rounds, and with `company`, it is an estimate: blocks that start at other times may take longer.
  /// In rounds it is at least makespan::simple_bound for letters. By policy, it is at least what that takes. With company, it is at least the time with all
  /// released together.
  std::int64_t worst = 0;
  std::int64_t seen = 0;  ///< length of some schedule; below `worst` if the search was incomplete
};

/// Letters: up to this many instructions over all warps the worst case is searched exactly; beyond that it comes from
/// bounds such as makespan::simple_bound.
inline constexpr std::int64_t max_searched_instructions = 400;

/// The error states which figure is missing or out of range.
tl::expected<BlockCycles, std::string> block_cycles(const BlockInstructions& instructions, const BlockPlace& place);

}  // namespace amalthea::engine::nvidia
