// SPDX-License-Identifier: Apache-2.0
#include "engine/many_runs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include "amalthea/graph/chain_data.hpp"
#include "amalthea/primitives/threads.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/chains/chain_observation.hpp"
#include "engine/constraints/constraint_observer.hpp"
#include "engine/constraints/constraints.hpp"
#include "engine/open_findings.hpp"
#include "engine/program/program.hpp"
#include "engine/requirements.hpp"
#include "engine/simulation/observer_tee.hpp"
#include "engine/simulation/simulation.hpp"
#include "engine/verdict.hpp"

namespace amalthea::engine {
namespace {

/// The data kept of a run until it is aggregated.
struct Outcome {
  std::uint64_t seed = 0;
  Results results;
  std::vector<ObservedLatencies> chains;
};

void keep_longer(std::optional<Duration>& longest, std::optional<Duration> other) {
  if (other && (!longest || *other > *longest)) longest = other;
}

void keep_shorter(std::optional<Duration>& shortest, std::optional<Duration> other) {
  if (other && (!shortest || *other < *shortest)) shortest = other;
}

void add(ObservedLatencies& sum, const ObservedLatencies& run) {
  sum.reads += run.reads;
  keep_longer(sum.reaction, run.reaction);
  keep_longer(sum.reduced_reaction, run.reduced_reaction);
  keep_longer(sum.age, run.age);
  keep_longer(sum.reduced_age, run.reduced_age);
  keep_shorter(sum.least_reaction, run.least_reaction);
  keep_shorter(sum.least_age, run.least_age);
}

int rank_of(LimitVerdict verdict) {
  return verdict == LimitVerdict::missed ? 2 : verdict == LimitVerdict::unknown ? 1 : 0;
}

/// Keeps the worse verdict, or the more extreme value of equal verdicts.
void add(const Requirement& requirement, RequirementResult& sum, RequirementResult run) {
  const bool upper = requirement.limit_type != Requirement::LimitType::lower;
  const bool further = upper ? sum.observed < run.observed : run.observed < sum.observed;
  if (rank_of(run.verdict) > rank_of(sum.verdict) || (run.verdict == sum.verdict && further)) sum = std::move(run);
}

/// Keeps the worse verdict, over the occurrences of all runs.
void add(ConstraintResult& sum, ConstraintResult run) {
  run.judged += sum.judged;
  if (rank_of(run.verdict) > rank_of(sum.verdict))
    sum = std::move(run);
  else
    sum.judged = run.judged;
}

void add(TaskRuns& sum, const TaskRuns& next) {
  sum.response.add(next.response);
  sum.means.add(next.means);
  sum.unfinished += next.unfinished;
  sum.lost_activations += next.lost_activations;
  sum.late += next.late;
  sum.runs_with_late += next.runs_with_late;
  if (next.worst && (!sum.worst || next.worst->response > sum.worst->response)) sum.worst = next.worst;
}

Duration mean_of(const std::vector<Duration>& values) {
  Moments moments;
  for (const Duration value : values) moments.add(value);
  return moments.mean();
}

/// FNV-1a.
std::uint64_t hash_of(const std::vector<std::vector<Duration>>& responses) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto take = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  for (const auto& of_task : responses) {
    take(of_task.size());
    for (const Duration response : of_task) {
      take(static_cast<std::uint64_t>(response.picoseconds()) & 0xffffffffU);
      take(static_cast<std::uint64_t>(response.picoseconds()) >> 32U);
    }
  }
  return hash;
}

constexpr double share_units = static_cast<double>(std::uint64_t{1} << 62U);

class Runs {
 public:
  Runs(const System& system, const ManyRunsOptions& options, const Preparation& preparation, RunTotals so_far,
       std::uint64_t end)
      : system_(system),
        options_(options),
        preparation_(preparation),
        programs_(compile_programs(system, options.analysis.execution, preparation.devices, options.analysis.compile)),
        pass_data_(chains_that_pass_data(system)),
        end_(end),
        next_(so_far.end()),
        added_(so_far.end()),
        window_(4 * std::size_t{options.threads}),
        sum_(std::move(so_far)) {
    if (!system.requirements.empty() || !system.constraints.empty()) {
      bounds_ = system_bounds(system, preparation.devices, options.analysis.compile, options.analysis.bounds).tasks;
      for (Bound& bound : bounds_) bound.parts.clear();
    }
  }

  RunTotals run() {
    in_threads(options_.threads, [this](std::size_t) {
      work();
      // Another thread may wait for a run that this one took and did not make.
      const std::lock_guard lock(mutex_);
      added_more_.notify_all();
    });
    if (failure_) std::rethrow_exception(failure_);
    return std::move(sum_);
  }

 private:
  bool is_stopped() const { return options_.analysis.work != nullptr && options_.analysis.work->stop; }

  /// Takes runs in turn until there are none left.
  void work() {
    for (;;) {
      const std::uint64_t run = next_++;
      if (run >= end_ || is_stopped()) return;
      {
        // Limits how far threads run ahead, so that waiting results do not pile up.
        std::unique_lock lock(mutex_);
        added_more_.wait(lock, [&] { return failure_ || is_stopped() || run < added_ + window_.size(); });
        if (failure_ || is_stopped()) return;
      }
      try {
        Outcome outcome = outcome_of(run);
        const std::lock_guard lock(mutex_);
        // A run that was stopped midway counts only if it is the only one.
        if (is_stopped() && outcome.results.stopped_early && run > 0) return;
        window_[run % window_.size()] = std::move(outcome);
        add_up();
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
      added_more_.notify_all();
    }
  }

  Outcome outcome_of(std::uint64_t run) const {
    Outcome outcome;
    outcome.seed = seed_of_run(options_.seed, run);
    SimulationInput input{
        system_, programs_, preparation_.devices, preparation_.until, preparation_.grace, preparation_.periods};
    input.execution = options_.analysis.execution;
    input.seed = outcome.seed;
    input.max_steps = options_.analysis.max_steps;
    input.contention = options_.analysis.contention;
    input.keep_responses = true;
    if (Work* work = options_.analysis.work) {
      input.stop = &work->stop;
      if (options_.runs == 1) input.done = &work->done;
    }
    ConstraintObserver constraints(system_);
    std::optional<ObserverTee> both;
    input.observer =
        combined_observer(run == options_.watched_run ? options_.analysis.observer : nullptr, constraints, both);
    simulate(input, outcome.results);
    for (std::size_t chain = 0; chain < system_.chains.size(); ++chain)
      outcome.chains.push_back(pass_data_[chain] ? observed_latencies(system_.chains[chain], outcome.results.accesses)
                                                 : ObservedLatencies{});
    for (TaskIndex task = 0; task < bounds_.size(); ++task) outcome.results.tasks[task].bound = bounds_[task];
    outcome.results.requirements = judge_requirements(system_, outcome.results);
    outcome.results.constraints = judge_constraints(system_, constraints, programs_, outcome.results);
    outcome.results.accesses = {};
    return outcome;
  }

  /// Aggregates all runs whose turn has come. Requires the mutex.
  void add_up() {
    while (added_ < end_ && window_[added_ % window_.size()]) {
      // Takes the run out first: if memory runs out while it is added, no other thread adds what is left of it.
      Outcome outcome = *std::exchange(window_[added_ % window_.size()], std::nullopt);
      engine::add(system_, sum_, totals_of(outcome));
      ++added_;
      if (Work* work = options_.analysis.work)
        work->done = static_cast<double>(added_) / static_cast<double>(options_.runs);
      if (options_.progress) options_.progress(added_);
      if (options_.checkpoint) options_.checkpoint(sum_);
    }
  }

  /// Of the next run.
  RunTotals totals_of(Outcome& outcome) const {
    Results& results = outcome.results;
    RunTotals totals;
    totals.first = added_;
    totals.runs = 1;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      totals.tasks.push_back(task_of(results.tasks[task], results.responses[task], outcome.seed));
    totals.chains = std::move(outcome.chains);
    for (const ResourceResult& resource : results.resources)
      totals.resources.push_back({resource.unit, resource.kind,
                                  static_cast<detail::UInt128>(std::llround(resource.utilization * share_units)),
                                  resource.utilization, resource.utilization, resource.server});
    totals.requirements = std::move(results.requirements);
    totals.constraints = std::move(results.constraints);
    totals.events = results.events;
    totals.stopped = results.stopped_early ? 1 : 0;
    totals.common_responses = hash_of(results.responses);
    return totals;
  }

  TaskRuns task_of(const TaskResult& result, const std::vector<Duration>& responses, std::uint64_t seed) const {
    TaskRuns task;
    for (const Duration response : responses) task.response.add(response);
    if (!responses.empty()) task.means.add(mean_of(responses));
    task.unfinished = result.unfinished;
    task.lost_activations = result.lost_activations;
    task.late = result.missed_deadlines;
    task.runs_with_late = result.missed_deadlines + result.lost_activations > 0 ? 1 : 0;
    if (result.worst_release) task.worst = WorstJob{added_, seed, *result.worst_release, result.response.max};
    return task;
  }

  const System& system_;
  const ManyRunsOptions& options_;
  const Preparation& preparation_;
  const std::vector<Program> programs_;
  const std::vector<bool> pass_data_;  ///< by chain
  std::vector<Bound> bounds_;          ///< for every task, for requirements and constraints; empty if there are none
  const std::uint64_t end_;
  std::atomic<std::uint64_t> next_;

  // Guarded by the mutex while threads run.
  std::mutex mutex_;
  std::condition_variable added_more_;
  std::uint64_t added_;                         // number of the next run to be added
  std::vector<std::optional<Outcome>> window_;  // run r is at r modulo its size
  std::exception_ptr failure_;
  RunTotals sum_;
};

/// Judges all runs as if they were one simulation.
void judge(const System& system, const ManyRunsOptions& options, const Preparation& preparation, ManyRuns& runs) {
  Results& judged = runs.judged;
  judged.horizon = runs.horizon;
  judged.events = runs.events;
  judged.stopped_early = runs.stopped > 0;
  judged.tasks.resize(system.tasks.size());
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const TaskRuns& task = runs.tasks[index];
    TaskResult& result = judged.tasks[index];
    result.response.jobs = task.response.count();
    if (task.worst) result.response.max = task.worst->response;
    result.unfinished = task.unfinished;
    result.lost_activations = task.lost_activations;
    result.missed_deadlines = task.late;
  }
  for (const ObservedLatencies& chain : runs.chains) judged.chains.emplace_back().observed = chain;
  for (const ResourceRuns& resource : runs.resources)
    judged.resources.push_back({resource.unit, resource.kind, resource.mean, 0, {}, resource.server});
  judge_simulation(system, options.analysis, preparation, judged);
  withhold_open_verdicts(system, preparation.open, judged);
  settle_verdicts(system, judged);
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    if (const auto function = system.tasks[index].folded_into) runs.tasks[index] = runs.tasks[*function];
    runs.tasks[index].verdict = judged.tasks[index].verdict;
    runs.tasks[index].bound = judged.tasks[index].bound;
  }
}

}  // namespace

std::uint64_t seed_of_run(std::uint64_t seed, std::uint64_t run) {
  return run == 0 ? seed : RandomStream(seed, purpose::run, run, 0).next() % seed_limit;
}

void add(const System& system, RunTotals& sum, RunTotals next) {
  if (sum.runs == 0) {
    sum = std::move(next);
    return;
  }
  if (sum.common_responses != next.common_responses) sum.common_responses.reset();
  sum.runs += next.runs;
  sum.events += next.events;
  sum.stopped += next.stopped;
  for (std::size_t i = 0; i < sum.tasks.size(); ++i) add(sum.tasks[i], next.tasks[i]);
  for (std::size_t i = 0; i < sum.chains.size(); ++i) add(sum.chains[i], next.chains[i]);
  for (std::size_t i = 0; i < sum.resources.size() && i < next.resources.size(); ++i) {
    sum.resources[i].sum += next.resources[i].sum;
    sum.resources[i].least = std::min(sum.resources[i].least, next.resources[i].least);
    sum.resources[i].most = std::max(sum.resources[i].most, next.resources[i].most);
  }
  for (std::size_t i = 0; i < sum.requirements.size(); ++i)
    add(system.requirements[i], sum.requirements[i], std::move(next.requirements[i]));
  for (std::size_t i = 0; i < sum.constraints.size(); ++i) add(sum.constraints[i], std::move(next.constraints[i]));
}

std::optional<RunTotals> simulate_range(const System& system, const ManyRunsOptions& options, RunTotals so_far,
                                        std::uint64_t end, Diagnostics& diagnostics) {
  try {
    const auto preparation = prepare_simulation(system, options.analysis, diagnostics);
    if (!preparation) return std::nullopt;
    return Runs(system, options, *preparation, std::move(so_far), end).run();
  } catch (const std::overflow_error&) {
    report_time_overflow(diagnostics);
    return std::nullopt;
  }
}

void report_before_runs(const System& system, const ManyRunsOptions& options, Diagnostics& diagnostics) {
  try {
    prepare_simulation(system, options.analysis, diagnostics);
  } catch (const std::overflow_error&) {
    report_time_overflow(diagnostics);
  }
}

std::optional<ManyRuns> judge_runs(const System& system, const ManyRunsOptions& options, RunTotals totals,
                                   Diagnostics& diagnostics) {
  try {
    Diagnostics reported;  // by the simulation
    const auto preparation = prepare_simulation(system, options.analysis, reported);
    if (!preparation) return std::nullopt;
    ManyRuns runs;
    runs.execution = options.analysis.execution;
    runs.runs = totals.runs;
    runs.seed = options.seed;
    runs.horizon = preparation->until;
    runs.hyperperiod = preparation->hyperperiod;
    runs.device_profiles = preparation->device_profiles;
    runs.periods = preparation->periods;
    runs.tasks = std::move(totals.tasks);
    runs.tasks.resize(system.tasks.size());
    runs.chains = std::move(totals.chains);
    runs.chains.resize(system.chains.size());
    for (const RunTotals::Resource& resource : totals.resources)
      runs.resources.push_back({resource.unit, resource.kind,
                                static_cast<double>(resource.sum) / share_units / static_cast<double>(totals.runs),
                                resource.least, resource.most, resource.server});
    runs.judged.requirements = std::move(totals.requirements);
    runs.judged.constraints = std::move(totals.constraints);
    runs.events = totals.events;
    runs.stopped = totals.stopped;
    const bool interrupted = options.analysis.work != nullptr && options.analysis.work->stop;
    if (interrupted && options.runs == 1)
      report_interruption("before its end", diagnostics);
    else if (interrupted && runs.runs < options.runs)
      report_interruption(fmt::format("after {} of {} runs", runs.runs, options.runs), diagnostics);
    else if (runs.stopped > 0)
      diagnostics.add(
          "AM0540", Severity::error,
          fmt::format(
              "{} of {} runs stopped early, because events are too frequent: tasks may activate each other endlessly, "
              "or a period or time slice may be far too short; correct it, or simulate only the beginning (--until)",
              runs.stopped, runs.runs));
    if (runs.runs > 1 && totals.common_responses)
      diagnostics.add("AM0541", Severity::note,
                      fmt::format("all {} runs are identical, because no element in the model varies under {} "
                                  "execution times; one run is enough",
                                  runs.runs, to_string(runs.execution)));
    judge(system, options, *preparation, runs);
    return runs;
  } catch (const std::overflow_error&) {
    report_time_overflow(diagnostics);
    return std::nullopt;
  }
}

std::optional<ManyRuns> simulate_runs(const System& system, const ManyRunsOptions& options, Diagnostics& diagnostics) {
  auto totals = simulate_range(system, options, {}, options.runs, diagnostics);
  if (!totals) return std::nullopt;
  return judge_runs(system, options, std::move(*totals), diagnostics);
}

}  // namespace amalthea::engine
