// What simulating costs.
//
//   bench_simulation [--benchmark_… options]
//
// hyperperiod: the WATERS 2019 model at worst execution times, events (instants at which something happens) per second.
// runs: random runs of its hyperperiod on two threads, against the same on one (x_row).

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "engine/many_runs.hpp"
#include "importer/model_reader.hpp"
#include "importer/system_builder.hpp"

namespace {

using namespace amalthea;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const System& waters() {
  static const System system = [] {
    Diagnostics diagnostics;
    const auto model = importer::read_model({AMALTHEA_SOURCE_DIR "/samples/waters2019-tx2.amxmi"}, {}, diagnostics);
    auto built = model ? importer::build_system(*model, {}, diagnostics) : std::nullopt;
    if (!built) throw std::runtime_error("the WATERS model cannot be read");
    return std::move(*built);
  }();
  return system;
}

engine::ManyRuns simulated(engine::Execution execution, std::uint64_t runs, unsigned threads) {
  engine::ManyRunsOptions options;
  options.analysis.execution = execution;
  options.runs = runs;
  options.threads = threads;
  Diagnostics diagnostics;
  return engine::simulate_runs(waters(), options, diagnostics).value();
}

void hyperperiod(benchmark::State& state) {
  waters();
  std::uint64_t events = 0;
  for (auto _ : state) events += simulated(engine::Execution::worst, 1, 1).events;
  state.counters["events"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}

void runs_on_two_threads(benchmark::State& state) {
  waters();
  const auto runs = static_cast<std::uint64_t>(state.range(0));
  double one = 0, two = 0;
  std::uint64_t events = 0;
  for (auto _ : state) {
    const auto before_one = Clock::now();
    benchmark::DoNotOptimize(simulated(engine::Execution::random, runs, 1).events);
    one += seconds_since(before_one);
    const auto before_two = Clock::now();
    events += simulated(engine::Execution::random, runs, 2).events;
    const double seconds = seconds_since(before_two);
    two += seconds;
    state.SetIterationTime(seconds);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["events"] = benchmark::Counter(static_cast<double>(events) / two);
  state.counters["x_row"] = two / one;
}

BENCHMARK(hyperperiod)->Name("hyperperiod")->Unit(benchmark::kMillisecond);
BENCHMARK(runs_on_two_threads)
    ->Name("runs")
    ->Arg(100)
    ->Arg(1000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
