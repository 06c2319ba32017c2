// SPDX-License-Identifier: Apache-2.0
// The NULL stream of a process orders its other streams: simulated, bounded, or without a bound for a named reason.

#include <cstdint>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "tests/support/bound_trial.hpp"
#include "tests/support/one_process_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace null_stream_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

DeviceProfile four_sms() {
  DeviceProfile profile = plain_profile(us(1000));
  profile.multiprocessors.emplace().sms = 4;
  return profile;
}

/// A device task of the process, in its NULL stream or in a stream of its own.
TaskIndex device_task(SystemMaker& maker, UnitIndex gpu, StimulusIndex released, bool null) {
  const TaskIndex task = maker.task("t" + std::to_string(maker.system().tasks.size()), gpu, 0, released);
  maker[task].gpu.context = "process";
  maker[task].gpu.null_stream = null;
  return task;
}

/// With one small kernel.
TaskIndex kernel_task(SystemMaker& maker, UnitIndex gpu, StimulusIndex released, bool null, std::int64_t time) {
  const TaskIndex task = device_task(maker, gpu, released, null);
  Kernel kernel;
  kernel.ticks->otherwise = Cycles{time, time, time};
  kernel.memory_intensity = 1;
  kernel.launch = Launch{1, 32, 0, 0, ""};
  maker.add(task, kernel);
  return task;
}

/// Listing 1: kernels in two streams, and one in the NULL stream between them.
struct Listing {
  SystemMaker maker;
  UnitIndex gpu = maker.gpu("GPU");
  TaskIndex first = kernel_task(maker, gpu, maker.periodic(100), false, 10),
            null = kernel_task(maker, gpu, maker.periodic(100, 1), true, 5),
            last = kernel_task(maker, gpu, maker.periodic(100, 2), false, 10);

  Results results(const DeviceProfile& profile = four_sms()) { return analyzed(maker.build(), us(200), profile); }
  std::string reason(const DeviceProfile& profile = four_sms()) {
    const Bound bound = results(profile).tasks[null].bound;
    CHECK_FALSE(bound.worst);
    return bound.reason;
  }
};

/// All device tasks of one stream number use the NULL stream; the others have a stream and a priority each.
RandomSystem with_null_stream(RandomSystem drawn) {
  std::string null;
  for (Task& task : drawn.system.tasks) {
    if (task.gpu.context.empty()) continue;
    if (null.empty()) null = task.gpu.stream;
    task.gpu.null_stream = task.gpu.stream == null;
    task.gpu.stream = task.gpu.null_stream ? "" : task.name;
    task.gpu.high_priority = false;
    task.gpu.sm_mask.clear();
  }
  return drawn;
}

BoundTrial tried(std::uint32_t seed, std::uint64_t systems) {
  std::mt19937 random(seed);
  BoundTrial trial;
  for (std::uint64_t index = 0; index < systems; ++index)
    trial.run(with_null_stream(one_process_system(random)), index, 4);
  return trial;
}

}  // namespace

TEST_CASE("an operation of the NULL stream waits for earlier ones of its process, and later ones wait for it") {
  Listing listing;
  const Results with = listing.results();
  CHECK(with.tasks[listing.first].response.max == us(10));
  CHECK(with.tasks[listing.null].response.max == us(9 + 5));
  CHECK(with.tasks[listing.last].response.max == us(8 + 5 + 10));
  listing.maker[listing.null].gpu.null_stream = false;
  const Results without = listing.results();
  CHECK(without.tasks[listing.null].response.max == us(5));
  CHECK(without.tasks[listing.last].response.max == us(10));
}

TEST_CASE("the NULL stream orders the streams of its own process alone, also on an AMD GPU") {
  Listing listing;
  listing.maker[listing.null].gpu.context = "another";
  CHECK(listing.results().tasks[listing.null].bound.worst == us(5 + 10 + 10));
  listing.maker[listing.null].gpu.context = "process";
  const Results amd = listing.results(*find_profile("radeon-vii"));
  CHECK(amd.tasks[listing.null].response.max == us(9 + 5));
  CHECK(amd.tasks[listing.last].response.max == us(8 + 5 + 10));
}

TEST_CASE("an operation beside a NULL stream waits for one operation of each other task of the process") {
  Listing listing;
  listing.maker.copy(listing.first, 7);
  const Results results = listing.results();
  CHECK(results.tasks[listing.null].bound.worst == us(10 + 5 + 10));
  CHECK(results.tasks[listing.last].bound.worst == us(10 + 5 + 10));
  // Once before its kernel and once before its copy.
  CHECK(results.tasks[listing.first].bound.worst == us((10 + 5 + 10) + (7 + 5 + 10)));
}

TEST_CASE("copies and kernels of a process with a NULL stream slow each other down") {
  Listing listing;
  listing.maker.copy(listing.first, 40);
  DeviceProfile profile = four_sms();
  profile.interference.kernel_by_memcpy.ppm = 3'000'000;
  const Results results = listing.results(profile);
  // The kernel of `last` runs beside the copy.
  CHECK(results.tasks[listing.last].response.max == us(8 + 5 + 30));
  CHECK(results.tasks[listing.last].bound.worst >= results.tasks[listing.last].response.max);
}

TEST_CASE("a NULL stream beside others that the analysis does not cover is the reason for no bound") {
  const std::string beside = "a process on GPU has a NULL stream beside other streams";
  Listing listing;
  CHECK(listing.reason(*find_profile("radeon-vii")) == beside + "; the analysis does not cover this on AMD GPUs");
  DeviceProfile coarse = four_sms();
  coarse.preemption = gpu::Preemption::block;
  CHECK(listing.reason(coarse) ==
        beside + "; the analysis does not cover this where slices end only after blocks or kernels");
  listing.maker[listing.last].gpu.high_priority = true;
  CHECK(listing.reason() == beside + ", and they have two priorities; the analysis does not cover this");
  listing.maker[listing.last].gpu.high_priority = false;
  listing.maker[listing.first].gpu.stream = listing.maker[listing.last].gpu.stream = "s";
  CHECK(listing.reason() == beside + ", and several tasks use the stream \"s\"; the analysis does not cover this");
}

TEST_CASE("no job of random processes with a NULL stream exceeds its bound") {
  const BoundTrial trial = tried(11, times(std::uint64_t{500}));
  WARN(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("no job of many random processes with a NULL stream exceeds its bound", "[long]") {
  const BoundTrial trial = tried(12, times(std::uint64_t{4'000}));
  WARN(trial.text());
  CHECK(trial.faults.empty());
}

}  // namespace null_stream_test
