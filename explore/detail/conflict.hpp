// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Explains why no feasible candidate was found: a set of deadlines that cannot all be met, as small as possible.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "explore/detail/archive.hpp"
#include "explore/detail/evaluator.hpp"

namespace amalthea::explore::detail {

struct ConflictOptions {
  std::optional<std::chrono::steady_clock::time_point> end;  ///< no search continues after it
  std::function<void()> judged;                              ///< called for each candidate; may be empty
};

/// First checks what needs no search: overload of CPUs or the GPU in every mapping. Otherwise a deletion filter
/// (Chinneck, Dravnieks 1991): drops a deadline if a bounded search still finds no mapping that meets the others.
/// `best` is the closest candidate; `late` are deadlines that candidates missed. Adds what it judged to `totals`, at most
/// Options::candidates and about Options::steps. If these or the time run out, all remaining deadlines count, and the
/// reason states this.
Conflict find_conflict(const Space& space, const Facts& facts, const std::vector<bool>& counted, const Member& best,
                       const std::set<std::vector<TaskIndex>>& late, const ConflictOptions& options,
                       Exploration& totals);

}  // namespace amalthea::explore::detail
