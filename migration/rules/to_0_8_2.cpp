// SPDX-License-Identifier: Apache-2.0
#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_8_2() { return {Version::v0_8_2, {}}; }

}  // namespace amalthea::migration
