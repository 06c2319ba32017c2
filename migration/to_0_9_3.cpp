#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_9_3() { return {Version::v0_9_3, {}}; }

}  // namespace amalthea::migration
