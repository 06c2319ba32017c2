// SPDX-License-Identifier: Apache-2.0
// Waits for events of tasks on CPUs, calculated by hand. random_systems_test.cpp tests them with random systems.

#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/results/coverage.hpp"
#include "tests/support/system_maker.hpp"

namespace bounds_event_waits_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

SystemBounds found_for(SystemMaker& maker) {
  const System system = maker.build();
  return system_bounds(system, default_devices(system));
}

/// A task on one core calls one on another: it computes 5, triggers, computes `beside`, waits, clears, computes 7.
struct Call {
  SystemMaker maker;
  UnitIndex one = maker.core("one"), two = maker.core("two");
  StimulusIndex request = maker.inter_process();
  EventIndex done = maker.event("done");
  TaskIndex caller = maker.task("caller", one, 2, maker.periodic(100)), called = maker.task("called", two, 1, request);

  explicit Call(int beside = 0, bool polls = false) {
    maker.compute(caller, 5);
    maker.trigger(caller, request);
    if (beside > 0) maker.compute(caller, beside);
    maker.wait(caller, done, polls);
    maker.clear(caller, done);
    maker.compute(caller, 7);
  }
  void set() { maker.set(called, done, caller); }
};

/// A task of the period 100 that waits for an event, and then computes 7.
struct Listener {
  SystemMaker maker;
  UnitIndex one = maker.core("one"), two = maker.core("two");
  EventIndex sent = maker.event("sent");
  TaskIndex listener = maker.task("listener", one, 1, maker.periodic(100));

  Listener() {
    maker.wait(listener, sent, false);
    maker.clear(listener, sent);
    maker.compute(listener, 7);
  }
  TaskIndex sender(StimulusIndex stimulus, int computes) {
    const TaskIndex task = maker.task("sender", two, 1, stimulus);
    if (computes > 0) maker.compute(task, computes);
    maker.set(task, sent, listener);
    return task;
  }
};

}  // namespace

TEST_CASE("a call takes as long as the response of the called task") {
  Call call;
  const TaskIndex above = call.maker.task("above", call.two, 2, call.maker.periodic(50));
  call.maker.compute(above, 3);
  call.maker.compute(call.called, 20);
  call.set();
  const Results results = analyzed(call.maker.build(), us(100));
  const Bound& bound = results.tasks[call.caller].bound;
  CHECK(results.tasks[call.called].bound.worst == us(20 + 3));
  CHECK(bound.worst == us(5 + 23 + 7));
  CHECK(bound.best == us(5 + 7));
  REQUIRE(bound.parts.size() == 2);
  CHECK(bound.parts[1].kind == ContributionKind::event);
  CHECK(bound.parts[1].by == call.called);
  CHECK(bound.parts[1].time == us(23));
  CHECK(results.tasks[call.caller].response.max <= us(5 + 23 + 7));
}

TEST_CASE("neither what follows the event nor what the caller executes meanwhile counts in a call") {
  Call call(4);
  call.maker.compute(call.called, 20);
  call.set();
  call.maker.compute(call.called, 10);
  const Results results = analyzed(call.maker.build(), us(100));
  CHECK(results.tasks[call.called].bound.worst == us(30));
  CHECK(results.tasks[call.caller].bound.worst == us(5 + 4 + (30 - 10 - 4) + 7));
  CHECK(results.tasks[call.caller].response.max == us(32));
}

TEST_CASE("a caller that waits for two tasks waits for the later one") {
  SystemMaker maker;
  const TaskIndex both = maker.task("both", maker.core("four"), 1, maker.periodic(100));
  const StimulusIndex requests[] = {maker.inter_process(), maker.inter_process()};
  std::vector<EventIndex> events;
  for (const int time : {11, 13}) {
    const TaskIndex task = maker.task("task", maker.core("core"), 1, requests[events.size()]);
    maker.compute(task, time);
    events.push_back(maker.event("event"));
    maker.set(task, events.back(), both);
    maker.trigger(both, requests[events.size() - 1]);
  }
  maker.add(both, WaitEvents{events, true, false});
  maker.add(both, ClearEvents{events});
  maker.compute(both, 1);
  CHECK(found_for(maker).tasks[both].worst == us(13 + 1));
}

TEST_CASE("calls of called tasks add up") {
  Call call;
  const StimulusIndex request = call.maker.inter_process();
  const EventIndex inner = call.maker.event("inner");
  const TaskIndex last = call.maker.task("last", call.maker.core("three"), 1, request);
  call.maker.compute(last, 11);
  call.maker.set(last, inner, call.called);
  call.maker.compute(call.called, 2);
  call.maker.trigger(call.called, request);
  call.maker.wait(call.called, inner, false);
  call.maker.clear(call.called, inner);
  call.maker.compute(call.called, 3);
  call.set();
  const Results results = analyzed(call.maker.build(), us(100));
  CHECK(results.tasks[call.called].bound.worst == us(2 + 11 + 3));
  CHECK(results.tasks[call.caller].bound.worst == us(5 + 16 + 7));
  CHECK(results.tasks[call.caller].response.max == us(5 + 16 + 7));
}

TEST_CASE("a task that the called one triggers may answer") {
  Call call;
  const StimulusIndex request = call.maker.inter_process();
  const TaskIndex last = call.maker.task("last", call.maker.core("three"), 1, request);
  call.maker.compute(call.called, 2);
  call.maker.trigger(call.called, request);
  call.maker.compute(call.called, 9);
  call.maker.compute(last, 11);
  call.maker.set(last, call.done, call.caller);
  const Results results = analyzed(call.maker.build(), us(100));
  CHECK(results.tasks[call.caller].bound.worst == us(5 + 2 + 11 + 7));
  CHECK(results.tasks[call.caller].response.max == us(5 + 2 + 11 + 7));
}

TEST_CASE("a task that polls for a called one takes its core from others") {
  for (const bool polls : {false, true}) {
    Call call(0, polls);
    call.maker.compute(call.called, 20);
    call.set();
    const TaskIndex below = call.maker.task("below", call.one, 1, call.maker.periodic(100));
    call.maker.compute(below, 10);
    const auto bounds = found_for(call.maker);
    CHECK(bounds.tasks[call.caller].worst == us(5 + 20 + 7));
    CHECK(bounds.tasks[below].worst == us(polls ? 10 + 5 + 20 + 7 : 10 + 5 + 7));
  }
}

TEST_CASE("a task that polls for one below it on its core has no bound") {
  Call call(0, true);
  call.maker[call.called].unit = call.maker[call.called].scheduler = call.one;
  call.maker.compute(call.called, 20);
  call.set();
  const auto bounds = found_for(call.maker);
  CHECK_FALSE(bounds.tasks[call.caller].worst);
  CHECK_FALSE(bounds.tasks[call.called].worst);
}

TEST_CASE("the polling of a task without a bound delays the tasks below it") {
  // The lowest task polls without being preempted, so the poller has no bound. The poller starves its setter.
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const EventIndex inner = maker.event("inner"), outer = maker.event("outer");
  const TaskIndex poller = maker.task("poller", one, 3, maker.periodic(65)),
                  setter = maker.task("setter", one, 2, maker.periodic(40)),
                  lowest = maker.task("lowest", one, 1, maker.periodic(1200)),
                  clock = maker.task("clock", two, 1, maker.periodic(300));
  maker.compute(poller, 1);
  maker.wait(poller, inner, true);
  maker.clear(poller, inner);
  maker.compute(setter, 1);
  maker.set(setter, inner, poller);
  maker[lowest].preemption = Preemption::non_preemptive;
  maker.compute(lowest, 17);
  maker.wait(lowest, outer, true);
  maker.clear(lowest, outer);
  maker.compute(clock, 2);
  maker.set(clock, outer, lowest);
  const auto bounds = found_for(maker);
  for (const TaskIndex task : {poller, setter, lowest}) CHECK_FALSE(bounds.tasks[task].worst);
  CHECK(bounds.tasks[clock].worst == us(2));
}

TEST_CASE("a wait for a periodic task ends one distance and one response later") {
  Listener waits;
  const StimulusIndex stimulus = waits.maker.periodic(20);
  std::get<Periodic>(waits.maker.system().stimuli[stimulus].occurrence).jitter.upper = us(4).picoseconds();
  waits.sender(stimulus, 3);
  CHECK(found_for(waits.maker).tasks[waits.listener].worst == us(20 + 4 + 3 + 7));
  std::get<Periodic>(waits.maker.system().stimuli[stimulus].occurrence).offset = us(25);
  CHECK(found_for(waits.maker).tasks[waits.listener].worst == us(25 + 4 + 3 + 7));
}

TEST_CASE("all that depends on a wait for a periodic task holds for offsets up to the period") {
  Listener listener;
  SystemMaker& maker = listener.maker;
  const TaskIndex sender = listener.sender(maker.periodic(20), 3);
  const TaskIndex above = maker.task("above", listener.one, 2, maker.periodic(50)),
                  below = maker.task("below", listener.one, 0, maker.periodic(200));
  maker.compute(above, 1);
  maker.compute(below, 2);
  const System system = maker.build();
  const SystemBounds bounds = system_bounds(system, default_devices(system));
  const auto offsets = [&](TaskIndex task) { return coverage_of(system, task, bounds.tasks[task]).offsets; };
  CHECK(offsets(listener.listener) == Coverage::Offsets::up_to_period);
  CHECK(offsets(below) == Coverage::Offsets::up_to_period);
  CHECK(offsets(above) == Coverage::Offsets::all);
  CHECK(offsets(sender) == Coverage::Offsets::all);
  // A call waits for no stimulus.
  Call call;
  call.set();
  const System calling = call.maker.build();
  CHECK(coverage_of(calling, call.caller, system_bounds(calling, default_devices(calling)).tasks[call.caller])
            .complete());
}

TEST_CASE("a wait for a task that a periodic one triggers has a bound") {
  Listener waits;
  const StimulusIndex request = waits.maker.inter_process();
  const TaskIndex source = waits.maker.task("source", waits.maker.core("three"), 1, waits.maker.periodic(20));
  waits.maker.compute(source, 2);
  waits.maker.trigger(source, request);
  waits.maker.compute(source, 5);
  waits.sender(request, 3);
  CHECK(found_for(waits.maker).tasks[waits.listener].worst == us(20 + 2 + 3 + 7));
}

TEST_CASE("of several tasks that set an event the earliest certain one counts") {
  Listener waits;
  waits.sender(waits.maker.periodic(30), 3);
  const TaskIndex faster = waits.maker.task("faster", waits.maker.core("three"), 1, waits.maker.periodic(25));
  waits.maker.compute(faster, 4);
  waits.maker.set(faster, waits.sent, waits.listener);
  const TaskIndex once = waits.maker.task("once", waits.maker.core("four"), 1, waits.maker.inter_process());
  waits.maker.set(once, waits.sent, waits.listener);
  CHECK(found_for(waits.maker).tasks[waits.listener].worst == us(25 + 4 + 7));
}

TEST_CASE("a wait for any of several events ends with the earliest certain one") {
  Call call;
  const EventIndex tick = call.maker.event("tick");
  call.maker.add(call.caller, WaitEvents{{call.done, tick}, false, false});
  call.maker.compute(call.called, 20);
  call.set();
  const TaskIndex clock = call.maker.task("clock", call.maker.core("three"), 1, call.maker.periodic(10));
  call.maker.compute(clock, 1);
  call.maker.set(clock, tick, call.caller);
  CHECK(found_for(call.maker).tasks[call.caller].worst == us(5 + 20 + 7 + 11));
  // A device task that may still work after the wait ends it, too.
  const StimulusIndex request = call.maker.inter_process();
  const TaskIndex device = call.maker.task("device", call.maker.gpu("GPU"), 0, request);
  const EventIndex ready = call.maker.event("ready");
  call.maker.kernel(device, 8);
  call.maker.set(device, ready, call.caller);
  call.maker.trigger(call.caller, request);
  call.maker.add(call.caller, WaitEvents{{ready, tick}, false, false});
  const auto bounds = found_for(call.maker);
  CHECK(bounds.tasks[device].worst == us(8));
  CHECK(bounds.tasks[call.caller].worst == us(5 + 20 + 7 + 11 + 8) + Duration::picoseconds(1));
}

TEST_CASE("a setter that executes nothing takes a moment") {
  Listener waits;
  waits.sender(waits.maker.periodic(20), 0);
  CHECK(found_for(waits.maker).tasks[waits.listener].worst == us(20 + 7) + Duration::picoseconds(1));
}

TEST_CASE("waits for events that may never be set have a reason") {
  const auto reason = [](Listener& waits) { return found_for(waits.maker).tasks[waits.listener].reason; };
  Listener single;
  const StimulusIndex once = single.maker.inter_process();
  single.maker.system().stimuli[once].occurrence = Single{us(10)};
  single.sender(once, 3);
  CHECK(reason(single) == "it waits for sender, and nothing bounds the time until its next job");
  Listener conditional;
  const StimulusIndex counted = conditional.maker.periodic(20);
  conditional.maker.system().stimuli[counted].counter.prescaler = 2;
  conditional.sender(counted, 3);
  CHECK(reason(conditional) == "it waits for sender, and nothing bounds the time until its next job");
  Listener lost;
  const TaskIndex limited = lost.sender(lost.maker.periodic(20), 3);
  CHECK(reason(lost).empty());
  lost.maker[limited].activation_limit = 1;
  CHECK(reason(lost).empty());
  lost.maker.compute(limited, 3);
  CHECK(reason(lost).empty());
  lost.maker.compute(limited, 15);
  CHECK(reason(lost) == "it waits for sender, which has no bound");
  Listener late;
  const TaskIndex slow = late.sender(late.maker.periodic(20), 3);
  late.maker.compute(slow, 10);
  late.maker[slow].activation_limit = 1;
  const TaskIndex above = late.maker.task("above", late.two, 2, late.maker.periodic(60));
  late.maker.compute(above, 12);
  CHECK(reason(late) == "it waits for sender, whose activations may be lost");
  late.maker[slow].activation_limit = 2;
  CHECK(reason(late).empty());
}

TEST_CASE("a guarantee that rests on a wait for a task with an activation limit says so") {
  for (const std::uint32_t limit : {0U, 2U}) {
    Listener waits;
    waits.maker[waits.sender(waits.maker.periodic(20), 3)].activation_limit = limit;
    const TaskIndex below = waits.maker.task("below", waits.one, 0, waits.maker.periodic(100));
    waits.maker.compute(below, 2);
    const SystemBounds bounds = found_for(waits.maker);
    const System system = waits.maker.build();
    for (const TaskIndex task : {waits.listener, below}) {
      REQUIRE(bounds.tasks[task].worst);
      CHECK(coverage_of(system, task, bounds.tasks[task]).losses ==
            (limit > 0 ? Coverage::Losses::none : Coverage::Losses::no_limit));
    }
  }
}

TEST_CASE("a guarantee that rests on such a wait says so even if the contribution is one of many") {
  for (const std::uint32_t limit : {0U, 2U}) {
    Listener waits;
    waits.maker[waits.sender(waits.maker.periodic(20), 3)].activation_limit = limit;
    const StimulusIndex slow = waits.maker.periodic(10'000);
    for (int n = 0; n < 100; ++n)
      waits.maker.compute(waits.maker.task("above" + std::to_string(n), waits.one, 50, slow), 20);
    const TaskIndex below = waits.maker.task("below", waits.one, 0, slow);
    waits.maker.compute(below, 2);
    const System system = waits.maker.build();
    for (const std::size_t most : {1UL, 1000UL}) {
      BoundOptions options;
      options.contributions = most;
      const Bound bound = system_bounds(system, default_devices(system), {}, options).tasks[below];
      REQUIRE(bound.worst);
      CHECK((bound.parts.size() < 10) == (most == 1));
      CHECK(coverage_of(system, below, bound).losses ==
            (limit > 0 ? Coverage::Losses::none : Coverage::Losses::no_limit));
    }
  }
}

TEST_CASE("a call may be lost where its caller does not execute after it has waited for the last one") {
  const bool limited = GENERATE(true, false);
  const int between = GENERATE(0, 2);
  Call call;
  call.set();
  call.maker[call.called].activation_limit = limited ? 1 : 0;
  call.maker[call.caller].body.pop_back();
  if (between > 0) call.maker.compute(call.caller, between);
  call.maker.trigger(call.caller, call.request);
  call.maker.wait(call.caller, call.done, false);
  call.maker.clear(call.caller, call.done);
  call.maker.compute(call.caller, 7);
  const Bound bound = found_for(call.maker).tasks[call.caller];
  CHECK(bound.worst.has_value() == (!limited || between > 0));
  if (!bound.worst) CHECK(bound.reason == "it waits for called, whose activations may be lost");
}

TEST_CASE("a second call is lost if the caller keeps its core from the end of the first one") {
  // The caller preempts the called task when that one sets the event: it has not ended when the caller triggers it again.
  const auto bound_of = [](bool same_core, std::int64_t priority) {
    SystemMaker maker;
    const UnitIndex one = maker.core("one"), two = maker.core("two");
    const StimulusIndex request = maker.inter_process();
    const EventIndex done = maker.event("done");
    const TaskIndex caller = maker.task("caller", one, 2, maker.periodic(100)),
                    called = maker.task("called", same_core ? one : two, priority, request);
    for (int calls = 0; calls < 2; ++calls) {
      maker.trigger(caller, request);
      maker.wait(caller, done, false);
      maker.clear(caller, done);
      maker.compute(caller, 3);
    }
    maker.compute(called, 5);
    maker.set(called, done, caller);
    maker[called].activation_limit = 1;
    return found_for(maker).tasks[caller].worst;
  };
  CHECK(bound_of(false, 1) == us(3 + 3 + 10 + 10));  // two calls may be pending
  CHECK(bound_of(true, 3).has_value());
  CHECK_FALSE(bound_of(true, 2).has_value());
  CHECK_FALSE(bound_of(true, 1).has_value());
}

TEST_CASE("a host may lose a trigger of a device task where it does not execute after it has waited for the last one") {
  const bool limited = GENERATE(true, false);
  const int between = GENERATE(0, 2);
  SystemMaker maker;
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", maker.core("core"), 1, maker.periodic(100)),
                  device = maker.task("device", maker.gpu("gpu"), 1, request);
  const EventIndex done = maker.event("done");
  maker.kernel(device, 5);
  maker.set(device, done, host);
  maker[device].activation_limit = limited ? 1 : 0;
  for (int times = 0; times < 2; ++times) {
    maker.trigger(host, request);
    maker.wait(host, done, false);
    maker.clear(host, done);
    if (between > 0) maker.compute(host, between);
  }
  const Bound bound = found_for(maker).tasks[host];
  CHECK(bound.worst.has_value() == (!limited || between > 0));
  if (!bound.worst) CHECK_THAT(bound.reason, Catch::Contains("it may trigger device again before the job"));
}

TEST_CASE("a call does not end a wait if the caller clears the event before it") {
  SystemMaker maker;
  const StimulusIndex request = maker.inter_process();
  const EventIndex done = maker.event("done");
  const TaskIndex caller = maker.task("caller", maker.core("one"), 1, maker.periodic(100)),
                  called = maker.task("called", maker.core("two"), 1, request);
  maker.trigger(caller, request);
  maker.clear(caller, done);
  maker.wait(caller, done, false);
  maker.compute(caller, 5);
  maker.compute(called, 10);
  maker.set(called, done, caller);
  CHECK(found_for(maker).tasks[caller].reason == "it waits for called, and nothing bounds the time until its next job");
}

TEST_CASE("a setter in an alternative of a branch ends no wait") {
  Listener waits;
  const TaskIndex sender = waits.maker.task("sender", waits.two, 1, waits.maker.periodic(20));
  Branch branch;
  branch.alternatives = {{Probability{1}, 1}};
  waits.maker.add(sender, branch);
  waits.maker.set(sender, waits.sent, waits.listener);
  CHECK(found_for(waits.maker).tasks[waits.listener].reason ==
        "it waits for sender, whose jobs may end without setting the event");
}

TEST_CASE("a call in an alternative of a branch has a bound if the wait is in it too") {
  SystemMaker maker;
  const StimulusIndex request = maker.inter_process();
  const EventIndex done = maker.event("done");
  const TaskIndex caller = maker.task("caller", maker.core("one"), 1, maker.periodic(100)),
                  called = maker.task("called", maker.core("two"), 1, request);
  const bool within = GENERATE(true, false);
  maker.compute(caller, 5);
  Branch branch;
  branch.alternatives = {{Probability{1}, within ? 4U : 2U}, {Otherwise{}, within ? 1U : 0U}};
  maker.add(caller, branch);
  maker.compute(caller, 4);
  maker.trigger(caller, request);
  maker.wait(caller, done, false);
  maker.clear(caller, done);
  if (within) maker.compute(caller, 6);
  maker.compute(caller, 7);
  maker.compute(called, 10);
  maker.set(called, done, caller);
  const auto bounds = found_for(maker);
  if (within) {
    CHECK(bounds.tasks[caller].worst == us(5 + 4 + 10 + 6 + 7));
    CHECK(bounds.tasks[caller].best == us(5 + 4 + 7));
  } else {
    CHECK(bounds.tasks[caller].reason == "it waits for called, and nothing bounds the time until its next job");
  }
}

TEST_CASE("a task that sets its own event later does not wait for itself") {
  Listener waits;
  const StimulusIndex once = waits.maker.inter_process();
  waits.maker.system().stimuli[once].occurrence = Single{us(10)};
  waits.sender(once, 3);
  waits.maker.set(waits.listener, waits.sent, waits.listener);
  CHECK(found_for(waits.maker).tasks[waits.listener].reason ==
        "it waits for sender, and nothing bounds the time until its next job");
}

TEST_CASE("tasks that wait for each other have a reason that names the deadlock") {
  SystemMaker maker;
  const EventIndex there = maker.event("there"), back = maker.event("back");
  const TaskIndex a = maker.task("a", maker.core("one"), 1, maker.periodic(100)),
                  b = maker.task("b", maker.core("two"), 1, maker.periodic(10));
  maker.wait(a, back, false);
  maker.clear(a, back);
  maker.set(a, there, b);
  maker.wait(b, there, false);
  maker.clear(b, there);
  maker.set(b, back, a);
  const auto bounds = found_for(maker);
  CHECK(bounds.tasks[a].reason.find("b, which may wait for it, itself or through others: they may deadlock") !=
        std::string::npos);
  CHECK_FALSE(bounds.tasks[b].worst);
}

}  // namespace bounds_event_waits_test
