// SPDX-License-Identifier: Apache-2.0
// How the exploration of schedules grows with the number of jobs.
//
//   bench_exploration
//
// Twenty non-preemptive tasks that use 70 % of a core, with execution times between half of the worst case and the worst
// case. The second system differs from the first only in one long period, which makes its hyperperiod ten times as long.
// Prints the jobs of a hyperperiod, the states, the seconds for each thousand jobs, and the memory of the process.

#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include <fmt/core.h>

#include "engine/cpu/schedule_graph.hpp"

namespace {

using namespace amalthea;
using engine::cpu::GraphTask;

std::vector<GraphTask> tasks_with(int longest_period, int jitter) {
  std::mt19937 random(1);
  std::vector<GraphTask> tasks;
  for (const int period : {10, 20, 25, 100})
    for (int count = 0; count < 5; ++count) {
      GraphTask task;
      const bool last = period == 100 && count == 4;
      task.period = Duration::milliseconds(last ? longest_period : period);
      task.offset = Duration::microseconds(std::uniform_int_distribution<int>(0, 1000 * period - 1)(random));
      task.jitter = Duration::microseconds(jitter);
      task.priority = -static_cast<std::int64_t>(tasks.size());
      const Duration worst = Duration::microseconds(35 * period);
      task.parts.push_back({Duration::picoseconds(worst.picoseconds() / 2), worst});
      tasks.push_back(task);
    }
  return tasks;
}

}  // namespace

int main() {
  fmt::print("| jobs in a hyperperiod | jitter | states | time | time per 1000 jobs | memory |\n");
  fmt::print("| ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const int jitter : {0, 200})
    for (const int longest_period : {1000, 10'000}) {
      const auto tasks = tasks_with(longest_period, jitter);
      std::int64_t jobs = 0;
      for (const GraphTask& task : tasks)
        jobs += Duration::milliseconds(longest_period).picoseconds() / task.period.picoseconds();
      const auto begin = std::chrono::steady_clock::now();
      const auto graph = engine::cpu::explore_schedules(tasks, 20'000'000);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (!graph) {
        fmt::print("| {} | {} us | more than 20000000 | {:.2f} s | | |\n", jobs, jitter, seconds);
        continue;
      }
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      fmt::print("| {} | {} us | {} | {:.2f} s | {:.3f} s | {} MB |\n", jobs, jitter, graph->states, seconds,
                 seconds * 1000 / static_cast<double>(jobs), usage.ru_maxrss / 1024);
    }
  return EXIT_SUCCESS;
}
