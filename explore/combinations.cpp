// SPDX-License-Identifier: Apache-2.0
#include "explore/combinations.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "explore/detail/archive.hpp"

namespace amalthea::explore {
namespace {

/// Combinations that the search goes on from, once it cannot go on from all.
constexpr std::size_t combination_beam = 8;

struct Tried {
  Combination choices;
  std::optional<Judgement> judgement;
};

bool is_better(const Judgement& a, const Judgement& b) {
  if (detail::is_closer(a, b) || detail::is_closer(b, a)) return detail::is_closer(a, b);
  return a.objectives < b.objectives;
}

/// All that change one more choice.
std::vector<Combination> changed_once(const std::vector<Tried>& bases, const std::vector<std::size_t>& choices) {
  std::set<Combination> known;
  std::vector<Combination> next;
  for (const Tried& base : bases)
    for (std::size_t decision = 0; decision < choices.size(); ++decision)
      for (std::size_t choice = 1; choice < choices[decision] && base.choices[decision] == 0; ++choice) {
        Combination changed = base.choices;
        changed[decision] = choice;
        if (known.insert(changed).second) next.push_back(std::move(changed));
      }
  return next;
}

void mark_optimal(std::vector<JudgedCombination>& judged) {
  detail::Archive archive;
  for (std::size_t i = 0; i < judged.size(); ++i) archive.add({i, {}, judged[i].judgement});
  for (const detail::Member& member : archive.members()) judged[member.placement].is_optimal = true;
}

}  // namespace

Combinations search_combinations(const std::vector<std::size_t>& choices, std::size_t most,
                                 const std::function<std::optional<Judgement>(const Combination&)>& judge) {
  Combinations found;
  std::size_t made = 0;
  std::vector<Combination> next = {Combination(choices.size(), 0)};
  while (!next.empty()) {
    std::vector<Tried> layer;
    for (Combination& combination : next) {
      if (made == most) {
        found.all = false;
        break;
      }
      auto judgement = judge(combination);
      if (judgement) {
        ++made;
        found.judged.push_back({combination, *judgement});
      }
      layer.push_back({std::move(combination), std::move(judgement)});
    }
    next = changed_once(layer, choices);
    if (next.empty() || made == most) {
      found.all = found.all && next.empty();
      break;
    }
    if (made + next.size() <= most) continue;
    found.all = false;
    std::stable_sort(layer.begin(), layer.end(), [](const Tried& a, const Tried& b) {
      return a.judgement && (!b.judgement || is_better(*a.judgement, *b.judgement));
    });
    layer.resize(std::min(layer.size(), combination_beam));
    next = changed_once(layer, choices);
  }
  mark_optimal(found.judged);
  std::stable_sort(
      found.judged.begin(), found.judged.end(),
      [](const JudgedCombination& a, const JudgedCombination& b) { return is_better(a.judgement, b.judgement); });
  return found;
}

std::vector<Duration> usual_time_slices(std::optional<Duration> minimum, std::optional<Duration> maximum) {
  std::vector<Duration> slices;
  for (const std::int64_t value : {1000, 1300, 2600, 5200, 10000, 20000, 50000}) {
    Duration slice = Duration::microseconds(value);
    if (minimum) slice = std::max(slice, *minimum);
    if (maximum) slice = std::min(slice, *maximum);
    if (slices.empty() || slices.back() != slice) slices.push_back(slice);
  }
  return slices;
}

}  // namespace amalthea::explore
