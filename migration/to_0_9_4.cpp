#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_9_4() { return {Version::v0_9_4, {}}; }

}  // namespace amalthea::migration
