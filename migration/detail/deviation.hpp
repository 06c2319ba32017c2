// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Converts a Deviation with a Distribution (up to 0.9.2) to a class of the families of 0.9.3.

#include <optional>
#include <string>
#include <string_view>

#include "migration/detail/rule.hpp"

namespace amalthea::migration {

enum class DeviationFamily { discrete, continuous, time };

/// Converts `target` to a DiscreteValue…, ContinuousValue… or Time… with the content of `deviation`, which is `target`
/// itself or a child of it that is removed. Discrete values are divided by `divisor`, integers rounded down. Returns
/// false, without a change, if the deviation is empty.
bool convert_deviation(Step& step, Object& target, Object& deviation, DeviationFamily family, double divisor = 1);

/// The reverse conversion, in place: a DiscreteValue…, ContinuousValue… or Time… with a Distribution of 0.9.2 becomes a
/// Deviation. Returns false, without a change, if that version has no such distribution.
bool convert_deviation_back(Object& deviation, DeviationFamily family);

/// The number that a text contains, or nothing.
std::optional<double> number_in(std::string_view text);

/// The number of cycles of some instructions, as an integer.
std::string divided(std::string_view number, double divisor);

}  // namespace amalthea::migration
