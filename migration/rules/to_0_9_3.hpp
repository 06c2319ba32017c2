// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules of the step 0.9.2 → 0.9.3 for needs and ticks.

#include "migration/detail/rule.hpp"

namespace amalthea::migration {

void ticks_for_instructions(Step& step);
void instructions_for_ticks(Step& step);

/// Whether a discrete value has a form of 0.9.2: a constant or one of its distributions.
bool had_form(const Object& value);

}  // namespace amalthea::migration
