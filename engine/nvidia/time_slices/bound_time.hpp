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
// These two are most of what the analysis executes: 128 bits would take much longer.
inline Duration sum(Duration a, Duration b) {
  std::int64_t total = 0;
  if (__builtin_add_overflow(a.picoseconds(), b.picoseconds(), &total)) return infinite;
  return std::min(Duration::picoseconds(total), infinite);
}
inline std::int64_t ceiling(Duration a, Duration b) {
  const std::int64_t whole = a.picoseconds() / b.picoseconds();
  return a.picoseconds() % b.picoseconds() != 0 ? whole + 1 : whole;
}
inline std::int64_t turns_of(Duration work, Duration slice) { return std::max<std::int64_t>(1, ceiling(work, slice)); }

/// Maximum number of evaluations of an equation before it has no bound, so that extreme input does not hang the
/// analysis.
constexpr std::int64_t max_group_steps = 1'000;
constexpr std::int64_t max_core_steps = 20'000;
}  // namespace amalthea::engine::nvidia::time_slices
