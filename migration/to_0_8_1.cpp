#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_8_1() { return {Version::v0_8_1, {}}; }

}  // namespace amalthea::migration
