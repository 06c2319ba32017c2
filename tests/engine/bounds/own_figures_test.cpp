// SPDX-License-Identifier: Apache-2.0
// Bounds where kernels have masks of their own, and where CPUs outside of the model load the memory all the time.

#include <random>
#include <string>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "tests/support/bound_trial.hpp"
#include "tests/support/one_process_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace own_figures_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

/// A kernel of 8 blocks of 10 us, of which an SM holds two, on two SMs.
TaskIndex kernel_task(SystemMaker& maker, UnitIndex gpu, const std::string& mask) {
  const TaskIndex task = maker.task("K", gpu, 0, maker.periodic(100));
  Kernel kernel;
  kernel.ticks->otherwise = Cycles{10, 10, 10};
  kernel.launch = Launch{8, 1024, 0, 0, ""};
  kernel.launch->sm_mask = mask;
  maker.add(task, kernel);
  return task;
}

DeviceProfile two_sms() {
  DeviceProfile profile = plain_profile(us(1000));
  gpu::SmLimits& limits = profile.multiprocessors.emplace();
  limits.sms = 2;
  limits.sms_per_tpc = 1;
  return profile;
}

BoundTrial tried(std::uint32_t seed, std::uint64_t systems, void (*change)(RandomSystem&, std::mt19937&)) {
  std::mt19937 random(seed);
  BoundTrial trial;
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystem drawn = one_process_system(random);
    change(drawn, random);
    trial.run(drawn, index, 4);
  }
  return trial;
}

}  // namespace

TEST_CASE("the mask of a kernel precedes that of its stream") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex task = kernel_task(maker, gpu, "");
  auto& launch = *std::get<Kernel>(maker.system().graph[maker[task].body.front()].activity).launch;
  const auto check = [&](const std::string& own, const std::string& of_stream, std::int64_t time) {
    launch.sm_mask = own;
    maker[task].gpu.sm_mask = of_stream;
    const TaskResult result = analyzed(maker.build(), us(200), two_sms()).tasks[task];
    CHECK(result.response.max == us(time));
    REQUIRE(result.bound.worst);
    CHECK(*result.bound.worst == us(time));
  };
  check("", "", 20);      // two rounds of four blocks
  check("~0x1", "", 40);  // four rounds of two
  check("", "~0x1", 40);
  check("~0x3", "~0x1", 20);  // all SMs instead of one
  check("~0x2", "~0x1", 40);
}

TEST_CASE("no job of random processes whose kernels have masks exceeds its bound") {
  const BoundTrial trial = tried(31, times(std::uint64_t{400}), [](RandomSystem& drawn, std::mt19937& random) {
    drawn.profile.multiprocessors->sms_per_tpc = 1;
    const auto all = (std::uint32_t{1} << static_cast<unsigned>(drawn.profile.multiprocessors->sms)) - 1;
    for (NodeIndex node = 0; node < drawn.system.graph.size(); ++node)
      if (auto* kernel = std::get_if<Kernel>(&drawn.system.graph[node].activity);
          kernel != nullptr && kernel->launch && random() % 2 == 0)
        kernel->launch->sm_mask = fmt::format("~0x{:x}", 1 + random() % all);
  });
  WARN(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("a GPU whose streams preempt each other in a time of its own has no bounds") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex low = kernel_task(maker, gpu, ""), high = kernel_task(maker, gpu, "");
  maker[low].gpu.context = maker[high].gpu.context = "process";
  const auto bound = [&](DeviceProfile profile) { return analyzed(maker.build(), us(200), profile).tasks[low].bound; };
  DeviceProfile profile = two_sms();
  profile.stream_preemption = us(20);
  CHECK(bound(profile).worst);
  maker[high].gpu.high_priority = true;
  CHECK(bound(profile).reason ==
        "a stream of high priority preempts others on GPU, which takes 20 us; no bound is known for this");
  profile.stream_preemption = us(0);
  CHECK(bound(profile).worst);
}

TEST_CASE("constant traffic of CPUs slows a kernel and a copy down by its share of the factor, in bounds too") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex task = maker.task("T", gpu, 0, maker.periodic(100));
  maker.copy(task, 10);
  maker.kernel(task, 20, 0.5);
  DeviceProfile profile = two_sms();
  profile.interference.copy_by_cpu = {3'000'000};
  profile.interference.kernel_by_cpu = {5'000'000};
  profile.cpu_traffic = 0.25;  // copy: 1 + 2/4; kernel: 1 + 4/4, on one half
  const TaskResult result = analyzed(maker.build(), us(200), profile).tasks[task];
  CHECK(result.response.max == us(15 + 30));
  REQUIRE(result.bound.worst);
  CHECK(*result.bound.worst >= us(45));
  CHECK(*result.bound.worst <= us(46));
}

TEST_CASE("no job of random processes beside constant traffic of CPUs exceeds its bound") {
  const BoundTrial trial = tried(41, times(std::uint64_t{400}), [](RandomSystem& drawn, std::mt19937& random) {
    drawn.profile.interference.kernel_by_cpu = {1'000'000 + static_cast<std::int64_t>(random() % 2'000'000)};
    drawn.profile.interference.copy_by_cpu = {1'000'000 + static_cast<std::int64_t>(random() % 2'000'000)};
    drawn.profile.cpu_traffic = static_cast<double>(random() % 101) / 100;
  });
  WARN(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

}  // namespace own_figures_test
