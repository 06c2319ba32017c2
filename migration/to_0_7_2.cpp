#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_0_7_2() { return {Version::v0_7_2, {}}; }

}  // namespace amalthea::migration
