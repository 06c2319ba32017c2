// SPDX-License-Identifier: Apache-2.0
// Bounds of whole systems by the schedulers of their cores, calculated by hand. random_systems_test.cpp tests them with
// random systems.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/quantity.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/cpu/fixed_priority.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "tests/support/checked_bounds.hpp"
#include "tests/support/system_maker.hpp"

namespace bounds_core_bounds_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

Duration part(const Bound& bound, ContributionKind kind, std::optional<TaskIndex> by = std::nullopt) {
  for (const Contribution& share : bound.parts)
    if (share.kind == kind && share.by == by) return share.time;
  return {};
}

template <typename Occurrence>
StimulusIndex stimulus(SystemMaker& maker, const std::string& name, Occurrence occurrence) {
  Stimulus stimulus;
  stimulus.name = name;
  stimulus.occurrence = occurrence;
  maker.system().stimuli.push_back(stimulus);
  return static_cast<StimulusIndex>(maker.system().stimuli.size() - 1);
}

TaskIndex task(SystemMaker& maker, const std::string& name, UnitIndex core, std::int64_t priority, std::int64_t period,
               std::int64_t ticks) {
  const TaskIndex index = maker.task(name, core, priority, maker.periodic(period));
  if (ticks > 0) maker.compute(index, ticks);
  return index;
}

SemaphoreIndex semaphore(SystemMaker& maker, const std::string& name, bool ceiling) {
  Semaphore semaphore;
  semaphore.name = name;
  semaphore.priority_ceiling = ceiling;
  maker.system().semaphores.push_back(semaphore);
  return static_cast<SemaphoreIndex>(maker.system().semaphores.size() - 1);
}
void request(SystemMaker& maker, TaskIndex task, SemaphoreIndex semaphore) {
  maker.add(task, UseSemaphore{semaphore, UseSemaphore::Operation::request, false});
}
void release(SystemMaker& maker, TaskIndex task, SemaphoreIndex semaphore) {
  maker.add(task, UseSemaphore{semaphore, UseSemaphore::Operation::release, false});
}

/// A runnable that is called and computes.
void runnable(SystemMaker& maker, TaskIndex task, std::int64_t ticks) {
  System& system = maker.system();
  const auto index = static_cast<RunnableIndex>(system.runnables.size());
  system.runnables.push_back({fmt::format("runnable{}", index), {}});
  maker.add(task, Call{});
  maker.compute(task, ticks);
  const auto& body = system.tasks[task].body;
  for (std::size_t i = body.size() - 2; i < body.size(); ++i) system.graph[body[i]].runnable = index;
}

Scheduler& scheduler_of(SystemMaker& maker, UnitIndex core) { return maker.system().platform.schedulers[core]; }

}  // namespace

TEST_CASE("jobs with release jitter or bursts are counted at their maximum rate") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), other = maker.core("other");
  Periodic late{us(20), us(0)};
  late.jitter.upper = us(5).picoseconds();
  late.jitter.average = late.jitter.upper / 2;
  const TaskIndex high = maker.task("high", core, 2, stimulus(maker, "late", late)),
                  low = task(maker, "low", core, 1, 100, 12);
  maker.compute(high, 4);
  // Up to 3 within 100, at least 10 apart.
  const TaskIndex burst =
                      maker.task("burst", other, 2, stimulus(maker, "burst", Burst{us(100), us(0), us(30), us(10), 3})),
                  below = task(maker, "below", other, 1, 100, 20);
  maker.compute(burst, 6);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[high].worst == us(4));
  CHECK(bounds[low].worst == us(12 + 2 * 4));  // 16 + 5 > 20: twice
  CHECK(bounds[burst].worst == us(6));
  CHECK(bounds[below].worst == us(20 + 3 * 6));
  CHECK(part(bounds[below], ContributionKind::preemption, burst) == us(18));
}

TEST_CASE("a job may wait for its predecessor and the bound exceeds the period") {
  // Lehoczky's set: 26 of 70, 62 of 100. Without jitter the core is plain and such tasks have no bound.
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  Periodic late{us(70), us(0)};
  late.jitter.upper = late.jitter.average = 1;
  const TaskIndex high = maker.task("high", core, 2, stimulus(maker, "late", late)),
                  low = task(maker, "low", core, 1, 100, 62);
  maker.compute(high, 26);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[low].worst >= us(118));
  CHECK(bounds[high].worst == us(26));
}

TEST_CASE("a task without a rate limit has no bound and the stimulus is named") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex any = maker.task("any", core, 2, stimulus(maker, "any time", Sporadic{})),
                  low = task(maker, "low", core, 1, 100, 12), high = task(maker, "high", core, 3, 100, 1);
  maker.compute(any, 1);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[any].reason == "the stimulus any time has no minimum inter-arrival time");
  CHECK_THAT(bounds[low].reason, Catch::Contains("any, which may delay it on core core, has no bound"));
  CHECK(bounds[high].worst == us(1));
}

TEST_CASE("an event stimulus releases whenever its event is set") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const EventIndex event = maker.event("event");
  const TaskIndex setter = task(maker, "setter", one, 1, 20, 3),
                  driven = maker.task("driven", two, 2, stimulus(maker, "driven", EventDriven{{event}})),
                  low = task(maker, "low", two, 1, 100, 12);
  maker.add(setter, SetEvents{{event}, std::nullopt});
  maker.compute(setter, 1);
  maker.compute(driven, 5);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[driven].worst == us(5));
  CHECK(bounds[low].worst == us(12 + 5));
}

TEST_CASE("a triggered task inherits a jitter beyond the period once") {
  // Two jobs of source may arrive together: its bound is 8. Alone on its core it ends with its own jitter of 16, so two
  // jobs of triggered meet and not three.
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex request = maker.inter_process();
  Periodic late{us(10), us(0)};
  late.jitter.upper = us(16).picoseconds();
  const TaskIndex source = maker.task("source", one, 1, stimulus(maker, "late", late)),
                  triggered = maker.task("triggered", two, 3, request), below = task(maker, "below", two, 1, 100, 2);
  maker.compute(source, 4);
  maker.trigger(source, request);
  maker.compute(triggered, 1);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[source].worst == us(8));
  CHECK(bounds[triggered].worst == us(1 + 1));
  CHECK(bounds[below].worst == us(2 + 2));
}

TEST_CASE("a triggered task inherits the release jitter of the triggering task") {
  // source is released at 15 and 20, and triggered directly after it, 6 long: the second job waits 1. below (T 100) is
  // affected by both.
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex request = maker.inter_process(), further = maker.inter_process();
  Periodic late{us(20), us(0)};
  late.jitter.upper = us(15).picoseconds();
  const TaskIndex source = maker.task("source", one, 1, stimulus(maker, "late", late)),
                  triggered = maker.task("triggered", two, 3, request), last = maker.task("last", two, 2, further),
                  below = task(maker, "below", two, 1, 100, 2);
  maker.compute(source, 1);
  maker.trigger(source, request);
  maker.compute(triggered, 6);
  maker.trigger(triggered, further);
  maker.compute(last, 1);
  for (const TaskIndex each : {source, triggered, last, below}) maker[each].deadline = us(6);
  const System system = maker.build();
  const Results results = analyzed(system, us(100));
  CHECK(results.tasks[triggered].response.max == us(7));
  CHECK(results.tasks[triggered].bound.worst == us(7));
  CHECK(results.tasks[triggered].guaranteed == false);
  for (TaskIndex each = 0; each < system.tasks.size(); ++each) {
    INFO(system.tasks[each].name);
    REQUIRE(results.tasks[each].bound.worst);
    CHECK(results.tasks[each].response.max <= *results.tasks[each].bound.worst);
  }
  CHECK(results.tasks[below].bound.worst == us(2 + 2 * 6 + 2 * 1));
}

TEST_CASE("a non-preemptive task blocks higher-priority tasks and is not preempted once started") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = task(maker, "high", core, 3, 20, 4), middle = task(maker, "middle", core, 2, 50, 6),
                  low = task(maker, "low", core, 1, 100, 9);
  maker[middle].preemption = maker[low].preemption = Preemption::non_preemptive;
  const auto bounds = bounds_of(maker);
  CHECK(bounds[high].worst == us(4 + 9));
  CHECK(part(bounds[high], ContributionKind::blocking, low) == us(9));
  CHECK(bounds[middle].worst == us(9 + 4 + 6));
  CHECK(bounds[low].worst == us(4 + 6 + 9));  // preempted it would have to wait for the second of high, 20 later
}

TEST_CASE("interrupts preempt all tasks except in uninterruptible sections") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex isr = task(maker, "isr", core, 0, 40, 2), high = task(maker, "high", core, 9, 50, 4),
                  low = task(maker, "low", core, 1, 100, 3);
  maker[isr].kind = ProcessKind::isr_category2;
  SECTION("of non-preemptive tasks") {
    maker[low].preemption = Preemption::non_preemptive;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[isr].worst == us(2));
    CHECK(bounds[high].worst == us(3 + 2 + 4));
    CHECK(bounds[low].worst == us(3 + 2 + 4));
  }
  SECTION("of uninterruptible sections") {
    maker.add(low, Uninterruptible{true});
    maker.compute(low, 5);
    maker.add(low, Uninterruptible{false});
    maker.compute(low, 1);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[isr].worst == us(2 + 5));
    CHECK(bounds[high].worst == us(5 + 2 + 4));
    CHECK(part(bounds[isr], ContributionKind::blocking, low) == us(5));
  }
}

TEST_CASE("cooperative tasks wait for the whole uninterruptible section whatever runnables it contains") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = maker.task("high", core, 3, maker.periodic(100)),
                  low = maker.task("low", core, 1, maker.periodic(200));
  runnable(maker, high, 4);
  runnable(maker, low, 7);
  maker.add(low, Uninterruptible{true});
  for (const std::int64_t ticks : {11, 3}) runnable(maker, low, ticks);
  maker.add(low, Uninterruptible{false});
  runnable(maker, low, 2);
  maker[high].preemption = maker[low].preemption = Preemption::cooperative;
  // The section begins before the next point between runnables: 7 + 11 + 3.
  CHECK(bounds_of(maker)[high].worst == us(4 + 21));
}

TEST_CASE("cooperative tasks wait for runnables or schedule points of each other") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = maker.task("high", core, 3, maker.periodic(100)), free = task(maker, "free", core, 2, 100, 5),
                  low = maker.task("low", core, 1, maker.periodic(200));
  runnable(maker, high, 4);
  for (const std::int64_t ticks : {7, 11, 3}) runnable(maker, low, ticks);
  maker[high].preemption = maker[low].preemption = Preemption::cooperative;
  SECTION("runnables") {
    const auto bounds = bounds_of(maker);
    CHECK(bounds[high].worst == us(4 + 11));
    CHECK(bounds[free].worst == us(5 + 4 + 11));  // low runs in the place of high
    CHECK(bounds[low].worst == us(21 + 4 + 5));
  }
  SECTION("schedule points") {
    maker.compute(low, 20);
    maker.add(low, SchedulePoint{});
    maker.compute(low, 1);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[high].worst == us(4 + 23));  // the last runnable and what follows it
  }
}

TEST_CASE("a runnable that another one calls last belongs to the section of that one") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = maker.task("high", core, 2, maker.periodic(100)),
                  low = maker.task("low", core, 1, maker.periodic(200));
  maker.compute(high, 4);
  runnable(maker, low, 7);
  runnable(maker, low, 11);
  for (const std::size_t node : {2U, 3U}) maker.system().graph[maker[low].body[node]].depth = 2;
  maker[high].preemption = maker[low].preemption = Preemption::cooperative;
  CHECK(bounds_of(maker)[high].worst == us(4 + 7 + 11));
}

TEST_CASE("a critical section under a priority ceiling blocks tasks up to the ceiling") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex top = task(maker, "top", core, 4, 100, 1), high = task(maker, "high", core, 3, 100, 2),
                  middle = task(maker, "middle", core, 2, 100, 3), low = task(maker, "low", core, 1, 100, 4);
  const SemaphoreIndex resource = semaphore(maker, "resource", true);
  for (const auto& [user, ticks] : std::vector<std::pair<TaskIndex, std::int64_t>>{{high, 1}, {low, 6}}) {
    request(maker, user, resource);
    maker.compute(user, ticks);
    release(maker, user, resource);
    maker.compute(user, 1);
  }
  const auto bounds = bounds_of(maker);
  CHECK(bounds[top].worst == us(1));
  CHECK(bounds[high].worst == us(6 + 1 + 4));
  CHECK(bounds[middle].worst == us(6 + 1 + 4 + 3));
  CHECK(bounds[low].worst == us(1 + 4 + 3 + 11));
  CHECK(part(bounds[middle], ContributionKind::blocking, low) == us(6));
}

TEST_CASE("tasks between users of a semaphore without a ceiling count as equally urgent") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex top = task(maker, "top", core, 5, 100, 1), high = task(maker, "high", core, 4, 100, 0),
                  middle = task(maker, "middle", core, 3, 100, 3), low = task(maker, "low", core, 2, 100, 4),
                  last = task(maker, "last", core, 1, 100, 2);
  const SemaphoreIndex resource = semaphore(maker, "resource", GENERATE(true, false));
  const bool ceiling = maker.system().semaphores[resource].priority_ceiling;
  request(maker, high, resource);
  release(maker, high, resource);
  request(maker, low, resource);
  maker.compute(low, 6);
  release(maker, low, resource);
  SECTION("under fixed priorities") {
    const auto bounds = bounds_of(maker);
    CHECK(bounds[top].worst == us(1));
    CHECK(bounds[high].worst == us(ceiling ? 1 + 6 : 1 + 3 + 6));  // one section of low
    CHECK(bounds[middle].worst == us(ceiling ? 1 + 6 + 3 : 1 + 3));  // it never waits
    CHECK(bounds[low].worst == us(1 + 3 + 10));
    CHECK(bounds[last].worst == us(1 + 3 + 10 + 2));
  }
  SECTION("under deadlines a ceiling makes no difference") {
    scheduler_of(maker, core).kind = SchedulingAlgorithm::earliest_deadline_first;
    for (const Bound& bound : bounds_of(maker)) CHECK(bound.worst == us(1 + 3 + 10 + 2));
  }
  SECTION("a task that is released when the semaphore is granted at the end of a job runs first") {
    maker.system().stimuli.front().occurrence = Periodic{us(10), us(0)};
    const auto bounds = bounds_of(maker);
    CHECK(bounds[top].worst == us(1));
    CHECK(bounds[high].worst == us(ceiling ? 1 + 6 : 1 + 3 + 6 + 1));
  }
}

TEST_CASE("a semaphore without a ceiling delays no task of another core") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const TaskIndex high = task(maker, "high", one, 5, 100, 0), middle = task(maker, "middle", one, 3, 100, 3),
                  low = task(maker, "low", one, 1, 100, 0), other = task(maker, "other", two, 4, 100, 2),
                  last = task(maker, "last", two, 2, 100, 7);
  const SemaphoreIndex resource = semaphore(maker, "resource", false);
  for (const TaskIndex user : {high, low}) {
    request(maker, user, resource);
    maker.compute(user, 1);
    release(maker, user, resource);
  }
  const bool shared = GENERATE(false, true);
  if (shared) {  // the order of ranks on one core may matter to the other
    const SemaphoreIndex both = semaphore(maker, "both", true);
    for (const TaskIndex user : {high, last}) {
      request(maker, user, both);
      release(maker, user, both);
    }
  }
  const auto bounds = bounds_of(maker);
  CHECK(bounds[high].worst >= us(1 + 3 + 1));
  if (shared)
    CHECK(bounds[middle].worst >= us(1 + 3 + 1));
  else
    CHECK(bounds[middle].worst == us(1 + 3));  // high waits, but middle does not
  CHECK(bounds[other].worst == us(shared ? 2 + 7 : 2));
  CHECK(bounds[last].worst >= us(2 + 7));
}

TEST_CASE("semaphores with unbounded waiting are named") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const TaskIndex a = task(maker, "a", one, 2, 100, 1), b = task(maker, "b", one, 1, 100, 1),
                  c = task(maker, "c", two, 1, 100, 1), above = task(maker, "above", one, 3, 100, 1);
  const auto use = [&](TaskIndex user, SemaphoreIndex index) {
    request(maker, user, index);
    maker.compute(user, 1);
    release(maker, user, index);
  };
  SECTION("polled for on the core of the holder") {
    const SemaphoreIndex plain = semaphore(maker, "plain", false);
    use(b, plain);
    maker.add(a, UseSemaphore{plain, UseSemaphore::Operation::request, true});
    release(maker, a, plain);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].reason ==
          "it uses the semaphore plain, which a polls for on the core of its holder: if it preempts b, neither "
          "continues");
    CHECK(bounds[above].worst == us(1));
    CHECK(bounds[c].worst == us(1));
  }
  SECTION("requested in a cycle") {
    const SemaphoreIndex first = semaphore(maker, "first", false), second = semaphore(maker, "second", false),
                         around = semaphore(maker, "around", false);
    request(maker, a, first);
    use(a, second);
    release(maker, a, first);
    request(maker, b, around);
    request(maker, b, second);
    use(b, first);
    release(maker, b, second);
    release(maker, b, around);
    use(above, around);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].reason ==
          "it uses the semaphore first, which may deadlock: its holders wait for other semaphores in a cycle");
    CHECK(bounds[b].reason == bounds[a].reason);
    CHECK(bounds[above].reason ==
          "it uses the semaphore around, which b holds while it requests second, and no bound exists for that");
    CHECK(bounds[c].worst == us(1));
  }
  SECTION("requested again by the holder") {
    const SemaphoreIndex two_of = semaphore(maker, "two", false);
    maker.system().semaphores[two_of].free = maker.system().semaphores[two_of].capacity = 2;
    for (const TaskIndex user : {a, b}) {
      request(maker, user, two_of);
      use(user, two_of);
      release(maker, user, two_of);
    }
    CHECK(bounds_of(maker)[b].reason == "it uses the semaphore two, which a requests again while it holds it");
  }
  SECTION("but not between cores") {
    const SemaphoreIndex shared = semaphore(maker, "shared", true);
    use(a, shared);
    use(c, shared);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].worst == us(1 + 2 + 1));
    CHECK(bounds[c].worst == us(2 + 2));
    CHECK(bounds[b].worst == us(1 + 1 + 2));
  }
  SECTION("with enough for all") {
    const SemaphoreIndex two_of = semaphore(maker, "two", false);
    maker.system().semaphores[two_of].free = maker.system().semaphores[two_of].capacity = 2;
    use(a, two_of);
    use(c, two_of);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].worst == us(1 + 2));
    CHECK(bounds[c].worst == us(2));
  }
  SECTION("never given back") {
    const SemaphoreIndex kept = semaphore(maker, "kept", true);
    request(maker, a, kept);
    use(b, kept);
    CHECK(bounds_of(maker)[b].reason == "it uses the semaphore kept, which a does not release");
  }
}

TEST_CASE("earliest deadline first bounds hold for a system") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  scheduler_of(maker, core).kind = SchedulingAlgorithm::earliest_deadline_first;
  const TaskIndex a = task(maker, "a", core, 1, 4, 2), b = task(maker, "b", core, 9, 6, 3);
  SECTION("goes by deadlines, or periods, and not by priorities") {
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].worst == us(4));
    CHECK(bounds[b].worst == us(6));
  }
  SECTION("counts a section of a task with a later deadline") {
    maker[b].preemption = Preemption::non_preemptive;
    const TaskIndex c = task(maker, "c", core, 1, 100, 1);
    CHECK_FALSE(bounds_of(maker)[a].worst);  // a section before a fully used core
    std::get<Compute>(maker.system().graph[maker[a].body.front()].activity).ticks.otherwise = Cycles{1, 1, 1};
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].worst == us(3 + 1));
    CHECK(part(bounds[a], ContributionKind::blocking, b) == us(3));
    CHECK(bounds[b].worst == us(1 + 3));  // c is preemptive
    CHECK(bounds[c].worst == us(1 + 3 + 2 * 1));
  }
  SECTION("lets tasks without a deadline run last") {
    const StimulusIndex start = maker.inter_process();
    const TaskIndex background = maker.task("background", core, 9, start), c = task(maker, "c", core, 1, 100, 1);
    std::get<Compute>(maker.system().graph[maker[a].body.front()].activity).ticks.otherwise = Cycles{1, 1, 1};
    maker.compute(background, 2);
    maker.trigger(c, start);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].worst == us(2));
    CHECK(bounds[background].reason.empty());
    CHECK(bounds[background].worst >= us(2 + 3 + 1 + 1));
  }
  SECTION("counts the time for which a task waits for a GPU as execution") {
    const UnitIndex gpu = maker.gpu("GPU");
    const StimulusIndex start = maker.inter_process();
    const TaskIndex host = maker.task("host", core, 1, maker.periodic(1000)),
                    device = maker.task("device", gpu, 0, start);
    maker.offload(host, device, start, 1, 1, false);
    maker.kernel(device, 5);
    // The kernel before the event.
    auto& body = maker[device].body;
    std::swap(body[0], body[1]);
    std::get<Compute>(maker.system().graph[maker[a].body.front()].activity).ticks.otherwise = Cycles{1, 1, 1};
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].worst == us(2));
    CHECK(bounds[device].worst == us(5));
    CHECK(bounds[host].reason.empty());
    CHECK(part(bounds[host], ContributionKind::kernel) == us(5));
  }
  SECTION("leaves interrupts their priorities") {
    maker[b].kind = ProcessKind::isr_category1;
    maker[b].scheduler = maker.core("controller");
    const auto bounds = bounds_of(maker);
    CHECK(bounds[b].worst == us(3));
    CHECK(bounds[a].reason.empty());
    CHECK(bounds[a].worst == us(6));  // of the second job, released at 4: both of a and two interrupts end at 10
  }
}

TEST_CASE("bounds beyond the period hold for jobs that wait for earlier ones") {
  // Lehoczky, "Fixed priority scheduling of periodic task sets with arbitrary deadlines", RTSS 1990: the responses of the
  // first busy period are 114, 102, 116, 104, 118, 106 and 94.
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = task(maker, "high", core, 2, 70, 26);
  SECTION("on a core without offloads") {
    const TaskIndex low = task(maker, "low", core, 1, 100, 62);
    CHECK(bounds_of(maker)[low].worst == us(118));
  }
  for (const bool polls : {true, false})
    SECTION(polls ? "with a task that polls for a GPU" : "with a task that suspends itself") {
      const UnitIndex gpu = maker.gpu("GPU");
      const StimulusIndex start = maker.inter_process();
      const TaskIndex low = maker.task("low", core, 1, maker.periodic(100)),
                      device = maker.task("device", gpu, 0, start);
      const EventIndex done = maker.event("done");
      maker.compute(low, 30);
      maker.trigger(low, start);
      maker.wait(low, done, polls);
      maker.clear(low, done);
      maker.compute(low, 20);
      maker.kernel(device, 12);
      maker.set(device, done, low);
      const auto bounds = bounds_of(maker);
      CHECK(bounds[low].worst == us(118));
      CHECK(bounds[device].worst == us(12));
      CHECK(part(bounds[low], ContributionKind::backlog, low) == us(0));
      CHECK(part(bounds[low], ContributionKind::preemption, high) == us(118 - 62));
      CHECK(bounds[high].worst == us(26));
    }
}

TEST_CASE("a job that triggers a task at its end waits for tasks that are released when that one ends") {
  const auto bound_of = [](bool sets_event, std::int64_t after) {
    SystemMaker maker;
    const UnitIndex core = maker.core("core");
    const StimulusIndex request = maker.inter_process();
    task(maker, "above", core, 3, 10, 4);
    const TaskIndex caller = task(maker, "caller", core, 1, 100, 4 - after),
                    called = maker.task("called", core, 2, request);
    maker.compute(called, 2);
    maker.trigger(caller, request);
    if (sets_event) maker.set(caller, maker.event("event"), called);
    if (after > 0) maker.compute(caller, after);
    return bounds_of(maker)[caller].worst;
  };
  for (const bool sets_event : {false, true}) {
    CHECK(bound_of(sets_event, 0) == us(4 + 4 + 2 + 4));  // "above" is released again at 10
    CHECK(bound_of(sets_event, 1) == us(4 + 4 + 2));
  }
}

TEST_CASE("a job that ends with a wait for a GPU waits for tasks that are released at its end") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const StimulusIndex start = maker.inter_process();
  std::vector<TaskIndex> others;
  const auto add_other = [&] { others.push_back(task(maker, fmt::format("other{}", others.size()), core, 9, 60, 8)); };
  const auto check = [&] {
    const TaskIndex host = maker.task("host", core, 1, maker.periodic(120)),
                    device = maker.task("device", gpu, 0, start);
    const EventIndex done = maker.event("done");
    maker.compute(host, 15);
    maker.trigger(host, start);
    maker.wait(host, done, false);
    maker.clear(host, done);
    maker.kernel(device, 37);
    maker.set(device, done, host);
    for (const TaskIndex other : others) maker[other].units = maker[host].units = maker[others.front()].units;
    // The event is set at 60, when the others are released again.
    const auto bounds = bounds_of(maker);
    INFO(bounds[host].reason << format_duration(bounds[host].worst.value_or(Duration{})));
    CHECK(bounds[host].worst == us(8 + 15 + 37 + 8));
    CHECK(analyzed(maker.build(), us(600)).tasks[host].response.max == us(8 + 15 + 37 + 8));
  };
  add_other();
  SECTION("by priorities") { check(); }
  SECTION("by deadlines") {
    scheduler_of(maker, core).kind = SchedulingAlgorithm::earliest_deadline_first;
    SECTION("of a task") { check(); }
    SECTION("after an interrupt") {
      maker[others.front()].kind = ProcessKind::isr_category2;
      check();
    }
  }
  SECTION("on two cores") {
    const UnitIndex second = maker.core("second");
    maker.system().platform.units[second].definition = maker.system().platform.units[core].definition;
    maker[others.front()].units = {core, second};
    add_other();
    check();
  }
}

TEST_CASE("a task that waits for a GPU can have several activation sources") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const StimulusIndex start = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(100)), device = maker.task("device", gpu, 0, start);
  maker.system().stimuli[maker.periodic(100)].activates.push_back(host);
  const EventIndex done = maker.event("done");
  maker.compute(host, 5);
  maker.trigger(host, start);
  maker.wait(host, done, false);
  maker.clear(host, done);
  maker.kernel(device, 20);
  maker.set(device, done, host);
  const Results results = analyzed(maker.build(), us(100));
  CHECK(results.tasks[host].response.max == us(50));
  CHECK(results.tasks[host].bound.worst == us(50));
  CHECK(results.tasks[device].bound.worst == us(20));
}

TEST_CASE("rate and deadline monotonic ranks follow periods and deadlines") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex rare = task(maker, "rare", core, 9, 100, 10), often = task(maker, "often", core, 1, 50, 5);
  maker[rare].deadline = us(20);
  SECTION("rate") {
    scheduler_of(maker, core).kind = SchedulingAlgorithm::rate_monotonic;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[often].worst == us(5));
    CHECK(bounds[rare].worst == us(15));
  }
  SECTION("deadline") {
    scheduler_of(maker, core).kind = SchedulingAlgorithm::deadline_monotonic;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[often].worst == us(15));
    CHECK(bounds[rare].worst == us(10));
  }
}

TEST_CASE("tasks that migrate between cores have bounds") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  auto& platform = maker.system().platform;
  platform.units[two].definition = platform.units[one].definition;
  const TaskIndex a = task(maker, "a", one, 3, 10, 3), b = task(maker, "b", one, 2, 12, 5),
                  c = task(maker, "c", one, 1, 20, 4);
  for (const TaskIndex index : {a, b, c}) maker[index].units = {one, two};
  SECTION("wait only while all cores are taken") {
    // The bound of Bertogna and Cirinei; they count in steps of the clock, here picoseconds.
    const auto bounds = bounds_of(maker);
    INFO(bounds[a].reason);
    CHECK(bounds[a].worst == us(3));
    CHECK(bounds[b].worst == us(5));
    CHECK(bounds[c].worst <= us(7));
    CHECK(bounds[c].worst > us(6));
  }
  SECTION("take the longest time of any core") {
    // Twice as fast: a slow core counts. Half as fast: 6, 10 and 8 us.
    platform.units[two].frequency = Frequency::millihertz(2'000'000'000);
    const auto faster = bounds_of(maker);
    CHECK(faster[a].worst == us(3));
    CHECK(faster[b].worst == us(5));
    CHECK(faster[c].worst <= us(7));
    CHECK(faster[c].worst > us(6));
    CHECK(faster[a].best == Duration::nanoseconds(1500));
    platform.units[two].frequency = Frequency::millihertz(500'000'000);
    const auto slower = bounds_of(maker);
    CHECK(slower[a].worst == us(6));
    CHECK(slower[b].worst == us(10));
    CHECK(slower[a].best == us(3));
  }
  SECTION("take the alternative that is longest when each step executes on its slowest core") {
    // On core one both take 5 us. On core two the steps of the second take 2 and 8 us, in place of 4 and 1. So 4 and 8
    // count, and at least 1 and 2.
    platform.units[two].definition = static_cast<DefinitionIndex>(platform.definitions.size());
    platform.definitions.push_back({"other", PuType::cpu});
    const TaskIndex d = task(maker, "d", one, 4, 100, 3);
    maker[d].units = {one, two};
    const auto computes = [&](std::int64_t first, std::int64_t second) {
      Ticks ticks = constant_ticks(first);
      ticks.extended.push_back({platform.units[two].definition, Cycles{second, second, second}});
      maker.add(d, Compute{ticks});
    };
    maker.add(d, Branch{{{Probability{1}, 1}, {Probability{1}, 2}}, false});
    computes(5, 5);
    computes(4, 2);
    computes(1, 8);
    CHECK(bounds_of(maker)[d].worst == us(3 + 4 + 8));
    CHECK(bounds_of(maker)[d].best == us(3 + 2 + 1));
  }
  SECTION("are blocked by sections of other tasks only if these take all cores") {
    maker[b].preemption = maker[c].preemption = Preemption::non_preemptive;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].worst > us(3));
    CHECK(bounds[a].worst <= us(3 + 5));
    CHECK(part(bounds[a], ContributionKind::blocking, b) > us(0));
  }
  SECTION("wait only for earlier deadlines, unless one of them has sections") {
    scheduler_of(maker, one).kind = SchedulingAlgorithm::earliest_deadline_first;
    // Only jobs of b may have deadlines before that of a: the deadlines of c are 20 us after releases, and it ends sooner.
    CHECK(bounds_of(maker)[a].worst == us(3));
    maker[c].preemption = Preemption::non_preemptive;
    const auto bounds = bounds_of(maker);
    for (const TaskIndex index : {a, b, c}) CHECK(bounds[index].worst > us(4));
  }
}

TEST_CASE("jobs of a migrating task run one after the other for any number of activations") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  auto& platform = maker.system().platform;
  platform.units[two].definition = platform.units[one].definition;
  const TaskIndex twice = task(maker, "twice", one, 1, 100, 10);
  maker[twice].units = {one, two};
  const auto also_every = [&](std::int64_t period) {
    maker.system().stimuli[maker.periodic(period)].activates.push_back(twice);
  };
  SECTION("so that one waits for the other") {
    also_every(150);
    const Results results = analyzed(maker.build(), us(300));
    CHECK(results.tasks[twice].response.max == us(20));
    CHECK(results.tasks[twice].bound.worst == us(20));
    CHECK(part(results.tasks[twice].bound, ContributionKind::backlog, twice) == us(10));
  }
  SECTION("and where they come too often, that is why there is no bound") {
    also_every(10);
    CHECK_THAT(bounds_of(maker)[twice].reason, Catch::Contains("more than 64 of its jobs may be pending"));
  }
}

TEST_CASE("the reason names the task that polls for an overloaded GPU") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two"), other = maker.core("other"), gpu = maker.gpu("GPU");
  auto& platform = maker.system().platform;
  platform.units[two].definition = platform.units[one].definition;
  platform.schedulers[one].units = {one, two};
  const auto offloading = [&](const std::string& name, UnitIndex core, std::int64_t priority) {
    const StimulusIndex start = maker.inter_process();
    const TaskIndex host = maker.task(name, core, priority, maker.periodic(100)),
                    device = maker.task(name + "_kernel", gpu, 0, start);
    maker.kernel(device, 60);
    maker[device].time_slice = us(20);
    maker.offload(host, device, start, 1, 1, true);
    return host;
  };
  const TaskIndex poller = offloading("poller", one, 2);
  offloading("rival", other, 1);
  maker[poller].units = {one, two};
  const TaskIndex same = task(maker, "same", one, 2, 100, 5), above = task(maker, "above", one, 3, 100, 5);
  maker[same].units = maker[above].units = {one, two};
  const auto bounds = bounds_of(maker);
  CHECK(bounds[above].worst == us(5));
  CHECK(bounds[poller].reason ==
        "a job may wait for the GPU for 120 us, but its period is 100 us; the execution engine is overloaded: "
        "utilization 120.00 %");
  CHECK(bounds[same].reason ==
        "poller polls on core one, two with the same or a higher priority and has no bound: " + bounds[poller].reason);
}

TEST_CASE("a task that waits for a GPU can be blocked again after each wait") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const StimulusIndex start = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 2, maker.periodic(1000)),
                  device = maker.task("device", gpu, 0, start), low = task(maker, "low", core, 1, 500, 6);
  maker.kernel(device, 30);
  maker.offload(host, device, start, 5, 7, false);
  SECTION("by what is not preemptive") {
    maker[low].preemption = Preemption::non_preemptive;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[host].worst == us(5 + 30 + 7 + 2 * 6));
    CHECK(part(bounds[host], ContributionKind::blocking, low) == us(12));
    CHECK(bounds[device].worst == us(30));
  }
  SECTION("and not by what is") { CHECK(bounds_of(maker)[host].worst == us(5 + 30 + 7)); }
  SECTION("or once, if it polls") {
    for (const NodeIndex node : maker[host].body)
      if (auto* wait = std::get_if<WaitEvents>(&maker.system().graph[node].activity)) wait->active = true;
    maker[low].preemption = Preemption::non_preemptive;
    CHECK(bounds_of(maker)[host].worst == us(5 + 30 + 7 + 6));
  }
}

TEST_CASE("the most expensive alternative of a branch counts and a loop has no bound") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex branching = maker.task("branching", core, 2, maker.periodic(100)),
                  low = task(maker, "low", core, 1, 100, 3);
  Branch branch;
  branch.alternatives = {{Probability{1}, 1}, {Probability{2}, 1}};
  maker.add(branching, branch);
  maker.compute(branching, 4);
  maker.compute(branching, 9);
  maker.compute(branching, 1);
  SECTION("a branch") {
    const auto bounds = bounds_of(maker);
    CHECK(bounds[branching].best == us(5));
    CHECK(bounds[branching].worst == us(10));
    CHECK(bounds[low].worst == us(13));
  }
  SECTION("a loop") {
    std::get<Branch>(maker.system().graph[maker[branching].body.front()].activity).repeats = true;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[branching].reason == "it has a loop");
    CHECK_THAT(bounds[low].reason, Catch::Contains("branching"));
  }
}

TEST_CASE("the best case of a job that may end early covers only the steps before the end") {
  SystemMaker maker;
  const TaskIndex early = maker.task("early", maker.core("core"), 1, maker.periodic(100));
  Branch branch;
  branch.alternatives = {{Probability{1}, 1}, {Probability{1}, 1}};
  maker.compute(early, 2);
  maker.add(early, branch);
  maker.add(early, Terminate{});
  maker.compute(early, 3);
  maker.compute(early, 10);
  Ticks terminating;
  terminating.otherwise = Cycles{1, 1, 1};
  maker.system().platform.schedulers.front().overhead.emplace().terminate_task = terminating;
  CHECK(bounds_of(maker)[early].best == us(2 + 1));
}

TEST_CASE("the analyses of plain cores and of cores with sections agree where both apply") {
  std::mt19937 random(3);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    SystemMaker maker;
    const UnitIndex core = maker.core("core");
    std::vector<cpu::CpuTask> tasks;
    for (int index = draw(2, 6); index > 0; --index) {
      const std::int64_t period = 10 * draw(1, 30), ticks = draw(1, static_cast<int>(period) / 4);
      cpu::CpuTask same;
      same.arrivals.period = us(period);
      same.worst = us(ticks);
      same.priority = draw(1, 5);
      tasks.push_back(same);
      task(maker, fmt::format("task{}", index), core, same.priority, period, ticks);
    }
    const auto system = bounds_of(maker);
    const auto apart = cpu::fixed_priority_bounds(tasks);
    for (std::size_t index = 0; index < tasks.size(); ++index) {
      if (!system[index].worst) continue;
      CHECK(system[index].worst == apart[index].response);
      ++compared;
    }
  }
  CHECK(compared > 600);
}

TEST_CASE("a short job under round robin waits for one turn of each other task") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  Scheduler& scheduler = maker.system().platform.schedulers[core];
  scheduler.kind = SchedulingAlgorithm::priority_based_round_robin;
  scheduler.time_slice = us(5);
  const TaskIndex brief = task(maker, "brief", core, 1, 100, 3), longer = task(maker, "longer", core, 1, 400, 100),
                  third = task(maker, "third", core, 1, 400, 100), high = task(maker, "high", core, 2, 100, 2);
  SECTION("and not for whole jobs") {
    const auto bounds = bounds_of(maker);
    CHECK(bounds[brief].worst == us(3 + 2 * 5 + 2));
    CHECK(part(bounds[brief], ContributionKind::preemption, longer) == us(5));
    // 21 turns of each other task are longer than their jobs.
    CHECK(bounds[longer].worst == us(100 + 100 + 3 * 3 + 3 * 2));
    CHECK(bounds[high].worst == us(2));
  }
  SECTION("but for a whole section") {
    maker[third].preemption = Preemption::non_preemptive;
    CHECK(bounds_of(maker)[brief].worst > us(100));
  }
  SECTION("and for whole jobs of its own other activations") {
    maker.system().stimuli[maker.periodic(400)].activates.push_back(longer);
    CHECK(bounds_of(maker)[brief].worst > us(100));
  }
}

TEST_CASE("a child scheduler that schedules by deadlines has bounds for any order of its tasks") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  auto& schedulers = maker.system().platform.schedulers;
  Scheduler child;
  child.name = "child";
  child.kind = GENERATE(SchedulingAlgorithm::earliest_deadline_first, SchedulingAlgorithm::constant_bandwidth_server);
  child.units = {core};
  child.parent = core;
  child.share = {2, us(1), us(100)};
  schedulers.push_back(child);
  const TaskIndex high = task(maker, "high", core, 3, 50, 5), a = task(maker, "a", core, 1, 100, 10),
                  b = task(maker, "b", core, 9, 100, 10), low = task(maker, "low", core, 1, 200, 20);
  maker[a].scheduler = maker[b].scheduler = static_cast<SchedulerIndex>(schedulers.size() - 1);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[high].worst == us(5));
  CHECK(bounds[a].worst == us(25));
  CHECK(bounds[b].worst == us(25));
  CHECK(bounds[low].worst == us(45));
}

TEST_CASE("equally urgent children and tasks of a scheduler have bounds for any order") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), elsewhere = maker.core("elsewhere");
  auto& schedulers = maker.system().platform.schedulers;
  const auto child = [&](SchedulerIndex parent, std::int64_t priority) {
    Scheduler made;
    made.name = "child" + std::to_string(schedulers.size());
    made.units = {core};
    made.parent = parent;
    made.share.priority = priority;
    schedulers.push_back(made);
    return static_cast<SchedulerIndex>(schedulers.size() - 1);
  };
  SECTION("a child and a task") {
    const TaskIndex a = task(maker, "a", core, 2, 100, 2), b = task(maker, "b", core, 1, 100, 3),
                    beside = task(maker, "beside", core, 5, 100, 7), low = task(maker, "low", core, 4, 100, 11);
    maker[a].scheduler = maker[b].scheduler = child(core, 5);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].worst == us(2 + 3 + 7));
    CHECK(bounds[b].worst == us(2 + 3 + 7));
    CHECK(bounds[beside].worst == us(2 + 3 + 7));
    CHECK(bounds[low].worst == us(2 + 3 + 7 + 11));
  }
  SECTION("children of a child") {
    const TaskIndex a = task(maker, "a", core, 1, 100, 2), b = task(maker, "b", core, 1, 100, 3),
                    high = task(maker, "high", core, 6, 100, 7);
    const SchedulerIndex middle = child(core, 5);
    maker[a].scheduler = child(middle, 1);
    maker[b].scheduler = child(middle, 1);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].worst == us(2 + 3 + 7));
    CHECK(bounds[b].worst == us(2 + 3 + 7));
    CHECK(bounds[high].worst == us(7));
  }
  SECTION("a child alone, or on a core of its own, keeps its order") {
    const TaskIndex a = task(maker, "a", core, 2, 100, 2), b = task(maker, "b", core, 1, 100, 3),
                    beside = task(maker, "beside", elsewhere, 5, 100, 7);
    maker[a].scheduler = maker[b].scheduler = child(core, 5);
    maker[beside].scheduler = core;
    schedulers[core].units.push_back(elsewhere);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[a].worst == us(2));
    CHECK(bounds[b].worst == us(5));
    CHECK(bounds[beside].worst == us(7));
  }
  SECTION("several outermost schedulers") {
    const TaskIndex a = task(maker, "a", core, 2, 100, 2), b = task(maker, "b", core, 9, 100, 3);
    Scheduler second = schedulers[core];
    second.name = "second";
    schedulers.push_back(second);
    maker[a].scheduler = static_cast<SchedulerIndex>(schedulers.size() - 1);
    // The priorities of their tasks decide,
    CHECK(bounds_of(maker)[b].worst == us(3));
    // unless one of them has none, or takes turns.
    for (const SchedulingAlgorithm kind :
         {SchedulingAlgorithm::rate_monotonic, SchedulingAlgorithm::priority_based_round_robin}) {
      schedulers.back().kind = kind;
      const auto bounds = bounds_of(maker);
      CHECK(bounds[a].worst == us(5));
      CHECK(bounds[b].worst == us(5));
    }
  }
}

}  // namespace bounds_core_bounds_test
