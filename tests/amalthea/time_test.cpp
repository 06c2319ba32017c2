// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <catch2/catch.hpp>

#include "amalthea/time.hpp"

namespace time_test {

using namespace amalthea;

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

Frequency gigahertz(std::int64_t value) { return Frequency::millihertz(value * 1'000'000'000'000); }

}  // namespace

TEST_CASE("ticks convert exactly to picoseconds if they divide evenly") {
  for (const Rounding rounding : {Rounding::down, Rounding::nearest, Rounding::up}) {
    CHECK(ticks_to_duration(0, gigahertz(2), rounding) == Duration{});
    CHECK(ticks_to_duration(1, gigahertz(2), rounding) == Duration::picoseconds(500));
    CHECK(ticks_to_duration(11'850'000, gigahertz(1), rounding) == Duration::microseconds(11'850));
    CHECK(ticks_to_duration(1, Frequency::millihertz(1), rounding) == Duration::seconds(1000));
  }
}

TEST_CASE("ticks that do not divide evenly are rounded as requested") {
  // One tick at 1.5 GHz is 666.66… ps, one at 3 GHz 333.33… ps.
  const Frequency odd = Frequency::millihertz(1'500'000'000'000);
  CHECK(ticks_to_duration(1, odd, Rounding::down).picoseconds() == 666);
  CHECK(ticks_to_duration(1, odd, Rounding::nearest).picoseconds() == 667);
  CHECK(ticks_to_duration(1, odd, Rounding::up).picoseconds() == 667);
  CHECK(ticks_to_duration(1, gigahertz(3), Rounding::down).picoseconds() == 333);
  CHECK(ticks_to_duration(1, gigahertz(3), Rounding::nearest).picoseconds() == 333);
  CHECK(ticks_to_duration(1, gigahertz(3), Rounding::up).picoseconds() == 334);
}

TEST_CASE("a tie rounds up to the nearest picosecond") {
  // One tick at 2000 GHz is half a picosecond.
  CHECK(ticks_to_duration(1, gigahertz(2000), Rounding::down).picoseconds() == 0);
  CHECK(ticks_to_duration(1, gigahertz(2000), Rounding::nearest).picoseconds() == 1);
  CHECK(ticks_to_duration(3, gigahertz(2000), Rounding::nearest).picoseconds() == 2);
  CHECK(ticks_to_duration(1, gigahertz(2000), Rounding::up).picoseconds() == 1);
}

TEST_CASE("a decimal frequency stays exact over a long time") {
  // 66.67 MHz for 6667 million ticks is 100 s to the picosecond.
  const Frequency frequency = Frequency::millihertz(66'670'000'000);
  CHECK(ticks_to_duration(6'667'000'000, frequency, Rounding::down) == Duration::seconds(100));
  CHECK(ticks_to_duration(6'667'000'000, frequency, Rounding::up) == Duration::seconds(100));
}

TEST_CASE("ticks longer than 2^63 ps are an overflow error") {
  CHECK(ticks_to_duration(largest, gigahertz(1000), Rounding::down) == Duration::max());
  CHECK_THROWS_AS(ticks_to_duration(largest, gigahertz(999), Rounding::down), std::overflow_error);
  CHECK_THROWS_AS(ticks_to_duration(largest, Frequency::millihertz(1), Rounding::up), std::overflow_error);
}

TEST_CASE("a scaled duration is rounded as requested") {
  const Duration ten = Duration::picoseconds(10);
  CHECK(scale(ten, 1, 4, Rounding::down).picoseconds() == 2);
  CHECK(scale(ten, 1, 4, Rounding::nearest).picoseconds() == 3);
  CHECK(scale(ten, 1, 4, Rounding::up).picoseconds() == 3);
  CHECK(scale(ten, 1, 3, Rounding::nearest).picoseconds() == 3);
  CHECK(scale(Duration::max(), largest, largest, Rounding::down) == Duration::max());
  CHECK_THROWS_AS(scale(Duration::max(), 2, 1, Rounding::down), std::overflow_error);
}

TEST_CASE("every unit of a duration converts to picoseconds") {
  CHECK(Duration::picoseconds(1).picoseconds() == 1);
  CHECK(Duration::nanoseconds(1).picoseconds() == 1'000);
  CHECK(Duration::microseconds(1).picoseconds() == 1'000'000);
  CHECK(Duration::milliseconds(1).picoseconds() == 1'000'000'000);
  CHECK(Duration::seconds(1).picoseconds() == 1'000'000'000'000);
  CHECK(Duration::max().picoseconds() == largest);
}

TEST_CASE("arithmetic on durations and instants throws outside the range") {
  const Duration one = Duration::picoseconds(1);
  CHECK_THROWS_AS(Duration::max() + one, std::overflow_error);
  CHECK_THROWS_AS(Duration::picoseconds(std::numeric_limits<std::int64_t>::min()) - one, std::overflow_error);
  CHECK_THROWS_AS(Duration::max() * 2, std::overflow_error);
  CHECK_THROWS_AS(Duration::seconds(9'223'373), std::overflow_error);
  CHECK_THROWS_AS(Duration::milliseconds(largest), std::overflow_error);
  CHECK_THROWS_AS(Instant::never() + one, std::overflow_error);
  CHECK(Duration::seconds(9'223'372) < Duration::max());
}

TEST_CASE("the difference of two instants is a duration") {
  const Instant start;
  const Instant later = start + Duration::milliseconds(5);
  CHECK(later - start == Duration::milliseconds(5));
  CHECK(start - later == Duration::milliseconds(-5));
  CHECK(Instant::at(Duration::milliseconds(5)) == later);
  CHECK(start < later);
  CHECK(later < Instant::never());
}

}  // namespace time_test
