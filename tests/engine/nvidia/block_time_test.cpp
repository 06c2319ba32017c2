// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "engine/gpu/device_profile.hpp"
#include "engine/nvidia/block_time.hpp"
#include "engine/nvidia/makespan/schedule.hpp"

namespace nvidia_block_time_test {

using namespace amalthea::engine;
using namespace amalthea::engine::nvidia;

namespace {

constexpr const char* voronoi = "5L 9C 2L 9C";

BlockPlace place_on(const char* platform, std::int64_t warps, std::int64_t blocks, const char* policy = "gto") {
  BlockPlace place;
  place.limits = *find_profile(platform)->multiprocessors;
  place.warps = warps;
  place.blocks = blocks;
  place.policy = find_warp_policy(policy);
  place.pipelines = find_warp_pipelines("free");
  return place;
}

BlockInstructions instructions(const char* text) {
  auto parsed = parse_block_instructions(text);
  REQUIRE(parsed.has_value());
  return std::move(*parsed);
}

BlockCycles cycles(const char* text, const BlockPlace& place) {
  const auto found = block_cycles(instructions(text), place);
  INFO((found ? "" : found.error()));
  REQUIRE(found.has_value());
  return *found;
}

}  // namespace

TEST_CASE("a block of letters takes the longest work-conserving schedule of all warps on the SM") {
  // W = 1 … 4 under four schedulers: 25, 31, 37, 45; in turn 25, 31, -, 43.
  CHECK(cycles(voronoi, place_on("tx2", 1, 1)).worst == 25);
  CHECK(cycles(voronoi, place_on("tx2", 2, 1)).worst == 31);
  CHECK(cycles(voronoi, place_on("tx2", 4, 1)).worst == 45);
  CHECK(cycles(voronoi, place_on("tx2", 4, 1)).average == 43);
  const BlockCycles two_blocks = cycles(voronoi, place_on("tx2", 2, 2));
  CHECK(two_blocks.worst == 45);  // four warps, of whichever blocks
  CHECK(two_blocks.best == 25);   // but a block may be alone
  CHECK(two_blocks.seen == 45);
}

TEST_CASE("a block of letters for a scarce unit takes longer") {
  // The TX2 has four units of double precision: a warp occupies them for eight cycles.
  const BlockCycles cycles_of_two = cycles("DC", place_on("tx2", 2, 1));
  CHECK(cycles_of_two.best == 16);
  CHECK(cycles_of_two.worst == 17);
  CHECK(cycles("DC", place_on("xavier", 1, 1)).worst == 2);
}

TEST_CASE("a block in one of several rounds takes no longer than the simple bound") {
  BlockPlace place = place_on("tx2", 4, 1);
  place.in_rounds = true;
  makespan::Problem problem;
  problem.kernel = std::get<makespan::Kernel>(instructions(voronoi));
  problem.warps = 4;
  CHECK(cycles(voronoi, place).worst == makespan::simple_bound(problem));
  CHECK(cycles(voronoi, place).worst >= 45);
}

TEST_CASE("a block that is too large for the search still has a bound") {
  const BlockCycles found = cycles(voronoi, place_on("tx2", 32, 2));
  CHECK(found.seen <= found.worst);
  CHECK(found.seen >= 643);  // a schedule of that length is known
  CHECK(found.best <= found.average);
  CHECK(found.average <= found.seen);
}

TEST_CASE("a block of latencies takes the time of its warp policy") {
  const char* program = "2,1,2,1,1,1,5,1,1";
  const BlockPlace place = place_on("tx2", 8, 2);
  WarpScenario scenario;
  scenario.policy = place.policy;
  scenario.pipelines = place.pipelines;
  scenario.sub_cores = 4;
  scenario.kernels = {{std::get<std::vector<WarpInstruction>>(instructions(program)), 16, 0, 1}};
  const auto run = run_warps(scenario);
  REQUIRE(run.has_value());
  const BlockCycles found = cycles(program, place);
  CHECK(found.average == run->kernels[0].finish);
  CHECK(found.worst >= found.average);
  scenario.kernels[0].warps = 8;
  CHECK(found.best == std::min(run_warps(scenario)->kernels[0].finish, found.average));
}

TEST_CASE("other warps on the SM delay a block less if its budget is larger") {
  const char* program = "2,1,2,1,1,1,5,1,1";
  BlockPlace place = place_on("tx2", 8, 1, "qaws");
  const std::int64_t alone = cycles(program, place).worst;
  place.company = {warps_of(instructions("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"), 16, 3)};
  place.budget = 1;
  const std::int64_t small = cycles(program, place).worst;
  place.budget = 50;
  const std::int64_t large = cycles(program, place).worst;
  CHECK(small > alone);
  CHECK(large >= alone);
  CHECK(large < small);
}

TEST_CASE("instructions are letters or latencies and anything else is rejected") {
  CHECK(std::holds_alternative<makespan::Kernel>(instructions("5l 9c")));
  CHECK(std::holds_alternative<std::vector<WarpInstruction>>(instructions("2, memory:20 ,1")));
  for (const char* wrong : {"", "LX", "2;3", "2,,3", "texture:4", "L,C", "-"}) {
    INFO(wrong);
    CHECK_FALSE(parse_block_instructions(wrong).has_value());
  }
  CHECK_FALSE(block_cycles(instructions("2,0,3"), place_on("tx2", 1, 1)).has_value());
}

TEST_CASE("unknown unit counts of a platform are reported only if needed") {
  BlockPlace place = place_on("tx2", 4, 1);
  place.limits.special_units = 0;
  CHECK(cycles("LC", place).worst > 0);
  const auto missing = block_cycles(instructions("LSC"), place);
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().find("type S") != std::string::npos);
}

}  // namespace nvidia_block_time_test
