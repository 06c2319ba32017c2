// SPDX-License-Identifier: Apache-2.0
// The verdict on a whole model: what counts, and what never passes.

#include <catch2/catch.hpp>

#include "engine/many_runs.hpp"
#include "engine/verdict.hpp"
#include "tests/support/system_maker.hpp"

namespace verdict_test {

using namespace amalthea;
using namespace amalthea::engine;

namespace {

using Kind = JudgedLimit::Kind;

Assessment assessed(const System& system, std::optional<Duration> until = std::nullopt, const Diagnostics& found = {}) {
  AnalysisOptions options;
  options.until = until;
  Diagnostics diagnostics = found;
  const auto results = engine::analyze(system, options, diagnostics);
  return assess(system, results.value(), diagnostics);
}

/// A task that executes for 4 us every 10 us.
test::SystemMaker one_task() {
  test::SystemMaker maker;
  maker.compute(maker.task("task", maker.core("core"), 1, maker.periodic(10)), 4);
  return maker;
}

}  // namespace

TEST_CASE("a deadline within the bound is guaranteed and an observed violation is missed") {
  test::SystemMaker maker = one_task();
  maker[0].deadline = test::us(5);
  CHECK(assessed(maker.build()).verdict == OverallVerdict::guaranteed);
  maker[0].deadline = test::us(3);
  const Assessment assessment = assessed(maker.build());
  CHECK(assessment.verdict == OverallVerdict::missed);
  REQUIRE(assessment.limits.size() == 1);
  CHECK(assessment.limits[0].kind == Kind::deadline);
  CHECK(assessment.limits[0].name == "task");
}

TEST_CASE("a model without limits is met under an assumption and unknown without assumptions") {
  const System system = one_task().build();
  const Assessment assessment = assessed(system);
  CHECK(assessment.verdict == OverallVerdict::met);
  CHECK_FALSE(assessment.has_limits());
  REQUIRE(assessment.assumptions.size() == 1);
  CHECK(assessment.assumptions[0].text ==
        "nothing limits the timing (the model states no deadline, requirement or constraint)");
  AnalysisOptions options;
  options.strict = true;
  Diagnostics diagnostics;
  CHECK(assess(system, engine::analyze(system, options, diagnostics).value(), diagnostics).verdict ==
        OverallVerdict::unknown);
}

TEST_CASE("a task that is never activated is unknown unless a bound guarantees its deadline") {
  test::SystemMaker maker = one_task();
  const TaskIndex never = maker.task("never", maker.core("other"), 1, maker.inter_process());
  maker.compute(never, 1);
  CHECK(assessed(maker.build()).verdict == OverallVerdict::unknown);
  maker[never].deadline = test::us(100);
  const Assessment assessment = assessed(maker.build());
  CHECK(assessment.verdict == OverallVerdict::unknown);
  CHECK(assessment.limits.back().reason == "the task is never activated in the simulated time");
  // It occurs after the end of the simulation.
  test::SystemMaker later = one_task();
  const TaskIndex task = later.task("later", later.core("other"), 1, later.periodic(10, 50));
  later.compute(task, 1);
  later[task].deadline = test::us(5);
  CHECK(assessed(later.build(), test::us(20)).verdict == OverallVerdict::guaranteed);
}

TEST_CASE("a lost activation counts as missed even without a deadline") {
  test::SystemMaker maker;
  const TaskIndex task = maker.task("task", maker.core("core"), 1, maker.periodic(10));
  maker.compute(task, 15);
  maker[task].activation_limit = 1;
  const Assessment assessment = assessed(maker.build(), test::us(100));
  CHECK(assessment.count(OverallVerdict::missed) + assessment.count(OverallVerdict::unbounded) == 1);
  CHECK(assessment.verdict >= OverallVerdict::unbounded);
  CHECK(assessment.limits[0].kind == Kind::task);
}

TEST_CASE("jobs that wait for an event that never occurs are unbounded with or without a deadline") {
  test::SystemMaker maker;
  const TaskIndex task = maker.task("task", maker.core("core"), 1, maker.periodic(10));
  maker.wait(task, maker.event("never"), false);
  const Assessment assessment = assessed(maker.build());
  CHECK(assessment.verdict == OverallVerdict::unbounded);
  CHECK(assessment.limits[0].kind == Kind::task);
}

TEST_CASE("a removed wrapper counts with its function and a requirement that is a deadline counts once") {
  test::SystemMaker maker = one_task();
  const TaskIndex wrapper = maker.task("wrapper", 0, 1, maker.inter_process());
  maker[wrapper].folded_into = 0;
  maker[wrapper].deadline = maker[0].deadline = test::us(5);
  System system = maker.build();
  Requirement requirement;
  requirement.name = "deadline";
  requirement.kind = Requirement::Kind::process;
  requirement.subject = Requirement::OfProcess{wrapper};
  requirement.limit_type = Requirement::LimitType::upper;
  requirement.limit = Requirement::TimeLimit{TimeMetric::response_time, test::us(5)};
  system.requirements.push_back(requirement);
  CHECK(assessed(system).limits.size() == 1);
  system.requirements[0].limit = Requirement::TimeLimit{TimeMetric::response_time, test::us(3)};
  const Assessment assessment = assessed(system);
  REQUIRE(assessment.limits.size() == 2);
  CHECK(assessment.limits[1].kind == Kind::requirement);
  CHECK(assessment.verdict == OverallVerdict::missed);
}

TEST_CASE("an unmeasured requirement is unknown") {
  System system = one_task().build();
  Requirement requirement;
  requirement.limit_type = Requirement::LimitType::upper;
  requirement.limit = Requirement::CountLimit{"CacheMiss", 1};
  system.requirements.push_back(requirement);
  const Assessment assessment = assessed(system);
  CHECK(assessment.verdict == OverallVerdict::unknown);
  CHECK(assessment.limits[0].name == "requirement without a name");
}

TEST_CASE("findings make a verdict unknown or add assumptions") {
  test::SystemMaker maker = one_task();
  maker[0].deadline = test::us(5);
  const System system = maker.build();
  Diagnostics found;
  found.add("AM0411", Severity::note, "no access path", {"a", 1, 1}, "", 3);
  found.add("AM0411", Severity::note, "no access path", {"a", 2, 1}, "", 4);
  found.add("AM0421", Severity::note, "elsewhere", {"a", 3, 1});
  const Assessment assumed = assessed(system, std::nullopt, found);
  CHECK(assumed.verdict == OverallVerdict::guaranteed);
  REQUIRE(assumed.assumptions.size() == 1);
  CHECK(assumed.assumptions[0].count == 7);
  CHECK(assumed.assumptions[0].text == "7 label accesses take no time (no access path to the memory)");
  CHECK(assumed.replaced == std::vector<std::string>{"elsewhere"});
  found.add("AM0436", Severity::warning, "left out", {"a", 4, 1});
  const Assessment unknown = assessed(system, std::nullopt, found);
  CHECK(unknown.verdict == OverallVerdict::unknown);
  CHECK(unknown.limits.back().kind == Kind::finding);
  CHECK(unknown.limits.back().name == "AM0436 at a:4:1");
}

TEST_CASE("identical runs have the verdict of a single run") {
  for (const std::int64_t deadline : {5, 3}) {
    test::SystemMaker maker = one_task();
    maker[0].deadline = test::us(deadline);
    const System system = maker.build();
    ManyRunsOptions options;
    options.runs = 3;
    Diagnostics diagnostics;
    const auto runs = simulate_runs(system, options, diagnostics);
    CHECK(assess(system, runs.value().judged, diagnostics).verdict == assessed(system).verdict);
  }
}

}  // namespace verdict_test
