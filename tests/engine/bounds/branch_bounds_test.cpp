// SPDX-License-Identifier: Apache-2.0
// Bounds of tasks that do more than execute in alternatives of branches, calculated by hand. random_systems_test.cpp
// tests them with random systems.

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/chains/chain_latency.hpp"
#include "tests/support/checked_bounds.hpp"
#include "tests/support/system_maker.hpp"

namespace bounds_branch_bounds_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

/// Alternatives by chance, with these numbers of activities.
void branch(SystemMaker& maker, TaskIndex task, const std::vector<std::size_t>& lengths) {
  Branch branch;
  for (const std::size_t length : lengths) branch.alternatives.push_back({Probability{1}, length});
  maker.add(task, branch);
}

SemaphoreIndex semaphore(SystemMaker& maker, const std::string& name, bool ceiling) {
  Semaphore semaphore;
  semaphore.name = name;
  semaphore.priority_ceiling = ceiling;
  maker.system().semaphores.push_back(semaphore);
  return static_cast<SemaphoreIndex>(maker.system().semaphores.size() - 1);
}
void use(SystemMaker& maker, TaskIndex task, SemaphoreIndex semaphore, std::int64_t ticks) {
  maker.add(task, UseSemaphore{semaphore, UseSemaphore::Operation::request, false});
  maker.compute(task, ticks);
  maker.add(task, UseSemaphore{semaphore, UseSemaphore::Operation::release, false});
}

/// A host task that may offload to a device task, for 10 us.
struct Host {
  Host() {
    request = maker.inter_process();
    done = maker.event("done");
    device = maker.task("device", gpu, 0, request);
    maker.kernel(device, 10);
    maker.set(device, done, host);
  }
  void trigger() { maker.trigger(host, request); }
  void wait() { maker.wait(host, done, false); }
  void clear() { maker.clear(host, done); }
  /// Five activities.
  void offload() {
    maker.compute(host, 1);
    trigger();
    wait();
    clear();
    maker.compute(host, 2);
  }
  Bound bound() { return bounds_of(maker)[host]; }

  SystemMaker maker;
  UnitIndex core = maker.core("core"), gpu = maker.gpu("gpu");
  TaskIndex host = maker.task("host", core, 2, maker.periodic(100));
  StimulusIndex request = 0;
  EventIndex done = 0;
  TaskIndex device = 0;
};

}  // namespace

TEST_CASE("only the most expensive alternative counts if alternatives trigger and set events") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), other = maker.core("other");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex source = maker.task("source", core, 1, maker.periodic(100)),
                  triggered = maker.task("triggered", other, 2, request),
                  below = maker.task("below", other, 1, maker.periodic(100));
  maker.compute(source, 1);
  branch(maker, source, {2, 2});
  maker.compute(source, 9);
  maker.trigger(source, request);
  SECTION("and a task that several of them trigger has one activation") {
    maker.trigger(source, request);
    maker.compute(source, 4);
    maker.compute(triggered, 7);
    maker.compute(below, 3);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[source].worst == us(10));
    CHECK(bounds[source].best == us(5));
    CHECK(bounds[triggered].worst == us(7));
    CHECK(bounds[below].worst == us(10));  // with two activations 17
  }
  SECTION("and what is before one trigger and behind another shortens no jitter") {
    // The triggers are from 1 to 10 after the release: the jitter is 10 - 1. So two jobs may be 100 - 9 apart.
    maker.trigger(source, request);
    maker.compute(source, 4);
    maker.compute(triggered, 7);
    maker.compute(below, 85);  // 85 + 7 > 91
    CHECK(bounds_of(maker)[below].worst == us(85 + 2 * 7));
  }
}

TEST_CASE("triggers of a task that nothing activates hide no others") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex unused = maker.task("unused", one, 1, maker.inter_process()),
                  caller = maker.task("caller", one, 2, maker.periodic(100)),
                  called = maker.task("called", two, 2, request),
                  below = maker.task("below", two, 1, maker.periodic(100));
  for (int i = 0; i < 33; ++i) maker.trigger(unused, request);
  maker.compute(caller, 1);
  maker.trigger(caller, request);
  maker.compute(called, 10);
  maker.compute(below, 5);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[called].worst == us(10));
  CHECK(bounds[below].worst == us(15));
}

TEST_CASE("no deadline is guaranteed for a task with an activation limit that a loop triggers") {
  // At worst it triggers every 4, and no activation is lost. At best it triggers every 1, and two are.
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex caller = maker.task("caller", one, 1, maker.periodic(100)),
                  called = maker.task("called", two, 1, request);
  maker[called].activation_limit = 1;
  maker[called].deadline = us(50);
  maker.system().modes.push_back({"counter", 0, {}});
  maker.add(caller, SetMode{0, SetMode::Operation::set, 0});
  Branch loop;
  loop.repeats = true;
  loop.alternatives = {{ModeCondition{{{ModeTest{0, Relation::less, 3, {}}}}}, 3}};
  maker.add(caller, loop);
  Ticks ticks;
  ticks.otherwise = Cycles{1, 4, 4};
  maker.add(caller, Compute{ticks});
  maker.trigger(caller, request);
  maker.add(caller, SetMode{0, SetMode::Operation::increment, 1});
  maker.compute(called, 3);
  const Results results = analyzed(maker.build(), us(100));
  CHECK(results.tasks[called].bound.worst);
  CHECK_FALSE(results.tasks[called].guaranteed);
}

TEST_CASE("alternatives that wait for a GPU count one after the other and at best only one") {
  Host made;
  branch(made.maker, made.host, {5, 1});
  made.offload();
  made.maker.compute(made.host, 20);
  made.maker.compute(made.host, 4);
  const Bound bound = made.bound();
  CHECK(bound.worst == us(1 + 10 + 2 + 20 + 4));
  CHECK(bound.best == us(13 + 4));  // without the wait 3 + 4 would be the least
}

TEST_CASE("a job may leave out a branch") {
  Host made;
  Branch branch;
  branch.alternatives = {{EveryNth{2, 0}, 5}};
  made.maker.add(made.host, branch);
  made.offload();
  made.maker.compute(made.host, 4);
  CHECK(made.bound().worst == us(17));
  CHECK(made.bound().best == us(4));
}

namespace {

/// `while (mode RELATION limit) { offload; mode += step }`
void loop(Host& made, Relation relation, std::int64_t limit, const SetMode& count) {
  made.maker.system().modes.push_back({"counter", 1, {}});
  Branch branch;
  branch.repeats = true;
  branch.alternatives = {{ModeCondition{{{ModeTest{0, relation, limit, {}}}}}, 6}};
  made.maker.add(made.host, branch);
  made.offload();
  made.maker.add(made.host, count);
}

}  // namespace

TEST_CASE("a loop that counts has as many iterations as fit") {
  Host made;
  const SetMode up{0, SetMode::Operation::increment, 2}, down{0, SetMode::Operation::decrement, 1};
  SECTION("up from the initial value") {
    loop(made, Relation::less, 6, up);  // 1, 3, 5
    CHECK(made.bound().worst == us(3 * 13));
    CHECK(made.bound().best == us(0));
  }
  SECTION("from the least value that the task sets") {
    made.maker.add(made.host, SetMode{0, SetMode::Operation::set, -1});
    loop(made, Relation::less_or_equal, 5, up);  // -1, 1, 3, 5
    CHECK(made.bound().worst == us(4 * 13));
  }
  SECTION("down") {
    loop(made, Relation::greater_or_equal, -1, down);  // 1, 0, -1
    CHECK(made.bound().worst == us(3 * 13));
  }
  SECTION("never") {
    loop(made, Relation::less, 1, up);
    CHECK(made.bound().worst == us(0));
  }
}

TEST_CASE("a loop has no bound if something else decides when it ends") {
  Host made;
  const SetMode up{0, SetMode::Operation::increment, 1};
  const TaskIndex other = made.maker.task("other", made.core, 1, made.maker.periodic(100));
  made.maker.compute(other, 1);
  SECTION("another task") {
    made.maker.add(other, SetMode{0, SetMode::Operation::set, 0});
    loop(made, Relation::less, 3, up);
  }
  SECTION("a stimulus") {
    made.maker.system().stimuli.front().sets.push_back({0, 0});
    loop(made, Relation::less, 3, up);
  }
  SECTION("the task counts the other way elsewhere") {
    made.maker.add(made.host, SetMode{0, SetMode::Operation::decrement, 5});
    loop(made, Relation::less, 3, up);
  }
  SECTION("it counts away from the limit") { loop(made, Relation::greater, 0, up); }
  SECTION("it may miss the limit") { loop(made, Relation::not_equal, 4, up); }
  SECTION("it does not always count") { loop(made, Relation::less, 3, SetMode{0, SetMode::Operation::increment, 0}); }
  CHECK(made.bound().reason == "it has a loop");
}

TEST_CASE("a loop with many iterations has no bound") {
  Host made;
  loop(made, Relation::less, 1'000'000'000'000, SetMode{0, SetMode::Operation::increment, 1});
  CHECK(made.bound().reason == "it has a loop with too many iterations");
}

TEST_CASE("the same device task may be active in two alternatives") {
  Host made;
  branch(made.maker, made.host, {5, 5});
  made.offload();
  made.offload();
  CHECK(made.bound().worst == us(26));
  CHECK(made.bound().best == us(13));
  CHECK(bounds_of(made.maker)[made.device].worst == us(10));
}

TEST_CASE("trigger and wait and the end of the wait must be in the same alternative") {
  Host made;
  SECTION("a trigger before the branch") {
    made.trigger();
    branch(made.maker, made.host, {2, 0});
    made.wait();
    made.clear();
    CHECK_THAT(made.bound().reason, Catch::Contains("triggers device in another alternative"));
  }
  SECTION("a trigger in a branch and a wait behind it") {
    branch(made.maker, made.host, {1, 0});
    made.trigger();
    made.wait();
    made.clear();
    CHECK_THAT(made.bound().reason, Catch::Contains("triggers device in another alternative"));
  }
  SECTION("the event stays set") {
    made.trigger();
    made.wait();
    branch(made.maker, made.host, {1, 0});
    made.clear();
    CHECK_THAT(made.bound().reason, Catch::Contains("does not clear the event"));
  }
  SECTION("a clear behind the branch is enough") {
    branch(made.maker, made.host, {2, 0});
    made.trigger();
    made.wait();
    made.clear();
    CHECK(made.bound().worst == us(10));
  }
}

TEST_CASE("sections in alternatives block and count one after the other") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = maker.task("high", core, 3, maker.periodic(100)),
                  low = maker.task("low", core, 1, maker.periodic(100));
  const SemaphoreIndex shared = semaphore(maker, "S", true);
  use(maker, high, shared, 2);
  branch(maker, low, {3, 1});
  use(maker, low, shared, 5);
  maker.compute(low, 7);
  maker.compute(low, 1);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[high].worst == us(2 + 5));
  CHECK(bounds[low].worst == us(5 + 7 + 1 + 2));
  CHECK(bounds[low].best == us(5 + 1));
}

TEST_CASE("semaphores that cores share may be used in alternatives") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const TaskIndex a = maker.task("a", one, 1, maker.periodic(100)), b = maker.task("b", two, 1, maker.periodic(100));
  const SemaphoreIndex shared = semaphore(maker, "S", false);
  branch(maker, a, {3, 3});
  use(maker, a, shared, 2);
  use(maker, a, shared, 3);
  use(maker, b, shared, 4);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[a].best == us(2));
  CHECK(bounds[b].best == us(4));
  // Each of the two requests of a may wait for b. That of b may wait for both of a, which is as urgent.
  CHECK(bounds[a].worst == us(2 + 4 + 3 + 4));
  CHECK(bounds[b].worst == us(4 + 2 + 3));
}

TEST_CASE("a semaphore must be released in the alternative that requests it") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex task = maker.task("task", core, 2, maker.periodic(100)),
                  low = maker.task("low", core, 1, maker.periodic(100));
  const SemaphoreIndex shared = semaphore(maker, "S", true);
  maker.compute(low, 1);
  branch(maker, task, {1, 0});
  maker.add(task, UseSemaphore{shared, UseSemaphore::Operation::request, false});
  maker.compute(task, 3);
  branch(maker, task, {1, 0});
  maker.add(task, UseSemaphore{shared, UseSemaphore::Operation::release, false});
  const auto bounds = bounds_of(maker);
  CHECK_THAT(bounds[task].reason, Catch::Contains("S"));
  CHECK_THAT(bounds[low].reason, Catch::Contains("task"));
}

TEST_CASE("a non-preemptive group in an alternative blocks") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = maker.task("high", core, 3, maker.periodic(100)),
                  low = maker.task("low", core, 1, maker.periodic(100));
  maker.compute(high, 2);
  branch(maker, low, {3, 1});
  maker.add(low, Uninterruptible{true});
  maker.compute(low, 5);
  maker.add(low, Uninterruptible{false});
  maker.compute(low, 9);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[high].worst == us(2 + 5));
  CHECK(bounds[low].worst == us(5 + 9 + 2));
}

TEST_CASE("no latency of a chain is bounded if a job may not activate the next task") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex source = maker.task("source", core, 2, maker.periodic(100)),
                  triggered = maker.task("triggered", core, 1, request);
  branch(maker, source, {1, 1});
  maker.trigger(source, request);
  maker.compute(source, 4);
  maker.compute(triggered, 7);
  maker.system().chains.push_back({"chain", {source, triggered}, {}, Chain::Source::request, {}});
  const auto bounds = bounds_of(maker);
  CHECK(bounds[triggered].worst == us(11));
  const auto chains = chain_latencies(maker.system(), std::vector{bounds[source], bounds[triggered]});
  CHECK_FALSE(chains.front().implicit);
  CHECK_THAT(chains.front().implicit_reason, Catch::Contains("not every job"));
}

TEST_CASE("the GPU switches between the contexts of a task that offloads to one after the other") {
  // The kernels are in contexts of their own, and nothing else uses the GPU. Each follows a switch of 3 us.
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("gpu");
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(100));
  std::vector<TaskIndex> devices;
  for (const std::int64_t ticks : {5, 7}) {
    const StimulusIndex request = maker.inter_process();
    devices.push_back(maker.task("device" + std::to_string(ticks), gpu, 0, request));
    maker.kernel(devices.back(), ticks);
    maker.offload(host, devices.back(), request, 1, 0, false);
  }
  DeviceProfile profile = plain_profile(us(1000));
  profile.context_switch = us(3);
  const Results results = analyzed(maker.build(), us(1000), profile);
  CHECK(results.tasks[devices[0]].bound.worst == us(5 + 3));
  CHECK(results.tasks[devices[1]].bound.worst == us(7 + 3));
  CHECK(results.tasks[host].response.max <= *results.tasks[host].bound.worst);
  CHECK(results.tasks[host].bound.worst == us(1 + 8 + 1 + 10));
}

}  // namespace bounds_branch_bounds_test
