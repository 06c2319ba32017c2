#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_3_0_0() { return {Version::v3_0_0, {}}; }

}  // namespace amalthea::migration
