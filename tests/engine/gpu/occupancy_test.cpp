// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the rules of Olmedo et al., RTAS 2020 (N1, N3, N10, N17, N18) and the platforms' limits.

#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/occupancy.hpp"

namespace gpu_occupancy_test {

namespace {

using namespace amalthea::engine;
using gpu::BlockShape;
using gpu::SmLimits;

const SmLimits& limits_of(const char* platform) {
  const DeviceProfile* profile = find_profile(platform);
  REQUIRE(profile != nullptr);
  REQUIRE(profile->multiprocessors.has_value());
  return *profile->multiprocessors;
}

std::vector<std::string_view> binding(const gpu::Occupancy& occupancy) {
  std::vector<std::string_view> names;
  for (const auto& limit : occupancy.limits)
    if (limit.binds) names.push_back(limit.resource);
  return names;
}

using Names = std::vector<std::string_view>;

}  // namespace

TEST_CASE("N1: the profiles contain Table I and its consequences") {
  const SmLimits& tx2 = limits_of("tx2");
  const SmLimits& xavier = limits_of("xavier");
  const SmLimits& pegasus = limits_of("pegasus");
  CHECK(std::vector{tx2.sms, xavier.sms, pegasus.sms} == std::vector<std::int64_t>{2, 8, 44});
  CHECK(std::vector{tx2.threads, xavier.threads, pegasus.threads} == std::vector<std::int64_t>{2048, 2048, 1024});
  CHECK(std::vector{tx2.max_warps(), xavier.max_warps(), pegasus.max_warps()} == std::vector<std::int64_t>{64, 64, 32});
  CHECK(std::vector{tx2.sms * tx2.cores, xavier.sms * xavier.cores, pegasus.sms * pegasus.cores} ==
        std::vector<std::int64_t>{256, 512, 2816});
  for (const char* platform : {"tx2", "xavier", "pegasus"}) {
    CHECK(limits_of(platform).registers == 65536);
    CHECK(limits_of(platform).registers_per_block == 65536);
    CHECK(limits_of(platform).shared_memory_per_block == 49152);
  }
  CHECK(limits_of("tx2-devicequery").registers_per_block == 32768);
  CHECK(limits_of("tx2-devicequery").registers == 65536);
  CHECK_FALSE(find_profile("generic")->multiprocessors.has_value());
}

TEST_CASE("N3 and T3: a block occupies whole warps") {
  const SmLimits& tx2 = limits_of("tx2");
  CHECK(gpu::use_of_block(tx2, {1})->warps == 1);
  CHECK(gpu::use_of_block(tx2, {32})->warps == 1);
  CHECK(gpu::use_of_block(tx2, {33})->warps == 2);
  CHECK(gpu::use_of_block(tx2, {140})->warps == 5);  // 160 threads, 20 of them wasted
  CHECK(gpu::use_of_block(tx2, {1024})->warps == 32);
  CHECK_FALSE(gpu::use_of_block(tx2, {1025}).has_value());
  CHECK_FALSE(gpu::use_of_block(tx2, {0}).has_value());
}

TEST_CASE("N17: shared memory counts above 3 KB in steps of 256 bytes") {
  SmLimits limits;
  for (const auto& [bytes, counted] : std::vector<std::pair<int, int>>{
           {0, 0}, {1, 0}, {3071, 0}, {3072, 0}, {3073, 3328}, {3328, 3328}, {3329, 3584}, {49152, 49152}})
    CHECK(gpu::counted_shared_memory(limits, bytes) == counted);
  limits.threshold_counts = true;
  CHECK(gpu::counted_shared_memory(limits, 3071) == 0);
  CHECK(gpu::counted_shared_memory(limits, 3072) == 3072);
  limits.shared_memory_ignored = 0;
  CHECK(gpu::counted_shared_memory(limits, 0) == 0);
}

TEST_CASE("the resource that allows the fewest blocks binds") {
  const SmLimits& tx2 = limits_of("tx2");
  const auto threads = gpu::occupancy(tx2, {256}).value();
  CHECK(threads.blocks == 8);
  CHECK(binding(threads) == Names{"warps"});
  const auto blocks = gpu::occupancy(tx2, {32}).value();
  CHECK(blocks.blocks == 32);
  CHECK(blocks.warps == 32);
  CHECK(binding(blocks) == Names{"blocks"});
  const auto registers = gpu::occupancy(tx2, {256, 64}).value();
  CHECK(registers.blocks == 4);
  CHECK(binding(registers) == Names{"registers"});
  const auto memory = gpu::occupancy(tx2, {256, 32, 16384}).value();
  CHECK(memory.blocks == 4);
  CHECK(binding(memory) == Names{"shared memory"});
  CHECK(binding(gpu::occupancy(tx2, {64}).value()) == Names{"blocks", "warps"});
  CHECK(binding(gpu::occupancy(tx2, {256, 32}).value()) == Names{"warps", "registers"});
  CHECK(gpu::occupancy(limits_of("pegasus"), {32}).value().blocks == 16);
}

TEST_CASE("registers of a warp are allocated in units of 256") {
  const SmLimits& tx2 = limits_of("tx2");
  CHECK(gpu::use_of_block(tx2, {32, 33})->registers == 1280);  // 1056 rounded up
  CHECK(gpu::use_of_block(tx2, {32, 40})->registers == 1280);
  SmLimits exact = tx2;
  exact.register_unit = 1;
  CHECK(gpu::use_of_block(exact, {32, 33})->registers == 1056);
}

TEST_CASE("a block beyond a limit is rejected with that limit") {
  const auto refused = [](const char* platform, BlockShape shape) {
    return gpu::occupancy(limits_of(platform), shape).error();
  };
  CHECK(refused("tx2", {1025}) == "a block of 1025 threads exceeds the 1024 a block may have");
  CHECK(refused("tx2", {32, 256}) == "256 registers per thread are not between 0 and the 255 a thread may have");
  CHECK(refused("tx2", {32, 0, 49153}) ==
        "49153 bytes of shared memory are not between 0 and the 49152 a block may have");
  CHECK(refused("tx2", {1024, 65}) ==
        "32 warps with 65 registers per thread take 73728 registers, more than the 65536 a block may have");
  CHECK(gpu::occupancy(limits_of("tx2"), {1024, 64}).has_value());
  CHECK_FALSE(gpu::occupancy(limits_of("tx2-devicequery"), {1024, 64}).has_value());
}

TEST_CASE("N18: up to 32 registers per thread never limit before threads on Pascal and Volta and up to 64 on Turing") {
  for (const auto& [platform, harmless] :
       std::vector<std::pair<const char*, int>>{{"tx2", 32}, {"xavier", 32}, {"pegasus", 64}}) {
    SmLimits limits = limits_of(platform);
    limits.blocks = 1000;
    CHECK(gpu::occupancy(limits, {32}).value().harmless_registers == harmless);
    for (int threads = 32; threads <= 1024; threads += 32) {
      for (int registers = 1; registers <= harmless; ++registers)
        CHECK(gpu::occupancy(limits, {threads, registers})->blocks == gpu::occupancy(limits, {threads})->blocks);
    }
    CHECK(gpu::occupancy(limits, {32, harmless + 1})->blocks < gpu::occupancy(limits, {32})->blocks);
  }
}

TEST_CASE("N10: Eq. 1 as printed and as a minimum matches a manual calculation") {
  const SmLimits& tx2 = limits_of("tx2");
  const BlockShape shape{1024, 32, 16384};
  const auto first = gpu::equation_1(tx2, shape, 0);  // 2048/1024 = 2; U_SHM NB = 0; 65536/(1024*32) = 2
  CHECK(std::isinf(first.printed));
  CHECK(first.minimum == 2);
  const auto second = gpu::equation_1(tx2, shape, 1);  // 1; 49152/((32768+3072)*1); 1
  CHECK(second.printed == Approx(49152.0 / 35840));
  CHECK(second.minimum == 1);
  CHECK(second.admitted);
  const auto third = gpu::equation_1(tx2, shape, 2);  // 0; 49152/((49152+3072)*2) = 0.470…; 2/3
  CHECK(third.printed == Approx(2.0 / 3));
  CHECK(third.minimum == 0);
  CHECK_FALSE(third.admitted);
}

TEST_CASE("N10: the minimum of Eq. 1 admits exactly the blocks that fit and the printed maximum admits more") {
  std::mt19937 random(1);
  int printed_admits_more = 0;
  for (int run = 0; run < 3000; ++run) {
    const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
    const SmLimits& limits = limits_of(std::vector{"tx2", "xavier", "pegasus"}[static_cast<std::size_t>(run % 3)]);
    const BlockShape shape{draw(1, 1024), draw(0, 80), draw(0, 3) == 0 ? draw(0, 49152) : 0};
    const auto occupancy = gpu::occupancy(limits, shape);
    if (!occupancy) continue;
    gpu::SmUse resident;
    std::int64_t launched = 0;
    for (; gpu::fits(limits, resident, occupancy->block); ++launched) {
      CHECK(occupancy->equation.at(static_cast<std::size_t>(launched)).admitted);
      resident += occupancy->block;
    }
    REQUIRE(occupancy->blocks == launched);
    const auto& refused = occupancy->equation.at(static_cast<std::size_t>(launched));
    CHECK_FALSE(refused.admitted);
    CHECK(refused.printed >= refused.minimum);
    if (refused.printed >= 1 && refused.minimum < 1) ++printed_admits_more;
  }
  CHECK(printed_admits_more > 100);
}

TEST_CASE("errors in the multiprocessors of a device profile are reported") {
  const std::string rest = R"({"name": "x", "time_slice_us": {"value": 1}, "context_switch_us": {"value": 0},
    "kernel_slowdown_by_memcpy": {"value": 1}, "kernel_slowdown_by_memset": {"value": 1},
    "copy_slowdown_by_kernel": {"value": 1}, "multiprocessors": )";
  CHECK(parse_device_profile(rest + R"({"count": {"value": 0}}})").error() ==
        "3:85: multiprocessors.count.value: expected a whole number from 1 to 1024");
  CHECK(parse_device_profile(rest + R"({"count": {"value": 2.5}}})").error() ==
        "3:87: multiprocessors.count.value: expected a whole number from 1 to 1024");
  CHECK(parse_device_profile(rest + R"({"count": {"value": 18446744073709551615}}})").error() ==
        "3:104: multiprocessors.count.value: expected a whole number from 1 to 1024");
  CHECK(parse_device_profile(rest + R"({"count": {"value": 2}}})").error().find("per_gpc") != std::string::npos);
}

}  // namespace gpu_occupancy_test
