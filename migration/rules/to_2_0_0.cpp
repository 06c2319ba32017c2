// SPDX-License-Identifier: Apache-2.0
// 1.2.0 → 2.0.0: scheduler definitions by names and parameters, conditions on more than modes.

#include <algorithm>

#include "migration/detail/steps.hpp"
#include "migration/rules/to_2_0_0.hpp"

namespace amalthea::migration {
namespace {

/// Objects of any class with general conditions since 2.0.0: execution conditions of runnables and stimuli, and loops.
template <typename Visit>
void for_each_condition(Step& step, Visit visit) {
  for (const std::string_view feature : {"executionCondition", "condition"}) {
    if (!step.model.find_name(feature)) continue;
    step.model.for_each([&](Object& object) {
      if (feature == "condition" && !object.is("WhileLoop")) return;
      if (Object* const condition = object.child(feature)) visit(*condition);
    });
  }
}

void rename(Object& condition, std::string_view disjunction, std::string_view conjunction) {
  condition.set_class(disjunction);
  for (Object* const entry : condition.children("entries"))
    if (entry->class_name().ends_with("Conjunction")) entry->set_class(conjunction);
}

void conditions(Step& step) {
  for_each_condition(step, [&](Object& condition) {
    if (!condition.is("ModeConditionDisjunction")) return;
    rename(condition, "ConditionDisjunction", "ConditionConjunction");
    step.changed(condition);
  });
}

// ---- reverse direction: general classes used only for modes

bool only_modes(const Object& condition) {
  const auto& entries = condition.children();
  return std::all_of(entries.begin(), entries.end(), [](const OwnedObject& entry) {
    if (entry->feature() != "entries" || entry->is("ModeValueCondition") || entry->is("ModeLabelCondition"))
      return true;
    return entry->is("ConditionConjunction") && only_modes(*entry);
  });
}

void conditions_back(Step& step) {
  for_each_condition(step, [&](Object& condition) {
    if (!condition.is("ConditionDisjunction") || !only_modes(condition)) return;
    rename(condition, "ModeConditionDisjunction", "ModeConditionConjunction");
    step.changed(condition);
  });
}

void switches_back(Step& step) {
  for (Object* const item : step.objects_of("Switch")) {
    const auto entries = item->children("entries");
    const bool modes = std::all_of(entries.begin(), entries.end(), [](const Object* entry) {
      const Object* const condition = entry->child("condition");
      return condition == nullptr || only_modes(*condition);
    });
    if (!modes) continue;
    item->set_class("ModeSwitch");
    for (Object* const entry : entries) {
      entry->set_class("ModeSwitchEntry");
      if (Object* const condition = entry->child("condition"))
        rename(*condition, "ModeConditionDisjunction", "ModeConditionConjunction");
    }
    if (Object* const otherwise = item->child("defaultEntry")) otherwise->set_class("ModeSwitchDefault");
    step.changed(*item);
  }
}

// Other changes: CombinatorialCondition is the new name of an enum with the same literals, the rest are supertypes and
// additions.
constexpr Rule rules_to_2_0_0[] = {
    {"schedulers have definitions",
     "The algorithm of a scheduler becomes a SchedulerDefinition. Its parameters and those of allocations become "
     "entries of a map with SchedulingParameterDefinitions as keys.",
     scheduler_definitions, scheduler_definitions_back},
    {"execution conditions use general classes", "This applies to runnables, stimuli and loops.", conditions,
     conditions_back},
    {"switches on modes are ModeSwitches", "A Switch has no counterpart in the older version.", nothing, switches_back},
};

}  // namespace

StepRules to_2_0_0() { return {Version::v2_0_0, rules_to_2_0_0}; }

}  // namespace amalthea::migration
