// SPDX-License-Identifier: Apache-2.0
// Contexts: time slices, runlist, switches, priorities. Vectors N22 are those of Olmedo et al., RTAS 2020, as read for
// docs/theory/semantics.md.

#include <catch2/catch.hpp>

#include "reference/gpu_scenario.hpp"

using namespace reference;

namespace {

using Kind = GpuOperation::Kind;

/// One GPU with a context and a stream for each of `contexts`.
struct Fixture {
  Behaviour behaviour;
  Gpu gpu;
  Fixture(const GpuSettings& settings, const std::vector<GpuContext>& contexts, bool by_priority = false)
      : gpu(0, settings, by_priority, behaviour) {
    for (const GpuContext& context : contexts) gpu.add_stream(gpu.add_context(context), false);
  }
};

GpuSettings slices(Time slice) {
  GpuSettings settings;
  settings.slice = slice;
  return settings;
}

std::vector<std::pair<std::uint32_t, Time>> turns_of(const Gpu& gpu) {
  std::vector<std::pair<std::uint32_t, Time>> result;
  for (const Gpu::Turn& turn : gpu.turns())
    if (turn.engine == 0) result.emplace_back(turn.context, turn.start);
  return result;
}

}  // namespace

TEST_CASE("reference GPU: two contexts take turns in slices, and the one that runs dry yields the rest (N22 V1)",
          "[reference]") {
  Fixture two(slices(2), {{}, {}});
  CHECK(execute(two.gpu, {{0, 0, whole(Kind::kernel, 5)}, {0, 1, whole(Kind::kernel, 3)}}) == std::vector<Time>{8, 7});
  CHECK(turns_of(two.gpu) == std::vector<std::pair<std::uint32_t, Time>>{{0, 0}, {1, 2}, {0, 4}, {1, 6}, {0, 7}});
}

TEST_CASE("reference GPU: who begins a round is a question", "[reference]") {
  Fixture two(slices(2), {{}, {}});
  two.behaviour.set(Question::Kind::gpu_tie, 0, 0, 1);
  CHECK(execute(two.gpu, {{0, 0, whole(Kind::kernel, 5)}, {0, 1, whole(Kind::kernel, 3)}}) == std::vector<Time>{8, 5});
}

TEST_CASE("reference GPU: at the granularity of blocks a slice lasts until the running block ends (N22 V3)",
          "[reference]") {
  GpuSettings settings = slices(2);
  settings.leave = GpuSettings::Leave::block;
  settings.sms = settings.blocks = 1;
  Fixture two(settings, {{}, {}});
  CHECK(execute(two.gpu, {{0, 0, kernel(3, 2, 1024)}, {1, 1, kernel(4, 1, 1024)}}) == std::vector<Time>{10, 7});
}

TEST_CASE("reference GPU: at the granularity of kernels all blocks of a started kernel come first", "[reference]") {
  GpuSettings settings = slices(2);
  settings.leave = GpuSettings::Leave::kernel;
  settings.sms = settings.blocks = 1;
  Fixture two(settings, {{}, {}});
  CHECK(execute(two.gpu, {{0, 0, kernel(3, 2, 1024)}, {0, 0, kernel(1, 1, 1024)}, {1, 1, kernel(4, 1, 1024)}}) ==
        std::vector<Time>{6, 11, 10});
}

TEST_CASE("reference GPU: high, medium and low priority have three, two and one slots of a round: A B C A B A (N5)",
          "[reference]") {
  Fixture three(slices(1), {{-1, 3}, {-1, 2}, {-1, 1}});
  execute(three.gpu, {{0, 0, whole(Kind::kernel, 6)}, {0, 1, whole(Kind::kernel, 4)}, {0, 2, whole(Kind::kernel, 2)}});
  std::vector<std::uint32_t> served;
  for (const auto& [context, start] : turns_of(three.gpu)) served.push_back(context);
  CHECK(served == std::vector<std::uint32_t>{0, 1, 2, 0, 1, 0, 0, 1, 2, 0, 1, 0});
}

TEST_CASE("reference GPU: slices renew themselves without competitors - how much is left is a question",
          "[reference]") {
  // At 5 one unit of the third slice is left by default; each answer adds one, up to 2, then 0.
  for (const Time answer : {0, 1, 2}) {
    Fixture two(slices(2), {{}, {}});
    two.behaviour.set(Question::Kind::gpu_slice_phase, 0, 0, answer);
    const Time left = answer == 2 ? 0 : 1 + answer;
    CHECK(execute(two.gpu, {{0, 0, whole(Kind::kernel, 9)}, {5, 1, whole(Kind::kernel, 1)}})[1] == 6 + left);
  }
  Fixture early(slices(2), {{}, {}});  // the first slice is not over
  CHECK(execute(early.gpu, {{0, 0, whole(Kind::kernel, 9)}, {1, 1, whole(Kind::kernel, 1)}})[1] == 3);
}

TEST_CASE("reference GPU: a context switch delays the slice, not the first context after idleness without another",
          "[reference]") {
  // Two kernels of 6 ms with slices of 2 ms and switches of 100 us: at most 12.6 ms with an initial switch (GCAPS).
  GpuSettings settings = slices(2'000);
  settings.context_switch = 100;
  Fixture two(settings, {{}, {}});
  CHECK(execute(two.gpu, {{0, 0, whole(Kind::kernel, 6'000)}, {0, 1, whole(Kind::kernel, 6'000)}}) ==
        std::vector<Time>{10'400, 12'500});
  CHECK(execute(two.gpu, {{20'000, 1, whole(Kind::kernel, 6'000)}, {30'000, 0, whole(Kind::kernel, 1'000)}}) ==
        std::vector<Time>{26'000, 31'100});
}

TEST_CASE("reference GPU: contexts by priority are left at once, and a switch is not abandoned (GCAPS)",
          "[reference]") {
  GpuSettings settings = slices(2'000);
  settings.context_switch = 100;
  Fixture two(settings, {{-1, 2, 2}, {-1, 2, 1}}, true);
  // The low one works from 0 on. The high one comes at 1000, and again one unit after the switch back began at 7100.
  CHECK(execute(two.gpu, {{0, 1, whole(Kind::kernel, 6'000)},
                          {1'000, 0, whole(Kind::kernel, 6'000)},
                          {7'101, 0, whole(Kind::kernel, 6'000)}}) == std::vector<Time>{18'400, 7'100, 13'300});
  CHECK(13'300 - 7'101 <= 6'200);  // the bound of the published example
}

TEST_CASE("reference GPU: copies and kernels have separate turns, and a copy is interrupted at instructions only (N6)",
          "[reference]") {
  const std::vector<Request> requests{{0, 0, whole(Kind::to_device, 5)},
                                      {1, 1, whole(Kind::to_device, 3)},
                                      {1, 1, whole(Kind::kernel, 4)},
                                      {0, 0, whole(Kind::kernel, 6)}};
  Fixture fine(slices(2), {{}, {}});
  CHECK(execute(fine.gpu, requests) == std::vector<Time>{8, 7, 13, 17});
  GpuSettings settings = slices(2);
  settings.leave = GpuSettings::Leave::block;
  Fixture coarse(settings, {{}, {}});
  CHECK(execute(coarse.gpu, requests) == std::vector<Time>{5, 8, 15, 11});
}

TEST_CASE("reference GPU: with two copy engines, copies from the device run beside those to it", "[reference]") {
  GpuSettings settings;
  settings.copy_engines = 2;
  Behaviour behaviour;
  Gpu gpu(0, settings, false, behaviour);
  const auto context = gpu.add_context({});
  for (int stream = 0; stream < 3; ++stream) gpu.add_stream(context, false);
  CHECK(execute(gpu, {{0, 0, whole(Kind::to_device, 5)},
                      {0, 1, whole(Kind::from_device, 4)},
                      {0, 2, whole(Kind::memset, 1)}}) == std::vector<Time>{5, 4, 6});
}
