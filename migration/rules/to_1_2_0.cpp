// SPDX-License-Identifier: Apache-2.0
// 1.1.0 → 1.2.0: loops, maps and interruptible groups; existing content does not change.

#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

/// Groups are interruptible by default.
void interruptible_groups_back(Step& step) {
  for (Object* const group : step.objects_of("Group"))
    if (group->attribute("interruptible") == "true") {
      group->unset("interruptible");
      step.changed(*group);
    }
}

// Activity graphs belong to IExecutable, which only affects the order in a file. The counts of ArrivalCurveEntry and
// PeriodicBurstStimulus have another default, but are always written. The rest are additions.
constexpr Rule rules_to_1_2_0[] = {
    {"groups state whether they are interruptible", "A group that does not state it is interruptible.", nothing,
     interruptible_groups_back},
};

}  // namespace

StepRules to_1_2_0() { return {Version::v1_2_0, rules_to_1_2_0}; }

}  // namespace amalthea::migration
