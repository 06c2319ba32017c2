#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_9_7() { return {Version::v0_9_7, {}}; }

}  // namespace amalthea::migration
