// SPDX-License-Identifier: Apache-2.0
// Whether bounds show that no activation is lost, and what rests on it. random_systems_test.cpp compares with simulations.

#include <optional>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "engine/results/lost_activations.hpp"
#include "engine/verdict.hpp"
#include "tests/support/system_maker.hpp"

namespace bounds_pending_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

std::string why_lost(SystemMaker& maker, TaskIndex task, std::uint32_t limit) {
  maker[task].activation_limit = limit;
  const System system = maker.build();
  const Results results = analyzed(system, us(1000));
  return why_activations_may_be_lost(system, task, results.tasks[task].bound);
}

/// The limit that suffices, up to 9.
std::uint32_t least_limit(SystemMaker& maker, TaskIndex task) {
  std::uint32_t limit = 1;
  while (limit < 10 && !why_lost(maker, task, limit).empty()) ++limit;
  return limit;
}

/// A job of 1 every 8 that a job of 12 may block.
struct Blocked {
  SystemMaker maker;
  UnitIndex core = maker.core("core");
  TaskIndex task = maker.task("task", core, 2, maker.periodic(8));
  TaskIndex blocker = maker.task("blocker", core, 1, maker.periodic(40));
  Blocked() {
    maker.compute(task, 1);
    maker.compute(blocker, 12);
    maker[task].deadline = us(20);
    maker[task].activation_limit = 1;
    maker[blocker].preemption = Preemption::non_preemptive;
  }
};

Requirement requirement_of(TaskIndex task, decltype(Requirement::limit) limit) {
  Requirement requirement;
  requirement.kind = Requirement::Kind::process;
  requirement.subject = Requirement::OfProcess{task};
  requirement.limit_type = Requirement::LimitType::upper;
  requirement.limit = std::move(limit);
  return requirement;
}

Periodic with_jitter(std::int64_t period, std::int64_t jitter, std::int64_t distance) {
  Periodic periodic{us(period), {}};
  periodic.jitter.upper = us(jitter).picoseconds();
  periodic.minimum_distance = us(distance);
  return periodic;
}

}  // namespace

TEST_CASE("a deadline is guaranteed only if no activation can be lost although the simulation loses none") {
  Blocked blocked;
  const Results results = analyzed(blocked.maker.build(), us(40));
  const TaskResult& task = results.tasks[blocked.task];
  CHECK(task.bound.worst == us(13));
  CHECK(task.lost_activations == 0);
  CHECK(task.verdict == Verdict::met);
  CHECK_FALSE(task.guaranteed);
  CHECK_THAT(task.reason, Catch::EndsWith("activations may be lost: up to 2 may arrive within its bound of 13 us, the "
                                          "limit is 1"));
  blocked.maker[blocked.task].activation_limit = 2;
  CHECK(analyzed(blocked.maker.build(), us(40)).tasks[blocked.task].guaranteed == true);
}

TEST_CASE("requirements on response times and lost activations are guaranteed only if none can be lost") {
  Blocked blocked;
  blocked.maker.system().requirements = {
      requirement_of(blocked.task, Requirement::TimeLimit{TimeMetric::response_time, us(15)}),
      requirement_of(blocked.task, Requirement::CountLimit{"MtaLimitExceeding", 0})};
  const auto judged = [&] { return analyzed(blocked.maker.build(), us(40)).requirements; };
  for (const RequirementResult& result : judged()) {
    CHECK(result.verdict == LimitVerdict::met);
    CHECK_FALSE(result.guaranteed);
    CHECK_THAT(result.reason, Catch::Contains("activations may be lost: up to 2"));
  }
  blocked.maker[blocked.task].activation_limit = 2;
  for (const RequirementResult& result : judged()) CHECK(result.guaranteed == true);
}

TEST_CASE("a chain through a task that may lose activations has no bound, and states why") {
  Blocked blocked;
  pass_data(blocked.maker.system(), {blocked.task, blocked.blocker});
  blocked.maker.system().chains.push_back({"chain", {blocked.task, blocked.blocker}, {}, Chain::Source::model, {}});
  const ChainResult lost = analyzed(blocked.maker.build(), us(40)).chains.front();
  CHECK_FALSE(lost.implicit);
  CHECK_THAT(lost.implicit_reason, Catch::Contains("of task \"task\" activations may be lost: up to 2"));
  blocked.maker[blocked.task].activation_limit = 2;
  CHECK(analyzed(blocked.maker.build(), us(40)).chains.front().implicit);
}

TEST_CASE("a job that ends when the next one is released may count with it") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex above = maker.task("above", core, 2, maker.periodic(10)),
                  task = maker.task("task", core, 1, maker.periodic(10));
  maker.compute(above, 4);
  maker.compute(task, 6);
  CHECK(least_limit(maker, task) == 2);
}

TEST_CASE("activations with jitter, minimum distance and of several stimuli count") {
  SystemMaker maker;
  const TaskIndex task = maker.task("task", maker.core("core"), 1, maker.periodic(100));
  maker.compute(task, 6);
  CHECK(least_limit(maker, task) == 1);
  maker.system().stimuli[0].occurrence = with_jitter(100, 150, 0);
  CHECK(least_limit(maker, task) == 2);
  maker.system().stimuli[0].occurrence = with_jitter(100, 150, 7);
  CHECK(least_limit(maker, task) == 1);
  maker.system().stimuli[0].occurrence = with_jitter(100, 0, 0);
  const StimulusIndex other = maker.periodic(100), third = maker.periodic(100);
  maker.system().stimuli[other].activates = maker.system().stimuli[third].activates = {task};
  CHECK(least_limit(maker, task) == 3);
}

TEST_CASE("a triggered task inherits the jitter of its triggers") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex above = maker.task("above", one, 2, maker.periodic(50)),
                  caller = maker.task("caller", one, 1, maker.periodic(20)),
                  called = maker.task("called", two, 1, request);
  maker.compute(caller, 1);
  maker.trigger(caller, request);
  maker.compute(called, 9);
  CHECK(least_limit(maker, called) == 1);
  maker.compute(above, 11);  // the caller may end late, and the next one early
  CHECK(least_limit(maker, called) == 2);
  maker.trigger(caller, request);
  CHECK(least_limit(maker, called) == 6);
}

TEST_CASE("a device task has one job at a time if its host waits for it") {
  SystemMaker maker;
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", maker.core("core"), 1, maker.periodic(100)),
                  device = maker.task("device", maker.gpu("gpu"), 0, request);
  maker.kernel(device, 10);
  maker.offload(host, device, request, 1, 1, false);
  CHECK(least_limit(maker, device) == 1);
  CHECK(least_limit(maker, host) == 1);
}

TEST_CASE("a task without a bound may lose activations if it has a limit, and else none") {
  SystemMaker maker;
  const TaskIndex task = maker.task("task", maker.core("core"), 1, maker.periodic(10));
  maker.compute(task, 15);
  CHECK(why_lost(maker, task, 0).empty());
  CHECK(why_lost(maker, task, 5) == "activations may be lost: its response time has no bound, the limit is 5");
}

TEST_CASE("guarantees state what they cover, and those for stated offsets are assumptions or unknown") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex urgent = maker.task("urgent", core, 2, maker.periodic(10)),
                  task = maker.task("task", core, 1, maker.periodic(10, 5));
  maker.compute(urgent, 3);
  maker.compute(task, 3);
  maker[urgent].deadline = us(3);
  maker[task].deadline = us(4);
  maker[task].activation_limit = 1;
  const System system = maker.build();
  AnalysisOptions options;
  options.until = us(100);
  options.bounds.for_offsets = true;
  const auto assessed = [&] {
    Diagnostics diagnostics;
    return assess(system, *analyze(system, options, diagnostics), diagnostics);
  };
  const Assessment assumed = assessed();
  CHECK(assumed.verdict == OverallVerdict::guaranteed);
  REQUIRE(assumed.assumptions.size() == 1);
  CHECK(assumed.assumptions[0].id == "AM0591");
  CHECK(assumed.assumptions[0].text == "1 guarantee holds for the stated offsets only");
  REQUIRE(assumed.limits.size() == 2);
  CHECK(assumed.limits[0].covers == Coverage{});
  CHECK(assumed.limits[1].covers ==
        Coverage{Coverage::Offsets::stated, Coverage::Ties::every_order, Coverage::Losses::none});
  CHECK_THAT(assumed.limits[1].reason, Catch::EndsWith("this holds for the stated offsets only"));
  options.strict = true;
  const Assessment strict = assessed();
  CHECK(strict.assumptions.empty());
  CHECK(strict.limits[0].verdict == OverallVerdict::guaranteed);
  CHECK(strict.limits[1].verdict == OverallVerdict::unknown);
  options.bounds.for_offsets = false;
  CHECK(assessed().limits[1].verdict == OverallVerdict::met);
}

}  // namespace bounds_pending_test
