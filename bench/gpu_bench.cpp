// SPDX-License-Identifier: Apache-2.0
// The cost of the GPU models, and its growth.
//
//   bench_gpu [--benchmark_… options]
//
// response_times: kernels through the response time algorithm, compared with sorting their releases (x_sort). device:
// blocks through the device simulation, one kernel or many; compared with as many ends through a heap (x_heap).
// device/slices: the same with contexts that take turns and preempted blocks.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/devices/stream_simulation.hpp"
#include "engine/nvidia/response_time.hpp"

namespace {

using namespace amalthea;
using namespace amalthea::engine::gpu;
using namespace amalthea::engine::nvidia;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

RtaProblem random_problem(std::int64_t kernels) {
  std::mt19937_64 random(1);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  RtaProblem problem{32, {}};
  for (std::int64_t i = 0; i < kernels; ++i)
    problem.kernels.push_back({draw(0, kernels * 40), draw(1, 100), draw(1, 40)});
  return problem;
}

void response_times_of_kernels(benchmark::State& state) {
  const RtaProblem problem = random_problem(state.range(0));
  double sorting = 0;
  double analyzing = 0;
  for (auto _ : state) {
    std::vector<std::int64_t> releases;
    releases.reserve(problem.kernels.size());
    for (const RtaKernel& kernel : problem.kernels) releases.push_back(kernel.release);
    const auto before_sort = Clock::now();
    std::sort(releases.begin(), releases.end());
    benchmark::DoNotOptimize(releases.data());
    sorting += seconds_since(before_sort);
    const auto begin = Clock::now();
    benchmark::DoNotOptimize(response_times(problem).value().completion.data());
    const double seconds = seconds_since(begin);
    analyzing += seconds;
    state.SetIterationTime(seconds);
  }
  state.SetComplexityN(state.range(0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["x_sort"] = analyzing / sorting;
}

/// Kernels of 37 blocks in `contexts` contexts, each in a separate stream.
StreamScenario scenario_of(std::int64_t blocks, std::size_t contexts) {
  std::mt19937_64 random(2);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  StreamScenario scenario;
  scenario.limits().sms = 2;
  for (std::size_t context = 0; context < contexts; ++context) {
    scenario.contexts.push_back({std::to_string(context), Duration::microseconds(100), ContextPriority::medium});
    for (int stream = 0; stream < 8; ++stream)
      scenario.streams.push_back({{StreamPriority::low, false}, std::to_string(stream), context});
  }
  for (std::int64_t done = 0; done < blocks;) {
    StreamOperation kernel;
    kernel.stream = static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(scenario.streams.size()) - 1));
    kernel.release = Instant::at(Duration::microseconds(done));
    kernel.duration = Duration::nanoseconds(draw(1'000, 20'000));
    kernel.blocks = std::min<std::int64_t>(37, blocks - done);
    kernel.shape.threads = 128 * draw(1, 4);
    scenario.operations.push_back(kernel);
    done += kernel.blocks;
  }
  return scenario;
}

/// As many ends as there are blocks through a heap, with 16 of them pending at any time.
double heap_seconds(std::int64_t blocks) {
  std::mt19937_64 random(3);
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ends;
  const auto begin = Clock::now();
  std::int64_t now = 0;
  for (std::int64_t block = 0; block < blocks; ++block) {
    ends.push(now + static_cast<std::int64_t>(random() % 1000));
    if (ends.size() < 16) continue;
    now = ends.top();
    ends.pop();
  }
  benchmark::DoNotOptimize(now);
  return seconds_since(begin);
}

void blocks_through_device(benchmark::State& state, std::size_t contexts) {
  const StreamScenario scenario = scenario_of(state.range(0), contexts);
  double simulating = 0;
  double heap = 0;
  for (auto _ : state) {
    heap += heap_seconds(state.range(0));
    const auto begin = Clock::now();
    benchmark::DoNotOptimize(simulate_streams(scenario).value().operations.data());
    const double seconds = seconds_since(begin);
    simulating += seconds;
    state.SetIterationTime(seconds);
  }
  state.SetComplexityN(state.range(0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["x_heap"] = simulating / heap;
}

BENCHMARK(response_times_of_kernels)
    ->Name("response_times")
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oNLogN);
BENCHMARK_CAPTURE(blocks_through_device, device, 1)
    ->Name("device")
    ->RangeMultiplier(10)
    ->Range(10'000, 1'000'000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);
BENCHMARK_CAPTURE(blocks_through_device, slices, 4)
    ->Name("device/slices")
    ->RangeMultiplier(10)
    ->Range(10'000, 1'000'000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

}  // namespace

BENCHMARK_MAIN();
