// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Bounds on the time of a block of a kernel with costs (gpu::KernelCost, A10), whatever runs beside it. They follow
/// the formulas of device.cpp:
///
/// - *Spread*: a deviation is at most `max_deviation_ppm` millionths of the standard deviation.
/// - *Everywhere*: contention counts all threads that the GPU can hold, and at least half of them belong to others. Reuse
///   only makes blocks faster. The product is rounded to the nearest step, so it is at most half a step more.
/// - *On the CU*: its threads are at most those that it can hold. Those of the block have its own weight, and all others
///   the largest weight of a kernel that may be there.
/// - *Rounding*: whenever the slowdown s of a block changes, it loses less than 1 ps of work. A change needs a block that
///   starts, ends, or gets its first data: on the CU, or anywhere if the GPU as a whole slows the kernel down. A CU has P
///   places for blocks. Each of them sees at most 3 (D / m + 1) such instants in a time D, where m is the shortest time
///   of a block there. With the places of all CUs that count, K = 3 P, the work W takes D <= s (W + K (D / m + 1)) + 1,
///   so D <= (s (W + K) + 1) m / (m - s K) if s K is less than m. Otherwise there is no bound.

#include <cstdint>

#include "amalthea/time.hpp"
#include "engine/amd/names.hpp"
#include "engine/gpu/kernel_cost.hpp"
#include "engine/gpu/occupancy.hpp"

namespace amalthea::engine::amd {

/// Of a standard deviation of the time of blocks (device.cpp): the largest sum of four 16-bit numbers less their mean.
constexpr std::int64_t max_deviation_ppm = std::int64_t{131'070} * 1'000'000 / 37'837;

/// Times of this and above are no bound.
constexpr Duration endless_block = Duration::picoseconds(std::int64_t{1} << 61);

struct CostlyBlock {
  gpu::KernelCost cost;
  std::int64_t threads = 0;    ///< of whole wavefronts
  Duration shortest, longest;  ///< by its ticks, without costs
};

/// What may be beside a block, itself included.
struct Company {
  std::int64_t heaviest_ppm = 1'000'000;  ///< the largest weight of a thread on its CU
  Duration briefest_on_unit;              ///< the shortest time of a block on its CU
  Duration briefest_on_gpu;               ///< the same on any CU
};

Duration shortest_time(const CostlyBlock& block);

/// `endless_block`: there is no bound.
Duration longest_time(const CostlyBlock& block, const Company& company, const gpu::SmLimits& limits);

}  // namespace amalthea::engine::amd
