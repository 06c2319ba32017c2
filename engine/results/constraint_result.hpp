// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The result for a timing constraint.

#include <cstdint>
#include <optional>
#include <string>

#include "engine/results/chain_result.hpp"
#include "engine/results/coverage.hpp"

namespace amalthea::engine {

struct ConstraintResult {
  /// The verdict of the simulation. `unknown` if it cannot be judged, if no occurrence could be judged, and if there
  /// was no violation but the simulation stopped early; yet met if it is guaranteed.
  LimitVerdict verdict = LimitVerdict::unknown;
  /// Whether it holds in every run. False: a violation was observed. Nothing: neither bounds nor the simulation decide.
  std::optional<bool> guaranteed;
  std::string reason;        ///< of the verdict, a sentence: if it is missed, the occurrence that violates it
  std::uint64_t judged = 0;  ///< number of occurrences
  Coverage coverage = {};    ///< of the guarantee
};

}  // namespace amalthea::engine
