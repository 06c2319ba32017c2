// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is found of a timing constraint.

#include <cstdint>
#include <optional>
#include <string>

#include "engine/results/chain_result.hpp"

namespace amalthea::engine {

struct ConstraintResult {
  /// What was seen. `unknown` where it cannot be judged, where no occurrence could be, and where nothing was against it
  /// but the simulation was stopped; but met where it is guaranteed nevertheless.
  LimitVerdict verdict = LimitVerdict::unknown;
  /// Whether it holds whatever the simulation shows. False: it was seen broken. Nothing where neither bounds nor the
  /// simulation tell.
  std::optional<bool> guaranteed;
  std::string reason;        ///< of the verdict, in a sentence: where it is missed, the occurrence that breaks it
  std::uint64_t judged = 0;  ///< occurrences
};

}  // namespace amalthea::engine
