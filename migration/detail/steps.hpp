// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Every step from one release to the next, oldest first.

#include <span>

#include "migration/detail/rule.hpp"

namespace amalthea::migration {

/// One for every release except the oldest. Steps that only change the namespace have no rules and no file.
std::span<const StepRules> all_steps();

StepRules to_itea_1_2_0();
StepRules to_itea_1_3_0();
StepRules to_0_7_0();
StepRules to_0_7_1();
StepRules to_0_7_2();
StepRules to_0_8_0();
StepRules to_0_8_1();
StepRules to_0_8_3();
StepRules to_0_9_0();
StepRules to_0_9_1();
StepRules to_0_9_3();
StepRules to_0_9_4();
StepRules to_0_9_5();
StepRules to_0_9_6();
StepRules to_0_9_7();
StepRules to_1_0_0();
StepRules to_1_2_0();
StepRules to_2_0_0();
StepRules to_3_0_0();

}  // namespace amalthea::migration
