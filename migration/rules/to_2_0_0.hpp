// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules of the step 1.2.0 → 2.0.0 for schedulers.

namespace amalthea::migration {

class Step;

void scheduler_definitions(Step& step);
void scheduler_definitions_back(Step& step);

}  // namespace amalthea::migration
