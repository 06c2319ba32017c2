// SPDX-License-Identifier: Apache-2.0
#include "engine/measurement.hpp"

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/chains/chain_observation.hpp"
#include "engine/chains/detail/chain_limits.hpp"
#include "engine/constraints/detail/constraints.hpp"
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

}  // namespace

void judge_measurement(const System& system, const ConstraintObserver& constraints, Results& results) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) judge_task(system.tasks[task], results.tasks[task]);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (const auto function = system.tasks[task].folded_into) results.tasks[task] = results.tasks[*function];
  for (const Chain& chain : system.chains)
    results.chains.emplace_back().observed = observed_latencies(chain, results.accesses);
  judge_chain_limits(system, results);
  results.requirements = judge_requirements(system, results);
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
