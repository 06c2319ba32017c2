// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What records of kernels on a GPU say about it: where its blocks ran, how long its time slices are, what a switch
/// costs. tools/measure-gpu takes such records.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/nvidia/block_placement.hpp"

namespace amalthea::engine::nvidia {

/// Of measured values.
struct Spread {
  double median = 0;
  double least = 0;
  double most = 0;
  std::size_t samples = 0;
};
/// All zero without values.
Spread spread_of(std::vector<double> values);

/// Times are nanoseconds of the GPU's clock.
struct RecordedBlock {
  std::int64_t sm = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// A kernel on an idle GPU.
struct PlacementComparison {
  std::int64_t blocks = 0;    ///< those that began before any had ended
  std::int64_t equal = 0;     ///< of these, on the SM that the rule predicts (N14)
  bool same_counts = false;   ///< every SM has as many of them as the rule predicts
  bool is_balanced = false;   ///< the numbers on any two SMs differ by one at most
  std::vector<SmIndex> seen;  ///< the SMs of the first blocks, one for each SM: the order of the scan, if it is fixed
};
PlacementComparison compare_placement(const SmLimits& limits, const SmUse& block, ScanOrder order,
                                      const std::vector<RecordedBlock>& recorded);

/// Times in which a kernel that records the time made no progress: begin and end, ascending.
using Gaps = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// What two such kernels of different processes say about the time slices of their contexts.
struct TimeSlices {
  Spread slice;     ///< uninterrupted progress of the first between two of its gaps
  Spread gap;       ///< of the first: the other one's slice and two switches
  Spread switches;  ///< from the last progress of one to the first of the other
};
TimeSlices time_slices_of(const Gaps& first, const Gaps& second);

/// The share of the shorter of two operations that was hidden behind the other: 0 one after the other, 1 at the same
/// time. All times > 0.
double overlap_of(double one, double other, double together);

}  // namespace amalthea::engine::nvidia
