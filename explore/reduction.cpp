// SPDX-License-Identifier: Apache-2.0
#include "explore/detail/reduction.hpp"

#include <algorithm>
#include <utility>

namespace amalthea::explore::detail {
namespace {

bool is_worse(const Judgement& a, const Judgement& b) {
  if (is_closer(b, a)) return true;
  return !std::equal(a.objectives.begin(), a.objectives.end(), b.objectives.begin(), b.objectives.end(),
                     [](double x, double y) { return x <= y; });
}

class Reducer {
 public:
  Reducer(const Space& space, Evaluator& evaluator, Member member, std::uint64_t steps,
          const std::function<bool()>& stops)
      : space_(space),
        evaluator_(evaluator),
        best_(std::move(member)),
        changes_(changes_in(best_.placement, best_.candidate)),
        steps_(steps),
        stops_(stops) {}

  Member run() && {
    best_.judgement = judge(best_.placement, best_.candidate);
    for (std::size_t before = changes_ + 1; changes_ < before && changes_ > 0 && !is_over();) {
      before = changes_;
      renumber();
      for (const TaskIndex function : space_.functions) take_back_side(function);
      for (TaskIndex task = 0; task < best_.candidate.size() && !is_over(); ++task) take_back(task);
    }
    best_.judgement.bounds.clear();
    return std::move(best_);
  }

 private:
  const Placement& placement() const { return space_.placements[best_.placement]; }

  Judgement judge(std::size_t placement, const Candidate& candidate) {
    Judgement judgement = evaluator_.judge(placement, candidate);
    taken_ += judgement.steps;
    return judgement;
  }

  bool is_over() const { return taken_ >= steps_ || (stops_ && stops_()); }

  std::size_t changes_in(std::size_t placement, const Candidate& candidate) const {
    return count_changes(space_.problem, space_.placements[placement], candidate);
  }

  /// Whether the candidate has fewer changes and is not worse; it is the best one then.
  bool accept(std::size_t placement, const Candidate& candidate) {
    Member next{placement, canonical(space_.placements[placement], candidate), {}};
    const std::size_t changes = changes_in(placement, next.candidate);
    if (changes >= changes_ || is_over()) return false;
    next.judgement = judge(placement, next.candidate);
    if (is_worse(next.judgement, best_.judgement)) return false;
    best_ = std::move(next);
    changes_ = changes;
    return true;
  }

  void renumber() { accept(best_.placement, with_few_priorities(placement(), best_.candidate)); }

  /// The best candidate after `change`.
  template <typename Change>
  bool accept_with(Change change) {
    Candidate candidate = best_.candidate;
    change(candidate);
    return accept(best_.placement, candidate);
  }

  void take_back_side(TaskIndex function) {
    if (placement().on_cpu[function] == space_.placements.front().on_cpu[function]) return;
    std::vector<bool> wanted = placement().on_cpu;
    wanted[function] = !wanted[function];
    for (std::size_t index = 0; index < space_.placements.size(); ++index) {
      const Placement& to = space_.placements[index];
      if (to.on_cpu != wanted) continue;
      Candidate candidate = best_.candidate;
      for (TaskIndex task = 0; task < candidate.size(); ++task)
        if (to.active[task] != placement().active[task] || to.host[task] != placement().host[task])
          candidate[task] = to.stated[task];
      accept(index, candidate);
      return;
    }
  }

  void take_back(TaskIndex task) {
    if (!placement().active[task]) return;
    const auto move_back = [this](Candidate& candidate, TaskIndex moved) {
      candidate[moved].unit = placement().stated[moved].unit;
      candidate[moved].migrates = placement().stated[moved].migrates;
    };
    const auto rank_back = [this](Candidate& candidate, TaskIndex ranked) {
      candidate[ranked].priority = placement().stated[ranked].priority;
    };
    if (placement().movable[task]) {
      accept_with([&](Candidate& candidate) { move_back(candidate, task); }) || accept_with([&](Candidate& candidate) {
        move_back(candidate, task);
        rank_back(candidate, task);
      }) ||
          (placement().groups[task].size() > 1 && accept_with([&](Candidate& candidate) {
             for (const TaskIndex member : placement().groups[task])
               if (placement().movable[member]) move_back(candidate, member);
           }));
    }
    accept_with(
        [&](Candidate& candidate) { candidate[task].waits_actively = placement().stated[task].waits_actively; });
    accept_with([&](Candidate& candidate) { candidate[task].slice = placement().stated[task].slice; });
    accept_with([&](Candidate& candidate) { rank_back(candidate, task); });
  }

  const Space& space_;
  Evaluator& evaluator_;
  Member best_;
  std::size_t changes_;
  const std::uint64_t steps_;
  std::uint64_t taken_ = 0;
  const std::function<bool()>& stops_;
};

}  // namespace

Member reduced(const Space& space, Evaluator& evaluator, Member member, std::uint64_t steps,
               const std::function<bool()>& stops) {
  return Reducer(space, evaluator, std::move(member), steps, stops).run();
}

}  // namespace amalthea::explore::detail
