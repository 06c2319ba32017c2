// SPDX-License-Identifier: Apache-2.0
#include "analysis/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "analysis/detail/plain_causes.hpp"
#include "analysis/detail/problem_state.hpp"
#include "analysis/detail/suspicions.hpp"
#include "engine/bounds/dependencies.hpp"
#include "engine/verdict.hpp"

namespace amalthea::analysis {
namespace {

using exporter::Cause;
using exporter::Causes;
using exporter::Problems;

/// All trials of a diagnosis together simulate about this many instants, and their bounds take about this many steps: a
/// second. A system whose own analysis takes a good part of that is not tried.
constexpr std::uint64_t total_events = 1'000'000, most_events = 200'000;
constexpr std::uint64_t total_steps = 20'000'000;
constexpr std::size_t most_trials = 60, most_tasks = 300;

/// Evidence below which a value is not blamed, whatever its change turns; and with which it is named in any case.
constexpr double least_evidence = 1.3, strong_evidence = 4.5;
/// Evidence plus what a change turns: below that nothing is blamed.
constexpr double least_score = 3.3;
/// Suspicions whose scores are that close are named together.
constexpr double indistinct = 0.8;
constexpr std::size_t most_alternatives = 2, most_suspected = 4;

struct Tried {
  Suspicion suspicion;
  ProblemState with;
  double score = 0;
};

class Diagnosis {
 public:
  Diagnosis(const System& system, const engine::AnalysisOptions& options, const engine::Results& results,
            const Diagnostics& findings)
      : system_(system), options_(options), results_(results), findings_(findings) {
    options_.observer = nullptr;
    options_.work = nullptr;
    options_.bounds.taken = {&steps_};
  }

  Diagnosed run() && {
    before_ = state_of(system_, results_);
    causes_.problems = before_.problems;
    if (before_.problems != Problems{}) find_causes();
    return {std::move(causes_), std::move(corrections_)};
  }

 private:
  void find_causes() {
    const Facts facts(system_, options_, results_);
    System repaired(system_);
    ProblemState after = before_;
    if (is_quick()) {
      try_all(relevant(facts));
      choose(repaired, after);
    } else {
      causes_.complete = false;
    }
    explain_rest(facts, repaired, after);
    findings_first();
  }

  /// Whether analyses of changed systems take little time, whatever the machine.
  bool is_quick() const {
    if (results_.events > most_events || system_.tasks.size() > most_tasks) return false;
    for (NodeIndex node = 0; node < system_.graph.size(); ++node)
      if (const auto* kernel = std::get_if<Kernel>(&system_.graph[node].activity))
        if (kernel->instructions) return false;
    return true;
  }

  // ---- suspicions

  /// Those that what does not hold may depend on, the most striking ones first.
  Suspicions relevant(const Facts& facts) {
    Suspicions all;
    suspect_limits(facts, all);
    suspect_times(facts, all);
    suspect_sharing(facts, all);
    const std::vector<amalthea::Part> parts = parts_with_problems();
    const engine::Dependencies dependencies(system_);
    std::map<std::pair<amalthea::Part::Kind, std::uint32_t>, bool> known;
    const auto matters = [&](const Suspicion& one) {
      if (one.evidence < least_evidence) return false;
      const auto [place, added] = known.try_emplace({one.part.kind, one.part.index}, false);
      if (added) {
        const auto reached = dependencies.reached_from(std::array{one.part});
        place->second =
            std::any_of(parts.begin(), parts.end(), [&](amalthea::Part part) { return reached.contains(part); });
      }
      return place->second;
    };
    all.erase(std::remove_if(all.begin(), all.end(), [&](const Suspicion& one) { return !matters(one); }), all.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const Suspicion& a, const Suspicion& b) { return a.evidence > b.evidence; });
    return all;
  }

  std::vector<amalthea::Part> parts_with_problems() const {
    std::vector<amalthea::Part> parts;
    const auto add = [&](amalthea::Part::Kind kind, std::size_t index) {
      parts.push_back({kind, static_cast<std::uint32_t>(index)});
    };
    // Limits that wait for an open finding change with nothing else.
    const auto open = [](engine::OverallVerdict verdict, const std::string& reason) {
      return verdict != engine::OverallVerdict::guaranteed &&
             reason.find("depends on what finding") == std::string::npos;
    };
    const auto add_if = [&](amalthea::Part::Kind kind, std::size_t index, const auto& result) {
      if (open(engine::verdict_on(result.verdict, result.guaranteed), result.reason)) add(kind, index);
    };
    for (std::size_t i = 0; i < results_.tasks.size(); ++i) {
      const engine::TaskResult& task = results_.tasks[i];
      const engine::OverallVerdict verdict = engine::verdict_on(task);
      if ((verdict > engine::OverallVerdict::met || system_.tasks[i].deadline) && open(verdict, task.reason))
        add(amalthea::Part::Kind::task, i);
    }
    for (std::size_t i = 0; i < results_.requirements.size(); ++i)
      add_if(amalthea::Part::Kind::requirement, i, results_.requirements[i]);
    for (std::size_t i = 0; i < results_.constraints.size(); ++i)
      add_if(amalthea::Part::Kind::constraint, i, results_.constraints[i]);
    for (std::size_t i = 0; i < results_.chains.size(); ++i)
      for (const engine::ChainResult::Limit& limit : results_.chains[i].limits)
        add_if(amalthea::Part::Kind::chain, i, limit.by(results_.communication));
    return parts;
  }

  /// Nothing if the changed system cannot be analyzed, or if the analyses took long enough.
  std::optional<ProblemState> analyzed(const System& changed) {
    if (causes_.analyses >= most_trials || events_ >= total_events || steps_ > total_steps) {
      causes_.complete = false;
      return std::nullopt;
    }
    ++causes_.analyses;
    engine::AnalysisOptions options = options_;
    options.max_steps = std::min(options.max_steps, total_events - events_);
    Diagnostics ignored;  // already reported by the analysis of the original system
    const auto results = engine::analyze(changed, options, ignored);
    if (!results) return std::nullopt;
    events_ += results->events;
    if (results->stopped_early) return std::nullopt;
    return state_of(changed, *results);
  }

  static bool is_better(const ProblemState& with, const ProblemState& without) {
    return with.problems < without.problems;
  }

  /// 3 if nothing remains, and another 1 for what explains all that fails; 0 if it turns nothing.
  double share_turned(const ProblemState& with) const {
    if (!is_better(with, before_)) return 0;
    const bool all = with.problems.failing == 0 && (before_.problems.failing > 0 || with.problems.unproven == 0);
    return 3 * (before_.weight() - with.weight()) / before_.weight() + (all ? 1 : 0);
  }

  void try_all(Suspicions all) {
    for (Suspicion& one : all) {
      System changed(system_);
      one.apply(changed);
      auto with = analyzed(changed);
      if (!with) continue;
      const double turned = share_turned(*with);
      const double score = one.evidence + turned;
      if (turned > 0 || one.evidence >= strong_evidence) tried_.push_back({std::move(one), std::move(*with), score});
    }
    combine();
    std::stable_sort(tried_.begin(), tried_.end(), [](const Tried& a, const Tried& b) { return a.score > b.score; });
  }

  /// The same mistake in several places: made together, the changes may turn more than each alone.
  void combine() {
    std::map<std::string, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < tried_.size(); ++i)
      if (!tried_[i].suspicion.pattern.empty()) alike[tried_[i].suspicion.pattern].push_back(i);
    for (const auto& pattern : alike) {
      const std::vector<std::size_t>& places = pattern.second;
      if (places.size() < 2) continue;
      System changed(system_);
      Suspicion all = tried_[places.front()].suspicion;
      std::vector<std::function<void(System&)>> changes;
      for (const std::size_t place : places) {
        const Suspicion& one = tried_[place].suspicion;
        one.apply(changed);
        changes.push_back(one.apply);
        if (place != places.front())
          all.change +=
              (place == places[1] ? ", and likewise " : ", ") + one.change.substr(0, one.change.find_first_of(":("));
        all.evidence = std::max(all.evidence, one.evidence);
      }
      all.apply = [changes](System& system) {
        for (const auto& change : changes) change(system);
      };
      auto with = analyzed(changed);
      if (!with || std::any_of(places.begin(), places.end(),
                               [&](std::size_t place) { return !is_better(*with, tried_[place].with); }))
        continue;
      all.combined = places.size();
      const double score = all.evidence + share_turned(*with);
      tried_.push_back({std::move(all), std::move(*with), score});
    }
  }

  /// The best ones, each of which turns something that those before it do not, or is striking.
  void choose(System& repaired, ProblemState& after) {
    std::vector<bool> done(tried_.size(), false);
    for (std::size_t i = 0; i < tried_.size() && causes_.all.size() < most_suspected; ++i) {
      const Tried& one = tried_[i];
      if (done[i] || one.score < least_score || used_.count(one.suspicion.pattern) > 0) continue;
      if (!causes_.all.empty()) {
        System both(repaired);
        one.suspicion.apply(both);
        auto with = after.problems == Problems{} ? std::nullopt : analyzed(both);
        const bool better = with && is_better(*with, after);
        if (!better && one.suspicion.evidence < strong_evidence) continue;
        if (better) {
          repaired = std::move(both);
          after = std::move(*with);
        } else if (after.problems == Problems{}) {
          continue;
        }
      } else {
        one.suspicion.apply(repaired);
        after = one.with;
      }
      if (one.suspicion.combined > 1) used_.insert(one.suspicion.pattern);
      strong_.push_back(one.suspicion.evidence >= strong_evidence);
      add_correction(one.suspicion);
      causes_.all.push_back(cause_of(i, done));
    }
  }

  void add_correction(const Suspicion& one) { corrections_.push_back({one.change, one.apply, origin_of(one.part)}); }

  Cause cause_of(std::size_t index, std::vector<bool>& done) const {
    const Tried& one = tried_[index];
    Cause cause;
    cause.text = one.suspicion.change;
    cause.with = one.with.problems;
    cause.origin = origin_of(one.suspicion.part);
    for (const auto& [then, now] :
         {std::pair(&before_.failing, &one.with.failing), std::pair(&before_.unproven, &one.with.unproven)})
      for (const std::string& name : *then)
        if (now->count(name) == 0 && one.with.failing.count(name) == 0) cause.sufferers.push_back(name);
    cause.explains = cause.sufferers.size();
    for (std::size_t other = index + 1; other < tried_.size() && cause.others.size() < most_alternatives; ++other) {
      if (done[other] || tried_[other].score < one.score - indistinct) break;
      if (tried_[other].with.failing != one.with.failing || tried_[other].with.unproven != one.with.unproven) continue;
      done[other] = true;
      if (tried_[other].suspicion.part == one.suspicion.part && is_same_value(tried_[other].suspicion, one.suspicion))
        continue;
      cause.others.push_back(tried_[other].suspicion.change);
    }
    return cause;
  }

  /// Whether they say the same up to the new value.
  static bool is_same_value(const Suspicion& a, const Suspicion& b) {
    return a.change.substr(0, a.change.find(':')) == b.change.substr(0, b.change.find(':'));
  }

  Origin origin_of(amalthea::Part part) const {
    switch (part.kind) {
      case amalthea::Part::Kind::task:
        return system_.tasks[part.index].origin;
      case amalthea::Part::Kind::stimulus:
        return system_.stimuli[part.index].origin;
      case amalthea::Part::Kind::chain:
        return system_.chains[part.index].origin;
      case amalthea::Part::Kind::requirement:
        return system_.requirements[part.index].origin;
      case amalthea::Part::Kind::constraint:
        return system_.constraints[part.index].origin;
      case amalthea::Part::Kind::unit:
        return system_.platform.units[part.index].origin;
      case amalthea::Part::Kind::semaphore:
        return system_.semaphores[part.index].origin;
      case amalthea::Part::Kind::scheduler:
        return system_.platform.schedulers[part.index].origin;
      default:
        return {};
    }
  }

  // ---- the rest

  /// What nobody filled in may hide everything but what is striking.
  void findings_first() {
    const auto striking =
        static_cast<std::ptrdiff_t>(std::find(strong_.begin(), strong_.end(), false) - strong_.begin());
    std::stable_sort(causes_.all.begin() + striking, causes_.all.end(), [](const Cause& a, const Cause& b) {
      return a.kind == Cause::Kind::finding && b.kind == Cause::Kind::suspected && a.explains > b.explains;
    });
  }

  void explain_rest(const Facts& facts, const System& repaired, const ProblemState& after) {
    if (after.problems == Problems{}) return;
    const engine::Assessment assessment = engine::assess(system_, results_, {});
    std::vector<bool> left, relieved;
    for (const engine::JudgedLimit& limit : assessment.limits)
      left.push_back((is_failing(limit) && after.failing.count(limit.name) > 0) ||
                     (is_unproven(limit) && after.unproven.count(limit.name) > 0));
    for (std::size_t i = 0; i < results_.resources.size(); ++i)
      relieved.push_back(i < after.overloaded.size() && !after.overloaded[i]);
    add_plain_causes(facts, repaired, assessment, left, relieved, findings_, causes_.all);
  }

  const System& system_;
  engine::AnalysisOptions options_;
  const engine::Results& results_;
  const Diagnostics& findings_;
  Causes causes_;
  std::vector<Correction> corrections_;
  ProblemState before_;
  std::vector<Tried> tried_;
  std::set<std::string> used_;  ///< patterns of combined suspicions that are causes
  std::vector<bool> strong_;    ///< parallel to the suspected causes
  std::uint64_t events_ = 0, steps_ = 0;
};

}  // namespace

Diagnosed diagnose_and_correct(const System& system, const engine::AnalysisOptions& options,
                               const engine::Results& results, const Diagnostics& findings) {
  if (results.stopped_early) return {};
  try {
    return Diagnosis(system, options, results, findings).run();
  } catch (const std::overflow_error&) {  // times beyond the range of the simulation: nothing can be said
    return {};
  }
}

Causes diagnose(const System& system, const engine::AnalysisOptions& options, const engine::Results& results,
                const Diagnostics& findings) {
  return diagnose_and_correct(system, options, results, findings).causes;
}

}  // namespace amalthea::analysis
