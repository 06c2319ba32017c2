// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// One walk through the candidates: simulated annealing by local moves (Kirkpatrick, Gelatt, Vecchi 1983).
///
/// A walk depends only on its number, its start and the seed. The energy is dominated by constraint violations, late
/// tasks and their excess, then by tasks without a bound; then follow the objectives with the weights of the walk.
/// Judged candidates are cached, and moves that increase the overload of CPUs are not judged at all.

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
  original,  ///< the model's mapping
  /// in the model's placement: by demand, on the unit where each takes the least time, as long as there is room
  first_fit,
  worst_fit,  ///< the same, on the unit that is left with the most room
  random,     ///< random placement, units, waiting behavior and slices
};

struct WalkOptions {
  std::uint64_t number = 0;
  std::uint64_t search = 0;  ///< index of the search within the exploration
  Start start = Start::original;
  std::uint64_t budget = 1000;  ///< number of candidates to judge
  std::vector<double> weights;  ///< of the objectives; their sum is 1
  std::vector<double> scales;   ///< by which objectives are divided
  bool until_feasible = false;  ///< ends with the first feasible candidate
  std::optional<double> seconds;
  /// Maximum number of cached candidates (about 200 bytes each); later ones may be judged more than once.
  std::size_t max_remembered = 2'000'000;
  std::function<void(const Judgement&)> judged;  ///< called for each; may be empty
};

struct WalkResult {
  Archive archive;
  std::uint64_t judged = 0;
  bool feasible = false;
  std::set<std::vector<TaskIndex>> late;  ///< sets of owners whose deadlines some candidate missed together
};

WalkResult walk(const Space& space, const Facts& facts, Evaluator& evaluator, const WalkOptions& options);

}  // namespace amalthea::explore::detail
