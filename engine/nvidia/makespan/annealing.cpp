// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/makespan/annealing.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "amalthea/distribution.hpp"
#include "amalthea/primitives/threads.hpp"

namespace amalthea::engine::nvidia::makespan {
namespace {

using Clock = std::chrono::steady_clock;

/// A random number below `limit` > 0.
std::size_t draw_below(RandomStream& random, std::size_t limit) {
  return static_cast<std::size_t>(random.next() % limit);
}

WarpString start_string(const Problem& problem, Template start, RandomStream& random) {
  switch (start) {
    case Template::round_robin:
      return round_robin_string(problem);
    case Template::fixed_priority:
      return fixed_priority_string(problem);
    case Template::max_pending:
      return max_pending_string(problem);
    case Template::random:
      break;
  }
  WarpString string = round_robin_string(problem);
  for (std::size_t i = string.size(); i > 1; --i) std::swap(string[i - 1], string[draw_below(random, i)]);
  return string;
}

class Annealing {
 public:
  Annealing(const Problem& problem, const AnnealingOptions& options)
      : problem_(problem), options_(options), start_(Clock::now()) {
    result_.runs.resize(options.runs);
  }

  AnnealingResult run() {
    std::atomic<std::uint64_t> next = 0;
    const auto work = [&](std::size_t) {
      for (std::uint64_t run = next++; run < options_.runs; run = next++) result_.runs[run] = one_run(run);
    };
    in_threads(std::min<std::uint64_t>(options_.threads, options_.runs), work);
    for (const AnnealingRun& run : result_.runs)
      if (run.best > result_.best) {
        result_.best = run.best;
        result_.string = run.string;
      }
    result_.seconds = seconds();
    return std::move(result_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void note(std::int64_t makespan) {
    const std::lock_guard lock(mutex_);
    if (!result_.history.empty() && result_.history.back().makespan >= makespan) return;
    result_.history.push_back({makespan, seconds()});
    if (options_.progress) options_.progress(makespan, result_.history.back().seconds);
  }

  AnnealingRun one_run(std::uint64_t number) {
    constexpr std::uint64_t purpose = 0x6D616B6573;  // distinct from other streams with the same seed
    RandomStream random(options_.seed, purpose, number, 0);
    AnnealingRun run;
    run.start = static_cast<Template>(number % templates);
    StringSchedule schedule(problem_, start_string(problem_, run.start, random));
    std::int64_t makespan = schedule.makespan();
    run.first = run.best = makespan;
    run.string = schedule.string();
    run.curve.push_back({0, makespan});
    note(makespan);
    for (; run.iterations < options_.iterations; ++run.iterations) {
      if (options_.time_limit && run.iterations % 256 == 0 && seconds() >= *options_.time_limit) break;
      const double temperature =
          options_.temperature * (1 - static_cast<double>(run.iterations) / static_cast<double>(options_.iterations));
      const std::size_t one = draw_below(random, schedule.string().size());
      const std::size_t other = draw_below(random, schedule.string().size());
      if (schedule.string()[one] == schedule.string()[other]) continue;
      ++run.exchanges;
      run.placed += schedule.string().size() - std::min(one, other);
      schedule.swap(one, other);
      const std::int64_t candidate = schedule.makespan();
      if (candidate < makespan && random.uniform() * static_cast<double>(makespan - candidate) >= temperature) {
        schedule.undo();
        continue;
      }
      makespan = candidate;
      if (makespan <= run.best) continue;
      run.best = makespan;
      run.best_at = run.iterations + 1;
      run.curve.push_back({run.best_at, run.best});
      run.string = schedule.string();
      note(makespan);
    }
    return run;
  }

  const Problem& problem_;
  const AnnealingOptions& options_;
  const Clock::time_point start_;
  std::mutex mutex_;  // guards the history; runs write to separate places
  AnnealingResult result_;
};

}  // namespace

std::string_view to_string(Template start) {
  switch (start) {
    case Template::round_robin:
      return "round robin";
    case Template::fixed_priority:
      return "fixed priority";
    case Template::max_pending:
      return "most pending";
    case Template::random:
      break;
  }
  return "random";
}

AnnealingResult anneal(const Problem& problem, const AnnealingOptions& options) {
  return Annealing(problem, options).run();
}

}  // namespace amalthea::engine::nvidia::makespan
