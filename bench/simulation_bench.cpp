// SPDX-License-Identifier: Apache-2.0
// The cost of simulation.
//
//   bench_simulation [--benchmark_… options]
//
// hyperperiod: the WATERS 2019 model at worst execution times, events (instants at which something happens) per second.
// runs: random runs of its hyperperiod on two threads, against the same on one (x_row).
// horizon: N hyperperiods of it, tasks: N times the size of the WATERS 2017 model for one second of model time; how the
// time grows, as fitted by the benchmark library (1.00 N is linear).
// jobs: 180 000 jobs of 20, 200 and 2000 tasks on two cores, releases and utilisation alike; x_20 is the time against
// that of 20 tasks, events are alike.
// analysis: the same system as a whole, bounds and simulation.
// trace: time of a simulation written to a file, by format, against the same without (x_untraced); of five
// hyperperiods of the WATERS 2019 model (0), and of one second of the synthetic model (1). trace_memory: N hyperperiods
// written to a file; the largest memory of a process (rss_kB), of one that writes no trace (untraced_kB; it grows with
// the response times that results are made of), and the difference (trace_kB).

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <benchmark/benchmark.h>
#include <stdlib.h>

#include "bench/peak_memory.hpp"
#include "bench/synthetic_model.hpp"
#include "engine/analysis.hpp"
#include "engine/many_runs.hpp"
#include "engine/simulation/simulation.hpp"
#include "exporter/traces/trace_formats.hpp"
#include "exporter/traces/trace_thread.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"

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

engine::ManyRuns one_run(const System& system, Duration until) {
  engine::ManyRunsOptions options;
  options.analysis.execution = engine::Execution::worst;
  options.analysis.until = until;
  options.runs = 1;
  options.threads = 1;
  Diagnostics diagnostics;
  return engine::simulate_runs(system, options, diagnostics).value();
}

void growth_with_horizon(benchmark::State& state) {
  const Duration hyperperiod = Duration::milliseconds(13'200);
  waters();
  for (auto _ : state) benchmark::DoNotOptimize(one_run(waters(), hyperperiod * state.range(0)).events);
  state.SetComplexityN(state.range(0));
}

/// As many tasks as the WATERS 2017 model times `scale`, without its cores.
const System& synthetic(std::int64_t scale) {
  static std::map<std::int64_t, System> systems;
  const auto found = systems.find(scale);
  if (found != systems.end()) return found->second;
  Diagnostics diagnostics;
  const auto model = importer::read_model_from_bytes("synthetic", bench::synthetic_model(static_cast<unsigned>(scale)),
                                                     {}, diagnostics);
  auto built = model ? importer::build_system(*model, {}, diagnostics) : std::nullopt;
  if (!built) throw std::runtime_error("the synthetic model cannot be read");
  return systems.emplace(scale, std::move(*built)).first->second;
}

void growth_with_tasks(benchmark::State& state) {
  const System& system = synthetic(state.range(0));
  std::uint64_t events = 0;
  for (auto _ : state) events += one_run(system, Duration::seconds(1)).events;
  state.counters["tasks"] = static_cast<double>(system.tasks.size());
  state.counters["events"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
  state.SetComplexityN(state.range(0));
}

void whole_analysis(benchmark::State& state) {
  const System& system = synthetic(state.range(0));
  engine::AnalysisOptions options;
  options.until = Duration::seconds(1);
  for (auto _ : state) {
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(engine::analyze(system, options, diagnostics)->events);
  }
}

/// A system, ready for simulation.
class Prepared {
 public:
  Prepared(const System& system, Duration until, const char* memory = "model",
           engine::Contention contention = engine::Contention::static_)
      : system_(system), contention_(contention) {
    engine::AnalysisOptions options;
    options.until = until;
    options.compile.memory = *engine::find_memory_model(memory);
    Diagnostics diagnostics;
    preparation_ = engine::prepare_simulation(system, options, diagnostics).value();
    programs_ = engine::compile_programs(system, options.execution, preparation_.devices, options.compile);
  }
  std::uint64_t simulate(engine::SimulationObserver* observer) const {
    engine::SimulationInput input{
        system_, programs_, preparation_.devices, preparation_.until, preparation_.grace, preparation_.periods};
    input.observer = observer;
    input.contention = contention_;
    engine::Results results;
    engine::simulate(input, results);
    return results.events;
  }
  std::uint64_t trace(const exporter::TraceFormat& format, const std::string& folder) const {
    const std::string path = folder + "/bench" + std::string(format.extension);
    auto writer = exporter::on_own_thread(format.make(path, {}).value());
    const std::uint64_t events = simulate(writer.get());
    if (!writer->finish()) throw std::runtime_error("the trace cannot be written");
    return events;
  }

 private:
  const System& system_;
  engine::Contention contention_;
  engine::Preparation preparation_;
  std::vector<engine::Program> programs_;
};

/// Tasks on two cores at 1 MHz, released together every 5 to 9 times as many 10 µs as there are tasks, the shortest
/// period first; the utilization of both cores is three quarters.
System many_tasks(std::int64_t tasks) {
  System system;
  for (UnitIndex core = 0; core < 2; ++core) {
    ProcessingUnit unit;
    unit.name = "core" + std::to_string(core);
    unit.type = PuType::cpu;
    unit.definition = core;
    unit.frequency = Frequency::millihertz(1'000'000'000);
    system.platform.definitions.push_back({unit.name, PuType::cpu});
    system.platform.units.push_back(std::move(unit));
    Scheduler scheduler;
    scheduler.name = "scheduler" + std::to_string(core);
    scheduler.kind = SchedulingAlgorithm::fixed_priority_preemptive;
    scheduler.units = {core};
    system.platform.schedulers.push_back(std::move(scheduler));
  }
  for (std::int64_t i = 0; i < tasks; ++i) {
    const std::int64_t length = 5 + i / 2 % 5;
    Stimulus stimulus;
    stimulus.occurrence = Periodic{Duration::microseconds(10 * length * tasks), Duration{}};
    stimulus.activates.push_back(static_cast<TaskIndex>(i));
    system.stimuli.push_back(std::move(stimulus));
    Task task;
    task.name = "task" + std::to_string(i);
    task.unit = task.scheduler = static_cast<UnitIndex>(i % 2);
    task.priority = 10 - length;
    system.tasks.push_back(std::move(task));
    GraphNode node;
    node.name = "compute";
    node.task = static_cast<TaskIndex>(i);
    Ticks ticks;
    ticks.otherwise = Cycles{15 * length, 15 * length, 15 * length};
    node.activity = Compute{ticks};
    system.tasks.back().body.push_back(system.graph.add(std::move(node)));
  }
  return system;
}

double seconds_of_jobs(std::int64_t tasks, std::uint64_t& events) {
  // So that 180 000 jobs are released: per task and 10 µs times the number of tasks (1/5 + … + 1/9) / 5 of one.
  const double rate = (1 / 5.0 + 1 / 6.0 + 1 / 7.0 + 1 / 8.0 + 1 / 9.0) / 5;
  const auto until = Duration::microseconds(static_cast<std::int64_t>(180'000 * 10 / rate));
  static std::map<std::int64_t, std::pair<System, std::optional<Prepared>>> all;
  auto& [system, prepared] = all[tasks];
  if (!prepared) {
    system = many_tasks(tasks);
    prepared.emplace(system, until);
  }
  const auto before = Clock::now();
  events = prepared->simulate(nullptr);
  return seconds_since(before);
}

void same_jobs_of_more_tasks(benchmark::State& state) {
  std::uint64_t events = 0;
  double few = std::numeric_limits<double>::infinity(), these = few;
  seconds_of_jobs(state.range(0), events);
  for (auto _ : state) {
    few = std::min(few, seconds_of_jobs(20, events));
    const double seconds = seconds_of_jobs(state.range(0), events);
    these = std::min(these, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["events"] = static_cast<double>(events);
  state.counters["x_20"] = these / few;
}

/// The hyperperiod of the WATERS sample, with the contention of accesses at every instant; "x_static" relative to that
/// with constant costs.
void dynamic_contention(benchmark::State& state) {
  const auto until = Duration::milliseconds(13'200);
  const Prepared constant(waters(), until, "waters2019"),
      dynamic(waters(), until, "waters2019", engine::Contention::dynamic);
  double least = std::numeric_limits<double>::infinity(), most = least;
  for (auto _ : state) {
    const auto begin = Clock::now();
    constant.simulate(nullptr);
    least = std::min(least, seconds_since(begin));
    const auto middle = Clock::now();
    dynamic.simulate(nullptr);
    most = std::min(most, seconds_since(middle));
  }
  state.counters["x_static"] = most / least;
}

/// In wall-clock time, since a separate thread writes the trace.
double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string temporary_folder() {
  std::string folder = (std::filesystem::temp_directory_path() / "bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return folder;
}

void tracing(benchmark::State& state) {
  const exporter::TraceFormat& format = exporter::trace_formats()[static_cast<std::size_t>(state.range(0))];
  const Prepared prepared = state.range(1) == 0 ? Prepared(waters(), Duration::milliseconds(66'000))
                                                : Prepared(synthetic(1), Duration::seconds(1));
  const std::string folder = temporary_folder();
  double untraced = 0, traced = 0;
  std::uint64_t events = 0;
  for (auto _ : state) {
    const double before = seconds_now();
    benchmark::DoNotOptimize(prepared.simulate(nullptr));
    const double begin = seconds_now();
    events += prepared.trace(format, folder);
    const double end = seconds_now();
    untraced += begin - before;
    traced += end - begin;
    state.SetIterationTime(end - begin);
  }
  state.SetLabel(std::string(format.extension));
  state.counters["x_untraced"] = traced / untraced;
  state.counters["events"] = benchmark::Counter(static_cast<double>(events) / traced);
  state.counters["bytes"] =
      static_cast<double>(std::filesystem::file_size(folder + "/bench" + std::string(format.extension)));
  std::filesystem::remove_all(folder);
}

void memory_of_tracing(benchmark::State& state) {
  const exporter::TraceFormat& format = exporter::trace_formats()[static_cast<std::size_t>(state.range(0))];
  const Prepared prepared(waters(), Duration::milliseconds(13'200) * state.range(1));
  const std::string folder = temporary_folder();
  for (auto _ : state) {
    const double untraced = bench::memory_of([&] { prepared.simulate(nullptr); });
    const double traced = bench::memory_of([&] { prepared.trace(format, folder); });
    state.counters["untraced_kB"] = untraced;
    state.counters["rss_kB"] = traced;
    state.counters["trace_kB"] = traced - untraced;
  }
  state.SetLabel(std::string(format.extension));
  std::filesystem::remove_all(folder);
}

/// Without the drawing: the synthetic model has no GPU.
const std::vector<std::int64_t> formats = [] {
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < exporter::trace_formats().size(); ++i)
    if (exporter::trace_formats()[i].extension != ".svg") found.push_back(static_cast<std::int64_t>(i));
  return found;
}();
BENCHMARK(tracing)->Name("trace")->ArgsProduct({formats, {0, 1}})->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(memory_of_tracing)
    ->Name("trace_memory")
    ->ArgsProduct({formats, {1, 20}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(growth_with_horizon)
    ->Name("horizon")
    ->RangeMultiplier(2)
    ->Range(1, 8)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(growth_with_tasks)
    ->Name("tasks")
    ->RangeMultiplier(2)
    ->Range(1, 8)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(same_jobs_of_more_tasks)
    ->Name("jobs")
    ->Arg(20)
    ->Arg(200)
    ->Arg(2000)
    ->Iterations(10)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(dynamic_contention)->Name("contention")->Unit(benchmark::kMillisecond);
BENCHMARK(whole_analysis)->Name("analysis")->Arg(1)->Unit(benchmark::kMillisecond);
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
