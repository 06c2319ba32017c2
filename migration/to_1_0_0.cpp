#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_1_0_0() { return {Version::v1_0_0, {}}; }

}  // namespace amalthea::migration
