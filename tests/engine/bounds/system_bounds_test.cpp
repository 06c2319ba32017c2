// SPDX-License-Identifier: Apache-2.0
// Bounds of whole systems, calculated by hand. random_systems_test.cpp tests them with random systems.

#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "tests/support/system_maker.hpp"

namespace bounds_system_bounds_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

Duration part(const Bound& bound, ContributionKind kind, std::optional<TaskIndex> by = std::nullopt) {
  for (const Contribution& share : bound.parts)
    if (share.kind == kind && share.by == by) return share.time;
  return {};
}

}  // namespace

TEST_CASE("bounds of tasks on one core match the textbook") {
  // Burns, Wellings, "Real-Time Systems and Programming Languages", the set with T = 80, 40, 20 and C = 40, 10, 5,
  // rate-monotonic: R = 80, 15, 5, though its utilisation of 1 is far above Liu and Layland's 0.78.
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex a = maker.task("a", core, 1, maker.periodic(80)), b = maker.task("b", core, 2, maker.periodic(40)),
                  c = maker.task("c", core, 3, maker.periodic(20));
  maker.compute(a, 40);
  maker.compute(b, 10);
  maker.compute(c, 5);
  for (const TaskIndex task : {a, b, c}) maker[task].deadline = us(80);
  maker[c].deadline = us(4);
  const Results results = analyzed(maker.build(), us(80));
  CHECK(results.tasks[a].bound.worst == us(80));
  CHECK(results.tasks[b].bound.worst == us(15));
  CHECK(results.tasks[c].bound.worst == us(5));
  CHECK(results.tasks[a].bound.best == us(40));
  CHECK(part(results.tasks[a].bound, ContributionKind::execution) == us(40));
  CHECK(part(results.tasks[a].bound, ContributionKind::preemption, b) == us(20));
  CHECK(part(results.tasks[a].bound, ContributionKind::preemption, c) == us(20));
  CHECK(results.tasks[a].guaranteed == true);
  CHECK(results.tasks[c].guaranteed == false);
}

TEST_CASE("a triggered task inherits the period with jitter") {
  // On core 1: fast (T 10, C 3) before source (T 20, C 1 + 1, triggering after the first): R = 2 + 3 = 5, so the
  // trigger occurs between 1 and 4 after the release: jitter 5 - 2 = 3. On core 2: triggered (C 4) before below (T 40).
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex fast = maker.task("fast", one, 2, maker.periodic(10)),
                  source = maker.task("source", one, 1, maker.periodic(20)),
                  triggered = maker.task("triggered", two, 2, request),
                  below = maker.task("below", two, 1, maker.periodic(40));
  maker.compute(fast, 3);
  maker.compute(source, 1);
  maker.trigger(source, request);
  maker.compute(source, 1);
  maker.compute(triggered, 4);
  SECTION("which brings one more job into a window") {
    maker.compute(below, 14);  // 18 + 3 > 20: a second job, 22; without jitter 18
    const Results results = analyzed(maker.build(), us(40));
    CHECK(results.tasks[source].bound.worst == us(5));
    CHECK(results.tasks[triggered].bound.worst == us(4));
    CHECK(results.tasks[below].bound.worst == us(22));
  }
  SECTION("or does not") {
    maker.compute(below, 13);  // 17 + 3 = 20
    const Results results = analyzed(maker.build(), us(40));
    CHECK(results.tasks[below].bound.worst == us(17));
    CHECK(results.tasks[below].bound.best == us(13));
  }
}

TEST_CASE("execution concurrent with an offload counts once in the worst case and not in the best case") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(100)),
                  device = maker.task("device", gpu, 0, request);
  const EventIndex done = maker.event("done");
  maker.compute(host, 5);
  maker.trigger(host, request);
  maker.compute(host, 20);
  maker.wait(host, done, false);
  maker.clear(host, done);
  maker.compute(host, 7);
  maker.kernel(device, 30);
  maker.set(device, done, host);
  const Results results = analyzed(maker.build(), us(100));
  CHECK(results.tasks[host].response.max == us(5 + 30 + 7));
  CHECK(results.tasks[host].bound.best == us(5 + 30 + 7));
  CHECK(results.tasks[host].bound.worst == us(5 + 20 + 30 + 7));
  CHECK(results.tasks[device].bound.worst == us(30));
  CHECK(results.operations.front().bound.worst == us(30));
  CHECK(part(results.tasks[host].bound, ContributionKind::kernel) == us(30));
}

TEST_CASE("a task with two stimuli has the bound of both activations") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex twice = maker.task("twice", core, 1, maker.periodic(50));
  maker.system().stimuli[maker.periodic(70)].activates.push_back(twice);
  maker.compute(twice, 10);
  const Results results = analyzed(maker.build(), us(350));
  CHECK(results.tasks[twice].response.max == us(20));
  CHECK(results.tasks[twice].bound.worst == us(20));
  CHECK(part(results.tasks[twice].bound, ContributionKind::backlog, twice) == us(10));
}

TEST_CASE("an excluded task has a reason and affects only dependent tasks") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two"), gpu = maker.gpu("GPU");
  const EventIndex done = maker.event("done");
  const TaskIndex waiter = maker.task("waiter", one, 2, maker.periodic(100)),
                  below = maker.task("below", one, 1, maker.periodic(100)),
                  above = maker.task("above", one, 3, maker.periodic(100)),
                  setter = maker.task("setter", two, 1, maker.periodic(100));
  maker.wait(waiter, done, false);
  maker.clear(waiter, done);
  maker.compute(waiter, 5);
  maker.compute(below, 5);
  maker.compute(above, 5);
  maker.compute(setter, 5);
  maker.set(setter, done, waiter);
  const TaskIndex first = maker.task("first", gpu, 0, maker.periodic(100)),
                  second = maker.task("second", gpu, 0, maker.periodic(100)),
                  apart = maker.task("apart", gpu, 0, maker.periodic(100));
  for (const TaskIndex task : {first, second, apart}) {
    maker.kernel(task, 10);
    maker[task].time_slice = us(20);
  }
  maker[first].gpu.context = maker[second].gpu.context = "shared";
  const Results results = analyzed(maker.build(), us(100));
  CHECK(results.tasks[waiter].bound.reason == "a job may wait for setter for 105 us, but its period is 100 us");
  CHECK(results.tasks[waiter].bound.best == us(5));
  CHECK(results.tasks[below].bound.reason ==
        "waiter, which may delay it on core one, has no bound: " + results.tasks[waiter].bound.reason);
  CHECK(results.tasks[above].bound.worst == us(5));
  CHECK(results.tasks[setter].bound.worst == us(5));
  // Each waits for the other in its context and for a slot of the other context, which has 10 to do.
  CHECK(results.tasks[first].bound.worst == us(10 + 10 + 10));
  CHECK(results.tasks[second].bound.worst == us(10 + 10 + 10));
  // Whatever the shared context does, one of its slots precedes the only turn.
  CHECK(results.tasks[apart].bound.worst == us(10 + 20));
}

TEST_CASE("an overloaded core or GPU is named with its demand and independent tasks are bounded") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two"), gpu = maker.gpu("GPU");
  const TaskIndex high = maker.task("high", one, 2, maker.periodic(10)),
                  low = maker.task("low", one, 1, maker.periodic(10)),
                  elsewhere = maker.task("elsewhere", two, 1, maker.periodic(10)),
                  left = maker.task("left", gpu, 0, maker.periodic(10)),
                  right = maker.task("right", gpu, 0, maker.periodic(10));
  maker.compute(high, 6);
  maker.compute(low, 6);
  maker.compute(elsewhere, 6);
  maker.kernel(left, 6);
  maker.kernel(right, 6);
  const Results results = analyzed(maker.build(), us(100));
  CHECK(results.tasks[high].bound.worst == us(6));
  CHECK(results.tasks[elsewhere].bound.worst == us(6));
  CHECK(results.tasks[low].bound.reason ==
        "core one is overloaded by tasks of the same or a higher priority: utilization 120.00 %");
  CHECK(results.tasks[left].bound.reason == "the execution engine is overloaded: utilization 120.00 %");
  CHECK(results.tasks[right].bound.reason == results.tasks[left].bound.reason);
}

TEST_CASE("tasks that trigger each other in a cycle have no bound") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex there = maker.inter_process(), back = maker.inter_process();
  const TaskIndex a = maker.task("a", core, 1, back), b = maker.task("b", core, 2, there);
  maker.system().stimuli[maker.periodic(100)].activates.push_back(a);
  maker.compute(a, 1);
  maker.trigger(a, there);
  maker.compute(b, 1);
  maker.trigger(b, back);
  const System system = maker.build();
  const auto bounds = system_bounds(system, default_devices(system));
  CHECK(bounds.tasks[a].reason == "tasks trigger each other in a cycle, which has no period");
  CHECK(bounds.tasks[b].reason == bounds.tasks[a].reason);
}

TEST_CASE("a host that is never activated and has a loop waits for no device task") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const StimulusIndex never = maker.inter_process(), request = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 1, never), device = maker.task("device", gpu, 0, request);
  Branch loop;
  loop.alternatives = {{Probability{1}, 1}};
  loop.repeats = true;
  maker.add(host, loop);
  maker.compute(host, 1);
  maker.kernel(device, 5);
  maker.offload(host, device, request, 1, 1, false);
  const System system = maker.build();
  const auto bounds = system_bounds(system, default_devices(system));
  CHECK(bounds.tasks[host].reason == "nothing activates it");
  CHECK(bounds.tasks[device].reason == "host activates it: it has a loop");
  CHECK(bounds.tasks[device].best == us(5));
}

}  // namespace bounds_system_bounds_test
