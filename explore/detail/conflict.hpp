// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Why nothing feasible was found: a set of deadlines that cannot be kept together, as small as can be found.

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
  std::optional<std::chrono::steady_clock::time_point> end;  ///< no search goes on after it
  std::function<void()> judged;                              ///< called for each candidate; may be empty
};

/// First what no search is needed for: CPUs or the GPU are asked for more than they can give, whatever is chosen. Else
/// a deletion filter (Chinneck, Dravnieks 1991): a deadline is left out as long as a bounded search still finds no
/// mapping that keeps the others. `best` is the closest candidate; `late` are deadlines that candidates missed.
/// `judged` is increased by the candidates that are judged for it, no more than Options::candidates. Where these or the
/// time run out the deadlines that are left count all, and the reason says so.
Conflict find_conflict(const Space& space, const Facts& facts, const std::vector<bool>& counted, const Member& best,
                       const std::set<std::vector<TaskIndex>>& late, const ConflictOptions& options,
                       std::uint64_t& judged);

}  // namespace amalthea::explore::detail
