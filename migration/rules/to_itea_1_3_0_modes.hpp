// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules of the step to ITEA 1.3.0: labels that control stimuli and switches become mode labels.

#include "migration/detail/rule.hpp"

namespace amalthea::migration {

void stimulus_label_values(Step& step);
void label_switches(Step& step);
void initial_values(Step& step);

}  // namespace amalthea::migration
