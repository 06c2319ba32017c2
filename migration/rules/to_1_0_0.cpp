// SPDX-License-Identifier: Apache-2.0
// 0.9.9 → 1.0.0: measurements are no longer part of a model.

#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

void measurements(Step& step) {
  for (Object* const measurements : step.parts("measurementModel")) {
    Object& root = *measurements->owner();
    step.changed(*measurements);
    step.keep_child(root, *measurements);
  }
}

void deadline_events(Step& step) {
  for (const std::string_view cls : {"ProcessEvent", "ProcessChainEvent"})
    for (Object* const event : step.objects_of(cls)) {
      if (event->attribute("eventType") != "deadline") continue;
      step.altered(*event, "deadlines are no longer events; without a type this means any event of the process");
      step.keep_field(*event, "eventType");
    }
}

constexpr Rule rules_to_1_0_0[] = {
    {"measurements are kept as text", "The measurementModel no longer exists.", measurements},
    {"events of deadlines have no type", "A ProcessEvent of a deadline no longer states its type.", deadline_events},
};

}  // namespace

StepRules to_1_0_0() { return {Version::v1_0_0, rules_to_1_0_0}; }

}  // namespace amalthea::migration
