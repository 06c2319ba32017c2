// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The result for a requirement.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "amalthea/time.hpp"
#include "engine/results/chain_result.hpp"
#include "engine/results/coverage.hpp"

namespace amalthea::engine {

struct RequirementResult {
  /// The verdict of the simulation; `unknown` if the metric is not measured, if nothing was observed, or if unfinished
  /// jobs could still change it.
  LimitVerdict verdict = LimitVerdict::unknown;
  /// The largest (upper limit) or smallest (lower limit) observed value: a time, a count, or percent.
  std::variant<std::monostate, Duration, std::int64_t, double> observed;
  /// No time is longer (upper limit) or shorter (lower limit), in any run.
  std::optional<Duration> bound;
  /// Whether every time is within the limit, in any run. Nothing if neither the bound nor the simulation decides.
  std::optional<bool> guaranteed;
  std::string reason;      ///< of the verdict, a sentence
  Coverage coverage = {};  ///< of the guarantee
};

}  // namespace amalthea::engine
