// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// One walk through the candidates: simulated annealing by local moves (Kirkpatrick, Gelatt, Vecchi 1983).
///
/// A walk depends on its number, its start and the seed alone. The energy is led by broken constraints, late tasks and
/// their excess, then by tasks without a bound; then come the objectives, weighted as the walk has it. Candidates that
/// have been judged are not judged again, and moves that overload CPUs further are not judged at all.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "amalthea/distribution.hpp"
#include "explore/detail/archive.hpp"
#include "explore/detail/evaluator.hpp"

namespace amalthea::explore::detail {

enum class Start : std::uint8_t {
  original,   ///< the model's mapping
  first_fit,  ///< in the model's placement: by demand, on the unit where each takes least, as long as there is room
  worst_fit,  ///< the same, on the unit that is left with most room
  random,     ///< placement, units, waits and slices by chance
};

struct WalkOptions {
  std::uint64_t number = 0;
  std::uint64_t search = 0;  ///< which search of the exploration it belongs to
  Start start = Start::original;
  std::uint64_t budget = 1000;  ///< candidates to be judged
  std::uint64_t steps = 0;      ///< of their bounds, after which the walk ends
  std::vector<double> weights;  ///< of the objectives, together 1
  std::vector<double> scales;   ///< by which objectives are divided
  bool until_feasible = false;  ///< ends with the first that is
  std::optional<double> seconds;
  /// So many candidates are remembered (some 200 bytes each); what comes later may be judged more than once.
  std::size_t most_remembered = 2'000'000;
  std::function<void(const Judgement&)> judged;  ///< called for each; may be empty
};

struct WalkResult {
  Archive archive;
  std::uint64_t judged = 0;
  std::uint64_t steps = 0;  ///< that bounds have taken
  bool is_cut = false;      ///< by WalkOptions::steps
  bool feasible = false;
  std::set<std::vector<TaskIndex>> late;  ///< owners of the deadlines that were missed together, of some candidates
};

WalkResult walk(const Space& space, const Facts& facts, Evaluator& evaluator, const WalkOptions& options);

}  // namespace amalthea::explore::detail
