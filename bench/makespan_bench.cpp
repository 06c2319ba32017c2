// SPDX-License-Identifier: Apache-2.0
// The cost of the longest makespan of an SM, by annealing and exactly, for the Voronoi kernel
// (docs/reference/makespan.md).
//
//   bench_makespan [--benchmark_… options]
//
// annealing: schedules per second of strings with two swapped entries, compared with placing every string from its
// beginning (x_scratch: how many times as long that takes). search: the exact value.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

#include <benchmark/benchmark.h>

#include "engine/nvidia/makespan/schedule.hpp"
#include "engine/nvidia/makespan/search.hpp"

namespace {

using namespace amalthea::engine::nvidia::makespan;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Problem voronoi(std::int64_t warps, std::int64_t schedulers) {
  Problem problem;
  problem.kernel = parse_kernel("5L 9C 2L 9C").value();
  problem.warps = warps;
  problem.schedulers = schedulers;
  return problem;
}

void annealing(benchmark::State& state) {
  constexpr int exchanges = 1000;
  const Problem problem = voronoi(state.range(0), 4);
  StringSchedule changing(problem, round_robin_string(problem));
  StringSchedule whole = changing;
  std::mt19937_64 random(1);
  double incremental = 0;
  double scratch = 0;
  for (auto _ : state) {
    WarpString string = changing.string();
    const std::mt19937_64 same = random;
    const auto begin = Clock::now();
    for (int i = 0; i < exchanges; ++i) {
      const std::size_t one = random() % string.size();
      changing.swap(one, random() % string.size());
      benchmark::DoNotOptimize(changing.makespan());
    }
    const double seconds = seconds_since(begin);
    random = same;
    const auto begin_whole = Clock::now();
    for (int i = 0; i < exchanges; ++i) {
      const std::size_t one = random() % string.size();
      std::swap(string[one], string[random() % string.size()]);
      whole.assign(string);
      benchmark::DoNotOptimize(whole.makespan());
    }
    scratch += seconds_since(begin_whole);
    incremental += seconds;
    state.SetIterationTime(seconds);
  }
  state.SetItemsProcessed(state.iterations() * exchanges);
  state.counters["x_scratch"] = scratch / incremental;
}

void search(benchmark::State& state) {
  const Problem problem = voronoi(state.range(0), state.range(1) > 0 ? state.range(1) : no_scheduler_limit);
  SearchOptions options;
  options.threads = 2;
  SearchResult result;
  for (auto _ : state) result = worst_makespan(problem, options);
  state.counters["makespan"] = static_cast<double>(result.lower);
  state.counters["states"] = static_cast<double>(result.states);
  state.counters["bytes"] = static_cast<double>(result.bytes);
}

BENCHMARK(annealing)->Name("annealing")->Arg(8)->Arg(16)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(search)
    ->Name("search")
    ->ArgNames({"warps", "sigma"})
    ->Args({8, 4})
    ->Args({8, 0})
    ->Args({12, 4})
    ->Args({16, 4})
    ->Args({16, 0})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
