// SPDX-License-Identifier: Apache-2.0
// Copies of pageable memory execute apart from everything else of their process: simulated, and bounded where the
// analysis covers a NULL stream.

#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "tests/support/bound_trial.hpp"
#include "tests/support/one_process_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace pageable_memory_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

/// A kernel of 10 us at 0, a copy of 5 us at 1 and a kernel of 10 us at 2, each in a stream of one process.
struct Process {
  SystemMaker maker;
  UnitIndex gpu = maker.gpu("GPU");
  TaskIndex first = task(maker.periodic(100)), copy = task(maker.periodic(100, 1)), last = task(maker.periodic(100, 2));
  DeviceProfile profile = plain_profile(us(1000));

  explicit Process(bool pageable, std::int64_t staging = 1'000'000'000'000) {
    profile.multiprocessors.emplace().sms = 4;
    profile.staging_bytes_per_second = staging;
    add_kernel(first);
    maker.copy(copy, 5);
    of_copy().pageable = pageable;
    add_kernel(last);
  }
  TaskIndex task(StimulusIndex released) {
    const TaskIndex made = maker.task("t" + std::to_string(maker.system().tasks.size()), gpu, 0, released);
    maker[made].gpu.context = "process";
    return made;
  }
  void add_kernel(TaskIndex of) {
    Kernel kernel;
    kernel.ticks->otherwise = Cycles{10, 10, 10};
    kernel.launch = Launch{1, 32, 0, 0, ""};
    maker.add(of, kernel);
  }
  Copy& of_copy() { return std::get<Copy>(maker.system().graph[maker[copy].body.front()].activity); }
  Results results() { return analyzed(maker.build(), us(200), profile); }
};

/// Each task has a stream of its own, and some copies are of pageable memory.
RandomSystem with_pageable_memory(RandomSystem drawn, std::mt19937& random) {
  for (Task& task : drawn.system.tasks) {
    if (task.gpu.context.empty()) continue;
    task.gpu.stream = task.name;
    task.gpu.high_priority = false;
    for (const NodeIndex node : task.body)
      if (auto* copy = std::get_if<Copy>(&drawn.system.graph[node].activity); copy != nullptr && random() % 2 == 0)
        copy->pageable = true;
  }
  drawn.profile.staging_bytes_per_second = 1'000'000 * static_cast<std::int64_t>(1 + random() % 2'000);
  return drawn;
}

BoundTrial tried(std::uint32_t seed, std::uint64_t systems) {
  std::mt19937 random(seed);
  BoundTrial trial;
  for (std::uint64_t index = 0; index < systems; ++index)
    trial.run(with_pageable_memory(one_process_system(random), random), index, 4);
  return trial;
}

}  // namespace

TEST_CASE("a copy of pinned memory overlaps with kernels of its process, and one of pageable memory does not") {
  const Results pinned = Process(false).results();
  CHECK(pinned.tasks[1].response.max == us(5));
  CHECK(pinned.tasks[2].response.max == us(10));
  Process process(true);
  const Results pageable = process.results();
  CHECK(pageable.tasks[process.first].response.max == us(10));
  CHECK(pageable.tasks[process.copy].response.max == us(9 + 5) + Duration::picoseconds(320));  // and 320 B at 1 TB/s
  CHECK(pageable.tasks[process.last].response.max == us(8 + 5 + 10) + Duration::picoseconds(320));
  REQUIRE(pageable.tasks[process.copy].bound.worst);
  CHECK(*pageable.tasks[process.copy].bound.worst == us(10 + 5 + 10) + Duration::picoseconds(320));
}

TEST_CASE("a copy of pageable memory does not wait for other processes") {
  Process process(true);
  process.maker[process.copy].gpu.context = "another";
  CHECK(process.results().tasks[process.last].response.max <= us(10) + us(10));
  CHECK(process.results().tasks[process.copy].response.max == us(5) + Duration::picoseconds(320));
}

TEST_CASE("pageable memory takes longer by the time of its staging, which is not certain, and a stated time is all") {
  Process process(true, 8'000'000);  // 320 B at 8 MB/s: 40 us
  process.maker[process.first].gpu.context = process.maker[process.last].gpu.context = "another";
  CHECK(process.results().tasks[process.copy].response.max == us(5 + 40));
  CHECK(process.results().tasks[process.copy].bound.best == us(5));
  process.of_copy().time = us(7);
  CHECK(process.results().tasks[process.copy].response.max == us(7));
}

TEST_CASE("pageable memory beside streams that the analysis does not cover is the reason for no bound") {
  Process process(true);
  process.profile.preemption = gpu::Preemption::block;
  const Bound bound = process.results().tasks[process.copy].bound;
  CHECK_FALSE(bound.worst);
  CHECK(bound.reason ==
        "a process on GPU copies pageable memory beside other streams; the analysis does not cover this where slices "
        "end only after blocks or kernels");
}

TEST_CASE("no job of random processes with pageable memory exceeds its bound") {
  const BoundTrial trial = tried(21, times(std::uint64_t{400}));
  WARN(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

}  // namespace pageable_memory_test
