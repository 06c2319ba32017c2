// SPDX-License-Identifier: Apache-2.0
// Times from the instructions of kernels are bounds where nothing shares the SMs of a kernel. Elsewhere, what others issue
// counts (shared_warps_test.cpp), unless slices end only after blocks.

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/nvidia/block_time.hpp"
#include "engine/nvidia/warp_policies.hpp"
#include "engine/nvidia/warps.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "tests/support/system_maker.hpp"

namespace bounds_shared_sms_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

/// Device tasks on one GPU with four SMs.
struct OneGpu {
  SystemMaker maker;
  UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  DeviceProfile profile = plain_profile(us(1000));

  OneGpu() {
    profile.multiprocessors.emplace().sms = 4;
    profile.multiprocessors->sms_per_tpc = 1;
  }

  /// Without instructions if they are "".
  TaskIndex task(StimulusIndex released, const std::string& instructions, std::int64_t blocks, std::int64_t threads) {
    const TaskIndex index = maker.task("k" + std::to_string(maker.system().tasks.size()), gpu, 0, released);
    maker[index].gpu.context = "process";
    Kernel kernel;
    kernel.ticks = constant_ticks(10);
    kernel.memory_intensity = 0;
    kernel.launch = Launch{blocks, threads, 0, 0, ""};
    if (!instructions.empty()) kernel.instructions = KernelInstructions{instructions, 1, {}};
    maker.add(index, kernel);
    return index;
  }
  Launch& launch(TaskIndex task) {
    return *std::get<Kernel>(maker.system().graph[maker[task].body.front()].activity).launch;
  }

  SystemBounds bounds() {
    System system = maker.build();
    Diagnostics findings;
    REQUIRE(resolve_instructions(system, &profile, findings));
    return system_bounds(system, {nullptr, &profile});
  }
};

}  // namespace

TEST_CASE("what kernels on the same SM issue is part of the bound of a kernel with instructions") {
  const std::string text = "2,int32:2,2,2";
  for (const bool both : {true, false}) {
    OneGpu system;
    auto& maker = system.maker;
    // Two blocks on four SMs: the placement rule may put them on one.
    const TaskIndex first = system.task(maker.periodic(10'000), text, 1, 64),
                    second = system.task(maker.periodic(10'000), both ? text : "", 1, 64);
    const SystemBounds bounds = system.bounds();
    const auto operation = [&](TaskIndex task) { return bounds.operations.at(maker[task].body.front()).worst; };
    for (const TaskIndex task : {first, second}) {
      REQUIRE(bounds.tasks[task].worst);
      REQUIRE(operation(task));
    }
    const auto waits_for = [&](TaskIndex task, TaskIndex other) {
      const auto& parts = bounds.tasks[task].parts;
      return std::any_of(parts.begin(), parts.end(), [&](const Contribution& part) { return part.by == other; });
    };
    CHECK(waits_for(first, second) == both);  // without instructions, a block issues nothing, and takes its ticks
    CHECK(waits_for(second, first) == both);
  }
}

TEST_CASE("what a kernel leaves in pipelines delays its next execution by the same job") {
  OneGpu system;
  system.profile.multiprocessors->sms = 1;
  auto& maker = system.maker;
  maker.system().platform.units[system.gpu].warp_pipelines = "turing";
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", system.core, 1, maker.periodic(100'000)),
                  twice = system.task(request, "fp64:1", 1, 1024);
  system.task(maker.periodic(100'000), "int32:2000,int32:1", 1, 32);  // keeps the SM from becoming idle
  const EventIndex done = maker.event("done");
  for (int execution = 0; execution < 2; ++execution) {
    maker.trigger(host, request);
    maker.wait(host, done, false);
    maker.clear(host, done);
  }
  maker.set(twice, done, host);
  System built = maker.build();
  Diagnostics findings;
  REQUIRE(resolve_instructions(built, &system.profile, findings));
  const Results results = analyzed(built, us(10'000), system.profile);
  // Each sub-core has 8 of its warps, and each of these occupies the pipeline.
  const Duration response = results.tasks[host].response.max;
  const std::int64_t occupied =
      nvidia::find_warp_pipelines("turing")->uses[static_cast<std::size_t>(nvidia::WarpUnit::fp64)].cycles;
  CHECK(response >= us(8 * occupied + 7 * occupied + 1));
  REQUIRE(results.tasks[host].bound.worst);
  CHECK(*results.tasks[host].bound.worst >= response);
}

TEST_CASE("kernels that share SMs have no bound where no argument covers it, and the reason says so") {
  OneGpu system;
  auto& maker = system.maker;
  const TaskIndex first = system.task(maker.periodic(10'000), "2,2", 1, 64);
  system.task(maker.periodic(10'000), "2,2", 1, 64);
  const auto reason = [&] {
    const SystemBounds bounds = system.bounds();
    CHECK_FALSE(bounds.tasks[first].worst);
    return bounds.tasks[first].reason;
  };
  const auto because = [](const std::string& obstacle) {
    return "blocks of k0 may share an SM with blocks of k1, and " + obstacle +
           "; no bound is known for the time of their instructions then";
  };
  REQUIRE(system.bounds().tasks[first].worst);
  SECTION("a kernel without a launch configuration") {
    maker.kernel(system.task(maker.periodic(10'000), "", 1, 64), 1, 0);
    CHECK(reason() == because("k2, in the same process, has a kernel without gpu.block"));
  }
  SECTION("another cache configuration") {
    system.launch(system.task(maker.periodic(10'000), "", 1, 64)).cache_config = "prefer-l1";
    CHECK(reason() == because("k0 and k2, in the same process, have different cache configurations"));
  }
  SECTION("a NULL stream") {
    maker[system.task(maker.periodic(10'000), "", 1, 64)].gpu.null_stream = true;
    CHECK(reason() ==
          because("their process on GPU has a NULL stream, or copies pageable memory, beside other streams"));
  }
  SECTION("slices that end after blocks") {
    system.profile.preemption = gpu::Preemption::block;
    CHECK(reason() == because("slices on GPU end only after blocks or kernels"));
  }
}

TEST_CASE("letters that the warp policy executes have the time that it needs, even where no block shares the SM") {
  const auto letters = nvidia::parse_block_instructions("4S4L");
  REQUIRE(letters);
  nvidia::BlockPlace place;
  place.limits.load_store_units = place.limits.special_units = 16;
  place.warps = 5;
  place.policy = nvidia::find_warp_policy("two-level");
  place.pipelines = nvidia::find_warp_pipelines("ampere");
  const auto alone = nvidia::block_cycles(nvidia::warps_of(*letters, 1, 1).program, place);
  place.by_policy = true;
  const auto by_policy = nvidia::block_cycles(*letters, place);
  REQUIRE(alone);
  REQUIRE(by_policy);
  CHECK(by_policy->worst >= alone->worst);
}

TEST_CASE("kernels that share SMs wait for the turns of another process, and it for theirs") {
  const auto bounds_of = [](int tasks, int processes) {
    OneGpu system;
    for (int task = 0; task < tasks; ++task) {
      system.task(system.maker.periodic(10'000), "2,2", 1, 64);
      if (task == 2 && processes > 1) system.maker[2].gpu.context = "another";
    }
    return system.bounds().tasks;
  };
  const auto two = bounds_of(2, 1), apart = bounds_of(3, 2), alone = bounds_of(1, 1);
  REQUIRE(apart[0].worst);
  REQUIRE(apart[2].worst);
  CHECK(*apart[0].worst >= *two[0].worst + us(3));    // the third kernel
  CHECK(*apart[2].worst >= *alone[0].worst + us(4));  // each of the others, unless their warps delay each other
  CHECK(*apart[2].worst <= *alone[0].worst + us(2 * (4 + 4 + 1)));
}

TEST_CASE("what slows a kernel down slows down all on its SM") {
  const auto worst = [](std::int64_t ppm, double first, double second) {
    OneGpu system;
    system.profile.interference.kernel_by_same_gpc = Slowdown{ppm};
    for (const double share : {first, second}) {
      const TaskIndex task = system.task(system.maker.periodic(10'000), "2,2", 1, 64);
      std::get<Kernel>(system.maker.system().graph[system.maker[task].body.front()].activity).memory_intensity = share;
    }
    return *system.bounds().tasks[0].worst;
  };
  const Duration alone = worst(1'000'000, 1, 1);
  CHECK(worst(2'000'000, 0, 0) == alone);
  CHECK(worst(2'000'000, 0, 1) == alone);  // nothing slows the second one down either
  CHECK(worst(2'000'000, 1, 1) > alone);
  CHECK(worst(2'000'000, 1, 1) <= alone * 2 + Duration::nanoseconds(1));
}

TEST_CASE("kernels on separate SMs delay each other only by waiting") {
  const auto worst = [](const std::string& first, const std::string& second, std::int64_t blocks) {
    OneGpu system;
    system.maker[system.task(system.maker.periodic(10'000), "9,9", blocks, 64)].gpu.sm_mask = first;
    system.maker[system.task(system.maker.periodic(10'000), "2,2,2", 1, 64)].gpu.sm_mask = second;
    system.task(system.maker.periodic(10'000), "1", 1, 64);  // may meet both
    return *system.bounds().tasks[1].worst;
  };
  CHECK(worst("~0x3", "~0xc", 1) < worst("~0x3", "~0x6", 1));
  CHECK(worst("~0x3", "~0xc", 200) > worst("~0x3", "~0xc", 1));
}

TEST_CASE("letters count with the part of a cycle that they occupy") {
  const auto worst = [](const std::string& other) {
    OneGpu system;
    auto& limits = *system.profile.multiprocessors;
    limits.sms = 1;
    limits.cores = 128;
    limits.load_store_units = limits.special_units = 32;
    limits.warp_schedulers = 4;
    system.task(system.maker.periodic(10'000), "3C", 1, 32);
    system.task(system.maker.periodic(10'000), other, 1, 32);
    return *system.bounds().tasks[0].worst;
  };
  // Its three cycles, a late start, and of 8 instructions that four schedulers issue at once two cycles; but a
  // simulation has one scheduler for each warp on its sub-core, which counts all that both issue there.
  CHECK(worst("8C") == us(4) + us(8) + Duration::picoseconds(1));
  CHECK(worst("1,1,1,1,1,1,1,1") == worst("8C"));  // that scheduler decides for letters beside latencies, too
}

TEST_CASE("a factor for blocks on one SM slows down kernels with times beside kernels with instructions") {
  const auto bounds_with = [](std::int64_t ppm, const std::string& other) {
    OneGpu system;
    system.profile.interference.kernel_by_same_sm = Slowdown{ppm};
    system.task(system.maker.periodic(10'000), "2,2", 1, 64);
    system.task(system.maker.periodic(10'000), other, 1, 64);
    return system.bounds().tasks;
  };
  const auto without = bounds_with(1'000'000, "2,2"), with = bounds_with(1'500'000, "2,2");
  for (const TaskIndex task : {0U, 1U}) {
    REQUIRE(without[task].worst);
    CHECK(with[task].worst == without[task].worst);
  }
  const auto times = bounds_with(1'000'000, ""), slowed = bounds_with(1'500'000, "");
  REQUIRE(times[1].worst);
  REQUIRE(slowed[1].worst);
  CHECK(*slowed[1].worst > *times[1].worst);
}

TEST_CASE("kernels that come too often for the SMs they share have no bound, and the reason says whose they are") {
  OneGpu system;
  auto& maker = system.maker;
  const std::string text = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";
  system.task(maker.periodic(1000), text, 1, 64);
  system.task(maker.periodic(15), text, 1, 64);
  maker.system().platform.units[system.gpu].warp_policy = "lrr";
  const SystemBounds bounds = system.bounds();
  CHECK_FALSE(bounds.tasks[0].worst);
  CHECK(bounds.tasks[0].reason == "k1, whose kernels may share SMs with its own, has no bound");
}

TEST_CASE("with the oldest warp first, a stream delays a kernel by one kernel, however often it comes") {
  OneGpu system;
  auto& maker = system.maker;
  system.profile.multiprocessors->sms = 1;
  system.profile.multiprocessors->warp_schedulers = 1;
  system.task(maker.periodic(1000), "9,9,9", 1, 32);
  system.task(maker.periodic(12), "2,1,1,2,2", 1, 32);
  const auto worst = [&](const char* policy) {
    maker.system().platform.units[system.gpu].warp_policy = policy;
    return *system.bounds().tasks[0].worst;
  };
  // Its path 9 + 9 + 1, a late start, the five of an older kernel, and three before each of its own.
  CHECK(worst("gto") <= us(20 + 5 + 3 * 3) + Duration::nanoseconds(1));
  CHECK(worst("gto") < worst("rotate"));
}

TEST_CASE("a kernel with instructions keeps its bound where nothing can share its SMs") {
  OneGpu system;
  auto& maker = system.maker;
  system.profile.preemption = gpu::Preemption::block;  // otherwise those that share SMs have bounds, too
  const auto have_bounds = [&] {
    const SystemBounds bounds = system.bounds();
    bool all = true;
    for (TaskIndex task = 0; task < maker.system().tasks.size(); ++task) all = all && bounds.tasks[task].worst;
    return all;
  };
  SECTION("alone") {
    system.task(maker.periodic(1000), "40C", 8, 64);
    CHECK(have_bounds());
  }
  SECTION("in one stream") {
    for (int task = 0; task < 2; ++task) maker[system.task(maker.periodic(1000), "40C", 8, 64)].gpu.stream = "stream";
    CHECK(have_bounds());
  }
  SECTION("for one host, one after the other") {
    const TaskIndex host = maker.task("host", system.core, 1, maker.periodic(1000));
    const bool at_once = GENERATE(false, true);
    std::vector<EventIndex> done;
    for (int task = 0; task < 2; ++task) {
      const StimulusIndex request = maker.inter_process();
      const TaskIndex device = system.task(request, "40C", 8, 64);
      done.push_back(maker.event("done" + std::to_string(task)));
      maker.set(device, done.back(), host);
      maker.trigger(host, request);
      if (at_once) continue;
      maker.wait(host, done.back(), false);
      maker.clear(host, done.back());
    }
    for (const EventIndex event : done) {
      if (!at_once) continue;
      maker.wait(host, event, false);
      maker.clear(host, event);
    }
    CHECK(have_bounds() == !at_once);
  }
  SECTION("with separate masks") {
    const TaskIndex first = system.task(maker.periodic(1000), "40C", 2, 64),
                    second = system.task(maker.periodic(1000), "40C", 2, 64);
    maker[first].gpu.sm_mask = "~0x3";
    CHECK_FALSE(have_bounds());
    maker[second].gpu.sm_mask = "~0x6";
    CHECK_FALSE(have_bounds());
    maker[second].gpu.sm_mask = "~0xc";
    CHECK(have_bounds());
  }
  SECTION("with blocks that do not fit beside each other") {
    const TaskIndex first = system.task(maker.periodic(1000), "2C", 1, 1024);
    system.task(maker.periodic(1000), "", 6, 1024);
    CHECK_FALSE(have_bounds());
    system.launch(first).shared_memory = 40'000;
    system.launch(first + 1).shared_memory = 40'000;
    CHECK(have_bounds());
  }
  SECTION("with another cache configuration") {
    const TaskIndex first = system.task(maker.periodic(1000), "40C", 2, 64);
    system.task(maker.periodic(1000), "40C", 2, 64);
    system.launch(first).cache_config = "prefer-l1";
    CHECK(have_bounds());
  }
}

TEST_CASE("blocks of a kernel that start whenever another one ends count for each other") {
  OneGpu system;
  const TaskIndex task = system.task(system.maker.periodic(10'000), "2,2", 8, 1024);
  const auto at_once = system.bounds().tasks[task].worst;
  system.launch(task).blocks = 9;
  const auto in_rounds = system.bounds().tasks[task].worst;
  REQUIRE(at_once);
  REQUIRE(in_rounds);
  CHECK(*in_rounds > *at_once);
}

TEST_CASE("blocks of a kernel that start whenever another one ends have no bound if slices end after blocks") {
  OneGpu system;
  system.profile.preemption = gpu::Preemption::block;
  const TaskIndex task = system.task(system.maker.periodic(10'000), "2C", 8, 1024);
  CHECK(system.bounds().tasks[task].worst);
  system.launch(task).blocks = 9;  // two on an SM, and a third when one ends
  CHECK_FALSE(system.bounds().tasks[task].worst);
  system.launch(task).shared_memory = 40'000;  // one at a time
  CHECK(system.bounds().tasks[task].worst);
}

TEST_CASE("a mask puts more blocks on each SM that it enables") {
  OneGpu system;
  const TaskIndex task = system.task(system.maker.periodic(10'000), "80C", 4, 256);
  const auto apart = system.bounds().tasks[task].worst;
  system.maker[task].gpu.sm_mask = "~0x1";
  const auto together = system.bounds().tasks[task].worst;
  REQUIRE(apart);
  REQUIRE(together);
  CHECK(*together > *apart);
}

TEST_CASE("a GPU that preempts at blocks has no bounds where the time of a block is unknown") {
  OneGpu system;
  auto& maker = system.maker;
  system.task(maker.periodic(1000), "40C", 1, 64);
  system.task(maker.periodic(1000), "40C", 1, 64);
  const TaskIndex apart = system.task(maker.periodic(1000), "40C", 1, 64);
  maker[apart].gpu.context = "another";
  system.profile.preemption = gpu::Preemption::block;
  CHECK_FALSE(system.bounds().tasks[apart].worst);
}

}  // namespace bounds_shared_sms_test
