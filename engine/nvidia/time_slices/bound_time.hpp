// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Times in bounds: sums and products that stay finite, rounded up.

#include <algorithm>
#include <cstdint>

#include "amalthea/quantity.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"

namespace amalthea::engine::nvidia::time_slices {

using Wide = detail::Int128;

/// Larger than any relevant time, and small enough for a sum of three.
constexpr Duration infinite = Duration::picoseconds(std::int64_t{1} << 61);

inline Duration saturated(Wide picoseconds) {
  return Duration::picoseconds(static_cast<std::int64_t>(std::min<Wide>(picoseconds, infinite.picoseconds())));
}
inline Duration times(Duration time, std::int64_t count) { return saturated(Wide(time.picoseconds()) * count); }
inline Duration sum(Duration a, Duration b) { return saturated(Wide(a.picoseconds()) + b.picoseconds()); }

inline std::int64_t ceiling(Duration a, Duration b) {
  return detail::divide(a.picoseconds(), b.picoseconds(), Rounding::up);
}
inline std::int64_t turns_of(Duration work, Duration slice) { return std::max<std::int64_t>(1, ceiling(work, slice)); }

/// Maximum number of evaluations of an equation before it has no bound, so that extreme input does not hang the
/// analysis.
constexpr std::int64_t max_group_steps = 1'000;
constexpr std::int64_t max_core_steps = 20'000;
}  // namespace amalthea::engine::nvidia::time_slices
