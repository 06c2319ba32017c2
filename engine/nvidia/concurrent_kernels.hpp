// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Time of a kernel's blocks while kernels of other streams share the SM, from the instructions of all their warps.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/nvidia/block_time.hpp"
#include "engine/nvidia/warps.hpp"

namespace amalthea::engine::nvidia {

struct ConcurrentKernel {
  std::size_t context = 0;  ///< kernels of different contexts do not run together
  std::size_t stream = 0;   ///< nor do kernels of one stream
  std::int64_t start = 0;   ///< cycle
  BlockInstructions instructions;
  std::int64_t budget = 1;
  std::int64_t warps = 1;   ///< per block
  std::int64_t blocks = 1;  ///< on an SM at a time
  std::int64_t sms = 1;     ///< that have its blocks
};

struct WarpScheduling {
  const WarpPolicy* policy = nullptr;
  const WarpPipelines* pipelines = nullptr;
  std::int64_t sub_cores = 1;
  std::int64_t warps = max_warps;  ///< that an SM holds
  std::int64_t sms = 1;            ///< of the GPU
};

/// Cycles from the start of kernels[of] to the end of its last warp. Beside it run, on the same SM and from their
/// starts on, the kernels of the other streams of its context: of each stream the one with the most instructions, with
/// as many blocks as fit. While SMs are idle, kernels do not share one. The error states which figure is out of range.
tl::expected<std::int64_t, std::string> cycles_beside_others(const std::vector<ConcurrentKernel>& kernels,
                                                             std::size_t of, const WarpScheduling& scheduling);

}  // namespace amalthea::engine::nvidia
