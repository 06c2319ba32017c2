#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_1_2_0() { return {Version::v1_2_0, {}}; }

}  // namespace amalthea::migration
