// SPDX-License-Identifier: Apache-2.0
#include "analysis/plan.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "amalthea/quantity.hpp"
#include "analysis/detail/findings_of_mapping.hpp"
#include "analysis/detail/problem_state.hpp"
#include "engine/small_changes.hpp"
#include "explore/repair.hpp"
#include "exporter/exploration/exploration_formats.hpp"
#include "exporter/exploration/mapping_comparison.hpp"
#include "exporter/results/ratchet.hpp"

namespace amalthea::analysis {
namespace {

using exporter::PlanStep;
using exporter::Problems;

constexpr std::size_t least_analyses = 60, most_analyses = 10'000;
/// An analysis costs as much as this many instants, however short it is, and one for each activity.
constexpr std::uint64_t events_of_analysis = 200;
/// Steps of bounds that take as long as an instant.
constexpr std::uint64_t steps_of_event = 100;
/// Steps are ordered by what they turn as long as there are no more of them.
constexpr std::size_t most_ordered = 6;
/// Percent of the ticks of a task; to ask for more is no advice.
constexpr std::int64_t most_shorter = 60;
/// What a bound or a response must grow by to count as worse.
constexpr double noticeable = 0.01;

/// An analyzed system.
struct Snapshot {
  System system;
  engine::Results results;
  engine::Assessment assessment;
  ProblemState state;
};

double relative(Duration part, Duration of) {
  return static_cast<double>(part.picoseconds()) / static_cast<double>(std::max<std::int64_t>(1, of.picoseconds()));
}

/// How far limits and resources are exceeded; each limit counts at most 5, so that no one hides the others.
double excess_of(const Snapshot& now) {
  constexpr double overload = 10, most = 5, unproven = 0.1;
  double excess = 0;
  for (const engine::ResourceResult& resource : now.results.resources)
    excess += overload * std::max(0.0, resource.demand - 1);
  for (TaskIndex task = 0; task < now.system.tasks.size(); ++task) {
    const auto& deadline = now.system.tasks[task].deadline;
    const engine::TaskResult& result = now.results.tasks[task];
    if (!deadline || now.system.tasks[task].folded_into) continue;
    if (result.response.jobs > 0) excess += std::clamp(relative(result.response.max - *deadline, *deadline), 0.0, most);
    if (result.guaranteed == true) continue;
    excess += unproven *
              (result.bound.worst ? std::clamp(relative(*result.bound.worst - *deadline, *deadline), 0.0, most) : most);
  }
  for (const engine::JudgedLimit& limit : now.assessment.limits)
    if (limit.kind != engine::JudgedLimit::Kind::deadline && limit.beyond)
      excess += std::min(most, relative(*limit.beyond, Duration::microseconds(1000)));
  return excess;
}

/// Limits that fail in both, and in `now` more so.
std::size_t deepened(const Snapshot& then, const Snapshot& now) {
  const auto before = exporter::known_limits(then.assessment), after = exporter::known_limits(now.assessment);
  // The same system has the same limits; only a task without one may come or go.
  std::size_t count = 0;
  for (const exporter::KnownLimit& limit : after) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const exporter::KnownLimit& other) {
      return other.kind == limit.kind && other.name == limit.name;
    });
    if (known != before.end() && is_deeper(limit, *known)) ++count;
  }
  return count;
}

class Planner {
 public:
  /// `all`: also makes the corrections that mend nothing alone.
  Planner(const Search& search, const engine::Results& results, const Diagnosed& diagnosed, std::uint64_t events,
          bool all)
      : search_(search),
        problem_(search.problem),
        diagnosed_(diagnosed),
        all_(all),
        options_(search.options.analysis),
        total_steps_(events * steps_of_event) {
    options_.observer = nullptr;
    options_.work = nullptr;
    options_.bounds.taken = {&steps_};
    options_.bounds.contributions = 1;  // nobody looks at them
    each_ = events_of_analysis + search.problem.system.graph.size();
    events_ = events;
    left_ = std::clamp<std::size_t>(events / (results.events + each_), least_analyses, most_analyses);
    Snapshot first{search.problem.system, results, engine::assess(search.problem.system, results, {}), {}};
    first.state = state_of(first.assessment, first.results);
    planned_.plan.before = first.state.problems;
    planned_.mapped = first.system;
    now_ = std::move(first);
  }

  bool has_idle_corrections() const { return idle_; }

  Planned run() {
    if (planned_.plan.before == Problems{}) return std::move(planned_);
    mend_findings();
    correct();
    change();
    shorten();
    for (const bool failing : {true, false})
      for (const engine::JudgedLimit& limit : now_.assessment.limits)
        if (failing ? is_failing(limit) : is_unproven(limit))
          planned_.plan.rest.push_back({limit.name, limit.reason, limit.origin});
    return std::move(planned_);
  }

 private:
  bool is_over() const { return left_ == 0 || steps_ > total_steps_ || spent_ > events_; }

  /// Nothing if it cannot be analyzed, or if the analyses took long enough.
  std::optional<Snapshot> analyzed(System system) {
    if (is_over()) {
      planned_.plan.complete = false;
      return std::nullopt;
    }
    --left_;
    ++planned_.plan.analyses;
    Diagnostics ignored;  // already reported by the analysis of the original system
    auto results = engine::analyze(system, options_, ignored);
    if (!results) return std::nullopt;
    spent_ += results->events + each_;
    if (results->stopped_early) return std::nullopt;
    Snapshot found{std::move(system), std::move(*results), {}, {}};
    found.assessment = engine::assess(found.system, found.results, {});
    found.state = state_of(found.assessment, found.results);
    return found;
  }

  void add_step(PlanStep::Kind kind, std::string text, Origin origin, Snapshot with) {
    PlanStep step;
    step.kind = kind;
    step.text = std::move(text);
    step.origin = origin;
    step.with = with.state.problems;
    for (const auto& [then, now] :
         {std::pair(&now_.state.failing, &with.state.failing), std::pair(&now_.state.unproven, &with.state.unproven)})
      for (const std::string& name : *then)
        if (now->count(name) == 0 && with.state.failing.count(name) == 0) step.mended.push_back(name);
    step.worse = worse(with);
    planned_.plan.steps.push_back(std::move(step));
    now_ = std::move(with);
  }

  // ---- who pays

  /// First limits that turn, then tasks with a limit, those with the least room first.
  std::vector<std::string> worse(const Snapshot& with) const {
    std::vector<std::string> found;
    for (const auto& change :
         exporter::ratchet(exporter::known_limits(with.assessment), exporter::known_limits(now_.assessment), {}).worse)
      found.push_back(change_text(change));
    std::vector<std::pair<double, std::string>> slower;
    for (TaskIndex task = 0; task < with.system.tasks.size(); ++task) {
      const auto& deadline = with.system.tasks[task].deadline;
      const auto &then = now_.results.tasks[task].bound.worst, &now = with.results.tasks[task].bound.worst;
      if (!deadline || !then || !now || *now > *deadline || relative(*now - *then, *then) <= noticeable) continue;
      slower.emplace_back(relative(*now, *deadline),
                          fmt::format("{}: {} → {} ms of {}", with.system.tasks[task].name, exporter::at_most_ms(then),
                                      exporter::at_most_ms(now), format_duration(*deadline)));
    }
    std::stable_sort(slower.begin(), slower.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& one : slower) found.push_back(std::move(one.second));
    return found;
  }

  // ---- findings and mistakes

  /// What findings leave open would hide what a change does.
  void mend_findings() {
    std::map<std::string, std::size_t> places;
    for (const engine::OpenResult& one : now_.results.open)
      if (one.limits > 0) ++places[one.id];
    if (places.empty()) return;
    System closed = now_.system;
    closed.open.clear();
    auto with = analyzed(std::move(closed));
    if (!with) return;
    std::string text;
    for (const auto& [id, count] : places)
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", id,
                          count == 1 ? std::string() : fmt::format(" ({} places)", count));
    add_step(PlanStep::Kind::finding, std::move(text), {}, std::move(*with));
  }

  void correct() {
    for (const Correction& one : diagnosed_.corrections) {
      System corrected = now_.system;
      one.apply(corrected);
      auto with = analyzed(std::move(corrected));
      if (!with || with->state.problems > now_.state.problems) continue;
      if (with->state.problems == now_.state.problems) {
        idle_ = true;
        if (!all_) continue;
      }
      add_step(PlanStep::Kind::mistake, one.text, one.origin, std::move(*with));
      corrections_.push_back(one.apply);
    }
    problem_.system = now_.system;
    problem_.place = [this](const std::vector<bool>& on_cpu) -> std::optional<System> {
      auto system = search_.problem.place(on_cpu);
      if (!system) return std::nullopt;
      system->open = problem_.system.open;
      for (const auto& apply : corrections_) apply(*system);
      return system;
    };
  }

  // ---- the mapping

  void change() {
    if (now_.state.problems == Problems{}) return;
    const auto score_of = [this](const Snapshot& one) {
      return explore::RepairScore{one.state.problems.failing + deepened(now_, one), one.state.problems.unproven,
                                  excess_of(one)};
    };
    explore::RepairTask task;
    task.judgements = left_ * 4 / 5;
    // Bounds of GPUs count many steps for the time that they take.
    task.steps = 100'000'000;
    // The rest is for the steps, and for what no mapping repairs.
    task.is_over = [this] { return is_over() || spent_ > events_ / 5 * 4; };
    task.judge = [&](const System& system) -> std::optional<explore::RepairScore> {
      const auto found = analyzed(system);
      if (!found) return std::nullopt;
      return score_of(*found);
    };
    explore::Options options = search_.options;
    options.objectives.clear();
    const explore::Repair repair = explore::find_repair(problem_, options, task, score_of(now_));
    planned_.plan.complete = planned_.plan.complete && repair.complete;
    if (repair.changes > 0) take(repair);
  }

  /// A task or a stimulus with all of its changes.
  struct Change {
    std::string text;
    Origin origin;
    std::optional<TaskIndex> task;
    StimulusIndex stimulus = 0;
  };

  std::vector<Change> changes_of(const explore::Repair& repair, const System& after) const {
    std::vector<Change> changes;
    const System& before = problem_.system;
    for (TaskIndex task = 0; task < before.tasks.size(); ++task) {
      const std::string text = exporter::mapping_change(before, after, task);
      if (!text.empty() && !after.tasks[task].folded_into)
        changes.push_back({fmt::format("{}: {}", before.tasks[task].name, text), before.tasks[task].origin, task, 0});
    }
    for (StimulusIndex stimulus = 0; stimulus < repair.offsets.size(); ++stimulus)
      if (repair.offsets[stimulus])
        changes.push_back({fmt::format("{}: offset {} → {}", before.stimuli[stimulus].name,
                                       format_duration(std::get<Periodic>(before.stimuli[stimulus].occurrence).offset),
                                       format_duration(*repair.offsets[stimulus])),
                           before.stimuli[stimulus].origin, std::nullopt, stimulus});
    return changes;
  }

  /// The steps, each time the one that turns the most; all at once if parts of the repair cannot be analyzed.
  void take(const explore::Repair& repair) {
    std::vector<bool> tasks(problem_.system.tasks.size(), true), stimuli(problem_.system.stimuli.size(), true);
    const auto after = explore::repaired(problem_, repair, tasks, stimuli);
    if (!after) return;
    if (auto mapped = explore::repaired(search_.problem, repair, tasks, stimuli)) planned_.mapped = std::move(*mapped);
    std::vector<Change> changes = changes_of(repair, *after);
    tasks.assign(tasks.size(), false);
    stimuli.assign(stimuli.size(), false);
    const auto select = [&](const Change& one, bool on) {
      if (one.task)
        tasks[*one.task] = on;
      else
        stimuli[one.stimulus] = on;
    };
    while (!changes.empty()) {
      std::optional<Snapshot> best;
      std::size_t chosen = 0;
      const std::size_t tried = changes.size() <= most_ordered ? changes.size() : 1;
      for (std::size_t i = 0; i < tried; ++i) {
        select(changes[i], true);
        auto system = explore::repaired(problem_, repair, tasks, stimuli);
        select(changes[i], false);
        auto with = system ? analyzed(std::move(*system)) : std::nullopt;
        if (with && (!best || with->state.problems < best->state.problems)) {
          best = std::move(with);
          chosen = i;
        }
      }
      if (!best) break;
      select(changes[chosen], true);
      add_step(PlanStep::Kind::change, std::move(changes[chosen].text), changes[chosen].origin, std::move(*best));
      changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    if (changes.empty()) return;
    left_ = std::max<std::size_t>(left_, 1);  // a plan is verified as a whole in any case
    auto with = analyzed(*after);
    if (!with) return;
    std::string text;
    for (const Change& one : changes) text += (text.empty() ? "" : "; ") + one.text;
    add_step(PlanStep::Kind::change, std::move(text), changes.front().origin, std::move(*with));
  }

  // ---- what no mapping repairs

  void shorten() {
    for (TaskIndex task = 0; task < now_.system.tasks.size(); ++task)
      if (now_.system.tasks[task].deadline && !now_.system.tasks[task].folded_into &&
          engine::verdict_on(now_.results.tasks[task]) > engine::OverallVerdict::guaranteed)
        shorten(task, now_.system.tasks[task].name);
    for (std::size_t chain = 0; chain < now_.system.chains.size(); ++chain) {
      // The slowest task of a chain has the most to give.
      const std::vector<TaskIndex>& tasks = now_.system.chains[chain].tasks;
      const auto slowest = std::max_element(tasks.begin(), tasks.end(), [&](TaskIndex a, TaskIndex b) {
        return now_.results.tasks[a].response.max < now_.results.tasks[b].response.max;
      });
      for (const ChainLimit& limit : now_.system.chains[chain].limits)
        if (slowest != tasks.end()) shorten(*slowest, fmt::format("latency constraint \"{}\"", limit.name));
    }
  }

  /// By the fewest whole percent with which the limit holds, and nothing that holds now is lost.
  void shorten(TaskIndex task, const std::string& limit) {
    if (now_.state.failing.count(limit) == 0 && now_.state.unproven.count(limit) == 0) return;
    std::optional<Snapshot> best;
    std::int64_t fails = 0, works = most_shorter + 1;
    while (works - fails > 1) {
      const std::int64_t less = works > most_shorter ? most_shorter : (fails + works) / 2;
      System shorter = now_.system;
      engine::scale_ticks(shorter, task, 100 - less);
      auto with = analyzed(std::move(shorter));
      if (with && with->state.problems < now_.state.problems && with->state.failing.count(limit) == 0 &&
          (with->state.unproven.count(limit) == 0 || now_.state.failing.count(limit) > 0)) {
        works = less;
        best = std::move(with);
      } else if (less == most_shorter) {
        return;
      } else {
        fails = less;
      }
    }
    if (best)
      add_step(PlanStep::Kind::shorter, fmt::format("{}: {} % fewer ticks", now_.system.tasks[task].name, works),
               now_.system.tasks[task].origin, std::move(*best));
  }

  const Search& search_;
  explore::Problem problem_;  ///< with the corrections
  const Diagnosed& diagnosed_;
  const bool all_;
  bool idle_ = false;  ///< a correction mends nothing alone
  engine::AnalysisOptions options_;
  std::vector<std::function<void(System&)>> corrections_;
  Planned planned_;
  Snapshot now_;              ///< after the steps so far
  std::size_t left_ = 0;      ///< analyses
  std::uint64_t events_ = 0;  ///< see quick_plan
  std::uint64_t each_ = 0, spent_ = 0;
  std::uint64_t total_steps_, steps_ = 0;
};

}  // namespace

Planned plan(const Search& search, const engine::Results& results, const Diagnosed& causes, std::uint64_t events) {
  if (results.stopped_early) return {{}, search.problem.system};
  try {
    // A quick plan believes what the diagnosis suspects; a thorough one also tries without what mends nothing alone.
    if (events <= quick_plan) return Planner(search, results, causes, events, true).run();
    Planner careful(search, results, causes, events, false);
    Planned without = careful.run();
    if (!careful.has_idle_corrections() || without.plan.after() == Problems{}) return without;
    Planned with = Planner(search, results, causes, events, true).run();
    const auto worth = [](const Planned& one) { return std::pair(one.plan.after(), one.plan.steps.size()); };
    return worth(with) < worth(without) ? std::move(with) : std::move(without);
  } catch (const std::overflow_error&) {  // times beyond the range of the simulation: nothing can be said
    return {{}, search.problem.system};
  }
}

Outcome<Planned> plan(const Model& model, const AnalysisRequest& request, const Prepared& prepared,
                      const engine::Results& results, const Diagnosed& causes) {
  ExplorationRequest asked;
  static_cast<AnalysisRequest&>(asked) = request;
  Diagnostics ignored;  // of constraints that the search ignores
  return make_search(model, asked, std::make_shared<const Prepared>(prepared), ignored).map([&](const Search& search) {
    return plan(search, results, causes);
  });
}

Outcome<PlannedMapping> plan(const Exploration& exploration, Diagnostics& findings) {
  const Search& search = exploration.search;
  const System& system = search.problem.system;
  const engine::AnalysisOptions& options = search.options.analysis;
  Diagnostics all = findings;  // those of the analysis are for the changed model
  const auto results = engine::analyze(system, options, all);
  if (!results) {
    findings = std::move(all);
    return tl::unexpected(Failure{});
  }
  Planned found = plan(search, *results, diagnose_and_correct(system, options, *results, all), thorough_plan);
  PlannedMapping planned{std::move(found.plan), std::move(found.mapped), {}};
  add_findings_of_mapping(exploration, planned.after, findings);
  if (const auto after = engine::analyze(planned.after, options, findings))
    planned.assessment = engine::assess(planned.after, *after, findings);
  return planned;
}

}  // namespace amalthea::analysis
