#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_9_5() { return {Version::v0_9_5, {}}; }

}  // namespace amalthea::migration
