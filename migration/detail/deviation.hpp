// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Deviation with a Distribution (up to 0.9.2) → the class of one of the families of 0.9.3.

#include <optional>
#include <string>
#include <string_view>

#include "migration/detail/rule.hpp"

namespace amalthea::migration {

enum class DeviationFamily { discrete, continuous, time };

/// Makes `target` a DiscreteValue…, ContinuousValue… or Time… of what `deviation` says, which is `target` itself or a
/// child of it that is removed then. Discrete values are divided by `divisor`, whole numbers downwards.
/// Returns false where the deviation says nothing; `target` is as it was then.
bool convert_deviation(Step& step, Object& target, Object& deviation, DeviationFamily family, double divisor = 1);

/// The way back, in place: a DiscreteValue…, ContinuousValue… or Time… with a Distribution of 0.9.2 becomes a
/// Deviation. Returns false, and changes nothing, where there was no such distribution.
bool convert_deviation_back(Object& deviation, DeviationFamily family);

/// The number that a text is, or nothing.
std::optional<double> number_in(std::string_view text);

/// The whole number of cycles that instructions take.
std::string divided(std::string_view number, double divisor);

}  // namespace amalthea::migration
