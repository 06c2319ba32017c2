// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules of the step 0.9.3 → 0.9.4 for modes.

namespace amalthea::migration {

class Step;

void mode_of_label(Step& step);
void mode_of_label_back(Step& step);
void mode_label_access(Step& step);
void mode_label_access_back(Step& step);
void mode_assignments(Step& step);
void mode_assignments_back(Step& step);
void mode_conditions(Step& step);
void mode_conditions_back(Step& step);
void mode_value_maps(Step& step);
void execution_condition(Step& step);
void execution_condition_back(Step& step);

}  // namespace amalthea::migration
