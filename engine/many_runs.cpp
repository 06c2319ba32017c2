// SPDX-License-Identifier: Apache-2.0
#include "engine/many_runs.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include "amalthea/detail/threads.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/chains/chain_observation.hpp"
#include "engine/constraints/constraint_observer.hpp"
#include "engine/constraints/detail/constraints.hpp"
#include "engine/program/program.hpp"
#include "engine/requirements.hpp"
#include "engine/simulation/observer_tee.hpp"
#include "engine/simulation/simulation.hpp"

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

double mean_of(const std::vector<Duration>& values) {
  double sum = 0;
  for (const Duration value : values) sum += static_cast<double>(value.picoseconds());
  return sum / static_cast<double>(values.size());
}

class Runs {
 public:
  Runs(const System& system, const ManyRunsOptions& options, const Preparation& preparation)
      : system_(system),
        options_(options),
        preparation_(preparation),
        programs_(compile_programs(system, options.analysis.execution, preparation.devices, options.analysis.compile)),
        window_(4 * std::size_t{options.threads}) {
    if (!system.requirements.empty() || !system.constraints.empty()) {
      bounds_ = system_bounds(system, preparation.devices, options.analysis.compile, options.analysis.bounds).tasks;
      for (Bound& bound : bounds_) bound.parts.clear();
    }
    sum_.execution = options.analysis.execution;
    sum_.runs = options.runs;
    sum_.seed = options.seed;
    sum_.horizon = preparation.until;
    sum_.hyperperiod = preparation.hyperperiod;
    sum_.device_profiles = preparation.device_profiles;
    sum_.periods = preparation.periods;
    sum_.tasks.resize(system.tasks.size());
    sum_.chains.resize(system.chains.size());
  }

  ManyRuns run() {
    in_threads(options_.threads, [this](std::size_t) { work(); });
    if (failure_) std::rethrow_exception(failure_);
    for (ResourceRuns& resource : sum_.resources) resource.mean /= static_cast<double>(options_.runs);
    return std::move(sum_);
  }

  bool all_alike() const { return all_alike_; }

 private:
  /// Takes runs in turn until there are none left.
  void work() {
    for (;;) {
      const std::uint64_t run = next_++;
      if (run >= options_.runs) return;
      {
        // Limits how far threads run ahead, so that waiting results do not pile up.
        std::unique_lock lock(mutex_);
        added_more_.wait(lock, [&] { return failure_ || run < added_ + window_.size(); });
        if (failure_) return;
      }
      try {
        Outcome outcome = outcome_of(run);
        const std::lock_guard lock(mutex_);
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
    ConstraintObserver constraints(system_);
    std::optional<ObserverTee> both;
    input.observer =
        combined_observer(run == options_.watched_run ? options_.analysis.observer : nullptr, constraints, both);
    simulate(input, outcome.results);
    for (const Chain& chain : system_.chains)
      outcome.chains.push_back(observed_latencies(chain, outcome.results.accesses));
    for (TaskIndex task = 0; task < bounds_.size(); ++task) outcome.results.tasks[task].bound = bounds_[task];
    outcome.results.requirements = judge_requirements(system_, outcome.results);
    outcome.results.constraints = judge_constraints(system_, constraints, programs_, outcome.results);
    outcome.results.accesses = {};
    return outcome;
  }

  /// Aggregates all runs whose turn has come. Requires the mutex.
  void add_up() {
    while (added_ < options_.runs && window_[added_ % window_.size()]) {
      auto& slot = window_[added_ % window_.size()];
      add_run(*slot);
      slot.reset();
      ++added_;
      if (options_.progress) options_.progress(added_);
    }
  }

  void add_run(Outcome& outcome) {
    Results& results = outcome.results;
    for (TaskIndex task = 0; task < sum_.tasks.size(); ++task)
      add_task(results.tasks[task], results.responses[task], outcome.seed, sum_.tasks[task]);
    for (std::size_t chain = 0; chain < sum_.chains.size(); ++chain) add(sum_.chains[chain], outcome.chains[chain]);
    if (added_ == 0)
      for (const ResourceResult& resource : results.resources)
        sum_.resources.push_back({resource.unit, resource.kind, 0, resource.utilization, resource.utilization});
    for (std::size_t i = 0; i < sum_.resources.size() && i < results.resources.size(); ++i) {
      const double utilization = results.resources[i].utilization;
      ResourceRuns& resource = sum_.resources[i];
      resource.mean += utilization;
      resource.least = std::min(resource.least, utilization);
      resource.most = std::max(resource.most, utilization);
    }
    for (std::size_t i = 0; i < results.requirements.size(); ++i) {
      RequirementResult& found = results.requirements[i];
      if (added_ == 0)
        sum_.judged.requirements.push_back(std::move(found));
      else
        add(system_.requirements[i], sum_.judged.requirements[i], std::move(found));
    }
    for (std::size_t i = 0; i < results.constraints.size(); ++i) {
      ConstraintResult& found = results.constraints[i];
      if (added_ == 0)
        sum_.judged.constraints.push_back(std::move(found));
      else
        add(sum_.judged.constraints[i], std::move(found));
    }
    sum_.events += results.events;
    if (results.stopped_early) ++sum_.stopped;
    if (added_ == 0) {
      first_ = std::move(results.responses);
    } else if (all_alike_ && results.responses != first_) {
      all_alike_ = false;
      first_ = {};
    }
  }

  void add_task(const TaskResult& result, const std::vector<Duration>& responses, std::uint64_t seed,
                TaskRuns& task) const {
    for (const Duration response : responses) task.response.add(response);
    if (!responses.empty()) task.means.add(mean_of(responses));
    task.unfinished += result.unfinished;
    task.lost_activations += result.lost_activations;
    task.late += result.missed_deadlines;
    if (result.missed_deadlines + result.lost_activations > 0) ++task.runs_with_late;
    if (result.worst_release && (!task.worst || result.response.max > task.worst->response))
      task.worst = WorstJob{added_, seed, *result.worst_release, result.response.max};
  }

  const System& system_;
  const ManyRunsOptions& options_;
  const Preparation& preparation_;
  const std::vector<Program> programs_;
  std::vector<Bound> bounds_;  ///< for every task, for requirements and constraints; empty if there are none
  std::atomic<std::uint64_t> next_ = 0;

  // Guarded by the mutex while threads run.
  std::mutex mutex_;
  std::condition_variable added_more_;
  std::uint64_t added_ = 0;
  std::vector<std::optional<Outcome>> window_;  // run r is at r modulo its size
  std::exception_ptr failure_;
  ManyRuns sum_;
  std::vector<std::vector<Duration>> first_;  // responses of run 0, as long as all others are identical
  bool all_alike_ = true;
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
    judged.resources.push_back({resource.unit, resource.kind, resource.mean, 0});
  judge_simulation(system, options.analysis, preparation, judged);
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

std::optional<ManyRuns> simulate_runs(const System& system, const ManyRunsOptions& options, Diagnostics& diagnostics) {
  try {
    const auto preparation = prepare_simulation(system, options.analysis, diagnostics);
    if (!preparation) return std::nullopt;
    Runs all(system, options, *preparation);
    ManyRuns runs = all.run();
    if (runs.stopped > 0)
      diagnostics.add(
          "AM0540", Severity::error,
          fmt::format(
              "{} of {} runs stopped early, because events are too frequent: tasks may activate each other endlessly, "
              "or a period or time slice may be far too short; correct it, or simulate only the beginning (--until)",
              runs.stopped, runs.runs));
    if (runs.runs > 1 && all.all_alike())
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

}  // namespace amalthea::engine
