// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How much concurrent activity slows something down.

#include <cmath>
#include <compare>
#include <cstdint>

#include "amalthea/time.hpp"

namespace amalthea::engine {

/// Slowdown factor in parts per million: 1'000'000 is no slowdown, 3'000'000 is three times as long.
struct Slowdown {
  std::int64_t ppm = 1'000'000;
  friend constexpr auto operator<=>(Slowdown, Slowdown) = default;
};

/// Work completed in a time. Rounded down, so that nothing ends early.
inline Duration progress(Duration elapsed, Slowdown slowdown) {
  return slowdown == Slowdown{} ? elapsed : scale(elapsed, 1'000'000, slowdown.ppm, Rounding::down);
}
/// Time that some work takes.
inline Duration time_for(Duration work, Slowdown slowdown) {
  return slowdown == Slowdown{} ? work : scale(work, slowdown.ppm, 1'000'000, Rounding::up);
}

/// Work that progresses at changing speeds. It counts millionths of a picosecond, so that changes of the speed do not add
/// time by rounding.
class FluidWork {
 public:
  FluidWork() = default;
  explicit FluidWork(Duration work) : left_(detail::Int128{work.picoseconds()} * parts) {}

  /// Rounded down, so that nothing ends early.
  void advance(Duration elapsed, Slowdown slowdown) {
    const detail::Int128 whole = detail::Int128{elapsed.picoseconds()} * parts;
    const detail::Int128 done = slowdown == Slowdown{} ? whole : whole * 1'000'000 / slowdown.ppm;
    left_ = done < left_ ? left_ - done : 0;
  }
  /// The time that the rest takes.
  Duration time(Slowdown slowdown) const {
    return Duration::picoseconds(detail::divide(left_ * slowdown.ppm, detail::Int128{parts} * 1'000'000, Rounding::up));
  }

 private:
  static constexpr std::int64_t parts = 1'000'000;
  detail::Int128 left_ = 0;
};

/// Slowdown of something that is memory-bound only for the share `memory_share` (0 … 1): 1 - m + m * full (the rate
/// 1/(1 - m + m k) of fluid interference, N21).
inline Slowdown weigh(Slowdown full, double memory_share) {
  return {1'000'000 + std::llround(static_cast<double>(full.ppm - 1'000'000) * memory_share)};
}

}  // namespace amalthea::engine
