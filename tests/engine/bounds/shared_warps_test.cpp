// SPDX-License-Identifier: Apache-2.0
// Bounds for kernels whose warps share SMs, against SMs that tests/reference executes cycle by cycle. It shares no code
// with the engine.

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "engine/nvidia/warps.hpp"
#include "reference/shared_gpu.hpp"
#include "reference/shared_gpu_search.hpp"
#include "tests/support/shared_sm_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace bounds_shared_warps_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

struct Comparison {
  long bounded = 0, unbounded = 0;
  std::vector<double> ratios;  ///< bound / longest response, where tasks share the GPU

  void add(const std::vector<Bound>& bounds, const std::vector<long>& longest, const reference::SharedSystem& drawn) {
    REQUIRE(bounds.size() == longest.size());
    for (std::size_t task = 0; task < longest.size(); ++task) {
      const auto& worst = bounds[task].worst;
      INFO("task " << task << ": " << text_of(drawn));
      INFO("response " << longest[task] << ", bound " << (worst ? worst->picoseconds() : 0));
      ++(worst ? bounded : unbounded);
      if (!worst) continue;
      REQUIRE(us(longest[task]) <= *worst);
      REQUIRE(us(longest[task]) >= bounds[task].best);
      if (longest.size() > 1) ratios.push_back(double(worst->picoseconds()) / double(us(longest[task]).picoseconds()));
    }
  }

  double median() {
    REQUIRE(!ratios.empty());
    std::sort(ratios.begin(), ratios.end());
    return ratios[ratios.size() / 2];
  }
};

/// When kernels come often: under the policy gto, without pipelines; or on SMs with few places for blocks, with last
/// instructions that occupy pipelines for long.
enum class Often { no, oldest_first, in_few_places, with_times };

/// Blocks that take as long whatever is beside them, with any needs.
void state_times(reference::SharedSystem& drawn, std::mt19937_64& random) {
  const auto draw = [&](long least, long most) {
    return least + static_cast<long>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  for (reference::SharedTask& task : drawn.tasks)
    for (reference::SharedKernel& kernel : task.kernels)
      if (kernel.blocks > 0) {
        kernel = {{}, "", draw(1, 60), 1, draw(1, std::min(drawn.warps, 8L)), draw(0, 2) * draw(0, 24), kernel.blocks};
      }
}

Comparison compare(std::uint64_t seed, long systems, int runs, Often often = Often::no) {
  std::mt19937_64 random(seed);
  Comparison found;
  for (long system = 0; system < systems; ++system) {
    reference::SharedSystem drawn = draw_shared_system(random, often == Often::oldest_first ? "gto" : "");
    const auto draw = [&](long least, long most) {
      return least + static_cast<long>(random() % static_cast<std::uint64_t>(most - least + 1));
    };
    for (reference::SharedTask& task : drawn.tasks)
      if (often != Often::no) task.period = draw(1, 8) * (often == Often::oldest_first ? 50 : 150);
    if (often == Often::with_times) state_times(drawn, random);
    if (often == Often::in_few_places) {
      drawn.slots = draw(1, 6);
      for (reference::SharedTask& task : drawn.tasks)
        for (reference::SharedKernel& kernel : task.kernels)
          if (!kernel.program.empty() && draw(0, 1) == 0) {
            if (draw(0, 1) == 0) kernel = {};
            if (kernel.program.empty()) kernel.blocks = draw(1, 12);
            add_instruction(kernel, drawn.pipelines, nvidia::WarpUnit::fp64, draw(1, 4));
          }
    }
    std::vector<long> longest(drawn.tasks.size());
    for (int run = 0; run < runs; ++run) {
      std::vector<long> offsets;
      // All at once, soon after each other, or anywhere.
      for (const reference::SharedTask& task : drawn.tasks)
        offsets.push_back(run == 0 ? 0 : 2 * draw(0, run % 3 == 0 ? task.period - 1 : 100) + (run % 2) * draw(0, 1));
      const auto seen = reference::SharedGpu(drawn, offsets).run(run % 3 == 0 ? 4000 : 400, [&](std::size_t count) {
        return random() % count;
      });
      for (std::size_t task = 0; task < seen.size(); ++task) longest[task] = std::max(longest[task], seen[task]);
    }
    INFO("system " << system << " of seed " << seed);
    found.add(bounds_of(drawn), longest, drawn);
  }
  return found;
}

}  // namespace

TEST_CASE("what a kernel leaves in a pipeline counts for the next kernel of its stream, too") {
  reference::SharedSystem drawn;
  drawn.pipelines = "turing";
  reference::SharedKernel doubles, loads;
  add_instruction(doubles, drawn.pipelines, nvidia::WarpUnit::fp64, 1);
  add_instruction(loads, drawn.pipelines, nvidia::WarpUnit::memory, 400);
  add_instruction(loads, drawn.pipelines, nvidia::WarpUnit::memory, 1);
  drawn.tasks = {{{doubles, doubles}, 1000, 0}, {{loads}, 1000, 1}};
  const auto bounds = bounds_of(drawn);
  REQUIRE(bounds[0].worst);
  // Meanwhile the loads keep the SM from becoming idle. One instruction of FP64 occupies its pipeline for 64 cycles.
  const long response = reference::SharedGpu(drawn, {20, 0}).run(400, [](std::size_t) { return std::size_t{0}; })[0];
  CHECK(response == 64 + 1);
  CHECK(us(response) <= *bounds[0].worst);
}

TEST_CASE("what a block leaves in a pipeline counts for the block that takes its place") {
  for (const char* const policy : {"gto", "lrr"})
    for (const long slots : {2, 4}) {
      reference::SharedSystem drawn;
      drawn.pipelines = "turing";
      drawn.policy = policy;
      drawn.slots = slots;
      reference::SharedKernel doubles, one;
      add_instruction(doubles, drawn.pipelines, nvidia::WarpUnit::fp64, 1);
      doubles.blocks = 10;
      one.time = 1;
      drawn.tasks = {{{doubles}, 4000, 0}, {{one}, 4000, 1}};
      const auto bounds = bounds_of(drawn);
      const auto seen = reference::SharedGpu(drawn, {0, 2}).run(400, [](std::size_t) { return std::size_t{0}; });
      CHECK(seen[0] == 9 * 64 + 1);  // each block waits for the pipeline, as if one followed the other
      for (const std::size_t task : {0, 1}) {
        REQUIRE(bounds[task].worst);
        CHECK(us(seen[task]) <= *bounds[task].worst);
      }
    }
}

TEST_CASE("kernels that fit on no SM together do not lengthen each other's blocks") {
  reference::SharedSystem drawn;
  drawn.schedulers = 2;
  drawn.warps = 4;
  reference::SharedKernel wide, narrow;
  add_instruction(wide, drawn.pipelines, nvidia::WarpUnit::int32, 1);
  add_instruction(wide, drawn.pipelines, nvidia::WarpUnit::memory, 13);
  wide.warps = 4;
  add_instruction(narrow, drawn.pipelines, nvidia::WarpUnit::int32, 2);
  add_instruction(narrow, drawn.pipelines, nvidia::WarpUnit::fp32, 3);
  narrow.warps = 2;
  drawn.tasks = {{{wide}, 48, 0}, {{narrow}, 48, 1}};
  const auto bounds = bounds_of(drawn);
  const auto longest = reference::EverySharedSchedule(drawn, 100'000).run();
  REQUIRE(longest);
  for (const std::size_t task : {0, 1}) {
    REQUIRE(bounds[task].worst);
    CHECK(*bounds[task].worst == us((*longest)[task]));
  }
}

TEST_CASE("the more blocks of a kernel an SM has, the fewer blocks of others count beside them") {
  reference::SharedSystem drawn;
  drawn.sms = 2;
  drawn.warps = 4;
  drawn.slots = 8;
  drawn.pipelines = "ampere";
  drawn.policy = "lrr";
  reference::SharedKernel three, two;
  add_instruction(three, drawn.pipelines, nvidia::WarpUnit::special, 1);
  three.blocks = 3;
  add_instruction(two, drawn.pipelines, nvidia::WarpUnit::special, 1);
  two.blocks = 2;
  drawn.tasks = {{{three}, 192, 0}, {{two}, 192, 1}};
  const auto bounds = bounds_of(drawn);
  REQUIRE(bounds[0].worst);
  // Two blocks of it and one of the other one, or one and two; never three and two.
  CHECK(*bounds[0].worst <= us(2 + 3 * 8 + 1));
  CHECK(us(reference::SharedClimb(drawn, 1).run(1000)[0]) <= *bounds[0].worst);
}

TEST_CASE("kernels whose blocks often take the places of others stay within their bounds") {
  CHECK(compare(4, 300, 3, Often::in_few_places).bounded > 60);
}

TEST_CASE("kernels whose warps share SMs stay within their bounds under every warp policy") {
  Comparison found = compare(1, 500, 5);
  CHECK(found.bounded > found.unbounded);
  INFO("median of bound / longest response: " << found.median());
  CHECK(found.median() <= 2.4);
}

TEST_CASE("bounds of kernels that share SMs are near the longest response that a search finds") {
  std::mt19937_64 random(1);
  Comparison found;
  for (int system = 0; system < 20; ++system) {
    const reference::SharedSystem drawn = draw_shared_system(random, "");
    found.add(bounds_of(drawn), reference::SharedClimb(drawn, random()).run(100), drawn);
  }
  INFO("median of bound / longest response: " << found.median());
  CHECK(found.median() <= 2.1);
}

TEST_CASE("bounds of small kernels that share SMs hold for every schedule", "[long]") {
  std::mt19937_64 random(1);
  Comparison found;
  while (found.bounded < 3) {
    const reference::SharedSystem drawn = draw_small_shared_system(random);
    if (const auto longest = reference::EverySharedSchedule(drawn, 600'000).run())
      found.add(bounds_of(drawn), *longest, drawn);
  }
}

TEST_CASE(
    "kernels whose blocks have stated times stay within their bounds, whichever SM with equal room gets a block") {
  CHECK(compare(5, 400, 3, Often::with_times).bounded > 240);
}

TEST_CASE("response times are not exact if it matters which SM with equal room gets a block") {
  // When the third block comes, one SM has 2 and the other one 3 free warps: room for one block of 2 warps each.
  reference::SharedSystem drawn;
  drawn.sms = 2;
  drawn.warps = 4;
  for (const auto& [warps, time] : {std::pair(2, 100), {1, 100}, {2, 100}, {3, 10}})
    drawn.tasks.push_back({{{{}, "", time, 1, warps, 0, 1}}, 1000, drawn.tasks.size(), false, false});
  const std::vector<long> offsets = {0, 2, 4, 6};
  // The SMs are idle at the first choice.
  const auto response_with = [&](std::size_t second_choice) {
    std::size_t choices = 0;
    return reference::SharedGpu(drawn, offsets).run(900, [&](std::size_t) {
      return choices++ == 0 ? 0 : second_choice;
    })[3];
  };
  CHECK(std::set{response_with(0), response_with(1)} == std::set{10L, 97L + 10});
  const auto is_exact = [&] { return bounds_of(drawn, offsets)[3].exact; };
  CHECK_FALSE(is_exact());
  for (reference::SharedTask& task : drawn.tasks) task.kernels[0].warps = 2;
  CHECK(std::set{response_with(0), response_with(1)} == std::set{10L});
  CHECK(is_exact());

  SECTION("or if their warps compete on SMs") {
    for (reference::SharedTask& task : drawn.tasks)
      add_instruction(task.kernels[0], drawn.pipelines, nvidia::WarpUnit::memory, 50);
    CHECK_FALSE(is_exact());
    drawn.tasks.resize(1);
    CHECK_FALSE(bounds_of(drawn, {0})[0].exact);  // nothing shares the GPU
  }
}

TEST_CASE("exact response times are those of any choice among SMs with equal room") {
  std::mt19937_64 random(1);
  long exact = 0;
  for (long system = 0; system < test::times(250); ++system) {
    reference::SharedSystem drawn = draw_small_shared_system(random);
    state_times(drawn, random);
    for (reference::SharedTask& task : drawn.tasks) task.period *= 2;
    const bool alike = random() % 2 == 0;
    for (reference::SharedTask& task : drawn.tasks)
      for (reference::SharedKernel& kernel : task.kernels)
        if (alike) kernel.warps = 2, kernel.memory = 0;
    std::vector<long> offsets;
    long longest_period = 1;
    for (const reference::SharedTask& task : drawn.tasks) {
      offsets.push_back(static_cast<long>(random() % static_cast<std::uint64_t>(2 * task.period)));
      longest_period = std::max(longest_period, task.period);
    }
    const std::vector<Bound> bounds = bounds_of(drawn, offsets);
    if (std::none_of(bounds.begin(), bounds.end(), [](const Bound& bound) { return bound.exact; })) continue;
    std::vector<long> longest(drawn.tasks.size());
    for (int run = 0; run < 5; ++run)
      reference::include(reference::SharedGpu(drawn, offsets)
                             .run(4 * longest_period, [&](std::size_t count) { return random() % count; }),
                         longest);
    for (std::size_t task = 0; task < longest.size(); ++task) {
      if (!bounds[task].exact) continue;
      // The reference counts from the cycle of the release to that of the end.
      const long halves = bounds[task].worst->picoseconds() / us(1).picoseconds() * 2 +
                          (bounds[task].worst->picoseconds() % us(1).picoseconds() > 0 ? 1 : 0);
      INFO("task " << task << ": " << text_of(drawn));
      REQUIRE((halves + offsets[task]) / 2 - offsets[task] / 2 == longest[task]);
      ++exact;
    }
  }
  CHECK(exact > 50);
}

TEST_CASE("with the oldest warp first, kernels stay within their bounds however often others come") {
  CHECK(compare(3, 400, 3, Often::oldest_first).bounded > 240);
}

TEST_CASE("kernels whose warps share SMs stay within their bounds under every warp policy, at length", "[long]") {
  // 100 000 if thorough.
  Comparison found = compare(2, test::is_thorough() ? 100'000 : test::times(8'000), 3);
  CHECK(found.bounded > found.unbounded);
}

}  // namespace bounds_shared_warps_test
