// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/many_runs.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/system_maker.hpp"

namespace many_runs_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

Ticks varying(std::int64_t lower, std::int64_t upper) {
  Ticks ticks;
  ticks.otherwise = Cycles{lower, (lower + upper) / 2, upper};
  return ticks;
}

/// A task of high and one of low priority on a core; the low one is late when both take long.
System two_tasks() {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = maker.task("high", core, 2, maker.periodic(100));
  maker.add(high, Compute{varying(10, 50)});
  maker[high].deadline = us(100);
  const TaskIndex low = maker.task("low", core, 1, maker.periodic(200));
  maker.add(low, Compute{varying(20, 80)});
  maker[low].deadline = us(150);
  Chain chain;
  chain.name = "chain";
  chain.tasks = {high, low};
  maker.system().chains.push_back(chain);
  pass_data(maker.system(), chain.tasks);
  return maker.build();
}

ManyRuns many(const System& system, std::uint64_t runs, unsigned threads = 1, std::uint64_t seed = 1,
              Execution execution = Execution::random, std::optional<Duration> until = std::nullopt) {
  ManyRunsOptions options;
  options.analysis.execution = execution;
  options.analysis.until = until;
  options.runs = runs;
  options.threads = threads;
  options.seed = seed;
  Diagnostics diagnostics;
  auto found = simulate_runs(system, options, diagnostics);
  return std::move(found.value());
}

/// All results of the runs as one text.
std::string text_of(const ManyRuns& runs) {
  std::string text = std::to_string(runs.events) + "\n";
  for (const TaskRuns& task : runs.tasks) {
    const Sample& sample = task.response;
    for (const Duration value :
         {sample.min(), sample.mean(), sample.standard_deviation(), sample.percentile(500), sample.percentile(999),
          sample.max(), task.worst->response, task.worst->release.since_start()})
      text += std::to_string(value.picoseconds()) + " ";
    text += std::to_string(task.worst->run) + " " + std::to_string(task.worst->seed) + " " + std::to_string(task.late) +
            " " + std::to_string(task.means.runs() > 1 ? task.means.half_width() : 0) + "\n";
  }
  for (const ResourceRuns& resource : runs.resources) text += std::to_string(resource.mean) + "\n";
  for (const ObservedLatencies& chain : runs.chains)
    text += std::to_string(chain.reads) + " " + std::to_string(chain.reaction->picoseconds()) + "\n";
  return text;
}

}  // namespace

TEST_CASE("runs aggregate to the same result on any number of threads") {
  const System system = two_tasks();
  const std::string one = text_of(many(system, 300, 1));
  CHECK(one == text_of(many(system, 300, 2)));
  CHECK(one == text_of(many(system, 300, 4)));
  CHECK(one == text_of(many(system, 300, 300)));
  CHECK(one != text_of(many(system, 300, 1, 2)));
}

TEST_CASE("the longest job is reproduced alone with its seed") {
  const System system = two_tasks();
  const ManyRuns all = many(system, 100, 2);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const WorstJob& worst = all.tasks[task].worst.value();
    const ManyRuns alone = many(system, 1, 1, worst.seed);
    CHECK(alone.tasks[task].worst->response == worst.response);
    CHECK(alone.tasks[task].worst->release == worst.release);
    CHECK(all.tasks[task].response.max() == worst.response);
    CHECK(seed_of_run(1, worst.run) == worst.seed);
  }
}

TEST_CASE("many runs equal the aggregated single runs") {
  const System system = two_tasks();
  constexpr std::uint64_t runs = 20;
  const ManyRuns all = many(system, runs, 3, 5);
  std::uint64_t jobs = 0, late = 0, runs_with_late = 0, events = 0, reads = 0;
  double busy = 0;
  Duration longest, shortest = Duration::max(), reaction;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const ManyRuns one = many(system, 1, 1, seed_of_run(5, run));
    jobs += one.tasks[1].jobs();
    late += one.tasks[1].late;
    runs_with_late += one.tasks[1].late > 0 ? 1 : 0;
    events += one.events;
    reads += one.chains[0].reads;
    busy += one.resources[0].mean;
    longest = std::max(longest, one.tasks[1].response.max());
    shortest = std::min(shortest, one.tasks[1].response.min());
    if (one.chains[0].reaction) reaction = std::max(reaction, *one.chains[0].reaction);
  }
  CHECK(all.tasks[1].jobs() == jobs);
  CHECK(all.tasks[1].late == late);
  CHECK(all.tasks[1].runs_with_late == runs_with_late);
  CHECK(all.events == events);
  CHECK(all.tasks[1].response.max() == longest);
  CHECK(all.tasks[1].response.min() == shortest);
  CHECK(all.chains[0].reads == reads);
  CHECK(all.chains[0].reaction.value_or(Duration{}) == reaction);
  CHECK(all.resources[0].mean == Approx(busy / runs));
  CHECK(all.tasks[1].means.runs() == runs);
}

TEST_CASE("late jobs are counted with the confidence interval of their share and determine the verdict") {
  // Of 500 runs of one hyperperiod each the low task has one job: it takes 20 … 80 and is preempted twice by 10 … 50.
  const System system = two_tasks();
  const ManyRuns runs = many(system, 500, 1, 1, Execution::random, us(200));
  CHECK(runs.horizon == us(200));
  CHECK(runs.tasks[0].late == 0);
  CHECK(runs.tasks[0].verdict == Verdict::met);
  CHECK(runs.tasks[1].jobs() == 500);
  CHECK(runs.tasks[1].late > 0);
  CHECK(runs.tasks[1].late < 100);
  CHECK(runs.tasks[1].verdict == Verdict::missed);
}

TEST_CASE("executions without random times equal the simulation of the analysis") {
  const System system = two_tasks();
  const ManyRuns runs = many(system, 1, 1, 1, Execution::worst, us(200));
  const Results results = analyzed(system, us(200));
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    CHECK(runs.tasks[task].response.max() == results.tasks[task].response.max);
    CHECK(runs.tasks[task].response.min() == results.tasks[task].response.min);
    CHECK(runs.tasks[task].late == results.tasks[task].missed_deadlines);
    CHECK(runs.tasks[task].verdict == results.tasks[task].verdict);
  }
}

TEST_CASE("identical runs are reported") {
  ManyRunsOptions options;
  options.analysis.execution = GENERATE(Execution::worst, Execution::random);
  options.runs = 3;
  Diagnostics diagnostics;
  REQUIRE(simulate_runs(two_tasks(), options, diagnostics).has_value());
  const bool alike = options.analysis.execution == Execution::worst;
  CHECK(std::count_if(diagnostics.all().begin(), diagnostics.all().end(),
                      [](const Diagnostic& finding) { return finding.id == "AM0541"; }) == (alike ? 1 : 0));
}

TEST_CASE("progress is reported after every run in order") {
  ManyRunsOptions options;
  options.analysis.execution = Execution::random;
  options.runs = 50;
  options.threads = 4;
  std::vector<std::uint64_t> reported;
  options.progress = [&](std::uint64_t done) { reported.push_back(done); };
  Diagnostics diagnostics;
  REQUIRE(simulate_runs(two_tasks(), options, diagnostics).has_value());
  REQUIRE(reported.size() == 50);
  for (std::uint64_t i = 0; i < 50; ++i) CHECK(reported[i] == i + 1);
}

TEST_CASE("overflow of aggregated times is an error on any number of threads") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex task = maker.task("task", core, 1, maker.periodic(100));
  for (int i = 0; i < 3; ++i) maker.add(task, Compute{varying(9'000'000'000'000, 9'100'000'000'000)});
  ManyRunsOptions options;
  options.analysis.execution = Execution::random;
  options.runs = 10;
  options.threads = 4;
  Diagnostics diagnostics;
  CHECK_FALSE(simulate_runs(maker.build(), options, diagnostics).has_value());
  CHECK(diagnostics.all().back().id == "AM0505");
}

TEST_CASE("no random response is above its bound or below its best case") {
  std::mt19937 random(11);
  std::uint64_t bounded = 0, jobs = 0;
  for (std::uint64_t round = 0; round < 60; ++round) {
    const RandomSystem drawn = random_system(random, {all_features(), features_of({SystemFeature::varying_times}), 8});
    ManyRunsOptions options;
    options.analysis.execution = Execution::random;
    options.analysis.until = us(1000);
    options.analysis.profile = &drawn.profile;
    options.runs = 10;
    options.threads = 2;
    options.seed = round;
    Diagnostics diagnostics;
    const ManyRuns runs = simulate_runs(drawn.system, options, diagnostics).value();
    for (const TaskRuns& task : runs.tasks) {
      if (task.response.count() == 0) continue;
      CAPTURE(round);
      if (task.bound.best) CHECK(task.response.min() >= *task.bound.best);
      if (!task.bound.worst) continue;
      CHECK(task.response.max() <= *task.bound.worst);
      ++bounded;
      jobs += task.jobs();
    }
  }
  CHECK(bounded > 120);
  CHECK(jobs > 10'000);
}

}  // namespace many_runs_test
