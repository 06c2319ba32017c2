// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is found of a requirement.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "amalthea/time.hpp"
#include "engine/results/chain_result.hpp"

namespace amalthea::engine {

struct RequirementResult {
  /// What was seen; `unknown` where the metric is not measured, where nothing was seen, or where what is left over at
  /// the end of the simulation could still change it.
  LimitVerdict verdict = LimitVerdict::unknown;
  /// The largest (upper limit) or the least value (lower limit) seen: a time, a count, or percent.
  std::variant<std::monostate, Duration, std::int64_t, double> observed;
  /// No time is longer (upper limit) or shorter (lower limit), seen or not.
  std::optional<Duration> bound;
  /// Whether every time, seen or not, is within the limit. Nothing where neither the bound nor the simulation tells.
  std::optional<bool> guaranteed;
  std::string reason;  ///< of the verdict, in a sentence
};

}  // namespace amalthea::engine
