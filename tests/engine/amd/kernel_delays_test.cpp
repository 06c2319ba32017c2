// SPDX-License-Identifier: Apache-2.0
// Bounds on how long kernels of an AMD GPU delay each other, computed by hand.

#include <vector>

#include <catch2/catch.hpp>

#include "engine/amd/kernel_delays.hpp"

namespace amd_kernel_delays_test {

using namespace amalthea;
using namespace amalthea::engine::amd;

namespace {

Duration us(std::int64_t microseconds) { return Duration::microseconds(microseconds); }

/// CUs with 2048 threads in 32 wavefronts of 64, on `engines` shader engines.
DeviceSettings settings_of(std::int64_t engines, std::int64_t units_per_engine) {
  DeviceSettings settings;
  settings.limits.sms = engines * units_per_engine;
  settings.limits.sms_per_gpc = units_per_engine;
  settings.limits.warp_size = 64;
  return settings;
}

/// Half a CU.
const engine::gpu::SmUse half{1, 16, 0, 0};

SharingKernel kernel(std::size_t task, std::int64_t block, std::int64_t blocks) {
  return {task, task, us(block), blocks, half, {}, {}};
}
SharingKernel whole_kernel(std::size_t task, std::int64_t time) { return {task, task, us(time), 1, {}, {}, {}}; }

SharingKernel with_mask(SharingKernel kernel, std::vector<bool> bits) {
  kernel.mask = CuMask{std::move(bits)};
  return kernel;
}

}  // namespace

TEST_CASE("rounds of a lone kernel depend on the shader engine with the fewest compute units") {
  const DeviceSettings radeon = settings_of(4, 15);
  const auto rounds = [&](std::int64_t blocks, const char* mask) {
    return rounds_alone(radeon, blocks, half, parse_cu_mask(mask, radeon.layout()).value());
  };
  // 10 blocks on each engine, with room for 30.
  CHECK(rounds(40, "full").most == 1);
  CHECK(rounds(121, "full").most == 2);
  CHECK(rounds(121, "full").least == 2);
  // Engine 1 has one CU and 6 blocks, two at a time.
  CHECK(rounds(12, "packed:16").most == 3);
  CHECK(rounds(12, "packed:16").least == 3);
  // Engine 1 has the second and the fourth block, but the bound allows for three levels on any engine.
  CHECK(rounds(5, "packed:16").least == 1);
  CHECK(rounds(5, "packed:16").most == 2);
}

TEST_CASE("kernels of two streams delay each other by the area of their blocks on each shader engine") {
  // Two engines of one CU, which holds two blocks: weight 1/2.
  const auto delays = kernel_delays(settings_of(2, 1), {kernel(0, 12, 4), kernel(1, 4, 6)}, 2).front();
  CHECK(delays.by[0][1] == us(12));  // on each engine 3 blocks x 4 / 2
  CHECK(delays.by[1][0] == us(24));  // 2 blocks x 12 / 2
  CHECK(delays.by[0][0] == us(0));
  CHECK(delays.own[0] == us(12 + 6));     // 2 levels: the first one counts once
  CHECK(delays.own[1] == us(4 + 3 * 2));  // 3 levels: the first one counts twice
}

TEST_CASE("a block that leaves room for others has a smaller weight") {
  // Where half a CU is needed, more than half must be in use: three of the blocks with a quarter, weight 1/3.
  SharingKernel quarter = kernel(1, 6, 9);
  quarter.use = engine::gpu::SmUse{1, 8, 0, 0};
  const auto delays = kernel_delays(settings_of(1, 1), {kernel(0, 12, 1), quarter}, 2).front();
  CHECK(delays.by[0][1] >= us(18));  // 9 x 6 / 3
  CHECK(delays.by[0][1] <= us(18) + Duration::nanoseconds(1));
  CHECK(delays.by[1][0] == us(6));  // a quarter lacks when the CU is full: weight 1/2
}

TEST_CASE("by levels a kernel counts once for all shader engines") {
  const auto ways = kernel_delays(settings_of(2, 4), {kernel(0, 12, 4), kernel(1, 4, 6)}, 2);
  REQUIRE(ways.size() == 2);
  const auto& levels = ways.back();
  // The longest block takes 12. Of the 4 CUs of an engine, two ACEs may hold two old blocks of weight 1/2 each.
  CHECK(levels.own[0] == us(12 + 2 * 6 / 2));
  CHECK(levels.by[0][1] == us(3 * 6 / 2));
  CHECK(levels.own[1] == us(4 + 3 * 6 / 2));
  CHECK(levels.by[1][0] == us(2 * 6 / 2));
  // With one CU on each engine nothing is left of it.
  CHECK(kernel_delays(settings_of(2, 1), {kernel(0, 12, 4), kernel(1, 4, 6)}, 2).back().own[0] > us(1'000'000));
}

TEST_CASE("kernels on different compute units do not delay each other unless their queues share an ACE") {
  const std::vector<SharingKernel> kernels = {with_mask(kernel(0, 12, 4), {true, true, false, false}),
                                              with_mask(kernel(1, 4, 6), {false, false, true, true})};
  const auto apart = kernel_delays(settings_of(2, 2), kernels, 4).front();
  CHECK(apart.by[0][1] == us(0));
  CHECK(apart.by[1][0] == us(0));
  CHECK(apart.own[0] == us(12));     // alone: one round
  CHECK(apart.own[1] == us(2 * 4));  // two rounds
  const auto shared = kernel_delays(settings_of(2, 2), kernels, 5).front();
  CHECK(shared.by[0][1] == us(12));  // as if it had the CUs of the other one
  CHECK(shared.own[0] == us(12 + 6));
}

TEST_CASE("a kernel of the same queue adds its last block") {
  std::vector<SharingKernel> kernels = {kernel(0, 12, 4), kernel(1, 4, 6)};
  for (SharingKernel& each : kernels) each.pool = 0;
  const auto delays = kernel_delays(settings_of(2, 1), kernels, 1).front();
  CHECK(delays.by[0][1] == us(12 + 4));
  CHECK(delays.by[1][0] == us(24 + 12));
}

TEST_CASE("kernels of one stream or of one task do not delay each other") {
  std::vector<SharingKernel> kernels = {kernel(0, 12, 4), kernel(1, 4, 6), kernel(0, 2, 2)};
  kernels[1].stream = 0;
  kernels[2].stream = 1;
  const auto delays = kernel_delays(settings_of(2, 1), kernels, 2).front();
  CHECK(delays.by[0] == std::vector<Duration>(3));
  CHECK(delays.own[0] == us(12));
  CHECK(delays.by[1][2] > us(0));
}

TEST_CASE("an ACE that needs time for each block delays its kernels by the blocks of all of them") {
  std::vector<SharingKernel> kernels = {kernel(0, 12, 4), kernel(1, 4, 6)};
  kernels[1].dispatch = us(3);
  const auto apart = kernel_delays(settings_of(2, 1), kernels, 2).front();
  CHECK(apart.by[0][1] == us(12));  // each has an ACE
  CHECK(apart.own[0] == us(12 + 6 + 3));
  CHECK(apart.own[1] == us(4 + 3 * 2 + 6 * 3 + 3));
  CHECK(apart.by[1][0] == us(24));
  const auto shared = kernel_delays(settings_of(2, 1), kernels, 2, true).front();
  CHECK(shared.by[0][1] == us(12 + 6 * 3));
  CHECK(shared.by[1][0] == us(24));
  const auto levels = kernel_delays(settings_of(2, 4), kernels, 2, true).back();
  CHECK(levels.by[0][1] == us(3 * 6 / 2 + 6 * 3));
  CHECK(levels.own[1] == us(4 + 3 * 6 / 2 + 6 * 3 + 3));
  CHECK(time_alone(settings_of(2, 1), kernels[1], us(5)) == us(2 * 4 + 6 * 3 + 5));
}

TEST_CASE("kernels that occupy the whole GPU run one after the other") {
  const auto delays = kernel_delays(settings_of(2, 1), {whole_kernel(0, 5), whole_kernel(1, 7)}, 2).front();
  CHECK(delays.own[0] == us(5));
  CHECK(delays.by[0][1] == us(7));
  CHECK(delays.by[1][0] == us(5));
}

TEST_CASE("a kernel that occupies the whole GPU waits for the blocks of others to end") {
  const auto ways = kernel_delays(settings_of(2, 1), {whole_kernel(0, 5), kernel(1, 12, 4)}, 2);
  const auto& delays = ways.front();
  CHECK(delays.own[0] == us(5 + 12));     // one drain
  CHECK(delays.by[0][1] == us(24 + 12));  // its area, and one drain
  CHECK(delays.by[1][0] == us(5 + 12));
  CHECK(delays.own[1] == us(12 + 24 + 12));
  CHECK(ways.back().own[0] > us(1'000'000));
}

}  // namespace amd_kernel_delays_test
