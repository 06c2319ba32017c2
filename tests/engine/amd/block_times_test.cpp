// SPDX-License-Identifier: Apache-2.0
// Bounds on the time of a block with costs, computed by hand.

#include <catch2/catch.hpp>

#include "engine/amd/block_times.hpp"

namespace amd_block_times_test {

using namespace amalthea;
using namespace amalthea::engine::amd;

namespace {

/// Two CUs of 2048 threads with 4 places for blocks each.
engine::gpu::SmLimits limits() {
  engine::gpu::SmLimits limits;
  limits.sms = 2;
  limits.blocks = 4;
  return limits;
}

CostlyBlock block(const engine::gpu::KernelCost& cost) {
  return {cost, 512, Duration::microseconds(80), Duration::microseconds(100)};
}

/// Its longest time beside blocks of this weight, of 1 ms.
Duration longest(const CostlyBlock& block, std::int64_t heaviest_ppm = 1'000'000) {
  return longest_time(block, {heaviest_ppm, Duration::milliseconds(1), Duration::milliseconds(1)}, limits());
}

bool is_about(Duration time, std::int64_t microseconds) {
  const Duration low = Duration::microseconds(microseconds);
  return time >= low && time <= low + Duration::nanoseconds(1);
}

}  // namespace

TEST_CASE("a block on an AMD GPU takes its time if its kernel only has a weight and a time of dispatch") {
  engine::gpu::KernelCost cost;
  cost.weight_ppm = 5'000'000;
  cost.dispatch = cost.dispatch_beside = Duration::microseconds(3);
  CHECK(longest(block(cost)) == Duration::microseconds(100));
  CHECK(shortest_time(block(cost)) == Duration::microseconds(80));
  cost.full_speed_threads = 2048;  // all that a CU can hold
  CHECK(longest(block(cost)) == Duration::microseconds(100));
}

TEST_CASE("a block shares its CU with as many threads as fit, of the largest weight") {
  engine::gpu::KernelCost cost;
  cost.full_speed_threads = 1024;
  CHECK(is_about(longest(block(cost)), 200));  // 2048 / 1024
  // 512 of weight 1, 1536 of weight 3.
  CHECK(is_about(longest(block(cost), 3'000'000), 500));
  cost.weight_ppm = 3'000'000;
  CHECK(is_about(longest(block(cost), 3'000'000), 200));
  CHECK(shortest_time(block(cost)) == Duration::microseconds(80));
}

TEST_CASE("spread, warm-up, contention and other kernels lengthen a block, and reuse shortens it") {
  engine::gpu::KernelCost cost;
  cost.spread_ppm = 100'000;  // at most 3.464 standard deviations
  CHECK(longest(block(cost)) > Duration::microseconds(134));
  CHECK(longest(block(cost)) < Duration::microseconds(135));
  CHECK(shortest_time(block(cost)) < Duration::microseconds(53));
  CHECK(shortest_time(block(cost)) > Duration::microseconds(52));
  cost = {};
  cost.warm_up = Duration::microseconds(7);
  CHECK(longest(block(cost)) == Duration::microseconds(107));
  cost = {};
  cost.contention_ppm = 100'000;
  cost.contention_from = 1024;  // of 4096: 3 times 10 %
  CHECK(longest(block(cost)) >= Duration::microseconds(130));
  CHECK(longest(block(cost)) < Duration::microseconds(131));
  cost = {};
  cost.beside_ppm = 50'000;
  CHECK(longest(block(cost)) >= Duration::microseconds(105));
  CHECK(longest(block(cost)) < Duration::microseconds(106));
  cost = {};
  cost.reuse_ppm = 500'000;
  CHECK(longest(block(cost)) >= Duration::microseconds(100));
  CHECK(longest(block(cost)) < Duration::microseconds(101));
  CHECK(shortest_time(block(cost)) < Duration::microseconds(40));
  CHECK(shortest_time(block(cost)) > Duration::microseconds(39));
}

TEST_CASE("beside blocks that may take no time a block that shares its CU has no bound") {
  engine::gpu::KernelCost cost;
  cost.full_speed_threads = 1024;
  CHECK(longest_time(block(cost), {1'000'000, {}, {}}, limits()) == endless_block);
  // 3 instants for each of 4 places lose 24 ps of work at half the speed.
  CHECK(longest_time(block(cost), {1'000'000, Duration::picoseconds(24), {}}, limits()) == endless_block);
  CHECK(longest_time(block(cost), {1'000'000, Duration::picoseconds(48), {}}, limits()) < Duration::microseconds(401));
  CHECK(longest_time(block(cost), {1'000'000, Duration::picoseconds(48), {}}, limits()) >= Duration::microseconds(400));
  CostlyBlock endless = block(cost);
  endless.longest = Duration::picoseconds(std::int64_t{1} << 62);
  CHECK(longest(endless) == endless_block);
}

}  // namespace amd_block_times_test
