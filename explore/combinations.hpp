// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A search among combinations of choices, by a caller's judge: which of them are the best, and which are
/// Pareto-optimal. The choices are numbers; 0 is what is given.
///
/// As in a repair, it judges all changes of one choice, then all of two, and so on. Where the work does not suffice for
/// all of some number of changes, it goes on from the best combinations only.

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "amalthea/time.hpp"
#include "explore/exploration.hpp"

namespace amalthea::explore {

using Combination = std::vector<std::size_t>;

struct JudgedCombination {
  Combination choices;
  Judgement judgement;
  /// No other one is better by late tasks and by those without a bound, and none of the remaining ones is better in an
  /// objective and not worse in any. Of several with the same objectives, the first.
  bool is_optimal = false;
};

struct Combinations {
  std::vector<JudgedCombination> judged;  ///< best first; equal ones in the order of the search
  bool all = true;                        ///< whether no combination is left out
};

/// `choices`: for each decision how many there are, at least 1. `most`: judgements at most, the given combination
/// included. The judge returns nothing for what is not worth a judgement, or impossible; the search goes on from it.
Combinations search_combinations(const std::vector<std::size_t>& choices, std::size_t most,
                                 const std::function<std::optional<Judgement>(const Combination&)>& judge);

/// The time slices of a GPU that a search tries, within limits, in ascending order.
std::vector<Duration> usual_time_slices(std::optional<Duration> minimum = {}, std::optional<Duration> maximum = {});

}  // namespace amalthea::explore
