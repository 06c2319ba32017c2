// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How often plain round robin predicts the wrong SM for a block.
///
/// Olmedo et al., RTAS 2020, compare round robin over the SMs (N9), the previous assumption, with their measurements
/// (Fig. 3, N19): 7000 random configurations of 2 to 8 streams with 1 to 4 blocks of 1 to 1024 threads; up to 96 % of
/// them are predicted wrongly. The curve is not available. This study draws configurations of the same kind; the rule
/// that reproduces the paper's equations (N14, block_placement.hpp) replaces the measurements.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/nvidia/block_placement.hpp"

namespace amalthea::engine::nvidia {

/// Round robin (N9): starting at a pointer, the next block goes to the first SM in scan order on which it fits; the
/// pointer moves behind that SM and stays there for the next stream. A block without room waits, and so do all
/// following ones.
std::vector<std::vector<std::optional<SmIndex>>> place_round_robin(const SmLimits& limits,
                                                                   const std::vector<StreamBlocks>& streams,
                                                                   ScanOrder order = ScanOrder::even_odd);

struct PlacementStudy {
  SmLimits limits;
  /// distributed evenly over the numbers of streams; the first gets the remainder
  std::int64_t configurations = 7000;
  std::int64_t fewest_streams = 2;
  std::int64_t max_streams = 8;
  std::int64_t max_blocks = 4;      ///< per stream
  std::int64_t max_threads = 1024;  ///< per block
  std::uint64_t seed = 1;           ///< the same seed yields the same configurations on every machine
};

/// The configurations with one number of streams.
struct PlacementStudyRow {
  std::int64_t streams = 0;
  std::int64_t configurations = 0;
  std::int64_t wrong = 0;  ///< with at least one block whose SM round robin does not predict
  std::int64_t blocks = 0;
  std::int64_t wrong_blocks = 0;
};

/// Maximum number of configurations.
inline constexpr std::int64_t max_studied = 10'000'000;

/// One row per number of streams. The error names the figure that is out of range.
tl::expected<std::vector<PlacementStudyRow>, std::string> study_placement(const PlacementStudy& study);

}  // namespace amalthea::engine::nvidia
