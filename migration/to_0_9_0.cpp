#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_9_0() { return {Version::v0_9_0, {}}; }

}  // namespace amalthea::migration
