// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "tests/support/system_maker.hpp"

namespace simulation_gpu_system_test {

// Vectors of the application scheduler with copy and execution engines that slow each other; one unit of the
// vectors is 10 us here.

using namespace test;

namespace {

engine::DeviceProfile profile_with(std::int64_t slice_us, std::int64_t kernel_by_memcpy, std::int64_t kernel_by_memset,
                                   std::int64_t copy_by_kernel) {
  engine::DeviceProfile profile = plain_profile(us(slice_us));
  profile.interference.kernel_by_memcpy = {kernel_by_memcpy * 1'000'000};
  profile.interference.kernel_by_memset = {kernel_by_memset * 1'000'000};
  profile.interference.copy_by_kernel = {copy_by_kernel * 1'000'000};
  return profile;
}

}  // namespace

TEST_CASE("a memset of one device task slows the kernel of another eightfold (V4)") {
  // A: kernel 10 from 0; B: memset 4 at 2, k = 8: the copy ends at 6, the kernel at 27/2.
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = maker.task("A", gpu, 0, maker.periodic(1000));
  const TaskIndex b = maker.task("B", gpu, 0, maker.periodic(1000, 20));
  maker.kernel(a, 100);
  maker.copy(b, 40, CopyKind::memset);
  const auto results = analyzed(maker.build(), us(999), profile_with(20, 3, 8, 1));
  CHECK(results.tasks[b].response.max == us(40));
  CHECK(results.tasks[a].response.max == us(135));
}

TEST_CASE("copies and kernels of two device tasks take turns and slow each other down (V5)") {
  // Slice 3. A: copy 2, kernel 6, copy 2; B, released at 1: copy 3, kernel 4. Kernels beside a copy: 3 times,
  // copies beside a kernel: 2 times. Ends: A's copy 2, B's copy 8, B's kernel 15, A's kernel 16, A's last copy 18.
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = maker.task("A", gpu, 0, maker.periodic(1000));
  const TaskIndex b = maker.task("B", gpu, 0, maker.periodic(1000, 10));
  maker.copy(a, 20);
  maker.kernel(a, 60);
  maker.copy(a, 20, CopyKind::device_to_host);
  maker.copy(b, 30);
  maker.kernel(b, 40);
  const auto results = analyzed(maker.build(), us(999), profile_with(30, 3, 8, 2));
  REQUIRE(results.operations.size() == 5);
  CHECK(results.operations[0].duration.max == us(20));        // 0 → 2
  CHECK(results.operations[3].duration.max == us(80 - 10));   // 1 → 8
  CHECK(results.operations[4].duration.max == us(150 - 80));  // 8 → 15
  CHECK(results.operations[1].duration.max == us(160 - 20));  // 2 → 16
  CHECK(results.operations[2].duration.max == us(20));        // 16 → 18
  CHECK(results.tasks[a].response.max == us(180));
  CHECK(results.tasks[b].response.max == us(140));
}

TEST_CASE("a device task's kernel is slowed down by its memory-bound share") {
  // m = 1/2, k = 3: 1 - m + m k = 2. The copy lasts 40, in which the kernel gets 20 of its 100 done.
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = maker.task("A", gpu, 0, maker.periodic(1000));
  const TaskIndex b = maker.task("B", gpu, 0, maker.periodic(1000));
  maker.kernel(a, 100, 0.5);
  maker.copy(b, 40);
  const auto results = analyzed(maker.build(), us(999), profile_with(20, 3, 8, 1));
  CHECK(results.tasks[a].response.max == us(120));
}

TEST_CASE("built-in profiles are found by name and by property and by names of unit and structure") {
  using engine::profile_for;
  ProcessingUnit unit;
  unit.name = "GP10B";
  CHECK(profile_for(unit).value()->name == "tx2");
  unit.name = "some GPU";
  CHECK(profile_for(unit).value()->name == "generic");
  unit.enclosing_structures = "island JetsonTX2";
  CHECK(profile_for(unit).value()->name == "tx2");
  unit.device_profile = "generic";
  CHECK(profile_for(unit).value()->name == "generic");
  unit.device_profile = "TX2";
  CHECK(profile_for(unit).value()->name == "tx2");
  unit.device_profile = "voodoo";
  std::string names;
  for (const engine::DeviceProfile& profile : engine::built_in_profiles()) names += profile.name + ", ";
  CHECK(profile_for(unit).error() ==
        fmt::format("gpu.platform \"voodoo\" of \"some GPU\" is not known; expected one of {}or a JSON profile of "
                    "your own (--platform)",
                    names));
}

TEST_CASE("the TX2 profile contains the published slowdowns") {
  const engine::DeviceProfile* tx2 = engine::find_profile("tx2");
  REQUIRE(tx2 != nullptr);
  CHECK(tx2->interference.kernel_by_memcpy.ppm == 3'000'000);
  CHECK(tx2->interference.kernel_by_memset.ppm == 8'000'000);
  CHECK(tx2->time_slice == us(2600));
}

TEST_CASE("an invalid device profile is rejected with a reason") {
  using engine::parse_device_profile;
  CHECK_FALSE(parse_device_profile("{").has_value());
  CHECK(parse_device_profile("{}").error().find("name") != std::string::npos);
  const std::string slowdown = R"({"name": "x", "time_slice_us": {"value": 1}, "context_switch_us": {"value": 0},
    "kernel_slowdown_by_memcpy": {"value": 0.5}, "kernel_slowdown_by_memset": {"value": 1}, "copy_slowdown_by_kernel": {"value": 1}})";
  CHECK(parse_device_profile(slowdown).error() ==
        "2:46: kernel_slowdown_by_memcpy.value: expected a number from 1 to 1000000");
}

// ---------------------------------------------------------------- blocks, streams and contexts from the model

namespace {

/// Two SMs of 2048 threads.
engine::DeviceProfile two_sms(std::int64_t slice_us) {
  engine::DeviceProfile profile = plain_profile(us(slice_us));
  profile.multiprocessors.emplace();
  profile.multiprocessors->sms = 2;
  return profile;
}

/// A device task whose kernel has `blocks` blocks of 1024 threads, each of `ticks` microseconds.
TaskIndex launching(SystemMaker& maker, UnitIndex gpu, const std::string& name, std::int64_t blocks, std::int64_t ticks,
                    std::int64_t offset = 0) {
  const TaskIndex task = maker.task(name, gpu, 0, maker.periodic(1000, offset));
  Kernel kernel;
  kernel.ticks = constant_ticks(ticks);
  kernel.launch = Launch{blocks, 1024, 0, 0, ""};
  maker.add(task, kernel);
  return task;
}

Duration part(const engine::Results& results, TaskIndex task, engine::ContributionKind kind) {
  Duration sum;
  for (const engine::Contribution& contribution : results.tasks[task].contributions)
    if (contribution.kind == kind) sum += contribution.time;
  return sum;
}

}  // namespace

TEST_CASE("a kernel with more blocks than the GPU holds takes several rounds and demands as much") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = launching(maker, gpu, "A", 5, 100);  // four at a time
  const auto results = analyzed(maker.build(), us(999), two_sms(1000));
  CHECK(results.tasks[a].response.max == us(200));
  for (const engine::ResourceResult& resource : results.resources)
    if (resource.kind == engine::ResourceKind::execution_engine) CHECK(resource.demand == Approx(0.2));
}

TEST_CASE("kernels in one context run concurrently if they fit and those of two contexts take turns") {
  for (const bool one_context : {true, false}) {
    SystemMaker maker;
    const UnitIndex gpu = maker.gpu("GPU");
    const TaskIndex a = launching(maker, gpu, "A", 2, 100);
    const TaskIndex b = launching(maker, gpu, "B", 2, 100);
    if (one_context) maker[a].gpu.context = maker[b].gpu.context = "vision";
    const auto results = analyzed(maker.build(), us(999), two_sms(10));
    CHECK(results.tasks[a].response.max == us(one_context ? 100 : 190));
    CHECK(results.tasks[b].response.max == us(one_context ? 100 : 200));
    CHECK(part(results, b, engine::ContributionKind::engine_slice) == us(one_context ? 0 : 100));
  }
}

TEST_CASE("a task in a shared context is told whether it waits for room or for its stream") {
  for (const bool one_stream : {true, false}) {
    SystemMaker maker;
    const UnitIndex gpu = maker.gpu("GPU");
    const TaskIndex a = launching(maker, gpu, "A", one_stream ? 1 : 4, 100);
    const TaskIndex b = launching(maker, gpu, "B", 1, 50);
    for (const TaskIndex task : {a, b}) {
      maker[task].gpu.context = "vision";
      if (one_stream) maker[task].gpu.stream = "only";
    }
    const auto results = analyzed(maker.build(), us(999), two_sms(10));
    CHECK(results.tasks[b].response.max == us(150));
    CHECK(part(results, b, engine::ContributionKind::engine_queue) == us(100));
    CHECK(part(results, b, engine::ContributionKind::kernel) == us(50));
  }
}

TEST_CASE("a high-priority stream precedes waiting low-priority blocks") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex low = launching(maker, gpu, "low", 8, 100);
  const TaskIndex high = launching(maker, gpu, "high", 1, 50, 10);
  maker[low].gpu.context = maker[high].gpu.context = "vision";
  const System system = maker.build();
  CHECK(analyzed(system, us(999), two_sms(10)).tasks[high].response.max == us(240));  // behind all of low's blocks
  maker[high].gpu.high_priority = true;
  CHECK(analyzed(maker.build(), us(999), two_sms(10)).tasks[high].response.max == us(140));  // after the first four
}

TEST_CASE("contexts of higher priority get more slices") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = launching(maker, gpu, "A", 1, 90);
  const TaskIndex b = launching(maker, gpu, "B", 1, 90);
  maker[a].gpu.runlist_slots = 1;
  maker[b].gpu.runlist_slots = 3;
  const auto results = analyzed(maker.build(), us(999), two_sms(10));  // A B B B A B B B A B B B
  CHECK(results.tasks[b].response.max == us(120));
  CHECK(results.tasks[a].response.max == us(180));
}

TEST_CASE("a block that fits no SM is an error and a GPU with unknown SMs a warning") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = launching(maker, gpu, "A", 5, 100);
  const System system = maker.build();
  Diagnostics diagnostics;
  engine::AnalysisOptions options;
  options.until = us(999);
  engine::DeviceProfile profile = two_sms(10);
  profile.multiprocessors->threads_per_block = 512;
  options.profile = &profile;
  CHECK_FALSE(engine::analyze(system, options, diagnostics));
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].id == "AM0507");
  CHECK(diagnostics.all()[0].message ==
        "kernel \"kernel\" cannot be launched on \"GPU\" (plain): a block of 1024 threads exceeds the 512 a block may "
        "have; change gpu.block or another property of its launch, or choose another profile (--platform)");
  diagnostics = {};
  profile.multiprocessors.reset();
  const auto results = engine::analyze(system, options, diagnostics);
  REQUIRE(results);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].id == "AM0506");
  CHECK(results->tasks[a].response.max == us(100));
}

namespace {

/// The longest responses of kernels of one context, each in a stream of its own and released as many us later as its
/// number says. Cycles last 1 us.
std::vector<Duration> responses_of(const std::vector<KernelInstructions>& kernels, const Launch& launch,
                                   const std::string& policy, std::int64_t apart, const char* platform) {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const TaskIndex task =
        maker.task(fmt::format("K{}", i + 1), gpu, 0, maker.periodic(10'000, apart * static_cast<std::int64_t>(i)));
    maker[task].gpu.context = "process";
    Kernel kernel;
    kernel.memory_intensity = 0;
    kernel.launch = launch;
    kernel.instructions = kernels[i];
    maker.add(task, kernel);
  }
  System system = maker.build();
  system.platform.units[gpu].warp_policy = policy;
  engine::DeviceProfile profile = plain_profile(us(1000));
  profile.multiprocessors = engine::find_profile(platform)->multiprocessors;
  Diagnostics findings;
  REQUIRE(engine::resolve_instructions(system, &profile, findings));
  std::vector<Duration> responses;
  for (const auto& task : analyzed(system, us(20'000), profile).tasks) responses.push_back(task.response.max);
  return responses;
}

}  // namespace

TEST_CASE("kernels of two streams of a model end as in Figure 3 of QAWS (W4)") {
  const std::string program = "2,1,2,1,1,1,5,1,1";
  const Launch launch{8, 256, 0, 0, ""};
  const auto responses = [&](const std::string& policy, std::int64_t budget) {
    return responses_of({{program, 1, {}}, {program, budget, {}}}, launch, policy, 1, "xavier");
  };
  CHECK(responses("gto", 1) == std::vector<Duration>{us(20), us(37)});
  CHECK(responses("lrr", 1) == std::vector<Duration>{us(32), us(35)});
  CHECK(responses("qaws", 4) == std::vector<Duration>{us(38), us(27)});
  CHECK(responses("qaws", 6) == std::vector<Duration>{us(38), us(23)});
}

TEST_CASE("kernels of four streams of a model that fill an SM take four times as long as one") {
  // Two blocks of 16 warps each on two SMs: four warps on each of four sub-cores, then 16.
  const Launch launch{2, 512, 0, 0, ""};
  const KernelInstructions letters{"200C", 1, {}}, latencies{"1,1,1,1,1", 1, {}};
  CHECK(responses_of({letters, letters, letters, letters}, launch, "gto", 0, "tx2") ==
        std::vector<Duration>{us(800), us(1600), us(2400), us(3200)});
  CHECK(responses_of({latencies, latencies, latencies, latencies}, launch, "gto", 0, "tx2") ==
        std::vector<Duration>{us(20), us(40), us(60), us(80)});
}

}  // namespace simulation_gpu_system_test
