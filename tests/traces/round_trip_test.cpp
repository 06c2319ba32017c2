// SPDX-License-Identifier: Apache-2.0
// Traces of simulations, read back: they give the numbers of the simulation and no finding.

#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/chains/chain_observation.hpp"
#include "engine/simulation/simulation.hpp"
#include "exporter/traces/trace_formats.hpp"
#include "exporter/traces/trace_names.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/thoroughness.hpp"
#include "traces/comparison.hpp"

namespace traces_round_trip_test {
namespace {

using namespace amalthea;

struct Case {
  System system;
  std::optional<engine::DeviceProfile> profile;
  std::optional<Duration> until;

  engine::AnalysisOptions options() const {
    engine::AnalysisOptions options;
    options.until = until;
    options.profile = profile ? &*profile : nullptr;
    return options;
  }
};

engine::Results traced(const Case& made, const std::string& path, engine::Execution execution, std::uint64_t seed) {
  auto writer = exporter::trace_format_of(path)->make(path, {});
  REQUIRE(writer.has_value());
  engine::AnalysisOptions options = made.options();
  options.execution = execution;
  Diagnostics diagnostics;
  const auto preparation = engine::prepare_simulation(made.system, options, diagnostics);
  REQUIRE(preparation.has_value());
  const auto programs = engine::compile_programs(made.system, execution, preparation->devices, options.compile);
  engine::SimulationInput input{made.system,        programs,           preparation->devices,
                                preparation->until, preparation->grace, preparation->periods};
  input.execution = execution;
  input.seed = seed;
  input.keep_responses = true;
  input.observer = writer->get();
  engine::Results results;
  engine::simulate(input, results);
  REQUIRE((*writer)->finish().has_value());
  return results;
}

/// The traces of one system in a format, compared with the simulation's own numbers.
void check(const Case& made, const std::string& path, engine::Execution execution, std::uint64_t seed) {
  const engine::Results results = traced(made, path, execution, seed);
  Diagnostics findings, ignored;
  const auto directory = exporter::trace_names(made.system, made.options(), ignored);
  REQUIRE(directory.has_value());
  const engine::AnalysisOptions options = made.options();
  std::optional<engine::Results> analysis = engine::analyze(made.system, options, ignored);
  const traces::NameRules rules;
  traces::ComparisonInput input{made.system, options, analysis ? &*analysis : nullptr, *directory, rules};
  input.until = Instant::at(results.horizon);
  input.from = Instant{};
  input.max_accesses = 1536;  // so that chains are observed window by window
  Diagnostics of_preparation;
  const auto compared = traces::compare_traces(input, {path}, findings);
  INFO((compared ? "" : compared.error()));
  REQUIRE(compared.has_value());
  std::string said;
  for (const Diagnostic& finding : findings.all())
    if (finding.id.starts_with("AM09")) said += format(finding) + "\n";
  if (!said.empty()) FAIL(said);
  REQUIRE(compared->unmatched.empty());

  const bool btf = path.ends_with(".btf"), csv = path.ends_with(".csv");
  const Duration tolerance = btf ? Duration::nanoseconds(1) : Duration{};
  const auto same = [&](Duration a, Duration b) { return std::abs((a - b).picoseconds()) <= tolerance.picoseconds(); };
  const auto require = [&](Duration a, Duration b, const std::string& what) {
    if (!same(a, b)) FAIL(what << ": " << a.picoseconds() << " instead of " << b.picoseconds());
  };
  for (TaskIndex task = 0; task < made.system.tasks.size(); ++task) {
    if (made.system.tasks[task].folded_into) continue;
    INFO(made.system.tasks[task].name);
    const traces::MeasuredTask& seen = compared->tasks[task];
    const engine::TaskResult& wanted = results.tasks[task];
    REQUIRE(seen.response.count() == wanted.response.jobs);
    REQUIRE(seen.activations == wanted.metrics.activations);
    REQUIRE(seen.lost == wanted.lost_activations);
    REQUIRE(seen.unfinished == wanted.unfinished);
    // A job that has not ended may miss its deadline behind the last event, while the simulation goes on.
    if (!btf) REQUIRE(seen.late <= wanted.missed_deadlines);
    if (!btf) REQUIRE(seen.late + seen.unfinished >= wanted.missed_deadlines);
    if (wanted.response.jobs == 0) continue;
    require(seen.response.min(), wanted.response.min, "minimum");
    require(seen.response.mean(), wanted.response.mean, "mean");
    require(seen.response.percentile(990), wanted.response.p99, "p99");
    require(seen.response.max(), wanted.response.max, "maximum");
    for (std::size_t index = 0; index < time_metrics; ++index) {
      const auto metric = static_cast<TimeMetric>(index);
      const engine::Extent &own = seen.metrics[metric], &simulated = wanted.metrics[metric];
      // The trace does not tell what a process does while it runs; the rest of the CSV has no instants of starts.
      if (own.jobs() == 0 || btf) continue;
      if (csv && metric != TimeMetric::response_time && metric != TimeMetric::net_execution_time) continue;
      REQUIRE(own.jobs() == simulated.jobs());
      require(own.min(), simulated.min(), std::string(to_string(metric)) + " minimum");
      require(own.mean(), simulated.mean(), std::string(to_string(metric)) + " mean");
      require(own.max(), simulated.max(), std::string(to_string(metric)) + " maximum");
    }
    if (!csv && made.system.tasks[task].side == Side::host) {
      REQUIRE(seen.metrics.preemptions >= wanted.metrics.preemptions);  // the results do not count all of them
      REQUIRE(seen.metrics.migrations == wanted.metrics.migrations);
    }
  }
  for (std::size_t chain = 0; chain < made.system.chains.size(); ++chain) {
    if (btf || csv || made.system.chains[chain].tasks.empty()) continue;
    INFO("chain " << made.system.chains[chain].name);
    const engine::ObservedLatencies wanted = engine::observed_latencies(made.system.chains[chain], results.accesses);
    const engine::ObservedLatencies& seen = compared->judged.chains[chain].observed;
    // A window loses latencies of chains that take longer than it, but never adds one.
    REQUIRE(seen.reads <= wanted.reads);
    const auto within = [](std::optional<Duration> a, std::optional<Duration> b) { return !a || (b && *a <= *b); };
    CHECK(within(seen.reaction, wanted.reaction));
    CHECK(within(seen.reduced_reaction, wanted.reduced_reaction));
    CHECK(within(seen.age, wanted.age));
    CHECK(within(seen.reduced_age, wanted.reduced_age));
    CHECK((!seen.least_age || (wanted.least_age && *seen.least_age >= *wanted.least_age)));
    if (wanted.reaction && *wanted.reaction * 10 < results.horizon) CHECK(seen == wanted);
  }
  if (csv) return;
  std::map<std::pair<TaskIndex, RunnableIndex>, const engine::Statistics*> durations;
  for (const engine::RunnableResult& runnable : results.runnables)
    if (runnable.duration.jobs > 0) durations[{runnable.task, runnable.runnable}] = &runnable.duration;
  std::size_t compared_runnables = 0;
  for (const traces::MeasuredRunnable& runnable : compared->runnables) {
    if (runnable.duration.count() == 0) continue;
    const auto wanted = durations.find({runnable.task, runnable.runnable});
    INFO(made.system.runnables[runnable.runnable].name << " in " << made.system.tasks[runnable.task].name);
    REQUIRE(wanted != durations.end());
    REQUIRE(runnable.duration.count() == wanted->second->jobs);
    ++compared_runnables;
    // Where a runnable behind a branch ends without time, the trace does not tell it from one that does not continue.
    const auto& body = made.system.tasks[runnable.task].body;
    if (std::any_of(body.begin(), body.end(), [&](NodeIndex node) {
          const Activity& activity = made.system.graph[node].activity;
          return std::holds_alternative<Branch>(activity) || std::holds_alternative<Terminate>(activity);
        }))
      continue;
    require(runnable.duration.min(), wanted->second->min, "minimum");
    require(runnable.duration.max(), wanted->second->max, "maximum");
  }
  REQUIRE(compared_runnables == durations.size());
  for (const engine::OperationResult& operation : results.operations) {
    const auto found = std::find_if(compared->operations.begin(), compared->operations.end(),
                                    [&](const auto& one) { return one.node == operation.node; });
    INFO(made.system.graph[operation.node].name);
    REQUIRE(found != compared->operations.end());
    if (operation.duration.jobs == 0) continue;
    // Trace event JSON does not tell which job submits an operation at the end of the measured time.
    if (path.ends_with(".json")) continue;
    REQUIRE(found->duration.count() == operation.duration.jobs);
    require(found->duration.min(), operation.duration.min, "minimum");
    require(found->duration.mean(), operation.duration.mean, "mean");
    require(found->duration.max(), operation.duration.max, "maximum");
  }
}

void check_all(const Case& made, const std::string& folder, std::uint64_t seed, bool json = true) {
  for (const char* extension : {".btf", ".atdb", ".csv", ".json"})
    for (const engine::Execution execution : {engine::Execution::worst, engine::Execution::random}) {
      INFO(extension << " " << to_string(execution));
      if (json || extension != std::string(".json"))
        check(made, fmt::format("{}/trace{}", folder, extension), execution, seed);
    }
}

void check_random(int count, std::uint32_t seed) {
  const test::TemporaryFolder folder;
  std::mt19937 random(seed);
  for (int index = 0; index < count; ++index) {
    test::RandomSystemOptions options;
    if (index % 2 == 0)
      options.must = test::features_of({test::SystemFeature::offload, test::SystemFeature::semaphore,
                                        test::SystemFeature::polled_semaphore, test::SystemFeature::activation_limit,
                                        test::SystemFeature::runnables, test::SystemFeature::memory});
    test::RandomSystem drawn = test::random_system(random, options);
    // Among them what a spreadsheet would take for a formula, or for a text that was guarded from being one.
    constexpr std::array<const char*, 7> beginnings{"a ", "=", "'=", "''+", "-x", "@", "'"};
    for (std::size_t task = 0; task < drawn.system.tasks.size(); ++task)
      drawn.system.tasks[task].name.insert(0, beginnings[task % beginnings.size()]);
    for (Label& label : drawn.system.labels) label.name.insert(0, "a label, ");
    // And what another one is called where names begin as Trace Compass needs it.
    if (index % 3 == 0)
      for (std::size_t task = 0; task + 1 < drawn.system.tasks.size(); task += 2)
        drawn.system.tasks[task + 1].name = "TASK_" + drawn.system.tasks[task].name;
    // Tracks of trace event JSON know processes by their names alone.
    const bool unique = index % 4 != 3;
    for (NodeIndex node = 0; unique && node < drawn.system.graph.size(); ++node)
      drawn.system.graph[node].name += fmt::format("_{}", node);
    INFO("system " << index << " of seed " << seed);
    // Ends between two nanoseconds: BTF would round a release just before a whole one up to the end.
    const Duration until = Duration::microseconds(400) + Duration::picoseconds(500);
    check_all({std::move(drawn.system), std::move(drawn.profile), until}, folder.path(),
              static_cast<std::uint64_t>(index), unique);
  }
}

}  // namespace

TEST_CASE("traces of all samples give the numbers of their simulation and no finding") {
  const test::TemporaryFolder folder;
  for (const char* name : {"waters2019-tx2.amxmi", "offload-minimal.amxmi", "offload-minimal-three-runnables.amxmi",
                           "offload-blocks.amxmi"}) {
    INFO(name);
    Case made{test::system_from_file(test::sample(name)), std::nullopt, std::nullopt};
    if (name == std::string("waters2019-tx2.amxmi")) made.until = Duration::milliseconds(400);
    check_all(made, folder.path(), 1);
  }
}

TEST_CASE("chains of a trace that is many windows long have the latencies of the simulation") {
  const test::TemporaryFolder folder;
  const Case made{test::system_from_file(test::sample("waters2019-tx2.amxmi")), std::nullopt, Duration::seconds(6)};
  REQUIRE_FALSE(made.system.chains.empty());
  check(made, folder.path() + "/trace.atdb", engine::Execution::random, 3);
}

TEST_CASE("traces of random systems give the numbers of their simulation and no finding") { check_random(50, 1); }

TEST_CASE("traces of hundreds of random systems give the numbers of their simulation and no finding", "[long]") {
  check_random(test::times(400), 2);
}

}  // namespace traces_round_trip_test
