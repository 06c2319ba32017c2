// SPDX-License-Identifier: Apache-2.0
// Verdicts on requirements, compared with manual calculations.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/requirements.hpp"
#include "tests/support/system_maker.hpp"

namespace requirements_test {

using namespace test;
using engine::LimitVerdict;
using engine::RequirementResult;

namespace {

using Limits = Requirement::LimitType;

template <typename Subject, typename Limit>
Requirement requirement(Requirement::Kind kind, Subject subject, Limits type, Limit limit) {
  Requirement made;
  made.kind = kind;
  made.subject = std::move(subject);
  made.limit_type = type;
  made.limit = std::move(limit);
  return made;
}
template <typename Limit>
Requirement of_task(TaskIndex task, Limits type, Limit limit) {
  return requirement(Requirement::Kind::process, Requirement::OfProcess{task}, type, std::move(limit));
}
Requirement time_of_task(TaskIndex task, TimeMetric metric, Limits type, Duration limit) {
  return of_task(task, type, Requirement::TimeLimit{metric, limit});
}
Requirement count_of_task(TaskIndex task, std::string metric, Limits type, std::int64_t limit) {
  return of_task(task, type, Requirement::CountLimit{std::move(metric), limit});
}
Requirement::CpuLimit cpu(std::string metric, double limit, std::optional<UnitIndex> unit = {}) {
  return {std::move(metric), limit, unit, false};
}

/// Judged alone, in a simulation of this length.
RequirementResult judged(System system, Requirement requirement, Duration until) {
  system.requirements = {std::move(requirement)};
  const engine::Results results = analyzed(system, until);
  REQUIRE(results.requirements.size() == 1);
  return results.requirements.front();
}

Duration observed_time(const RequirementResult& result) {
  REQUIRE(std::holds_alternative<Duration>(result.observed));
  return std::get<Duration>(result.observed);
}

/// Every 10 us 2 us of "fast", which is more urgent, and every 20 us 12 us of "slow": it runs from 2 to 10 and from 12
/// to 16, and again 20 us later.
struct Preempted {
  SystemMaker maker;
  UnitIndex core = maker.core("core");
  TaskIndex fast = maker.task("fast", core, 2, maker.periodic(10));
  TaskIndex slow = maker.task("slow", core, 1, maker.periodic(20));
  static constexpr Duration until = us(40);

  Preempted() {
    maker.compute(fast, 2);
    maker.compute(slow, 12);
    maker[slow].deadline = us(20);
  }
  RequirementResult judge(Requirement requirement) { return judged(maker.build(), std::move(requirement), until); }
};

}  // namespace

TEST_CASE("requirements: every time metric of a process matches a manual calculation") {
  struct Expected {
    TimeMetric metric;
    std::int64_t value;
  };
  const std::vector<Expected> slow = {{TimeMetric::activate_to_activate, 20},
                                      {TimeMetric::start_to_start, 20},
                                      {TimeMetric::end_to_end, 20},
                                      {TimeMetric::end_to_start, 6},
                                      {TimeMetric::start_delay, 2},
                                      {TimeMetric::response_time, 16},
                                      {TimeMetric::gross_execution_time, 14},
                                      {TimeMetric::net_execution_time, 12},
                                      {TimeMetric::core_execution_time, 12},
                                      {TimeMetric::memory_access_time, 0},
                                      {TimeMetric::os_overhead, 0},
                                      {TimeMetric::running_time, 12},
                                      {TimeMetric::ready_time, 2},
                                      {TimeMetric::waiting_time, 0},
                                      {TimeMetric::polling_time, 0},
                                      {TimeMetric::parking_time, 0},
                                      {TimeMetric::lateness, -4}};
  REQUIRE(slow.size() == time_metrics);
  Preempted example;
  System system = example.maker.build();
  for (const Expected& expected : slow) {
    const auto add = [&](Limits type, std::int64_t limit) {
      system.requirements.push_back(time_of_task(example.slow, expected.metric, type, us(limit)));
    };
    add(Limits::upper, expected.value);
    add(Limits::upper, expected.value - 1);
    add(Limits::lower, expected.value);
    add(Limits::lower, expected.value + 1);
  }
  const engine::Results results = analyzed(system, Preempted::until);
  for (std::size_t i = 0; i < slow.size(); ++i) {
    INFO(to_string(slow[i].metric));
    const auto* found = &results.requirements[4 * i];
    for (std::size_t k = 0; k < 4; ++k) CHECK(observed_time(found[k]) == us(slow[i].value));
    CHECK(found[0].verdict == LimitVerdict::met);
    CHECK(found[1].verdict == LimitVerdict::missed);
    CHECK(found[2].verdict == LimitVerdict::met);
    CHECK(found[3].verdict == LimitVerdict::missed);
    CHECK(found[1].guaranteed == false);
    CHECK(found[3].guaranteed == false);
  }
}

TEST_CASE("requirements: the reason states the observed value and its distance from the limit") {
  Preempted example;
  const auto reason = [&](TaskIndex task, Limits type, std::int64_t limit) {
    return example.judge(time_of_task(task, TimeMetric::response_time, type, us(limit))).reason;
  };
  CHECK(reason(example.slow, Limits::upper, 11) == "the largest of 2 jobs is 16 us, 5 us above the limit");
  CHECK(reason(example.slow, Limits::upper, 20) == "the bound, 16 us, is 4 us below the limit");
  CHECK(reason(example.slow, Limits::upper, 16) == "the bound, 16 us, is exactly the limit");
  CHECK(reason(example.fast, Limits::lower, 3) == "the least of 4 jobs is 2 us, 1 us below the limit");
}

TEST_CASE("requirements: the reason rounds a bound up and what it leaves down") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex task = maker.task("task", core, 1, maker.periodic(20'000));
  maker.compute(task, 1000);
  maker[task].deadline = us(3000);
  System system = maker.build();
  system.platform.units[core].frequency = Frequency::millihertz(999'999'800);  // so they take 1.0000002 ms
  system.requirements = {time_of_task(task, TimeMetric::response_time, Limits::upper, us(3000))};
  const engine::Results results = analyzed(system, us(20'000));
  CHECK(results.requirements.front().reason == "the bound, 1.000001 ms, is 1.999999 ms below the limit");
  CHECK(results.tasks[task].reason == "the bound, 1.000001 ms, is 1.999999 ms below the deadline");
}

TEST_CASE("requirements: a bound within the limit guarantees the metric and one above refutes only its own metric") {
  Preempted example;
  const auto of_slow = [&](TimeMetric metric, Limits type, std::int64_t limit) {
    return example.judge(time_of_task(example.slow, metric, type, us(limit)));
  };
  const RequirementResult response = of_slow(TimeMetric::response_time, Limits::upper, 16);
  CHECK(response.bound == us(16));  // 12 + 2 × 2
  CHECK(response.guaranteed == true);
  CHECK(of_slow(TimeMetric::running_time, Limits::upper, 16).guaranteed == true);
  const RequirementResult running = of_slow(TimeMetric::running_time, Limits::upper, 12);
  CHECK(running.verdict == LimitVerdict::met);
  CHECK(running.guaranteed == std::nullopt);
  CHECK(of_slow(TimeMetric::lateness, Limits::upper, -4).bound == us(-4));
  CHECK(of_slow(TimeMetric::lateness, Limits::upper, -4).guaranteed == true);
  const RequirementResult apart = of_slow(TimeMetric::start_to_start, Limits::upper, 100);
  CHECK(apart.bound == std::nullopt);
  CHECK(apart.guaranteed == std::nullopt);
  const RequirementResult least = of_slow(TimeMetric::response_time, Limits::lower, 12);
  CHECK(least.bound == us(12));
  CHECK(least.guaranteed == true);

  // The job at the critical instant is late already.
  example.maker[example.slow].deadline = us(13);
  const RequirementResult denied = judged(
      example.maker.build(), time_of_task(example.slow, TimeMetric::response_time, Limits::upper, us(13)), us(1));
  CHECK(denied.verdict == LimitVerdict::missed);
  CHECK(denied.guaranteed == false);
}

TEST_CASE("requirements: waiting and polling are separate") {
  for (const bool active : {false, true}) {
    SystemMaker maker;
    const UnitIndex core = maker.core("core"), gpu = maker.gpu("gpu");
    const StimulusIndex request = maker.inter_process();
    const TaskIndex host = maker.task("host", core, 1, maker.periodic(40));
    const TaskIndex device = maker.task("device", gpu, 0, request);
    maker.kernel(device, 10);
    maker.offload(host, device, request, 1, 2, active);
    const System system = maker.build();
    const auto seen = [&](TimeMetric metric) {
      return observed_time(judged(system, time_of_task(host, metric, Limits::upper, us(100)), us(40)));
    };
    CHECK(seen(TimeMetric::waiting_time) == us(active ? 0 : 10));
    CHECK(seen(TimeMetric::polling_time) == us(active ? 10 : 0));
    CHECK(seen(TimeMetric::net_execution_time) == us(active ? 13 : 3));
    const RequirementResult share = judged(system, of_task(host, Limits::upper, cpu("CPUWaiting", 20)), us(40));
    CHECK(std::get<double>(share.observed) == Approx(active ? 0 : 25));  // 10 of 40
    CHECK(share.verdict == (active ? LimitVerdict::met : LimitVerdict::missed));
    const RequirementResult polling = judged(system, of_task(host, Limits::lower, cpu("CPUPolling", 25)), us(40));
    CHECK(polling.verdict == (active ? LimitVerdict::met : LimitVerdict::missed));
  }
}

TEST_CASE("requirements: counts cover the whole simulation") {
  Preempted example;
  const auto count = [&](TaskIndex task, const char* metric, Limits type, std::int64_t limit) {
    return example.judge(count_of_task(task, metric, type, limit));
  };
  CHECK(std::get<std::int64_t>(count(example.fast, "Activations", Limits::upper, 4).observed) == 4);
  CHECK(count(example.fast, "Activations", Limits::upper, 4).verdict == LimitVerdict::met);
  CHECK(count(example.fast, "Activations", Limits::upper, 3).verdict == LimitVerdict::missed);
  CHECK(count(example.fast, "Activations", Limits::lower, 5).verdict == LimitVerdict::missed);
  CHECK(std::get<std::int64_t>(count(example.slow, "Preemptions", Limits::upper, 2).observed) == 2);
  CHECK(count(example.slow, "Preemptions", Limits::upper, 1).verdict == LimitVerdict::missed);
  CHECK(count(example.slow, "Preemptions", Limits::upper, 1).reason ==
        "2 preemptions in the simulation, 1 above the limit");
  CHECK(count(example.fast, "FullMigrations", Limits::upper, 0).verdict == LimitVerdict::met);
  CHECK(count(example.fast, "MtaLimitExceeding", Limits::upper, 0).verdict == LimitVerdict::met);
  CHECK(count(example.fast, "MtaLimitExceeding", Limits::lower, 1).verdict == LimitVerdict::missed);
}

TEST_CASE("requirements: normalized metrics are percentages of the deadline") {
  Preempted example;
  const auto percentage = [&](TaskIndex task, const char* metric, double limit) {
    return example.judge(of_task(task, Limits::upper, Requirement::PercentageLimit{metric, limit}));
  };
  CHECK(std::get<double>(percentage(example.slow, "NormalizedResponseTime", 80).observed) == Approx(80));
  CHECK(percentage(example.slow, "NormalizedResponseTime", 81).verdict == LimitVerdict::met);
  CHECK(percentage(example.slow, "NormalizedResponseTime", 79).verdict == LimitVerdict::missed);
  CHECK(percentage(example.slow, "NormalizedLateness", -19).verdict == LimitVerdict::met);
  CHECK(percentage(example.slow, "NormalizedLateness", -21).verdict == LimitVerdict::missed);
  CHECK(percentage(example.fast, "NormalizedResponseTime", 100).reason ==
        "the model states no deadline, which NormalizedResponseTime requires");
}

TEST_CASE("requirements: CPU load is the utilization of a core and a process has its share of it") {
  Preempted example;
  // 4 × 2 + 2 × 12 of 40
  const RequirementResult load = example.judge(of_task(example.fast, Limits::upper, cpu("CPULoad", 79)));
  CHECK(std::get<double>(load.observed) == Approx(80));
  CHECK(load.verdict == LimitVerdict::missed);
  CHECK(load.reason == "core is in use for 80.00 % of the simulated time, 1.00 % above the limit");
  const RequirementResult architecture = example.judge(requirement(
      Requirement::Kind::architecture, Requirement::OfOther{}, Limits::upper, cpu("CPULoad", 81, example.core)));
  CHECK(architecture.verdict == LimitVerdict::met);
  // Which of several cores is not stated.
  Preempted two;
  two.maker.compute(two.maker.task("beside", two.maker.core("other"), 1, two.maker.periodic(20)), 2);
  CHECK(two.judge(of_task(two.fast, Limits::upper, cpu("CPULoad", 100))).reason == "it states no core");
  CHECK(two.judge(of_task(two.fast, Limits::upper, cpu("CPULoad", 100, two.core))).verdict == LimitVerdict::met);
  const auto share = [&](const char* metric) {
    return std::get<double>(example.judge(of_task(example.slow, Limits::upper, cpu(metric, 50))).observed);
  };
  CHECK(share("CPURunning") == Approx(60));
  CHECK(share("CPUReady") == Approx(10));
  CHECK(share("CPUParking") == Approx(0));
}

TEST_CASE("requirements: runnables count from their first start to their last end") {
  Preempted example;
  System system = example.maker.build();
  system.runnables.push_back({"work", {}});
  system.runnables.push_back({"never called", {}});
  system.graph[system.tasks[example.slow].body.front()].runnable = 0;
  const auto judge = [&](RunnableIndex runnable, TimeMetric metric, std::int64_t limit) {
    return judged(system,
                  requirement(Requirement::Kind::runnable, Requirement::OfRunnable{runnable}, Limits::upper,
                              Requirement::TimeLimit{metric, us(limit)}),
                  Preempted::until);
  };
  const RequirementResult within = judge(0, TimeMetric::response_time, 14);
  CHECK(observed_time(within) == us(14));
  CHECK(within.verdict == LimitVerdict::met);
  CHECK(judge(0, TimeMetric::gross_execution_time, 13).verdict == LimitVerdict::missed);
  CHECK(judge(0, TimeMetric::gross_execution_time, 13).reason ==
        "the largest of 2 runs is 14 us, 1 us above the limit");
  CHECK(judge(0, TimeMetric::start_delay, 100).verdict == LimitVerdict::unknown);
  CHECK(judge(0, TimeMetric::start_delay, 100).reason == "StartDelay is not measured for runnables");
  CHECK(judge(1, TimeMetric::response_time, 100).verdict == LimitVerdict::unknown);
  CHECK(judge(1, TimeMetric::response_time, 100).reason == "it never ran");
}

TEST_CASE("requirements: process chains count to the first end of the last process with the data of the first") {
  SystemMaker maker;
  const UnitIndex first = maker.core("first"), second = maker.core("second");
  const TaskIndex urgent = maker.task("urgent", first, 2, maker.periodic(10));
  const TaskIndex from = maker.task("from", first, 1, maker.periodic(10));
  const TaskIndex to = maker.task("to", second, 1, maker.periodic(20, 5));
  maker.compute(urgent, 1);
  maker.compute(from, 2);
  maker.compute(to, 3);
  pass_data(maker.system(), {from, to});
  const System system = maker.build();
  const auto judge = [&](TimeMetric metric, std::int64_t limit, Limits type = Limits::upper) {
    return judged(system,
                  requirement(Requirement::Kind::process_chain, Requirement::OfChain{{from, to}}, type,
                              Requirement::TimeLimit{metric, us(limit)}),
                  us(40));
  };
  // "from" runs from 1 to 3, 11 to 13 and so on; "to" from 5 to 8 and from 25 to 28. What is released at 10 is seen at
  // 25 only, and out at 28; what is released at 0 or 20 is out 8 later.
  const RequirementResult response = judge(TimeMetric::response_time, 18);
  CHECK(observed_time(response) == us(18));
  CHECK(response.verdict == LimitVerdict::met);
  CHECK(response.reason == "the largest of 3 passages is 18 us, exactly the limit");
  CHECK(judge(TimeMetric::end_to_end, 17).verdict == LimitVerdict::missed);
  CHECK(observed_time(judge(TimeMetric::gross_execution_time, 18)) == us(17));
  CHECK(observed_time(judge(TimeMetric::response_time, 8, Limits::lower)) == us(8));
  CHECK(judge(TimeMetric::response_time, 9, Limits::lower).verdict == LimitVerdict::missed);
  // Just missed by "to": 3, then a period of 20 and 3.
  CHECK(response.bound == us(26));
  CHECK(response.guaranteed == std::nullopt);
  CHECK(judge(TimeMetric::response_time, 26).guaranteed == true);
  CHECK(judge(TimeMetric::end_to_start, 26).verdict == LimitVerdict::unknown);
  CHECK(judge(TimeMetric::end_to_start, 26).reason == "EndToStart is not measured for process chains");
}

TEST_CASE("requirements: unfinished jobs exceed a response time limit and leave other metrics open") {
  SystemMaker maker;
  const TaskIndex task = maker.task("task", maker.core("core"), 1, maker.periodic(10));
  maker.compute(task, 15);
  const System system = maker.build();
  // The k-th of ten jobs ends at 15 k; what has not ended by 100 and a period is left over: seven end.
  const auto judge = [&](TimeMetric metric, Limits type, Duration limit) {
    return judged(system, time_of_task(task, metric, type, limit), us(100));
  };
  const RequirementResult response = judge(TimeMetric::response_time, Limits::upper, Duration::seconds(1));
  CHECK(observed_time(response) == us(45));
  CHECK(response.verdict == LimitVerdict::missed);
  CHECK(response.reason == "3 of 10 jobs had not ended at the end of the simulation");
  const RequirementResult waiting = judge(TimeMetric::waiting_time, Limits::upper, us(1));
  CHECK(waiting.verdict == LimitVerdict::unknown);
  CHECK(waiting.reason == "3 of 10 jobs had not ended at the end of the simulation");
  CHECK(judge(TimeMetric::running_time, Limits::upper, us(14)).verdict == LimitVerdict::missed);
  CHECK(judge(TimeMetric::running_time, Limits::lower, us(14)).verdict == LimitVerdict::unknown);
  const auto count = [&](const char* metric, Limits type, std::int64_t limit) {
    return judged(system, count_of_task(task, metric, type, limit), us(100)).verdict;
  };
  CHECK(count("Preemptions", Limits::upper, 0) == LimitVerdict::unknown);
  CHECK(count("Preemptions", Limits::lower, 0) == LimitVerdict::met);
  CHECK(count("Preemptions", Limits::lower, 1) == LimitVerdict::unknown);
  CHECK(count("Activations", Limits::upper, 10) == LimitVerdict::met);
  CHECK(count("Activations", Limits::upper, 9) == LimitVerdict::missed);
}

TEST_CASE("requirements: lost activations are counted and exceed a response time limit") {
  SystemMaker maker;
  const TaskIndex task = maker.task("task", maker.core("core"), 1, maker.periodic(10));
  maker.compute(task, 15);
  maker[task].activation_limit = 1;
  const System system = maker.build();  // every second activation is lost
  const auto lost = [&](std::int64_t limit) {
    return judged(system, count_of_task(task, "MtaLimitExceeding", Limits::upper, limit), us(100));
  };
  CHECK(std::get<std::int64_t>(lost(5).observed) == 5);
  CHECK(lost(5).verdict == LimitVerdict::met);
  CHECK(lost(4).verdict == LimitVerdict::missed);
  const RequirementResult response =
      judged(system, time_of_task(task, TimeMetric::response_time, Limits::upper, us(20)), us(100));
  CHECK(observed_time(response) == us(15));
  CHECK(response.verdict == LimitVerdict::missed);
  CHECK(response.reason == "5 activations are lost because earlier jobs are still running");
}

TEST_CASE("requirements: unmeasured or unstated metrics are unknown with a reason and never met") {
  Preempted example;
  using Kind = Requirement::Kind;
  const auto time = Requirement::TimeLimit{TimeMetric::response_time, us(100)};
  const std::vector<std::pair<Requirement, std::string>> cases = {
      {of_task(example.slow, Limits::upper, Requirement::NoLimit{}), "it states no limit"},
      {of_task(example.slow, Limits::unstated, time), "it does not state whether its limit is an upper or a lower one"},
      {of_task(example.slow, Limits::upper, Requirement::TimeLimit{std::nullopt, us(1)}), "it states no metric"},
      {of_task(example.slow, Limits::upper, Requirement::TimeLimit{TimeMetric::ready_time, std::nullopt}),
       "its limit is missing or cannot be read"},
      {time_of_task(example.fast, TimeMetric::lateness, Limits::upper, us(1)),
       "the model states no deadline, which lateness requires"},
      {count_of_task(example.slow, "CacheMiss", Limits::upper, 1), "CacheMiss is not measured"},
      {count_of_task(example.slow, "BoundedMigrations", Limits::upper, 1), "BoundedMigrations is not measured"},
      {count_of_task(example.slow, "", Limits::upper, 1), "it states no metric"},
      {of_task(example.slow, Limits::lower, Requirement::PercentageLimit{"CacheHitRatio", 0}),
       "CacheHitRatio is not measured"},
      {of_task(example.slow, Limits::lower, Requirement::FrequencyLimit{"CacheHitFrequency", 0}),
       "CacheHitFrequency is not measured"},
      {of_task(example.slow, Limits::upper, cpu("CPUBuffering", 100)), "CPUBuffering is not measured"},
      {of_task(example.slow, Limits::upper, Requirement::CpuLimit{"CPULoad", 100, std::nullopt, true}),
       "its hardware is not a unit of the analyzed platform"},
      {requirement(Kind::architecture, Requirement::OfOther{}, Limits::upper, cpu("CPULoad", 100)),
       "it states no core"},
      {requirement(Kind::architecture, Requirement::OfOther{}, Limits::upper, time),
       "for architectures, only the CPULoad of a core is measured"},
      {requirement(Kind::process, Requirement::OfOther{}, Limits::upper, time),
       "its process is not in the analyzed system"},
      {requirement(Kind::process_chain, Requirement::OfOther{}, Limits::upper, time),
       "its process chain is empty, or has a process that is not in the analyzed system"}};
  System system = example.maker.build();
  for (const auto& [requirement, reason] : cases) system.requirements.push_back(requirement);
  const engine::Results results = analyzed(system, Preempted::until);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CHECK(results.requirements[i].verdict == LimitVerdict::unknown);
    CHECK(results.requirements[i].reason == cases[i].second);
    CHECK_FALSE(results.requirements[i].guaranteed.has_value());
  }

  // A task that is released later than what is simulated has a bound all the same.
  SystemMaker later;
  const TaskIndex task = later.task("task", later.core("core"), 1, later.periodic(10, 5));
  later.compute(task, 2);
  const auto unseen = [&](std::int64_t limit) {
    return judged(later.build(), time_of_task(task, TimeMetric::response_time, Limits::upper, us(limit)), us(5));
  };
  CHECK(unseen(2).verdict == LimitVerdict::met);
  CHECK(unseen(2).guaranteed == true);
  CHECK(unseen(2).reason ==
        "the bound, 2 us, is within the limit; in the simulation no job ended in the simulated time");
  CHECK(unseen(1).verdict == LimitVerdict::unknown);
  CHECK(unseen(1).guaranteed == false);
}

}  // namespace requirements_test
