// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/nvidia/sub_core.hpp"
#include "tests/reference/sub_core.hpp"
#include "tests/support/thoroughness.hpp"

namespace nvidia_sub_core_test {

using namespace amalthea::engine::nvidia;

namespace {

using Program = std::vector<WarpInstruction>;

Program program_of(std::string_view text) {
  const auto program = parse_warp_program(text);
  REQUIRE(program);
  return *program;
}

/// Warps in the order of their starts.
struct Starts {
  const WarpPolicy* policy = nullptr;
  const WarpPipelines* pipelines = nullptr;
  struct Warp {
    Program program;
    std::int64_t start = 0;
    std::int64_t budget = 1;
  };
  std::vector<Warp> warps;
};

Starts random_starts(std::mt19937_64& random) {
  const auto draw = [&random](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  Starts drawn;
  drawn.policy = &warp_policies()[static_cast<std::size_t>(draw(0, std::int64_t(warp_policies().size()) - 1))];
  drawn.pipelines = &warp_pipelines()[static_cast<std::size_t>(draw(0, std::int64_t(warp_pipelines().size()) - 1))];
  const bool has_tensor = drawn.pipelines->uses[std::size_t(WarpUnit::tensor)].cycles >= 0;
  const std::int64_t kernels = draw(1, 6), spread = draw(0, 3) * 10;
  for (std::int64_t kernel = 0; kernel < kernels; ++kernel) {
    Starts::Warp warp;
    const std::int64_t length = draw(1, 8), stall = draw(2, 20);
    for (std::int64_t i = 0; i < length; ++i)
      warp.program.push_back({draw(0, 2) == 0 ? draw(drawn.pipelines->dual_issue ? 0 : 1, stall) : 1,
                              static_cast<WarpUnit>(draw(0, has_tensor ? 5 : 4))});
    warp.start = draw(0, spread);
    warp.budget = draw(1, 3);
    drawn.warps.insert(drawn.warps.end(), static_cast<std::size_t>(draw(1, 6)), warp);
  }
  std::stable_sort(drawn.warps.begin(), drawn.warps.end(), [](auto& a, auto& b) { return a.start < b.start; });
  return drawn;
}

std::vector<std::int64_t> reference_ends(const Starts& starts) {
  std::vector<reference::StartingWarp> warps;
  for (const Starts::Warp& warp : starts.warps) {
    reference::StartingWarp& added = warps.emplace_back();
    added.start = warp.start;
    added.budget = warp.budget;
    for (const WarpInstruction& instruction : warp.program) {
      const auto use = starts.pipelines->uses[static_cast<std::size_t>(instruction.unit)];
      added.ops.push_back({instruction.latency, static_cast<int>(use.pipeline), use.cycles});
    }
  }
  const auto ends =
      reference::WarpScheduler(std::string(starts.policy->name), starts.pipelines->dual_issue, warps).ends();
  return {ends.begin(), ends.end()};
}

/// Adds every warp in the cycle in which it starts. `pauses`: stops at so many cycles in between, as slices do.
std::vector<std::int64_t> stepped_ends(const Starts& starts, std::int64_t pause) {
  SubCore sub_core(*starts.policy, *starts.pipelines);
  std::vector<std::int64_t> ends(starts.warps.size(), -1);
  std::size_t added = 0;
  for (std::int64_t limit = 0; added < starts.warps.size() || sub_core.has_warps();) {
    while (added < starts.warps.size() && starts.warps[added].start == sub_core.cycle()) {
      const Starts::Warp& warp = starts.warps[added];
      sub_core.add({&warp.program, warp.start, warp.budget, added++});
    }
    limit = sub_core.cycle() + pause;
    if (added < starts.warps.size()) limit = std::min(limit, starts.warps[added].start);
    SubCore ahead = sub_core;  // must leave no trace
    ahead.run(limit + 100);
    if (const auto ended = sub_core.run(limit)) ends[*ended] = sub_core.cycle();
  }
  return ends;
}

/// The bound of docs/theory/gpu.md: the latencies of a warp's instructions, for how long they keep a pipeline from a
/// later one beyond that, and the issue cycles of all others.
std::int64_t bound_of(const Starts& starts, std::size_t own) {
  const auto use_of = [&](const WarpInstruction& each) {
    return starts.pipelines->uses[static_cast<std::size_t>(each.unit)];
  };
  std::int64_t bound = 1;  // its last instruction only issues
  for (std::size_t warp = 0; warp < starts.warps.size(); ++warp) {
    const Program& program = starts.warps[warp].program;
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (warp != own) bound += std::max<std::int64_t>(1, use_of(program[i]).cycles);
      if (warp != own || i + 1 == program.size()) continue;
      bound += std::max<std::int64_t>(1, program[i].latency);
      std::int64_t beyond = use_of(program[i]).cycles;
      std::size_t next = i;
      do beyond -= program[next++].latency;
      while (next < program.size() && use_of(program[next]).pipeline != use_of(program[i]).pipeline);
      if (next < program.size()) bound += std::max<std::int64_t>(0, beyond);
    }
  }
  return bound;
}

void check_against_reference(std::uint64_t seed, int systems) {
  std::mt19937_64 random(seed);
  int met = 0;  // bounds
  for (int system = 0; system < systems; ++system) {
    const Starts starts = random_starts(random);
    const auto ends = reference_ends(starts);
    INFO("system " << system << ", policy " << starts.policy->name << ", pipelines " << starts.pipelines->name);
    REQUIRE(stepped_ends(starts, 1000) == ends);
    REQUIRE(stepped_ends(starts, 3) == ends);
    for (std::size_t warp = 0; warp < ends.size(); ++warp) {
      REQUIRE(ends[warp] - starts.warps[warp].start <= bound_of(starts, warp));
      met += starts.warps.size() > 1 && ends[warp] - starts.warps[warp].start == bound_of(starts, warp);
    }
  }
  CHECK(met > systems / 50);
}

/// The end of the last of the first `own` warps.
std::int64_t end_of_first(const Starts& starts, std::size_t own) {
  const auto ends = stepped_ends(starts, 1000);
  return *std::max_element(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(own));
}

}  // namespace

TEST_CASE("a kernel takes longer if the warps beside it are older") {
  const Starts::Warp own = {program_of("2,2,5"), 0, 1}, beside = {program_of("1,5,2,1,1,1"), 0, 1};
  Starts starts = {find_warp_policy("gto"), find_warp_pipelines("free"), {own, own, beside, beside}};
  CHECK(end_of_first(starts, 2) == 6);
  std::reverse(starts.warps.begin(), starts.warps.end());
  CHECK(end_of_first(starts, 4) == 19);
}

TEST_CASE("two warps may take longer if the second one starts later") {
  const Starts::Warp warp = {program_of("5,3,3,2,2,1"), 0, 1};
  Starts starts = {find_warp_policy(GENERATE("gto", "lrr", "qaws")), find_warp_pipelines("free"), {warp, warp}};
  CHECK(end_of_first(starts, 2) == 17);
  starts.warps.back().start = 5;
  CHECK(stepped_ends(starts, 1000) == std::vector<std::int64_t>{16, 5 + 19});
}

TEST_CASE("a group of eight warps keeps a two-level scheduler until all of it stalls") {
  const Starts::Warp warp = {program_of("9,1"), 0, 1};
  const Starts starts = {find_warp_policy("two-level"), find_warp_pipelines("free"),
                         std::vector<Starts::Warp>(16, warp)};
  // In cycle 8 all of the first group stalls. It is ready from 9 on, but the other one stalls in 16 only.
  CHECK(stepped_ends(starts, 1000) ==
        std::vector<std::int64_t>{17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32});
}

TEST_CASE("a scheduler that has nothing to do does not step through idle cycles") {
  const Program program = program_of("1000000000000,1");
  SubCore sub_core(*find_warp_policy("gto"), *find_warp_pipelines("free"));
  sub_core.add({&program, 7, 1, 3});
  CHECK(sub_core.run(std::int64_t{1} << 60) == WarpIndex{3});
  CHECK(sub_core.cycle() == 1'000'000'000'008);
}

TEST_CASE("warps that start while others execute end as in a cycle-by-cycle reading of the policies") {
  check_against_reference(1, 1000);
}

TEST_CASE("warps that start while others execute end as in a cycle-by-cycle reading of the policies, at length",
          "[long]") {
  check_against_reference(2, test::times(20'000));
}

}  // namespace nvidia_sub_core_test
