#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_8_0() { return {Version::v0_8_0, {}}; }

}  // namespace amalthea::migration
