#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_7_1() { return {Version::v0_7_1, {}}; }

}  // namespace amalthea::migration
