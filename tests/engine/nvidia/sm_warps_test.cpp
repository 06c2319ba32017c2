// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/sm_warps.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/reference/sub_core.hpp"

namespace nvidia_sm_warps_test {

using amalthea::Duration;
using namespace amalthea::engine;
using namespace amalthea::engine::nvidia;

namespace {

BlockWarps block_of(std::string_view program, std::int64_t warps, std::string_view policy = "gto",
                    std::int64_t cycle = 1000) {
  const auto instructions = parse_warp_program(program);
  REQUIRE(instructions);
  return {{*instructions, warps, 0, 1}, find_warp_policy(policy), &warp_pipelines().front(), 4, 1, cycle};
}

struct Start {
  std::int64_t time = 0;  ///< in picoseconds
  BlockWarps block;
};

/// Ends of blocks, in picoseconds, in the order of their starts.
std::vector<std::int64_t> ends_of(const std::vector<Start>& starts, Slowdown slowdown = {}) {
  SmWarps sm;
  SmEpisodes episodes;
  std::vector<std::int64_t> ends(starts.size());
  std::size_t next = 0, running = 0;
  for (std::int64_t now = 0; next < starts.size() || running > 0;) {
    std::int64_t until = next < starts.size() ? starts[next].time : std::int64_t{1} << 60;
    if (running > 0) until = std::min(until, now + sm.time_to_end(slowdown).picoseconds());
    sm.advance(Duration::picoseconds(until - now), slowdown);
    now = until;
    if (running > 0 && sm.time_to_end(slowdown).is_zero()) {
      const auto ended = sm.next_ends();
      for (const std::uint32_t block : ended) {
        ends[block] = now;
        sm.end(block);
        --running;
      }
    }
    for (; next < starts.size() && starts[next].time == now; ++next, ++running)
      sm.start(static_cast<std::uint32_t>(next), starts[next].block, episodes);
  }
  return ends;
}

/// The same, with a reference for each sub-core: blocks that start while the SM is never idle.
std::vector<std::int64_t> reference_ends(const std::vector<Start>& starts) {
  std::map<std::int64_t, std::vector<reference::StartingWarp>> warps;  // by sub-core
  std::map<std::int64_t, std::vector<std::size_t>> blocks;
  std::int64_t dealt = 0;
  const BlockWarps& any = starts.front().block;
  for (std::size_t block = 0; block < starts.size(); ++block)
    for (std::int64_t i = 0; i < starts[block].block.warps.warps; ++i, ++dealt) {
      reference::StartingWarp warp;
      warp.start = (starts[block].time + 999) / 1000;
      warp.budget = starts[block].block.warps.budget;
      for (const WarpInstruction& instruction : starts[block].block.warps.program) {
        const auto use = any.pipelines->uses[static_cast<std::size_t>(instruction.unit)];
        warp.ops.push_back({instruction.latency, static_cast<int>(use.pipeline), use.cycles});
      }
      warps[dealt % any.sub_cores].push_back(warp);
      blocks[dealt % any.sub_cores].push_back(block);
    }
  std::vector<std::int64_t> ends(starts.size());
  for (const auto& [sub_core, own] : warps) {
    const auto finishes =
        reference::WarpScheduler(std::string(any.policy->name), any.pipelines->dual_issue, own).ends();
    for (std::size_t i = 0; i < finishes.size(); ++i) {
      std::int64_t& end = ends[blocks[sub_core][i]];
      end = std::max<std::int64_t>(end, finishes[i] * 1000);
    }
  }
  return ends;
}

}  // namespace

TEST_CASE("blocks that start while others execute end as in a cycle-by-cycle reading of their SM") {
  std::mt19937_64 random(5);
  const auto draw = [&random](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  for (int system = 0; system < 500; ++system) {
    const WarpPolicy& policy =
        warp_policies()[static_cast<std::size_t>(draw(0, std::int64_t(warp_policies().size()) - 1))];
    const WarpPipelines& pipelines = warp_pipelines()[static_cast<std::size_t>(draw(0, 2))];
    // The first block keeps the SM busy until the last one has started.
    std::vector<Start> starts = {
        {0, {{{{200, WarpUnit::fp32}, {1, WarpUnit::fp32}}, 1, 0, 1}, &policy, &pipelines, draw(1, 4), 1, 1000}}};
    std::vector<std::int64_t> times;
    for (std::int64_t block = draw(1, 6); block > 0; --block)
      times.push_back(draw(0, 100) * (draw(0, 1) == 0 ? 1000 : 907));
    std::sort(times.begin(), times.end());
    for (const std::int64_t time : times) {
      Start start = starts.front();
      start.time = time;
      start.block.warps = {{}, draw(1, 9), 0, draw(1, 3)};
      for (std::int64_t i = draw(1, 8); i > 0; --i)
        start.block.warps.program.push_back({draw(0, 2) == 0 ? draw(1, 20) : 1, static_cast<WarpUnit>(draw(0, 3))});
      starts.push_back(start);
    }
    INFO("system " << system << ", policy " << policy.name << ", pipelines " << pipelines.name);
    REQUIRE(ends_of(starts) == reference_ends(starts));
  }
}

TEST_CASE("a block that starts within a cycle joins the next one, and an idle SM begins one") {
  using Ends = std::vector<std::int64_t>;
  CHECK(ends_of({{300, block_of("1,1,1", 4)}}) == Ends{3300});
  // Four sub-cores: each has a warp of either block. The second one is the younger.
  CHECK(ends_of({{300, block_of("1,1,1", 4)}, {500, block_of("1", 4)}}) == Ends{3300, 4300});
  CHECK(ends_of({{300, block_of("1,1,1", 4)}, {4000, block_of("1", 4)}}) == Ends{3300, 5000});
}

TEST_CASE("what slows a block down slows the whole SM down") {
  using Ends = std::vector<std::int64_t>;
  CHECK(ends_of({{0, block_of("1,1,1", 4)}, {0, block_of("1", 4)}}, {1'500'000}) == Ends{4500, 6000});
  // A third of a picosecond is no cycle.
  CHECK(ends_of({{0, block_of("1", 1, "gto", 1)}, {2, block_of("1", 1, "gto", 1)}}, {1'333'333}) == Ends{2, 4});
}

}  // namespace nvidia_sm_warps_test
