// SPDX-License-Identifier: Apache-2.0
// Bounds of tasks that wait for semaphores of other cores, calculated by hand. random_systems_test.cpp tests them with
// random systems.

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "tests/support/checked_bounds.hpp"
#include "tests/support/system_maker.hpp"

namespace bounds_semaphore_waits_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

Duration blocking_by(const Bound& bound, TaskIndex by) {
  Duration time;
  for (const Contribution& share : bound.parts)
    if (share.kind == ContributionKind::blocking && share.by == by) time += share.time;
  return time;
}

/// Two cores and a semaphore that their tasks share.
struct TwoCores {
  SystemMaker maker;
  UnitIndex one = maker.core("one"), two = maker.core("two");
  bool polls = false;

  explicit TwoCores(bool ceiling) {
    Semaphore semaphore;
    semaphore.name = "shared";
    semaphore.priority_ceiling = ceiling;
    maker.system().semaphores.push_back(semaphore);
  }
  TaskIndex task(const std::string& name, UnitIndex core, std::int64_t priority, std::int64_t period,
                 std::int64_t ticks) {
    const TaskIndex index = maker.task(name, core, priority, maker.periodic(period));
    if (ticks > 0) maker.compute(index, ticks);
    return index;
  }
  void section(TaskIndex task, std::int64_t ticks) {
    maker.add(task, UseSemaphore{0, UseSemaphore::Operation::request, polls});
    maker.compute(task, ticks);
    maker.add(task, UseSemaphore{0, UseSemaphore::Operation::release, false});
  }
};

}  // namespace

TEST_CASE("a job waits for the holder on another core and for the tasks that delay it there") {
  TwoCores cores(false);
  const TaskIndex high = cores.task("high", cores.one, 3, 20, 2), a = cores.task("a", cores.one, 2, 100, 0),
                  b = cores.task("b", cores.one, 1, 100, 4), c = cores.task("c", cores.two, 1, 100, 0);
  cores.section(a, 3);
  cores.section(c, 5);
  const auto bounds = bounds_of(cores.maker);
  CHECK(bounds[high].worst == us(2));
  CHECK(bounds[a].worst == us(3 + 5 + 2));
  CHECK(blocking_by(bounds[a], c) == us(5));
  CHECK(bounds[b].worst == us(4 + 3 + 2));  // while a waits, it runs
  CHECK(bounds[c].worst == us(5 + (3 + 2)));
  CHECK(blocking_by(bounds[c], a) == us(5));
}

TEST_CASE("a ceiling shortens the wait and delays the tasks below it on the core of the holder") {
  const bool ceiling = GENERATE(true, false);
  TwoCores cores(ceiling);
  const TaskIndex a = cores.task("a", cores.one, 5, 100, 0), x = cores.task("x", cores.two, 6, 100, 1),
                  m = cores.task("m", cores.two, 3, 100, 7), c = cores.task("c", cores.two, 1, 100, 0);
  cores.section(a, 3);
  cores.section(c, 5);
  const auto bounds = bounds_of(cores.maker);
  CHECK(bounds[a].worst == us(3 + 5 + 1 + (ceiling ? 0 : 7)));
  CHECK(bounds[x].worst == us(1));
  CHECK(bounds[m].worst == us(7 + 1 + (ceiling ? 5 : 0)));
  CHECK(blocking_by(bounds[m], c) == us(ceiling ? 5 : 0));
  CHECK(bounds[c].worst == us(5 + 3 + 1 + 7));
}

TEST_CASE("a more urgent user delays a wait as often as it requests the semaphore and a less urgent one once") {
  TwoCores cores(false);
  const UnitIndex three = cores.maker.core("three");
  const TaskIndex often = cores.task("often", cores.one, 3, 10, 0), slow = cores.task("slow", cores.two, 1, 100, 0),
                  third = cores.task("third", three, GENERATE(0, 1), 100, 0);
  cores.section(often, 2);
  cores.section(slow, 4);
  cores.section(third, 5);
  const auto bounds = bounds_of(cores.maker);
  CHECK(bounds[often].worst == us(2 + 5));
  CHECK(bounds[slow].worst == us(4 + 5 + 2 * 2));  // in 9, and up to 5 before: twice
}

TEST_CASE("an equally urgent user may get the semaphore first whenever it requests it") {
  TwoCores cores(false);
  const TaskIndex often = cores.task("often", cores.one, 1, 10, 0), slow = cores.task("slow", cores.two, 1, 100, 0);
  cores.section(often, 6);
  cores.section(slow, 4);
  const auto bounds = bounds_of(cores.maker);
  CHECK(bounds[often].worst == us(6 + 4));
  // A job of the other task waits for it, and its next one is released when that ends.
  CHECK(bounds[slow].worst == us(4 + 2 * 6));
}

TEST_CASE("users that poll under a ceiling wait for each other once") {
  TwoCores cores(true);
  cores.polls = true;
  const TaskIndex a = cores.task("a", cores.one, 3, 100, 1), b = cores.task("b", cores.one, 1, 100, 1),
                  c = cores.task("c", cores.two, 2, 100, 1);
  cores.section(a, 2);
  cores.section(b, 4);
  cores.section(c, 5);
  const auto bounds = bounds_of(cores.maker);
  CHECK(bounds[a].worst == us(3 + 5 + 4));
  CHECK(bounds[b].worst == us(5 + (2 + 5) + (3 + 5)));  // the other job polls, too
  CHECK(bounds[c].worst == us(6 + 4 + 2));
  CHECK(blocking_by(bounds[c], b) == us(4));
}

TEST_CASE("users that nothing preempts while they poll never wait for users of their core") {
  TwoCores cores(false);
  cores.polls = true;
  const TaskIndex a = cores.task("a", cores.one, 3, 100, 1), b = cores.task("b", cores.one, 1, 100, 1),
                  c = cores.task("c", cores.two, 2, 100, 1);
  for (const auto& [task, ticks] : std::vector<std::pair<TaskIndex, std::int64_t>>{{a, 2}, {b, 4}, {c, 5}}) {
    cores.maker.add(task, Uninterruptible{true});
    cores.section(task, ticks);
    cores.maker.add(task, Uninterruptible{false});
  }
  SECTION("under fixed priorities") {
    const auto bounds = bounds_of(cores.maker);
    CHECK(bounds[a].worst == us(3 + 5 + (4 + 5)));  // a section of b includes its polling
    CHECK(bounds[b].worst == us(5 + 5 + (3 + 5)));
    CHECK(bounds[c].worst == us(6 + 4 + 2));
  }
  SECTION("under deadlines") {
    for (Scheduler& scheduler : cores.maker.system().platform.schedulers)
      scheduler.kind = SchedulingAlgorithm::earliest_deadline_first;
    const auto bounds = bounds_of(cores.maker);
    CHECK(bounds[c].worst == us(6 + 4 + 2));
    CHECK(bounds[a].worst >= us(3 + 5 + (4 + 5)));
  }
}

TEST_CASE("a non-preemptive task that gets a semaphore keeps its core up to its end") {
  TwoCores cores(true);
  const TaskIndex a = cores.task("a", cores.one, 3, 100, 0), m = cores.task("m", cores.two, 2, 100, 1),
                  low = cores.task("low", cores.two, 1, 100, 1);
  cores.section(a, 2);
  cores.section(low, 4);
  cores.maker.compute(low, 6);
  cores.maker[low].preemption = Preemption::non_preemptive;
  const auto bounds = bounds_of(cores.maker);
  CHECK(bounds[m].worst == us(1 + 11));  // 1 before the section, and 10 from the wait on
}

TEST_CASE("users that take turns have a bound") {
  TwoCores cores(false);
  Scheduler& scheduler = cores.maker.system().platform.schedulers[cores.one];
  scheduler.kind = SchedulingAlgorithm::priority_based_round_robin;
  scheduler.time_slice = us(1);
  const TaskIndex x = cores.task("x", cores.one, 1, 100, 0), y = cores.task("y", cores.one, 1, 100, 0);
  cores.section(x, 3);
  cores.section(y, 4);
  const auto bounds = bounds_of(cores.maker);
  CHECK(bounds[x].worst == us(3 + 4));  // while x waits, y executes
  CHECK(bounds[y].worst == us(4 + 3));
}

TEST_CASE("a user does not wait for more urgent ones of its core beside their execution") {
  TwoCores cores(false);
  const TaskIndex a = cores.task("a", cores.one, 3, 100, 1), b = cores.task("b", cores.one, 2, 100, 0),
                  c = cores.task("c", cores.two, 1, 100, 0);
  cores.section(a, 2);
  cores.section(b, 4);
  cores.section(c, 5);
  SECTION("that only execute") {
    const auto bounds = bounds_of(cores.maker);
    CHECK(bounds[a].worst == us(3 + (4 + 3)));  // b is less urgent, and holds it
    CHECK(bounds[b].worst == us(4 + 5 + 3));
    CHECK(blocking_by(bounds[b], c) == us(5));
    CHECK(blocking_by(bounds[b], a) == us(0));
  }
  SECTION("unless sections of others may keep those from the core") {
    const TaskIndex low = cores.task("low", cores.one, 1, 100, 1);
    cores.maker[low].preemption = Preemption::non_preemptive;
    CHECK(*bounds_of(cores.maker)[b].worst > us(4 + 5 + 3 + 1 + 1));
  }
}

TEST_CASE("waits for semaphores count as part of jobs under deadlines") {
  TwoCores cores(false);
  for (Scheduler& scheduler : cores.maker.system().platform.schedulers)
    scheduler.kind = SchedulingAlgorithm::earliest_deadline_first;
  const TaskIndex a = cores.task("a", cores.one, 1, 50, 0), b = cores.task("b", cores.one, 1, 100, 4),
                  c = cores.task("c", cores.two, 1, 100, 0);
  cores.section(a, 3);
  cores.section(c, 5);
  const auto bounds = bounds_of(cores.maker);
  CHECK(bounds[a].worst == us(3 + 5));
  CHECK(bounds[b].worst == us(4 + 3 + 5));
  CHECK(bounds[c].worst == us(5 + (3 + 4)));
}

TEST_CASE("a wait without a bound is named with its cause") {
  TwoCores cores(false);
  const TaskIndex a = cores.task("a", cores.one, 1, 100, 0), c = cores.task("c", cores.two, 0, 100, 0),
                  busy = cores.task("busy", cores.two, 2, 10, 10);
  cores.section(a, 1);
  cores.section(c, 1);
  const auto bounds = bounds_of(cores.maker);
  CHECK(bounds[busy].worst == us(10));
  CHECK(bounds[a].reason ==
        "it waits for the semaphore shared, and nothing bounds how long c holds it, since tasks of its core may delay "
        "it without limit");
}

namespace {

std::uint64_t steps_of_bounds(SystemMaker& maker) {
  const System system = maker.build();
  BoundOptions options;
  std::uint64_t taken = 0;
  options.taken = {&taken};
  system_bounds(system, default_devices(system), {}, options);
  return taken;
}

}  // namespace

TEST_CASE("the work for sections within each other grows with their number") {
  const auto steps_for = [](SemaphoreIndex depth) {
    TwoCores cores(false);
    for (SemaphoreIndex inner = 1; inner < depth; ++inner) {
      cores.maker.system().semaphores.push_back(cores.maker.system().semaphores.front());
      cores.maker.system().semaphores.back().name = "inner" + std::to_string(inner);
    }
    for (const UnitIndex core : {cores.one, cores.two}) {
      const TaskIndex task = cores.task("on" + std::to_string(core), core, 1, 1'000'000'000, 0);
      for (SemaphoreIndex at = 0; at < depth; ++at)
        cores.maker.add(task, UseSemaphore{at, UseSemaphore::Operation::request, false});
      cores.maker.compute(task, 1);
      for (SemaphoreIndex at = depth; at-- > 0;)
        cores.maker.add(task, UseSemaphore{at, UseSemaphore::Operation::release, false});
    }
    return steps_of_bounds(cores.maker);
  };
  CHECK(steps_for(20) < 3 * steps_for(10));
}

TEST_CASE("a search is told of the work for each pair of users of a semaphore") {
  const auto steps_for = [](int users) {
    TwoCores cores(false);
    for (int user = 0; user < users; ++user) {
      const std::string name = "user" + std::to_string(user);
      cores.section(cores.task(name, cores.maker.core(name + "'s core"), 1, 1000, 0), 1);
    }
    return steps_of_bounds(cores.maker);
  };
  CHECK(steps_for(40) > 3 * steps_for(20));
}

TEST_CASE("a server has a core with a task that waits for a GPU") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 5, maker.periodic(100)),
                  device = maker.task("device", gpu, 0, request),
                  inside = maker.task("inside", core, 1, maker.periodic(100));
  maker.kernel(device, 4);
  maker.offload(host, device, request, 1, 1, false);
  maker.compute(inside, 2);
  Scheduler server;
  server.name = "server";
  server.units = {core};
  server.parent = core;
  server.share = {2, us(2), us(10)};
  server.kind = SchedulingAlgorithm::deferrable_server;
  maker.system().platform.schedulers.push_back(server);
  maker[inside].scheduler = static_cast<SchedulerIndex>(maker.system().platform.schedulers.size() - 1);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[host].worst == us(1 + 4 + 1));
  // The host delays the budget of a period by 2 us.
  CHECK(bounds[inside].worst == us((10 - 2) + 2 + 2));
}

}  // namespace bounds_semaphore_waits_test
