// SPDX-License-Identifier: Apache-2.0
#include "engine/measurement.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "amalthea/graph/chain_data.hpp"
#include "amalthea/quantity.hpp"
#include "engine/chains/chain_limits.hpp"
#include "engine/chains/chain_observation.hpp"
#include "engine/constraints/constraints.hpp"
#include "engine/requirements.hpp"

namespace amalthea::engine {
namespace {

void judge_task(const Task& task, TaskResult& result) {
  const std::uint64_t jobs = result.response.jobs + result.unfinished;
  const auto decide = [&](Verdict verdict, std::string reason) {
    result.verdict = verdict;
    result.reason = std::move(reason);
  };
  if (result.missed_deadlines > 0)
    decide(Verdict::missed, fmt::format("{} of {} measured jobs end later than {} after their activation",
                                        result.missed_deadlines, jobs, format_duration(*task.deadline)));
  else if (result.lost_activations > 0)
    decide(Verdict::missed, fmt::format("{} activations were lost", result.lost_activations));
  else if (result.response.jobs == 0)
    decide(Verdict::unknown, "the trace contains no complete job of it");
  else if (!task.deadline)
    decide(Verdict::no_deadline, "the model states no deadline for this task");
  else
    decide(Verdict::met, fmt::format("the longest of {} measured jobs leaves {}", result.response.jobs,
                                     format_duration(*task.deadline - result.response.max)));
}

template <typename Result>
void keep_worse(const Result& other, Result& result) {
  const auto rank = [](LimitVerdict verdict) {
    return verdict == LimitVerdict::missed ? 2 : verdict == LimitVerdict::met ? 1 : 0;
  };
  if (rank(other.verdict) > rank(result.verdict)) result = other;
}

/// The larger, or with `most` false the smaller value.
void merge(std::optional<Duration>& value, const std::optional<Duration>& other, bool most = true) {
  if (other && (!value || (most ? *other > *value : *other < *value))) value = other;
}

void merge(ObservedLatencies& observed, const ObservedLatencies& other) {
  observed.reads += other.reads;
  merge(observed.reaction, other.reaction);
  merge(observed.reduced_reaction, other.reduced_reaction);
  merge(observed.age, other.age);
  merge(observed.reduced_age, other.reduced_age);
  merge(observed.least_reaction, other.least_reaction, false);
  merge(observed.least_age, other.least_age, false);
}

std::vector<std::vector<JobAccess>> accesses_of(const std::vector<TaskIndex>& tasks,
                                                const std::vector<std::vector<JobAccess>>& accesses) {
  std::vector<std::vector<JobAccess>> own;
  for (const TaskIndex task : tasks) own.push_back(accesses[task]);
  return own;
}

/// Of the chains as far as `accesses` go; reads that an earlier window has counted do not count again.
std::vector<ObservedLatencies> observed_in(const System& system, const std::vector<std::vector<JobAccess>>& accesses,
                                           std::vector<std::pair<Instant, Instant>>& counted) {
  std::vector<ObservedLatencies> all;
  const Instant before_all = Instant::at(Duration::picoseconds(-1));
  counted.resize(system.chains.size(), {before_all, before_all});
  const std::vector<bool> pass_data = chains_that_pass_data(system);
  for (std::size_t index = 0; index < system.chains.size(); ++index) {
    const Chain& chain = system.chains[index];
    all.push_back(pass_data[index] ? observed_latencies(chain, accesses) : ObservedLatencies{});
    if (chain.tasks.empty() || !pass_data[index]) continue;
    all.back().reads = 0;
    for (const Passage& passage : passages(accesses_of(chain.tasks, accesses)))
      if (const std::pair job{passage.release, passage.start}; job > counted[index]) {
        ++all.back().reads;
        counted[index] = job;
      }
  }
  return all;
}

void keep_worse(const RequirementResult& other, RequirementResult& result, const Requirement& requirement) {
  keep_worse<RequirementResult>(other, result);
  if (other.verdict != result.verdict) return;
  const auto *one = std::get_if<Duration>(&other.observed), *own = std::get_if<Duration>(&result.observed);
  const bool lower = requirement.limit_type == Requirement::LimitType::lower;
  if (one != nullptr && (own == nullptr || (lower ? *one < *own : *one > *own))) result = other;
}

}  // namespace

void fold_accesses(const System& system, std::vector<std::vector<JobAccess>>& accesses, std::size_t most,
                   ChainWindows& windows) {
  windows.chains.resize(system.chains.size());
  windows.requirements.resize(system.requirements.size());
  const auto observed = observed_in(system, accesses, windows.counted);
  for (std::size_t chain = 0; chain < observed.size(); ++chain) merge(windows.chains[chain], observed[chain]);

  System on_chains;
  std::vector<std::size_t> indices;
  Instant needed = Instant::never();
  const auto need = [&](const std::vector<TaskIndex>& tasks) {
    if (tasks.empty() || accesses[tasks.front()].empty()) return;
    // Later jobs may continue what the last job with an output began, and everything after it.
    const std::size_t resolved = passages(accesses_of(tasks, accesses)).size();
    const JobAccess& first = accesses[tasks.front()][resolved == 0 ? 0 : resolved - 1];
    needed = std::min({needed, first.read, first.release});
  };
  for (const Chain& chain : system.chains) need(chain.tasks);
  for (std::size_t index = 0; index < system.requirements.size(); ++index) {
    const auto* chain = std::get_if<Requirement::OfChain>(&system.requirements[index].subject);
    if (chain == nullptr) continue;
    if (indices.empty()) on_chains = system;
    if (indices.empty()) on_chains.requirements.clear();
    on_chains.requirements.push_back(system.requirements[index]);
    indices.push_back(index);
    need(chain->tasks);
  }
  if (!indices.empty()) {
    Results window;
    window.tasks.resize(system.tasks.size());
    window.accesses = accesses;
    const auto judged = judge_requirements(on_chains, window);
    for (std::size_t at = 0; at < indices.size(); ++at) {
      auto& kept = windows.requirements[indices[at]];
      if (kept)
        keep_worse(judged[at], *kept, on_chains.requirements[at]);
      else
        kept = judged[at];
    }
  }
  // Of every task the jobs from the same instant on, so that none finds a later reader than it had.
  const auto drop_before = [&](Instant from) {
    std::vector<Instant> writes;
    for (std::vector<JobAccess>& jobs : accesses) {
      const auto later =
          std::find_if(jobs.begin(), jobs.end(), [&](const JobAccess& job) { return job.write >= from; });
      jobs.erase(jobs.begin(), later == jobs.end() && !jobs.empty() ? std::prev(later) : later);
      for (const JobAccess& job : jobs) writes.push_back(job.write);
    }
    return writes;
  };
  std::vector<Instant> writes = drop_before(needed);
  if (writes.size() <= most) return;
  const auto oldest = writes.end() - static_cast<std::ptrdiff_t>(most);
  std::nth_element(writes.begin(), oldest, writes.end());
  drop_before(*oldest);
}

void judge_measurement(const System& system, const ConstraintObserver& constraints, const ChainWindows& windows,
                       Results& results) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) judge_task(system.tasks[task], results.tasks[task]);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (const auto function = system.tasks[task].folded_into) results.tasks[task] = results.tasks[*function];
  auto counted = windows.counted;
  for (ObservedLatencies& observed : observed_in(system, results.accesses, counted)) {
    const std::size_t chain = results.chains.size();
    if (chain < windows.chains.size()) merge(observed, windows.chains[chain]);
    results.chains.emplace_back().observed = observed;
  }
  judge_chain_limits(system, results);
  results.requirements = judge_requirements(system, results);
  for (std::size_t index = 0; index < windows.requirements.size(); ++index)
    if (windows.requirements[index])
      keep_worse(*windows.requirements[index], results.requirements[index], system.requirements[index]);
  // A limit that is not stated in the model may exist on the target.
  for (RequirementResult& result : results.requirements)
    if (result.guaranteed == true) result.guaranteed.reset();
  results.constraints = judge_measured_constraints(system, constraints);
  for (ConstraintResult& result : results.constraints) result.guaranteed.reset();
}

void keep_worse_verdicts(const Results& other, Results& results) {
  for (std::size_t index = 0; index < results.requirements.size(); ++index)
    keep_worse(other.requirements[index], results.requirements[index]);
  for (std::size_t index = 0; index < results.constraints.size(); ++index)
    keep_worse(other.constraints[index], results.constraints[index]);
  for (std::size_t chain = 0; chain < results.chains.size(); ++chain) {
    if (results.chains[chain].observed.reads == 0) results.chains[chain].observed = other.chains[chain].observed;
    for (std::size_t limit = 0; limit < results.chains[chain].limits.size(); ++limit) {
      ChainResult::Limit& kept = results.chains[chain].limits[limit];
      const ChainResult::Limit& more = other.chains[chain].limits[limit];
      keep_worse(more.implicit, kept.implicit);
      keep_worse(more.explicit_access, kept.explicit_access);
      keep_worse(more.let, kept.let);
    }
  }
}

}  // namespace amalthea::engine
