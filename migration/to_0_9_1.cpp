#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_9_1() { return {Version::v0_9_1, {}}; }

}  // namespace amalthea::migration
