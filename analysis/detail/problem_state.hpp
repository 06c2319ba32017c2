// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which limits of an analyzed system do not hold, or hold without a guarantee. Findings do not count: no change of a
/// system mends them.

#include <set>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/results/results.hpp"
#include "engine/verdict.hpp"
#include "exporter/results/causes.hpp"

namespace amalthea::analysis {

inline bool is_failing(const engine::JudgedLimit& limit) {
  return limit.kind != engine::JudgedLimit::Kind::finding && limit.verdict >= engine::OverallVerdict::unknown;
}
inline bool is_unproven(const engine::JudgedLimit& limit) { return limit.verdict == engine::OverallVerdict::met; }

struct ProblemState {
  exporter::Problems problems;
  std::set<std::string> failing, unproven;  ///< names of limits
  std::vector<bool> overloaded;             ///< resources

  /// A problem in the simulation weighs more than a lost guarantee.
  double weight() const { return static_cast<double>(problems.failing) + 0.3 * static_cast<double>(problems.unproven); }
};

ProblemState state_of(const engine::Assessment& assessment, const engine::Results& results);
ProblemState state_of(const System& system, const engine::Results& results);

}  // namespace amalthea::analysis
