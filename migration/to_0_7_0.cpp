#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_7_0() { return {Version::v0_7_0, {}}; }

}  // namespace amalthea::migration
