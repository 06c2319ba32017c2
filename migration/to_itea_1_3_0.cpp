#include "migration/steps.hpp"

namespace amalthea::migration {

StepRules to_itea_1_3_0() { return {IteaRelease::v1_3_0, {}}; }

}  // namespace amalthea::migration
