#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_2_0_0() { return {Version::v2_0_0, {}}; }

}  // namespace amalthea::migration
