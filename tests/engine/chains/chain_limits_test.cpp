// SPDX-License-Identifier: Apache-2.0
// Verdicts on the latency constraints of chains, for each kind of communication.

#include <vector>

#include <catch2/catch.hpp>

#include "engine/chains/chain_limits.hpp"
#include "engine/verdict.hpp"
#include "tests/support/system_maker.hpp"

namespace chains_chain_limits_test {

using namespace amalthea;
using namespace amalthea::engine;

namespace {

constexpr auto reaction = ChainLimit::Kind::reaction;
constexpr auto age = ChainLimit::Kind::age;

/// Three tasks on separate cores, every 10, 20 and 20 us, one after the other in a chain with these limits.
System chain_system(std::vector<ChainLimit> limits) {
  test::SystemMaker maker;
  std::vector<TaskIndex> tasks;
  for (const int period : {10, 20, 20}) {
    const std::string name = "t" + std::to_string(tasks.size());
    tasks.push_back(maker.task(name, maker.core("core " + name), 1, maker.periodic(period)));
    maker.compute(tasks.back(), 4);
  }
  System system = maker.build();
  test::pass_data(system, tasks);
  system.chains.push_back({"chain", tasks, {}, Chain::Source::model, std::move(limits)});
  return system;
}

Results analysed_with(const System& system, Communication communication, std::optional<Duration> until = std::nullopt) {
  AnalysisOptions options;
  options.communication = communication;
  options.until = until;
  Diagnostics diagnostics;
  return engine::analyze(system, options, diagnostics).value();
}

}  // namespace

TEST_CASE("a simulated latency beyond its limit is missed and so is the verdict") {
  // A job of t0 reads at 10 and writes at 14; t1 reads that at 20 and writes at 24; t2 reads at 40 and writes at 44.
  const System system = chain_system({{"tight", reaction, std::nullopt, test::us(33)},
                                      {"seen", reaction, std::nullopt, test::us(60)},
                                      {"sure", reaction, std::nullopt, test::us(1000)},
                                      {"age", age, std::nullopt, test::us(40)},
                                      {"soon", reaction, test::us(50), std::nullopt}});
  const Results results = analysed_with(system, Communication::implicit);
  const auto& limits = results.chains[0].limits;
  CHECK(limits[0].implicit.verdict == LimitVerdict::missed);
  CHECK(limits[0].implicit.guaranteed == false);
  CHECK(limits[0].implicit.reason == "the longest latency in the simulation is 44 us, 11 us above the maximum");
  CHECK(limits[1].implicit.verdict == LimitVerdict::met);
  CHECK(limits[2].implicit.verdict == LimitVerdict::met);
  CHECK(limits[2].implicit.guaranteed == true);
  CHECK(limits[3].implicit.verdict == LimitVerdict::met);
  CHECK(limits[4].implicit.verdict == LimitVerdict::missed);
  CHECK(limits[4].implicit.reason == "the shortest latency in the simulation is 34 us, 16 us below the minimum");
  const Assessment assessment = assess(system, results, {});
  CHECK(assessment.verdict == OverallVerdict::missed);
  CHECK(assessment.count(OverallVerdict::missed) == 2);
}

TEST_CASE("a chain longer than the hyperperiod is completed before the simulation ends") {
  const System system = chain_system({{"tight", reaction, std::nullopt, test::us(33)}});
  const Results results = analysed_with(system, Communication::implicit);
  CHECK(*results.hyperperiod == test::us(20));
  CHECK(results.horizon == test::us(300));
  CHECK(results.horizon.picoseconds() % results.hyperperiod->picoseconds() == 0);
  CHECK(results.chains[0].observed.reads >= 4);
  // A truncated simulation has no complete passage, and nothing is met.
  const Results cut = analysed_with(system, Communication::implicit, test::us(10));
  CHECK(cut.chains[0].limits[0].implicit.verdict == LimitVerdict::unknown);
  CHECK(assess(system, cut, {}).verdict == OverallVerdict::unknown);
}

TEST_CASE("the selected communication decides and the others are also reported") {
  // Bounds: each step takes a period and a response of 4, less the first period: 10 + 20 + 20 + 12 - 10.
  const System system = chain_system({{"limit", reaction, std::nullopt, test::us(52) + Duration::nanoseconds(1)},
                                      {"less", reaction, std::nullopt, test::us(51)}});
  const auto verdict = [&](Communication communication) {
    return assess(system, analysed_with(system, communication), {}).verdict;
  };
  const Results results = analysed_with(system, Communication::explicit_access);
  const auto& limits = results.chains[0].limits;
  CHECK(limits[0].explicit_access.guaranteed == true);
  CHECK(limits[1].explicit_access.verdict == LimitVerdict::unknown);  // not simulated
  CHECK(limits[1].explicit_access.guaranteed == false);
  CHECK(limits[1].implicit.verdict == LimitVerdict::met);
  CHECK(limits[0].let.verdict == LimitVerdict::missed);  // 10 + 20 + 20 and up to a period between
  CHECK(verdict(Communication::implicit) == OverallVerdict::met);
  CHECK(verdict(Communication::explicit_access) == OverallVerdict::unknown);
  CHECK(verdict(Communication::let) == OverallVerdict::missed);
}

TEST_CASE("LET latencies hold only if jobs end within their intervals") {
  test::SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex slow = maker.task("slow", core, 1, maker.periodic(10)),
                  late = maker.task("late", core, 0, maker.periodic(30));
  maker.compute(slow, 4);
  maker.compute(late, 20);
  System system = maker.build();
  test::pass_data(system, {slow, late});
  system.chains.push_back(
      {"chain", {slow, late}, {}, Chain::Source::model, {{"limit", reaction, std::nullopt, test::us(500)}}});
  const auto judged = [&] { return analysed_with(system, Communication::let).chains[0].limits[0].let; };
  CHECK(judged().verdict == LimitVerdict::unknown);  // 20 + 4 × 4 > 30
  CHECK(judged().reason == "late needs longer than its LET interval of 30 us");
  std::get<Compute>(system.graph[system.tasks[late].body[0]].activity).ticks = test::constant_ticks(10);
  CHECK(judged().verdict == LimitVerdict::met);
  CHECK(judged().guaranteed == true);
}

TEST_CASE("latencies count from the activation if it is the stimulus of the chain") {
  test::SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex urgent = maker.task("urgent", core, 2, maker.periodic(100)),
                  task = maker.task("task", core, 1, maker.periodic(100));
  maker.compute(urgent, 30);
  maker.compute(task, 10);
  System system = maker.build();
  system.chains.push_back(
      {"chain", {task}, {}, Chain::Source::model, {{"limit", reaction, std::nullopt, test::us(20)}}});
  CHECK(analysed_with(system, Communication::implicit).chains[0].observed.reduced_reaction == test::us(10));
  system.chains[0].from_activation = true;
  const Results results = analysed_with(system, Communication::implicit);
  CHECK(results.chains[0].observed.reduced_reaction == test::us(40));
  CHECK(results.chains[0].limits[0].implicit.verdict == LimitVerdict::missed);
}

TEST_CASE("a chain with a gap is not judged") {
  System system = chain_system({{"limit", reaction, std::nullopt, test::us(1000)}});
  system.chains[0].gap = "the event \"e\" of its chain occurs in no process, or in several";
  const Results results = analysed_with(system, Communication::implicit);
  CHECK(results.chains[0].limits[0].implicit.verdict == LimitVerdict::unknown);
  CHECK(results.chains[0].limits[0].implicit.reason == system.chains[0].gap);
}

}  // namespace chains_chain_limits_test
