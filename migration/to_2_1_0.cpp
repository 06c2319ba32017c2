#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_2_1_0() { return {Version::v2_1_0, {}}; }

}  // namespace amalthea::migration
