#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_itea_1_2_0() { return {IteaRelease::v1_2_0, {}}; }

}  // namespace amalthea::migration
