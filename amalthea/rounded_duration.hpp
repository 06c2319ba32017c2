// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The text of a bound.

#include <string>

#include "amalthea/time.hpp"

namespace amalthea {

/// As format_duration (quantity.hpp) without rounding to nearest: an upper bound is rounded up, so that its text is no
/// less, and what it leaves to a limit down.
std::string format_duration(Duration value, Rounding rounding);

}  // namespace amalthea
