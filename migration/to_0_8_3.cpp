#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_8_3() { return {Version::v0_8_3, {}}; }

}  // namespace amalthea::migration
