// SPDX-License-Identifier: Apache-2.0
#include "engine/chains/chain_limits.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "amalthea/graph/chain_data.hpp"
#include "amalthea/graph/job_paths.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"
#include "engine/program/releases.hpp"
#include "engine/results/lost_activations.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {
namespace {

using LimitJudgement = ChainResult::Judgement;

/// Known values of a latency: minimum and maximum observed, or bounds.
struct Latency {
  std::optional<Duration> least, greatest;
};

/// Which side of the limit is violated; nothing if none is.
std::optional<LimitJudgement> broken_side(const ChainLimit& limit, const Latency& latency, std::string_view how) {
  const auto missed = [how](std::string_view which, Duration seen, Duration beyond, std::string_view side) {
    LimitJudgement judgement{LimitVerdict::missed, false,
                             fmt::format("the {} latency {} is {}, {} {}", which, how, format_duration(seen),
                                         format_duration(beyond), side)};
    judgement.beyond = beyond;
    return judgement;
  };
  if (limit.maximum && latency.greatest && *latency.greatest > *limit.maximum)
    return missed("longest", *latency.greatest, *latency.greatest - *limit.maximum, "above the maximum");
  if (limit.minimum && latency.least && *latency.least < *limit.minimum)
    return missed("shortest", *latency.least, *limit.minimum - *latency.least, "below the minimum");
  return std::nullopt;
}

class LimitJudge {
 public:
  LimitJudge(const System& system, const Results& results)
      : system_(system), results_(results), releases_(releases_of(system)), paths_(system) {}

  ChainResult::Limit judge(const Chain& chain, const ChainLimit& limit, const ChainResult& result) const {
    const bool age = limit.kind == ChainLimit::Kind::age;
    const auto of = [&](const std::optional<LatencyBounds>& bounds) {
      return bounds ? std::optional(age ? bounds->reduced_age : bounds->reduced_reaction) : std::nullopt;
    };
    ChainResult::Limit verdict;
    if (std::string obstacle = chain_data(system_, paths_, chain).obstacle; !obstacle.empty()) {
      verdict.let.reason = verdict.implicit.reason = verdict.explicit_access.reason = std::move(obstacle);
      return verdict;
    }
    verdict.implicit = by_bound(limit, of(result.implicit), result.implicit_reason, result.coverage);
    add_observed(chain, limit, result.observed, verdict.implicit);
    verdict.explicit_access = by_bound(limit, of(result.explicit_access), result.explicit_reason, result.coverage);
    if (verdict.explicit_access.verdict == LimitVerdict::unknown)
      verdict.explicit_access.reason += "; the simulation does not cover latencies under explicit communication";
    verdict.let = by_intervals(chain, limit, result);
    return verdict;
  }

 private:
  /// The verdict by the bound alone. A minimum has no bound except zero.
  static LimitJudgement by_bound(const ChainLimit& limit, std::optional<Duration> bound, const std::string& no_bound,
                                 const Coverage& coverage) {
    const bool long_enough = !limit.minimum || *limit.minimum <= Duration{};
    const bool short_enough = !limit.maximum || (bound && *bound <= *limit.maximum);
    LimitJudgement judgement;
    if (long_enough && short_enough) {
      judgement.verdict = LimitVerdict::met;
      judgement.guaranteed = true;
      if (limit.maximum) {
        judgement.coverage = coverage;
        judgement.reason =
            with_limitation(fmt::format("the bound, {}, leaves {}", format_duration(*bound, Rounding::up),
                                        format_duration(*limit.maximum - *bound, Rounding::down)),
                            coverage);
      } else {
        judgement.reason = "no latency can be below the minimum";
      }
      return judgement;
    }
    if (!short_enough && bound) judgement.guaranteed = false;
    judgement.reason = !short_enough ? bound ? fmt::format("the bound, {}, is {} above the maximum",
                                                           format_duration(*bound, Rounding::up),
                                                           format_duration(*bound - *limit.maximum, Rounding::up))
                                             : fmt::format("there is no bound: {}", no_bound)
                                     : std::string("there is no lower bound on the latency");
    return judgement;
  }

  void add_observed(const Chain& chain, const ChainLimit& limit, const ObservedLatencies& observed,
                    LimitJudgement& judgement) const {
    const bool age = limit.kind == ChainLimit::Kind::age;
    const Latency seen = age ? Latency{observed.least_age, observed.reduced_age}
                             : Latency{observed.least_reaction, observed.reduced_reaction};
    if (auto broken = broken_side(limit, seen, "in the simulation")) {
      judgement = std::move(*broken);
      return;
    }
    if (judgement.guaranteed == true) return;
    if (!seen.greatest) {
      judgement.reason =
          fmt::format("no data passed through the chain in the simulated time, and {}", judgement.reason);
      return;
    }
    if (const std::string left = left_over(chain); !left.empty()) {
      judgement.reason = fmt::format("{}, and {}", left, judgement.reason);
      return;
    }
    judgement.verdict = LimitVerdict::met;
    judgement.reason = fmt::format("the simulation saw latencies from {} to {}; {}", format_duration(*seen.least),
                                   format_duration(*seen.greatest), judgement.reason);
  }

  /// The tasks with unfinished jobs; "" if there are none.
  std::string left_over(const Chain& chain) const {
    if (results_.stopped_early) return "the simulation stopped early";
    for (const TaskIndex task : chain.tasks)
      if (results_.tasks[task].unfinished > 0)
        return fmt::format("{} jobs of {} had not ended at the end of the simulation", results_.tasks[task].unfinished,
                           system_.tasks[task].name);
    return "";
  }

  LimitJudgement by_intervals(const Chain& chain, const ChainLimit& limit, const ChainResult& result) const {
    if (!result.let) return {LimitVerdict::unknown, std::nullopt, result.let_reason};
    const bool age = limit.kind == ChainLimit::Kind::age;
    const Latency exact{result.let->shortest, age ? result.let->reduced_age : result.let->reduced_reaction};
    if (auto broken = broken_side(limit, exact, "under LET")) return std::move(*broken);
    LimitJudgement judgement{LimitVerdict::met, true,
                             fmt::format("the latencies under LET are from {} to {}", format_duration(*exact.least),
                                         format_duration(*exact.greatest))};
    const auto begins = [&](TaskIndex task) { return releases_[task]->trigger_path.front(); };
    // The latencies of intervals that begin independently are those for the stated offsets.
    if (std::any_of(chain.tasks.begin(), chain.tasks.end(),
                    [&](TaskIndex task) { return begins(task) != begins(chain.tasks.front()); }))
      judgement.coverage.offsets = Coverage::Offsets::stated;
    for (const TaskIndex task : chain.tasks) {
      const Duration interval = releases_[task]->periodic.period;
      Duration seen, bound;
      bool bounded = releases_[task]->every_time, ended = !results_.stopped_early;
      for (const TaskIndex part : releases_[task]->trigger_path) {  // all within the interval of the first
        const TaskResult& of = results_.tasks[part];
        seen += of.response.max;
        bounded = bounded && of.bound.worst && why_activations_may_be_lost(system_, part, of.bound).empty();
        if (of.bound.worst) bound += *of.bound.worst;
        judgement.coverage &= coverage_of(system_, part, of.bound);
        ended = ended && of.unfinished == 0 && of.lost_activations == 0;
      }
      if (bounded && bound <= interval) continue;
      judgement.guaranteed.reset();
      if (ended && seen <= interval) continue;
      return {LimitVerdict::unknown, std::nullopt,
              fmt::format("{} needs longer than its LET interval of {}", system_.tasks[task].name,
                          format_duration(interval))};
    }
    if (judgement.guaranteed == true)
      judgement.reason = with_limitation(std::move(judgement.reason), judgement.coverage);
    return judgement;
  }

  const System& system_;
  const Results& results_;
  std::vector<std::optional<TaskReleases>> releases_;
  JobPaths paths_;
};

}  // namespace

void judge_chain_limits(const System& system, Results& results) {
  const LimitJudge judge(system, results);
  for (std::size_t index = 0; index < system.chains.size(); ++index) {
    ChainResult& result = results.chains[index];
    result.limits.clear();
    for (const ChainLimit& limit : system.chains[index].limits)
      result.limits.push_back(judge.judge(system.chains[index], limit, result));
  }
}

}  // namespace amalthea::engine
