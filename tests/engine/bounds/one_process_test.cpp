// SPDX-License-Identifier: Apache-2.0
// Bounds of device tasks that share a GPU context: by hand, and against the simulation of random systems.

#include <algorithm>
#include <cstdint>
#include <random>

#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "engine/nvidia/response_time.hpp"
#include "tests/support/bound_trial.hpp"
#include "tests/support/one_process_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace one_process_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

/// Two SMs of 2048 threads without slowdowns.
DeviceProfile two_sms() {
  DeviceProfile profile = plain_profile(us(1000));
  profile.multiprocessors.emplace().sms = 2;
  return profile;
}

/// A device task with one kernel in a stream of its own, which may also take no time. All belong to one process.
TaskIndex kernel_task(SystemMaker& maker, UnitIndex gpu, StimulusIndex released, std::int64_t time, std::int64_t blocks,
                      std::int64_t threads, bool high = false) {
  const TaskIndex task = maker.task("k" + std::to_string(maker.system().tasks.size()), gpu, 0, released);
  maker[task].gpu.context = "process";
  maker[task].gpu.high_priority = high;
  Kernel kernel;
  kernel.ticks->otherwise = Cycles{0, time / 2, time};
  kernel.memory_intensity = 0;
  kernel.launch = Launch{blocks, threads, 0, 0, ""};
  maker.add(task, kernel);
  return task;
}

Duration part(const Bound& bound, ContributionKind kind, std::optional<TaskIndex> by = std::nullopt) {
  for (const Contribution& share : bound.parts)
    if (share.kind == kind && share.by == by) return share.time;
  return {};
}

/// Where the stated offsets count.
SystemBounds for_offsets(const System& system, const std::vector<const DeviceProfile*>& devices) {
  BoundOptions options;
  options.for_offsets = true;
  return system_bounds(system, devices, {}, options);
}

/// Every system of a seed counts the same, however many are tried.
BoundTrial tried(std::uint32_t seed, std::uint64_t systems) {
  std::mt19937 random(seed);
  BoundTrial trial;
  for (std::uint64_t index = 0; index < systems; ++index) trial.run(one_process_system(random), index, 4);
  return trial;
}

void check_thousands(std::uint32_t seed) {
  const BoundTrial trial = tried(seed, times(std::uint64_t{2'500}));
  WARN("seed " << seed << ": " << trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > 3 * trial.systems);
}

}  // namespace

TEST_CASE("kernels of equal priority wait for one kernel of every other stream") {
  // In sequence: 3 + 2 rounds of 4. By area: (3 blocks of 3 + 11 of 4) / 8 and the last block, less than 11.
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex small = kernel_task(maker, gpu, maker.periodic(100), 3, 3, 512),
                  large = kernel_task(maker, gpu, maker.periodic(200), 4, 12, 512);
  const Results results = analyzed(maker.build(), us(200), two_sms());
  CHECK(results.tasks[large].bound.worst == Duration::nanoseconds((9 + 44) * 125 + 4000));
  CHECK(part(results.tasks[large].bound, ContributionKind::kernel) == us(8));
  CHECK(part(results.tasks[large].bound, ContributionKind::engine_queue, small) == Duration::nanoseconds(2625));
  // Two of its blocks and all of the other kernel, then the last block.
  CHECK(results.tasks[small].bound.worst == Duration::nanoseconds((6 + 48) * 125 + 3000));
}

TEST_CASE("a process with a share of MPS has no bound, even if no other process uses the GPU") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex task = kernel_task(maker, gpu, maker.periodic(100), 10, 4, 1024);
  maker[task].gpu.mps_share = 50;
  const Results results = analyzed(maker.build(), us(200), two_sms());
  CHECK(results.tasks[task].response.max == us(20));  // two blocks at a time, on one of two SMs
  CHECK_FALSE(results.tasks[task].bound.worst);
  CHECK(results.tasks[task].bound.reason == "a process has a share of GPU through MPS; no bound is known for this");
  maker[task].gpu.mps_share = 100;
  CHECK(analyzed(maker.build(), us(200), two_sms()).tasks[task].bound.worst == us(10));
}

TEST_CASE("a kernel of high priority waits for resident blocks of low priority at most") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex low = kernel_task(maker, gpu, maker.periodic(1000), 40, 100, 512),
                  high = kernel_task(maker, gpu, maker.periodic(200), 5, 8, 512, true);
  const Results results = analyzed(maker.build(), us(1000), two_sms());
  CHECK(results.tasks[high].bound.worst == us(40 + 5));
  // By area: 99 blocks of 40 and, in 560 us, three or four times 8 of 5, all divided by 8; then the last block.
  CHECK(results.tasks[low].bound.worst == us(99 * 5 + 3 * 5 + 40));
  CHECK(results.tasks[low].response.max <= us(550));
}

TEST_CASE("a bound counts blocks of different sizes by what they keep from others") {
  // A block of 1024 threads does not fit if more than 1024 of 2048 are in use: from 1280 on, with blocks of 256.
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  kernel_task(maker, gpu, maker.periodic(500), 10, 20, 256);
  const TaskIndex wide = kernel_task(maker, gpu, maker.periodic(500), 10, 2, 1024);
  const Results results = analyzed(maker.build(), us(500), two_sms());
  // (20 blocks of 10 that weigh 256 / 1280 and one that weighs 1024 / 1280) / 2, then the last; in sequence it is 30.
  CHECK(results.tasks[wide].bound.worst == us(30));
  CHECK(results.tasks[wide].response.max == us(20));
}

TEST_CASE("kernels with different masks of SMs wait for each other in one context") {
  // The second waits for all rounds of the first on one SM: 3 of 10, then its own on two SMs.
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex first = kernel_task(maker, gpu, maker.periodic(500), 10, 6, 1024),
                  second = kernel_task(maker, gpu, maker.periodic(500), 10, 4, 1024);
  maker[first].gpu.sm_mask = "~0x1";
  DeviceProfile profile = two_sms();
  profile.multiprocessors->sms_per_tpc = 1;
  const Results results = analyzed(maker.build(), us(500), profile);
  CHECK(results.tasks[second].bound.worst == us(30 + 10));
  CHECK(results.tasks[first].bound.worst == us(10 + 30));
  CHECK(results.tasks[second].response.max == us(40));
}

TEST_CASE("a host waits for the longest of several device tasks that are active at the same time") {
  for (const bool at_once : {false, true}) {
    SystemMaker maker;
    const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
    const TaskIndex host = maker.task("host", core, 1, maker.periodic(500));
    std::vector<TaskIndex> devices;
    std::vector<EventIndex> done;
    maker.compute(host, 5);
    for (const std::int64_t time : {20, 50}) {
      const StimulusIndex request = maker.inter_process();
      devices.push_back(kernel_task(maker, gpu, request, time, 2, 1024));
      done.push_back(maker.event("done" + std::to_string(time)));
      maker.set(devices.back(), done.back(), host);
      maker.trigger(host, request);
    }
    if (at_once) maker.add(host, WaitEvents{done, true, false});
    for (const EventIndex event : done) {
      if (!at_once) maker.wait(host, event, false);
      maker.clear(host, event);
    }
    maker.compute(host, 5);
    const Results results = analyzed(maker.build(), us(500), two_sms());
    // By area: the first waits for 3 blocks, 1 of 20 and 2 of 50, of 4 that fit, then takes its last block.
    CHECK(results.tasks[devices[0]].bound.worst == us(30 + 20));
    CHECK(results.tasks[devices[1]].bound.worst == us(20 + 50));
    CHECK(results.tasks[host].bound.worst == us(80));
    CHECK(results.tasks[host].bound.best == us(10));
    CHECK(results.tasks[host].response.max == us(60));
    CHECK(part(results.tasks[host].bound, ContributionKind::kernel) == us(50));
    CHECK(part(results.tasks[host].bound, ContributionKind::execution) == us(10));
  }
}

TEST_CASE("device tasks that are active at the same time are one wait on every kind of core") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), second = maker.core("second");
  auto& platform = maker.system().platform;
  platform.units[second].definition = platform.units[core].definition;
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(500));
  maker.compute(host, 5);
  std::vector<EventIndex> done;
  for (const std::int64_t time : {20, 30}) {
    const UnitIndex gpu = maker.gpu("gpu" + std::to_string(time));
    const StimulusIndex request = maker.inter_process();
    const TaskIndex device = maker.task("device" + std::to_string(time), gpu, 0, request);
    maker.kernel(device, time);
    done.push_back(maker.event("done" + std::to_string(time)));
    maker.set(device, done.back(), host);
    maker.trigger(host, request);
  }
  const bool polls = GENERATE(false, true);
  if (GENERATE(false, true)) {
    maker.add(host, WaitEvents{done, true, polls});
  } else {
    maker.wait(host, done[0], polls);
    maker.wait(host, done[1], polls);
  }
  for (const EventIndex event : done) maker.clear(host, event);
  maker.compute(host, 5);
  SECTION("under deadlines") {
    // The wait of 30 counts as execution. The other task has the earlier deadline.
    const TaskIndex other = maker.task("other", core, 1, maker.periodic(50));
    maker.compute(other, 7);
    platform.schedulers[core].kind = SchedulingAlgorithm::earliest_deadline_first;
    const Results results = analyzed(maker.build(), us(500));
    CHECK(results.tasks[host].bound.worst == us(5 + 30 + 5 + 7));
    CHECK(results.tasks[host].response.max <= us(47));
    CHECK(results.tasks[other].bound.worst == us(7));
    CHECK(part(results.tasks[host].bound, ContributionKind::kernel) == us(30));
  }
  SECTION("on several cores") {
    platform.schedulers[core].units = maker[host].units = {core, second};
    const Results results = analyzed(maker.build(), us(500));
    CHECK(results.tasks[host].bound.worst == us(5 + 30 + 5));
    CHECK(results.tasks[host].response.max == us(40));
  }
  SECTION("on a core whose tasks wait for semaphores of others") {
    // The other task holds the semaphore for 4, while the host may wait for it; it is more urgent than the host.
    maker.system().semaphores.push_back({"shared"});
    const TaskIndex above = maker.task("above", core, 2, maker.periodic(500)),
                    remote = maker.task("remote", second, 1, maker.periodic(500));
    for (const TaskIndex user : {above, remote}) {
      maker.add(user, UseSemaphore{0, UseSemaphore::Operation::request, false});
      maker.compute(user, 4);
      maker.add(user, UseSemaphore{0, UseSemaphore::Operation::release, false});
    }
    const Results results = analyzed(maker.build(), us(500));
    CHECK(results.tasks[above].bound.worst == us(4 + 4));
    CHECK(results.tasks[host].bound.worst == us(5 + 30 + 5 + 4));
  }
}

TEST_CASE("a task that polls in one wait and suspends itself in another may be blocked after the latter") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  maker.system().platform.schedulers[core].kind = SchedulingAlgorithm::earliest_deadline_first;
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(500, 1));
  for (const bool polls : {true, false}) {
    const StimulusIndex request = maker.inter_process();
    const TaskIndex device = maker.task(polls ? "first" : "second", gpu, 0, request);
    maker.kernel(device, 10);
    maker.offload(host, device, request, polls ? 1 : 0, 1, polls);
  }
  for (const std::int64_t offset : {0, 36}) {
    const TaskIndex below = maker.task("below" + std::to_string(offset), core, 1, maker.periodic(1000, offset));
    maker.compute(below, 20);
    maker[below].preemption = Preemption::non_preemptive;
  }
  const Results results = analyzed(maker.build(), us(500));
  // It starts at 20, polls until 31 and suspends itself from 32 to 42. The second task executes from 36 to 56.
  CHECK(results.tasks[host].response.max == us(57 - 1));
  REQUIRE(results.tasks[host].bound.worst);
  // Its own 23 and 20 at its start and after each wait, with a section that began before.
  CHECK(results.tasks[host].bound.worst == us(23 + 3 * 20 + 20));
}

TEST_CASE("waits that follow one another add up and those that overlap do not") {
  // The second device task works beside the first, which is triggered twice.
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("one"), other = maker.gpu("other");
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(500));
  const StimulusIndex first = maker.inter_process(), second = maker.inter_process();
  const TaskIndex repeated = maker.task("repeated", gpu, 0, first), beside = maker.task("beside", other, 0, second);
  maker.kernel(repeated, 20);
  maker.kernel(beside, 30);
  const EventIndex repeated_done = maker.event("repeated"), beside_done = maker.event("beside");
  maker.set(repeated, repeated_done, host);
  maker.set(beside, beside_done, host);
  maker.trigger(host, second);
  for (int visit = 0; visit < 2; ++visit) {
    maker.trigger(host, first);
    maker.wait(host, repeated_done, true);
    maker.clear(host, repeated_done);
  }
  maker.wait(host, beside_done, true);
  maker.clear(host, beside_done);
  const Results results = analyzed(maker.build(), us(500), two_sms());
  CHECK(results.tasks[host].bound.worst == us(40));
  CHECK(results.tasks[host].bound.best == us(40));
  CHECK(results.tasks[host].response.max == us(40));
}

TEST_CASE("tasks of one stream wait for each other in full") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex one = kernel_task(maker, gpu, maker.periodic(100), 10, 1, 32),
                  two = kernel_task(maker, gpu, maker.periodic(100), 20, 1, 32);
  maker[one].gpu.stream = maker[two].gpu.stream = "stream";
  const Results results = analyzed(maker.build(), us(100), two_sms());
  CHECK(results.tasks[one].bound.worst == us(30));
  CHECK(results.tasks[two].bound.worst == us(30));
  CHECK(part(results.tasks[one].bound, ContributionKind::engine_queue, two) == us(20));
}

TEST_CASE("copies in both directions wait for each other on one copy engine and not on two") {
  const auto bound_with = [](int copy_engines) {
    SystemMaker maker;
    const UnitIndex gpu = maker.gpu("GPU");
    const TaskIndex in = maker.task("in", gpu, 0, maker.periodic(100)),
                    out = maker.task("out", gpu, 0, maker.periodic(100));
    std::get<Periodic>(maker.system().stimuli.front().occurrence).jitter.upper = 1;
    maker.copy(in, 10);
    maker.copy(out, 30, CopyKind::device_to_host);
    maker[in].gpu.context = maker[out].gpu.context = "process";
    DeviceProfile profile = two_sms();
    profile.copy_engines = copy_engines;
    return analyzed(maker.build(), us(100), profile).tasks[in].bound.worst;
  };
  CHECK(bound_with(1) == us(40));
  CHECK(bound_with(2) == us(10));
}

TEST_CASE("kernels of one context have bounds for all offsets and orders unless the stated offsets are to count") {
  // In the model's schedule the first task begins at once.
  for (const bool swapped : {false, true}) {
    SystemMaker maker;
    const UnitIndex gpu = maker.gpu("GPU");
    std::vector<TaskIndex> tasks;
    for (const std::int64_t time : swapped ? std::vector{8, 5} : std::vector{5, 8}) {
      tasks.push_back(maker.task("task" + std::to_string(time), gpu, 0, maker.periodic(100)));
      maker.kernel(tasks.back(), time);
      maker[tasks.back()].gpu.context = "process";
    }
    const DeviceProfile profile = two_sms();
    System system = maker.build();
    for (const bool stated : {false, true}) {
      const SystemBounds bounds = stated ? for_offsets(system, {&profile}) : system_bounds(system, {&profile});
      for (const TaskIndex task : tasks) {
        // Both are released at 0.
        CHECK(bounds.tasks[task].worst == us(13));
        CHECK_FALSE(bounds.tasks[task].exact);
        CHECK(bounds.tasks[task].method == BoundMethod::equations);
      }
    }
    std::get<Periodic>(system.stimuli.back().occurrence).offset = us(1);
    CHECK(system_bounds(system, {&profile}).tasks[tasks[0]].worst == us(13));
    const SystemBounds stated = for_offsets(system, {&profile});
    CHECK(stated.tasks[tasks[0]].worst == us(swapped ? 8 : 5));
    CHECK(stated.tasks[tasks[1]].worst == us(12));
    for (const TaskIndex task : tasks) CHECK(stated.tasks[task].method == BoundMethod::schedule);
    // The first kernel ends when the second one arrives.
    std::get<Periodic>(system.stimuli.back().occurrence).offset = us(swapped ? 8 : 5);
    CHECK_FALSE(for_offsets(system, {&profile}).tasks[tasks[0]].exact);
  }
}

TEST_CASE("equal priorities of hosts have no exact response times") {
  const auto exact_with = [](std::int64_t priority) {
    SystemMaker maker;
    const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
    const TaskIndex host = maker.task("host", core, 1, maker.periodic(100)),
                    beside = maker.task("beside", core, priority, maker.periodic(100));
    maker.compute(beside, 3);
    const StimulusIndex request = maker.inter_process();
    const TaskIndex device = maker.task("device", gpu, 0, request),
                    other = maker.task("other", gpu, 0, maker.periodic(100, 50));
    maker.compute(host, 5);
    maker.trigger(host, request);
    maker.kernel(device, 10);
    maker.kernel(other, 20);
    maker[device].gpu.context = maker[other].gpu.context = "process";
    const DeviceProfile profile = two_sms();
    return for_offsets(maker.build(), {nullptr, &profile}).tasks[host].exact;
  };
  CHECK(exact_with(2));
  CHECK_FALSE(exact_with(1));
}

TEST_CASE("kernels with fixed times and periodic releases have the exact response times of the published analysis") {
  // T10: the four orders of the example, T = 15, and random sets. Releases apart, so that no order is open.
  const auto check = [](const nvidia::RtaProblem& problem) {
    const auto expected = nvidia::response_times_periodic(problem);
    if (!expected || !expected->repeats) return false;
    SystemMaker maker;
    const UnitIndex gpu = maker.gpu("GPU");
    for (const nvidia::RtaKernel& kernel : problem.kernels) {
      const TaskIndex task =
          kernel_task(maker, gpu, maker.periodic(kernel.period, kernel.release), kernel.execution, kernel.blocks, 512);
      std::get<Kernel>(maker.system().graph[maker[task].body.front()].activity).ticks =
          constant_ticks(kernel.execution);
    }
    const DeviceProfile profile = two_sms();
    const System system = maker.build();
    const SystemBounds bounds = for_offsets(system, {&profile});
    if (!bounds.tasks[0].exact) return false;
    for (std::size_t i = 0; i < problem.kernels.size(); ++i) {
      REQUIRE(bounds.tasks[i].exact);
      REQUIRE(bounds.tasks[i].worst == us(expected->worst_response[i]));
    }
    return true;
  };
  const auto in_order = [](std::vector<nvidia::RtaKernel> kernels) {
    for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i].release = static_cast<int>(i);
    return nvidia::RtaProblem{8, kernels};
  };
  const nvidia::RtaKernel k1{0, 40, 2, 150}, k2{0, 60, 7, 150}, k3{0, 60, 2, 150}, k4{0, 50, 5, 150};
  CHECK(check(in_order({k1, k2, k3, k4})));
  CHECK(check(in_order({k2, k3, k4, k1})));
  CHECK(check(in_order({k2, k4, k1, k3})));
  CHECK(check(in_order({k2, k1, k3, k4})));
  std::mt19937 random(3);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  int compared = 0;
  for (int run = 0; run < 300; ++run) {
    nvidia::RtaProblem problem{8, {}};
    for (int n = draw(2, 5); n > 0; --n) {
      static constexpr int periods[] = {2000, 3000, 4000, 6000, 12000};
      const int period = periods[draw(0, 4)], blocks = draw(1, 20);
      problem.kernels.push_back({draw(0, period), draw(1, std::max(1, period / 5 * 8 / blocks / 2)), blocks, period});
    }
    INFO("run " << run);
    compared += check(problem) ? 1 : 0;
  }
  CHECK(compared > 150);
}

TEST_CASE("fixed times have no exact responses if something else varies") {
  const auto exact_with = [](auto change) {
    SystemMaker maker;
    const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
    const StimulusIndex request = maker.inter_process();
    const TaskIndex host = maker.task("host", core, 1, maker.periodic(100)),
                    beside = maker.task("beside", core, 2, maker.periodic(50)),
                    device = maker.task("device", gpu, 0, request),
                    other = maker.task("other", gpu, 0, maker.periodic(50, 7));
    maker.offload(host, device, request, 5, 5, true);
    maker.compute(beside, 3);
    maker.kernel(device, 10);
    maker.kernel(other, 20);
    maker[device].gpu.context = maker[other].gpu.context = "process";
    // The event must be set after the kernel.
    std::swap(maker[device].body.front(), maker[device].body.back());
    change(maker, beside, other);
    DeviceProfile profile = two_sms();
    const System system = maker.build();
    const SystemBounds bounds = for_offsets(system, {nullptr, &profile});
    return bounds.tasks[host].exact && bounds.tasks[beside].exact && bounds.tasks[other].exact;
  };
  using Maker = SystemMaker;
  CHECK(exact_with([](Maker&, TaskIndex, TaskIndex) {}));
  CHECK_FALSE(exact_with([](Maker& maker, TaskIndex beside, TaskIndex) {
    Compute varying;
    varying.ticks.otherwise = Cycles{1, 1, 2};
    maker.add(beside, varying);
  }));
  CHECK_FALSE(exact_with([](Maker& maker, TaskIndex, TaskIndex) {
    std::get<Periodic>(maker.system().stimuli.back().occurrence).jitter.upper = 1;
  }));
  CHECK_FALSE(exact_with([](Maker& maker, TaskIndex, TaskIndex other) { maker[other].gpu.context = "another"; }));
}

namespace {

/// A label access of ten microseconds.
void access(SystemMaker& maker, TaskIndex task) {
  maker.system().labels.push_back({"label", DataSize{640}, MemoryIndex{0}, LabelSide::host, {}});
  maker.add(task, ReadLabel{static_cast<LabelIndex>(maker.system().labels.size() - 1)});
}

Duration slowed(const Bound& bound, TrafficKind traffic, TaskIndex by) {
  for (const Contribution& share : bound.parts)
    if (share.kind == ContributionKind::interference && share.traffic == traffic && share.by == by) return share.time;
  return {};
}

}  // namespace

TEST_CASE("CPU traffic slows down all kernels of a context that a kernel waits for and has no exact response times") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const TaskIndex first = maker.task("first", gpu, 0, maker.periodic(1000)),
                  second = maker.task("second", gpu, 0, maker.periodic(1000)),
                  host = maker.task("host", core, 1, maker.periodic(1000));
  maker.kernel(first, 10);
  maker.kernel(second, 30);
  maker[first].gpu.context = maker[second].gpu.context = "process";
  access(maker, host);
  access(maker, host);
  DeviceProfile profile = two_sms();
  profile.interference.kernel_by_cpu.ppm = 2'000'000;
  const Results results = analyzed(maker.build(), us(1000), profile);
  for (const TaskIndex task : {first, second}) {
    const Bound& bound = results.tasks[task].bound;
    CHECK_FALSE(bound.exact);
    // Half of the 20 us in which the host accesses memory, whichever of the kernels executes.
    CHECK(slowed(bound, TrafficKind::cpu, host) == us(10));
    CHECK(*bound.worst >= us(50));
    CHECK(*bound.worst < us(50) + Duration::nanoseconds(10));
    CHECK(results.tasks[task].response.max <= *bound.worst);
  }
  CHECK(results.tasks[second].response.max == us(50));
  // For stated offsets, the times without traffic are exact.
  std::get<Periodic>(maker.system().stimuli[1].occurrence).offset = us(1);
  CHECK_FALSE(for_offsets(maker.build(), {nullptr, &profile}).tasks[second].exact);
  profile.interference.kernel_by_cpu.ppm = 1'000'000;
  CHECK(for_offsets(maker.build(), {nullptr, &profile}).tasks[second].exact);
}

TEST_CASE("every GPU suffers the CPU traffic in its own memory alone") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), near = maker.gpu("near"), far = maker.gpu("far");
  const TaskIndex on_near = maker.task("on near", near, 0, maker.periodic(1000)),
                  on_far = maker.task("on far", far, 0, maker.periodic(1000)),
                  host = maker.task("host", core, 1, maker.periodic(1000));
  maker.kernel(on_near, 100);
  maker.kernel(on_far, 100);
  access(maker, host);
  maker.system().platform.memories.push_back({"far memory", {}});
  maker.system().platform.units[far].accesses.front().memory = MemoryIndex{1};
  DeviceProfile profile = two_sms();
  profile.interference.kernel_by_cpu.ppm = 2'000'000;
  const Results results = analyzed(maker.build(), us(1000), profile);
  CHECK(slowed(results.tasks[on_near].bound, TrafficKind::cpu, host) == us(5));
  CHECK(slowed(results.tasks[on_far].bound, TrafficKind::cpu, host).is_zero());
  CHECK(results.tasks[on_far].response.max == us(100));
}

TEST_CASE("kernels of one context slow each other down by their names") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  std::vector<TaskIndex> tasks;
  for (const char* name : {"one", "two"}) {
    tasks.push_back(maker.task(name, gpu, 0, maker.periodic(1000)));
    Kernel kernel;
    kernel.ticks = constant_ticks(100);
    kernel.memory_intensity = 1;
    kernel.launch = Launch{1, 32, 0, 0, ""};
    maker.add(tasks.back(), kernel);
    maker[tasks.back()].gpu.context = "process";
  }
  const TaskIndex copying = maker.task("copying", gpu, 0, maker.periodic(1000));
  maker.copy(copying, 40);
  DeviceProfile profile = two_sms();
  profile.interference.kernel_by_same_gpc.ppm = profile.interference.kernel_by_other_gpc.ppm = 1'500'000;
  profile.interference.kernel_by_memcpy.ppm = 2'000'000;
  const Results results = analyzed(maker.build(), us(1000), profile);
  const Bound& bound = results.tasks[tasks[0]].bound;
  CHECK(slowed(bound, TrafficKind::copies, copying) >= us(20));
  CHECK(slowed(bound, TrafficKind::kernels, tasks[1]) > Duration{});
  CHECK(results.tasks[tasks[0]].response.max > us(140));
  CHECK(results.tasks[tasks[0]].response.max <= *bound.worst);
}

TEST_CASE("kernels that may share an SM count its factor in their bounds") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  std::vector<TaskIndex> tasks;
  for (const char* name : {"one", "two"}) {
    tasks.push_back(maker.task(name, gpu, 0, maker.periodic(1000)));
    Kernel kernel;
    kernel.ticks = constant_ticks(100);
    kernel.memory_intensity = 0;
    kernel.launch = Launch{1, 32, 0, 0, ""};
    maker.add(tasks.back(), kernel);
    maker[tasks.back()].gpu.context = "process";
  }
  DeviceProfile profile = two_sms();
  profile.multiprocessors->sms = 1;
  profile.interference.kernel_by_same_sm.ppm = 1'500'000;
  Results results = analyzed(maker.build(), us(1000), profile);
  for (const TaskIndex task : tasks) {
    const Bound& bound = results.tasks[task].bound;
    CHECK(results.tasks[task].response.max == us(150));
    REQUIRE(bound.worst);
    CHECK(*bound.worst >= us(150));
    CHECK(slowed(bound, TrafficKind::kernels, tasks[0] == task ? tasks[1] : tasks[0]) > Duration{});
  }
  // Blocks of different cache configurations never meet (N8).
  std::get<Kernel>(maker.system().graph[maker[tasks[0]].body.front()].activity).launch->cache_config = "prefer-l1";
  results = analyzed(maker.build(), us(1000), profile);
  CHECK(results.tasks[tasks[0]].bound.worst == us(200));
  CHECK(slowed(results.tasks[tasks[0]].bound, TrafficKind::kernels, tasks[1]).is_zero());
}

TEST_CASE("no job of a random process with several streams exceeds its bounds") {
  const BoundTrial trial = tried(1, 300);
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > 3 * trial.systems);
  CHECK(trial.jobs > 300 * trial.systems);
}

// Alike but for the seed, so that they run beside each other.
TEST_CASE("thousands of processes with several streams stay within their bounds: first quarter", "[long]") {
  check_thousands(21);
}
TEST_CASE("thousands of processes with several streams stay within their bounds: second quarter", "[long]") {
  check_thousands(22);
}
TEST_CASE("thousands of processes with several streams stay within their bounds: third quarter", "[long]") {
  check_thousands(23);
}
TEST_CASE("thousands of processes with several streams stay within their bounds: last quarter", "[long]") {
  check_thousands(24);
}

}  // namespace one_process_test
