// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Time in the whole project: signed 64-bit picoseconds in two strong types.
///
/// `Duration` is a length of time, `Instant` a point on the simulation's clock (0 = start). The type system keeps them
/// apart: Instant - Instant = Duration, Instant + Duration = Instant. 2^63 ps are 106 days; arithmetic that would leave
/// this range throws std::overflow_error.

#include <compare>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace amalthea {

/// How a quotient is rounded to an integer. Upper bounds round up, lower bounds down, the simulation to nearest.
enum class Rounding : std::uint8_t { down, nearest, up };

namespace detail {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

[[noreturn]] inline void throw_time_overflow() { throw std::overflow_error("time value exceeds 2^63 picoseconds"); }

/// numerator / denominator for numerator >= 0, denominator > 0; a tie of `nearest` rounds up.
constexpr std::int64_t divide(Int128 numerator, Int128 denominator, Rounding rounding) {
  Int128 quotient = numerator / denominator;
  const Int128 remainder = numerator % denominator;
  if (rounding == Rounding::up && remainder != 0) ++quotient;
  if (rounding == Rounding::nearest && remainder * 2 >= denominator) ++quotient;
  if (quotient > std::numeric_limits<std::int64_t>::max()) throw_time_overflow();
  return static_cast<std::int64_t>(quotient);
}

constexpr std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw_time_overflow();
  return sum;
}

constexpr std::int64_t checked_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) throw_time_overflow();
  return difference;
}

constexpr std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw_time_overflow();
  return product;
}

}  // namespace detail

/// A length of time in picoseconds.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration picoseconds(std::int64_t value) { return Duration(value); }
  static constexpr Duration nanoseconds(std::int64_t value) { return Duration(detail::checked_multiply(value, 1000)); }
  static constexpr Duration microseconds(std::int64_t value) {
    return Duration(detail::checked_multiply(value, 1000000));
  }
  static constexpr Duration milliseconds(std::int64_t value) {
    return Duration(detail::checked_multiply(value, 1000000000));
  }
  static constexpr Duration seconds(std::int64_t value) {
    return Duration(detail::checked_multiply(value, 1000000000000));
  }
  static constexpr Duration max() { return Duration(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t picoseconds() const { return ps_; }
  constexpr bool is_zero() const { return ps_ == 0; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return Duration(detail::checked_add(a.ps_, b.ps_)); }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return Duration(detail::checked_subtract(a.ps_, b.ps_));
  }
  friend constexpr Duration operator*(Duration a, std::int64_t factor) {
    return Duration(detail::checked_multiply(a.ps_, factor));
  }
  constexpr Duration& operator+=(Duration other) { return *this = *this + other; }
  constexpr Duration& operator-=(Duration other) { return *this = *this - other; }

 private:
  constexpr explicit Duration(std::int64_t ps) : ps_(ps) {}
  std::int64_t ps_ = 0;
};

/// Times in a simulation stay below this, a quarter of the range of Duration, so that sums of a few never overflow.
inline constexpr Duration longest_simulation = Duration::picoseconds(Duration::max().picoseconds() / 4);

/// A point on the simulation's clock, in picoseconds since its start.
class Instant {
 public:
  constexpr Instant() = default;
  static constexpr Instant at(Duration since_start) { return Instant(since_start); }
  static constexpr Instant never() { return Instant(Duration::max()); }

  constexpr Duration since_start() const { return since_start_; }
  constexpr std::int64_t picoseconds() const { return since_start_.picoseconds(); }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant a, Duration b) { return Instant(a.since_start_ + b); }
  friend constexpr Duration operator-(Instant a, Instant b) { return a.since_start_ - b.since_start_; }

 private:
  constexpr explicit Instant(Duration since_start) : since_start_(since_start) {}
  Duration since_start_;
};

/// A clock frequency in millihertz, so that decimal values such as 66.67 MHz stay exact. 0 means "not given".
class Frequency {
 public:
  constexpr Frequency() = default;
  static constexpr Frequency millihertz(std::int64_t value) { return Frequency(value); }
  constexpr std::int64_t millihertz() const { return mhz_; }
  constexpr bool is_zero() const { return mhz_ == 0; }
  friend constexpr auto operator<=>(Frequency, Frequency) = default;

 private:
  constexpr explicit Frequency(std::int64_t mhz) : mhz_(mhz) {}
  std::int64_t mhz_ = 0;
};

/// The time of `ticks` cycles at `frequency` (ticks >= 0, frequency > 0), by exact rational arithmetic. Throws
/// std::overflow_error beyond 2^63 ps.
constexpr Duration ticks_to_duration(std::int64_t ticks, Frequency frequency, Rounding rounding) {
  constexpr std::int64_t millihertz_picoseconds = 1000000000000000;  // 1 cycle at 1 mHz lasts 10^15 ps
  return Duration::picoseconds(
      detail::divide(static_cast<detail::Int128>(ticks) * millihertz_picoseconds, frequency.millihertz(), rounding));
}

/// value * numerator / denominator, all >= 0, denominator > 0.
constexpr Duration scale(Duration value, std::int64_t numerator, std::int64_t denominator, Rounding rounding) {
  return Duration::picoseconds(
      detail::divide(static_cast<detail::Int128>(value.picoseconds()) * numerator, denominator, rounding));
}

}  // namespace amalthea
