// SPDX-License-Identifier: Apache-2.0
#include "migration/detail/steps.hpp"

namespace amalthea::migration {

StepRules to_0_8_2() { return {Version::v0_8_2, {}}; }

}  // namespace amalthea::migration
