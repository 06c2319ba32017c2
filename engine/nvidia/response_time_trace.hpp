// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The corrected algorithm (T9) step by step, as the figures of the thesis draw it: the list h of blocks that end at the
/// same time, the time t_a at which blocks are assigned, and the number g_f of free blocks.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "engine/nvidia/response_time.hpp"

namespace amalthea::engine::nvidia {

struct RtaStep {
  enum class Kind : std::uint8_t {
    begin,   ///< the kernel is the next one; t_a is at least its release
    assign,  ///< blocks of the kernel begin at t_a
    free,    ///< blocks end at the new t_a
  };
  Kind kind = Kind::begin;
  std::size_t kernel = 0;   ///< in input order
  std::int64_t blocks = 0;  ///< assigned or freed
  std::int64_t left = 0;    ///< blocks of the kernel that are not assigned yet
  std::int64_t t_a = 0;
  std::int64_t g_f = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> h;  ///< time and blocks; ascending, equal times merged
};

/// Maximum number of steps; kernels with many blocks need many.
inline constexpr std::size_t max_rta_steps = 10'000;

/// Ends with the same completion times as response_times. The error is that of response_times, or states that there
/// are more steps than max_rta_steps.
tl::expected<std::vector<RtaStep>, std::string> trace_response_times(const RtaProblem& problem);

}  // namespace amalthea::engine::nvidia
