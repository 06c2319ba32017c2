// SPDX-License-Identifier: Apache-2.0
#include "explore/repair.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "explore/detail/archive.hpp"
#include "explore/detail/evaluator.hpp"
#include "explore/detail/impossible.hpp"

namespace amalthea::explore {
namespace {

using namespace detail;

/// Combinations that the search goes on from, once it cannot go on from all.
constexpr std::size_t beam = 8;
/// The search ends when this many more values have made nothing better.
constexpr std::size_t patience = 2;
constexpr std::size_t most_changes = 12;
/// Parts of a period that an offset is tried at.
constexpr std::int64_t offset_parts = 4;

struct State {
  std::size_t placement = 0;
  Candidate candidate;
  std::vector<std::optional<Duration>> offsets;
};
struct Judged {
  State state;
  RepairScore score;
};

class Finder {
 public:
  Finder(const Problem& problem, const Options& options, const RepairTask& task)
      : problem_(problem),
        task_(task),
        space_(space_of(problem, options)),
        facts_(facts_of(space_)),
        impossible_(impossible_deadlines(space_).size()),
        evaluator_(space_, facts_, std::vector<bool>(problem.system.tasks.size(), true)),
        broken_(broken_constraints(problem.constraints, space_.placements.front(), space_.placements.front().own)) {
    for (StimulusIndex stimulus = 0; options.freedom.offsets && stimulus < problem.system.stimuli.size(); ++stimulus)
      if (const auto* periodic = std::get_if<Periodic>(&problem.system.stimuli[stimulus].occurrence);
          periodic != nullptr && periodic->jitter.upper == 0 && periodic->jitter.lower == 0 &&
          !problem.system.stimuli[stimulus].activates.empty())
        shiftable_.emplace_back(stimulus, *periodic);
  }

  Repair find(const RepairScore& original) {
    State own{0, canonical(placement(0), placement(0).own), {}};
    own.offsets.resize(problem_.system.stimuli.size());
    best_ = {own, original};
    known_.insert(key_of(own));
    expand(own);
    std::size_t size_of_best = 0;
    for (std::size_t size = 1; size <= most_changes && size <= size_of_best + patience && is_open(); ++size) {
      auto layer = std::move(waiting_[size]);
      waiting_.erase(size);
      std::vector<Judged> judged = judge(std::move(layer));
      std::stable_sort(judged.begin(), judged.end(),
                       [](const Judged& a, const Judged& b) { return is_better(a.score, b.score); });
      if (!judged.empty() && is_fewer(judged.front().score, best_.score)) {
        best_ = judged.front();
        size_of_best = size;
      }
      if (best_.score.failing <= impossible_ && best_.score.unproven == 0) break;
      go_on_from(judged, size);
    }
    return {best_.state.candidate, best_.state.offsets, size_of_best, best_.score, complete_};
  }

 private:
  const Placement& placement(std::size_t index) const { return space_.placements[index]; }
  bool is_open() const { return made_ < task_.judgements && !task_.is_over(); }

  // ---- judging

  std::vector<Judged> judge(std::vector<State> layer) {
    if (made_ + layer.size() > task_.judgements) select(layer);
    std::vector<Judged> judged;
    for (State& state : layer) {
      if (!is_open()) {
        complete_ = false;
        break;
      }
      ++made_;
      if (const auto score = task_.judge(system_of(state))) judged.push_back({std::move(state), *score});
    }
    return judged;
  }

  /// Keeps the best ones by their bounds.
  void select(std::vector<State>& layer) {
    complete_ = false;
    if (layer.size() <= task_.each) return;
    std::vector<std::pair<Judgement, std::size_t>> bounded;
    for (std::size_t i = 0; i < layer.size() && steps_ < task_.steps; ++i) {
      Judgement judgement = evaluator_.judge(layer[i].placement, layer[i].candidate);
      steps_ += judgement.steps;
      judgement.bounds.clear();
      bounded.emplace_back(std::move(judgement), i);
    }
    std::stable_sort(bounded.begin(), bounded.end(),
                     [](const auto& a, const auto& b) { return is_closer(a.first, b.first); });
    bounded.resize(std::min(bounded.size(), task_.each));
    std::vector<State> kept;
    for (const auto& one : bounded) kept.push_back(std::move(layer[one.second]));
    layer = std::move(kept);
  }

  System system_of(const State& state) const {
    System system = placement(state.placement).system;
    apply(placement(state.placement), state.candidate, system);
    shift(state.offsets, system);
    return system;
  }

  static void shift(const std::vector<std::optional<Duration>>& offsets, System& system) {
    for (StimulusIndex stimulus = 0; stimulus < offsets.size(); ++stimulus)
      if (offsets[stimulus]) std::get<Periodic>(system.stimuli[stimulus].occurrence).offset = *offsets[stimulus];
  }

  // ---- changes

  void go_on_from(std::vector<Judged>& judged, std::size_t size) {
    // About as many combinations of one more value come from all of them.
    const std::size_t next = judged.size() * moves_ / (size + 1);
    if (judged.size() > beam && (!complete_ || made_ + next > task_.judgements)) {
      complete_ = false;
      judged.resize(beam);
    }
    for (const Judged& one : judged) expand(one.state);
  }

  using Key = std::tuple<std::size_t, std::uint64_t, std::vector<std::int64_t>>;
  static Key key_of(const State& state) {
    std::vector<std::int64_t> offsets;
    for (const auto& offset : state.offsets) offsets.push_back(offset ? offset->picoseconds() : -1);
    return {state.placement, hash_of(state.candidate), std::move(offsets)};
  }

  void add(State state) {
    state.candidate = canonical(placement(state.placement), state.candidate);
    if (!known_.insert(key_of(state)).second) return;
    if (broken_constraints(problem_.constraints, placement(state.placement), state.candidate) > broken_) return;
    const std::size_t size = count_of(state);
    if (size > least_) waiting_[size].push_back(std::move(state));
  }

  void expand(const State& from) {
    least_ = count_of(from);
    const std::size_t before = waiting();
    for (TaskIndex task = 0; task < from.candidate.size(); ++task) change_task(from, task);
    for (const TaskIndex function : space_.functions) change_side(from, function);
    for (const auto& [stimulus, periodic] : shiftable_)
      for (std::int64_t part = 0; part < offset_parts && !from.offsets[stimulus]; ++part) {
        const Duration offset = scale(periodic.period, part, offset_parts, Rounding::nearest);
        if (offset == periodic.offset) continue;
        State to = from;
        to.offsets[stimulus] = offset;
        add(std::move(to));
      }
    moves_ = std::max(moves_, waiting() - before);
  }

  std::size_t waiting() const {
    std::size_t count = 0;
    for (const auto& one : waiting_) count += one.second.size();
    return count;
  }

  std::size_t count_of(const State& state) const {
    return count_changes(problem_, placement(state.placement), state.candidate) +
           static_cast<std::size_t>(std::count_if(state.offsets.begin(), state.offsets.end(),
                                                  [](const auto& offset) { return offset.has_value(); }));
  }

  void change_task(const State& from, TaskIndex task) {
    const Placement& placed = placement(from.placement);
    const Choice& now = from.candidate[task];
    const auto with = [&](auto change) {
      State to = from;
      change(to.candidate[task]);
      add(std::move(to));
    };
    if (placed.movable[task])
      for (const UnitIndex unit : placed.units[task])
        if (unit != now.unit || now.migrates) move(from, task, unit);
    if (placed.ranked[task])
      for (const std::int64_t priority : priorities_for(from, task))
        with([&](Choice& choice) { choice.priority = priority; });
    if (placed.waiting[task]) with([](Choice& choice) { choice.waits_actively = !choice.waits_actively; });
    if (placed.sliced[task])
      for (const Duration slice : space_.slices[task]) with([&](Choice& choice) { choice.slice = slice; });
  }

  /// With those that must be on the same unit.
  void move(const State& from, TaskIndex task, UnitIndex unit) {
    State to = from;
    for (const TaskIndex member : placement(from.placement).groups[task]) {
      if (!placement(from.placement).movable[member]) continue;
      to.candidate[member].unit = unit;
      to.candidate[member].migrates = false;
    }
    add(std::move(to));
  }

  /// One for each place among the tasks of its unit, just above or just below one of them.
  std::set<std::int64_t> priorities_for(const State& from, TaskIndex task) const {
    const Placement& placed = placement(from.placement);
    std::vector<std::int64_t> others;
    for (TaskIndex other = 0; other < from.candidate.size(); ++other)
      if (other != task && placed.host[other] && from.candidate[other].unit == from.candidate[task].unit)
        others.push_back(from.candidate[other].priority);
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    std::set<std::int64_t> priorities;
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (i + 1 == others.size() || others[i + 1] > others[i] + 1) priorities.insert(others[i] + 1);
      if (i == 0 && others[i] > 0) priorities.insert(others[i] - 1);
    }
    priorities.erase(from.candidate[task].priority);
    return priorities;
  }

  void change_side(const State& from, TaskIndex function) {
    std::vector<bool> wanted = placement(from.placement).on_cpu;
    wanted[function] = !wanted[function];
    const auto found = std::find_if(space_.placements.begin(), space_.placements.end(),
                                    [&](const Placement& other) { return other.on_cpu == wanted; });
    if (found == space_.placements.end()) return;
    State to = from;
    to.placement = static_cast<std::size_t>(found - space_.placements.begin());
    for (TaskIndex task = 0; task < to.candidate.size(); ++task)
      if (found->active[task] != placement(from.placement).active[task] ||
          found->host[task] != placement(from.placement).host[task])
        to.candidate[task] = found->stated[task];
    if (!wanted[function] || !found->movable[function]) return add(std::move(to));
    for (const UnitIndex unit : found->units[function]) {
      to.candidate[function].unit = unit;
      add(to);
      for (const std::int64_t priority : priorities_for(to, function)) {
        State ranked = to;
        ranked.candidate[function].priority = priority;
        if (found->ranked[function]) add(std::move(ranked));
      }
    }
  }

  const Problem& problem_;
  const RepairTask& task_;
  const Space space_;
  const Facts facts_;
  std::size_t impossible_;  ///< deadlines that no mapping can meet
  Evaluator evaluator_;
  std::size_t broken_;
  std::vector<std::pair<StimulusIndex, Periodic>> shiftable_;
  Judged best_;
  std::map<std::size_t, std::vector<State>> waiting_;  ///< by the number of their changes
  std::set<Key> known_;
  std::size_t least_ = 0;  ///< changes of the state that is expanded
  std::size_t moves_ = 0;  ///< the most of one state
  std::size_t made_ = 0;
  std::uint64_t steps_ = 0;
  bool complete_ = true;
};

}  // namespace

bool is_fewer(const RepairScore& a, const RepairScore& b) {
  return std::tie(a.failing, a.unproven) < std::tie(b.failing, b.unproven);
}

bool is_better(const RepairScore& a, const RepairScore& b) {
  return std::tie(a.failing, a.unproven, a.excess) < std::tie(b.failing, b.unproven, b.excess);
}

Repair find_repair(const Problem& problem, const Options& options, const RepairTask& task,
                   const RepairScore& original) {
  return Finder(problem, options, task).find(original);
}

std::optional<System> repaired(const Problem& problem, const Repair& repair, const std::vector<bool>& tasks,
                               const std::vector<bool>& stimuli) {
  Candidate candidate = original_candidate(problem.system);
  for (TaskIndex task = 0; task < candidate.size(); ++task)
    if (tasks[task]) candidate[task] = repair.candidate[task];
  auto system = applied(problem, candidate);
  if (!system) return std::nullopt;
  for (StimulusIndex stimulus = 0; stimulus < repair.offsets.size(); ++stimulus)
    if (stimuli[stimulus] && repair.offsets[stimulus])
      std::get<Periodic>(system->stimuli[stimulus].occurrence).offset = *repair.offsets[stimulus];
  return system;
}

}  // namespace amalthea::explore
