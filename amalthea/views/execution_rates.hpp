// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How long a unit executes an amount of work that is no time: instructions and other needs (ExecutionNeed).

#include <optional>
#include <string_view>

#include "amalthea/element.hpp"
#include "amalthea/quantity.hpp"

namespace amalthea::views {

/// How much of a need a unit serves per cycle, between the slowest and the fastest of several features.
struct ExecutionRates {
  double slowest = 1;  ///< > 0
  double fastest = 1;
};

/// The key of needs that are instructions.
inline constexpr std::string_view instructions_key = "Instructions";

/// The rates at which units of a ProcessingUnitDefinition or CoreType serve a need: the values of its features of the
/// HwFeatureCategory that the key names (in 0.9.0 a reference to it), which state an amount per cycle. The migration to
/// 0.9.3 calculates ticks in this way. Of "Instructions" only features named "IPC…" count, and
/// CoreType.instructionsPerCycle. Nothing if there is none, or if one of them is not above zero.
std::optional<ExecutionRates> execution_rates(const Model& model, Element definition, std::string_view key);

/// The cycles of an amount: bounds rounded outwards, the lower one at the fastest rate and the upper one at the slowest,
/// the average at the middle of both.
Cycles cycles_of_amount(const Cycles& amount, const ExecutionRates& rates);

/// The sum of two independent numbers of cycles; saturates.
Cycles sum_of(const Cycles& a, const Cycles& b);

}  // namespace amalthea::views
