// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How long a block of a kernel executes, from what its warps execute (gpu.instructions).
///
/// Two notations, of two models:
/// - letters L, C, S, D (makespan/kernel.hpp): instructions of one cycle, by the unit that they need. The SM may take
/// any
///   work-conserving choice in every cycle: the worst case is the longest of them all.
/// - latencies (warps.hpp), such as "2,1,int32:2,memory:20": the SM goes by its warp policy, cycle by cycle.
///
/// Blocks that are on an SM at a time begin together and have it to themselves, but for `company`.

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

/// The notation follows from the first character: a digit before a letter L, C, S or D repeats that, so that it is
/// letters if any is there. Or what is wrong.
tl::expected<BlockInstructions, std::string> parse_block_instructions(std::string_view text);

/// Warps that execute these instructions, as a warp scheduler sees them: letters take one cycle each, on the pipeline
/// of memory (L), FP32 (C, D) or special functions (S).
WarpKernel warps_of(const BlockInstructions& instructions, std::int64_t warps, std::int64_t budget);

/// Where a block executes.
struct BlockPlace {
  SmLimits limits;
  std::int64_t warps = 1;   ///< of the block
  std::int64_t blocks = 1;  ///< of the kernel that are on an SM at a time; their warps are at most max_warps
  bool in_rounds = false;   ///< whether others follow them, which need not begin together
  const WarpPolicy* policy = nullptr;
  const WarpPipelines* pipelines = nullptr;
  std::int64_t budget = 1;
  /// Kernels of other streams beside those blocks; with them there are at most max_warps. All begin together.
  std::vector<WarpKernel> company;
};

/// In cycles of the SM.
struct BlockCycles {
  std::int64_t best = 0;     ///< of a block alone
  std::int64_t average = 0;  ///< with `blocks` on the SM; letters: warps in turn
  /// Letters: no work-conserving schedule is longer; in rounds, as makespan::simple_bound has it for each. Latencies:
  /// the longer of alone and with `blocks`. Beside `company` at least what they take there, all released together.
  std::int64_t worst = 0;
  std::int64_t seen = 0;  ///< some schedule is that long: below `worst` where the search was not complete
};

/// Letters: up to this many instructions of all warps together the worst case is searched for exactly; beyond, it is
/// what makespan::simple_bound and the like say.
inline constexpr std::int64_t max_searched_instructions = 400;

/// Or which figure is missing or out of range.
tl::expected<BlockCycles, std::string> block_cycles(const BlockInstructions& instructions, const BlockPlace& place);

}  // namespace amalthea::engine::nvidia
