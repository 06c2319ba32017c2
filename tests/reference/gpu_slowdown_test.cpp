// SPDX-License-Identifier: Apache-2.0
// Slowdown of kernels and copies by each other and by CPUs (N21, docs/theory/contention.md).

#include <catch2/catch.hpp>

#include "reference/gpu_scenario.hpp"

using namespace reference;

namespace {

using Kind = GpuOperation::Kind;

/// Ends of requests in two contexts with a stream each. Slices are long.
std::vector<Time> ends(const GpuSettings& settings, const std::vector<Request>& requests,
                       Behaviour behaviour = Behaviour()) {
  Gpu gpu(0, settings, false, behaviour);
  gpu.add_stream(gpu.add_context({}), false);
  gpu.add_stream(gpu.add_context({}), false);
  return execute(gpu, requests);
}

}  // namespace

TEST_CASE("reference GPU: a kernel beside a memset progresses at an eighth of its rate (N22 V4)", "[reference]") {
  GpuSettings settings;
  settings.kernel_by_memset = 8'000;
  CHECK(ends(settings, {{0, 0, whole(Kind::kernel, 20)}, {4, 1, whole(Kind::memset, 8)}}) == std::vector<Time>{27, 12});
}

TEST_CASE("reference GPU: copies and kernels of two contexts slow each other down (N22 V5)", "[reference]") {
  GpuSettings settings;
  settings.slice = 3;
  settings.kernel_by_memcpy = 3'000;
  settings.copy_by_kernel = 2'000;
  CHECK(ends(settings, {{0, 0, whole(Kind::to_device, 2)},
                        {0, 0, whole(Kind::kernel, 6)},
                        {0, 0, whole(Kind::from_device, 2)},
                        {1, 1, whole(Kind::to_device, 3)},
                        {1, 1, whole(Kind::kernel, 4)}}) == std::vector<Time>{2, 16, 18, 8, 15});
}

TEST_CASE("reference GPU: only the share that waits for memory is slowed down, of aggressors only their shares",
          "[reference]") {
  GpuSettings settings;
  settings.kernel_by_memcpy = 3'000;
  settings.copy_by_kernel = 2'000;
  GpuOperation kernel = whole(Kind::kernel, 100);
  kernel.memory = 500;  // 1 - 0.5 + 0.5 x 3 = 2 beside the copy, which takes 1 + 0.5 x (2 - 1) = 1.5 times as long
  CHECK(ends(settings, {{0, 0, kernel}, {0, 1, whole(Kind::to_device, 20)}}) == std::vector<Time>{115, 30});
  kernel.memory = 0;
  CHECK(ends(settings, {{0, 0, kernel}, {0, 1, whole(Kind::to_device, 20)}}) == std::vector<Time>{100, 20});
}

TEST_CASE("reference GPU: less than the factor may occur", "[reference]") {
  GpuSettings settings;
  settings.kernel_by_memcpy = 3'000;
  settings.less_slowdown = true;
  Behaviour behaviour;
  behaviour.set(Question::Kind::gpu_slowdown, 0, 1, 500);  // 0 is the copy
  CHECK(ends(settings, {{0, 0, whole(Kind::kernel, 100)}, {0, 1, whole(Kind::to_device, 20)}}, behaviour)[0] == 110);
}

TEST_CASE("reference GPU: resident kernels slow each other down by GPC, up to the factor", "[reference]") {
  GpuSettings settings;
  settings.sms = 4;  // SM 0 and 1, 2 and 3 are the GPCs
  settings.kernel_by_same_gpc = 4'000;
  settings.kernel_by_other_gpc = 2'000;
  const auto beside = [&](std::vector<bool> sms, std::int64_t memory) {
    Behaviour behaviour;
    Gpu gpu(0, settings, false, behaviour);
    const auto context = gpu.add_context({});
    gpu.add_stream(context, false, {true, false, false, false});
    gpu.add_stream(context, false, std::move(sms));
    GpuOperation other = kernel(1'000, 1, 32);
    other.memory = memory;
    return execute(gpu, {{0, 0, kernel(12, 1, 32)}, {0, 1, other}}).front();
  };
  CHECK(beside({false, true, false, false}, 1000) == 48);
  CHECK(beside({false, false, true, false}, 1000) == 24);
  CHECK(beside({false, true, false, false}, 500) == 30);
}

TEST_CASE("reference GPU: blocks of different kernels slow each other down while they share an SM", "[reference]") {
  GpuSettings settings;
  settings.sms = 2;
  settings.kernel_by_same_sm = 3'000;
  const auto ends_beside = [&](std::vector<bool> sms, std::int64_t memory) {
    Behaviour behaviour;
    Gpu gpu(0, settings, false, behaviour);
    const auto context = gpu.add_context({});
    gpu.add_stream(context, false, {true, false});
    gpu.add_stream(context, false, std::move(sms));
    GpuOperation slowed = kernel(12, 2, 32);  // two blocks
    slowed.memory = memory;
    return execute(gpu, {{0, 0, slowed}, {0, 1, kernel(2, 1, 32)}});
  };
  for (const std::int64_t memory : {0, 1000}) {
    CHECK(ends_beside({false, true}, memory) == std::vector<Time>{12, 2});
    CHECK(ends_beside({true, false}, memory) == std::vector<Time>{16, 6});  // to 6: 2 of both
  }
}

TEST_CASE("reference GPU: accesses of CPUs slow kernels and copies down while they last - the worst cause counts",
          "[reference]") {
  GpuSettings settings;
  settings.kernel_by_cpu = 3'000;
  settings.copy_by_cpu = 2'000;
  settings.kernel_by_memcpy = 2'000;
  Behaviour behaviour;
  Gpu gpu(0, settings, false, behaviour);
  const auto context = gpu.add_context({});
  gpu.add_stream(context, false);
  gpu.add_stream(context, false);
  gpu.submit(0, whole(Kind::kernel, 100));
  gpu.submit(1, whole(Kind::to_device, 60));
  gpu.settle();
  gpu.advance(30);  // kernel at 1/2: 15; copy: 30
  gpu.cpu_traffic(true);
  gpu.settle();
  CHECK(gpu.next() == 90);             // copy at 1/2
  CHECK(gpu.advance(90).size() == 1);  // kernel at 1/3: 35
  gpu.cpu_traffic(false);
  gpu.settle();
  CHECK(gpu.next() == 155);
}

TEST_CASE("reference GPU: a preempted kernel is not slowed down, and picoseconds round down", "[reference]") {
  GpuSettings settings;
  settings.slice = 10;
  settings.kernel_by_memcpy = 3'000;
  Behaviour behaviour;
  Gpu gpu(0, settings, false, behaviour);
  const auto first = gpu.add_context({}), second = gpu.add_context({});
  gpu.add_stream(first, false);
  gpu.add_stream(second, false);
  gpu.add_stream(second, false);
  // To 10: 10/3 of the first kernel. To 14: 4/3 of the second one, to 20: 6 more. To 30: 10 more of the first. Then 8/3
  // of the second and 5/3 of the first are left.
  CHECK(execute(gpu, {{0, 0, whole(Kind::kernel, 15)},
                      {0, 1, whole(Kind::kernel, 10)},
                      {0, 2, whole(Kind::to_device, 14)}}) == std::vector<Time>{33, 32, 14});
}
