// SPDX-License-Identifier: Apache-2.0
// 0.9.3 → 0.9.4: numeric modes, deadlines of runnables as requirements, aliases of types.

#include "migration/rules/to_0_9_4.hpp"
#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

void deadlines_of_runnables(Step& step) {
  for (Object* const runnable : step.objects_of("Runnable")) {
    Object* const deadline = runnable->child("deadline");
    if (deadline == nullptr) continue;
    step.changed(*runnable);
    Object& requirement =
        step.part(*runnable, "constraintsModel", "ConstraintsModel").create("requirements", "RunnableRequirement");
    requirement.set("name", "deadline");
    requirement.add_reference("runnable", step.id(*runnable), runnable);
    Object& limit = requirement.create("limit", "TimeRequirementLimit");
    limit.set("limitType", "UpperLimit");
    limit.set("metric", "ResponseTime");
    step.move(*deadline, limit, "limitValue");
  }
}

/// The requirements that the rule makes.
void deadlines_of_runnables_back(Step& step) {
  for (Object* const requirement : step.objects_of("RunnableRequirement")) {
    Object* const limit = requirement->child("limit");
    if (requirement->owner() == nullptr || requirement->name() != "deadline" || limit == nullptr ||
        !limit->is("TimeRequirementLimit") || limit->attribute("limitType") != "UpperLimit" ||
        limit->attribute("metric") != "ResponseTime" || requirement->attribute("severity") ||
        requirement->children().size() != 1)
      continue;
    const auto references = requirement->references("runnable");
    Object* const runnable = references.empty() ? nullptr : step.find(*requirement, references.front());
    Object* const value = limit->child("limitValue");
    if (runnable == nullptr || value == nullptr || runnable->child("deadline") != nullptr) continue;
    step.move(*value, *runnable, "deadline");
    step.changed(*runnable);
    Object& constraints = *requirement->owner();
    step.drop(*limit, {"limitType", "metric"});
    step.drop(*requirement, {"name", "runnable"});
    if (constraints.children().empty()) step.drop(constraints);
  }
}

void aliases(Step& step) {
  step.rename_feature("BaseTypeDefinition", "dataMapping", "aliases");
  step.rename_feature("DataPlatformMapping", "platformName", "target");
  step.rename_feature("DataPlatformMapping", "platformType", "alias");
  step.rename_class("DataPlatformMapping", "Alias");
}

void aliases_back(Step& step) {
  step.rename_class("Alias", "DataPlatformMapping");
  step.rename_feature("DataPlatformMapping", "alias", "platformType");
  step.rename_feature("DataPlatformMapping", "target", "platformName");
  step.rename_feature("BaseTypeDefinition", "aliases", "dataMapping");
}

// Other differences are additions or concern supertypes; `size` of a BaseTypeDefinition moves to TypeDefinition.
constexpr Rule rules_to_0_9_4[] = {
    {"deadlines of runnables are requirements",
     "The deadline of a Runnable becomes a RunnableRequirement \"deadline\", an upper limit of its response time.",
     deadlines_of_runnables, deadlines_of_runnables_back},
    {"Alias is the new name of DataPlatformMapping", "dataMapping becomes `aliases`, with target and alias.", aliases,
     aliases_back},
    {"AHB is spelled correctly", "The port interface was ABH.", {{"ABH", "AHB", "HwPort", "portInterface"}}},
    {"mode labels have a mode and a text",
     "The initial value of a ModeLabel becomes text. Before, it referred to a literal.", mode_of_label,
     mode_of_label_back},
    {"mode label accesses set a text", "The access write becomes set, and its value becomes the name of a literal.",
     mode_label_access, mode_label_access_back},
    {"stimuli assign modes by ModeAssignment", "The entries of a list of mode values become a label and a text.",
     mode_assignments, mode_assignments_back},
    {"mode conditions state their relation",
     "A ModeValue of a condition becomes a ModeCondition with the relation EQUAL.", mode_conditions,
     mode_conditions_back},
    {"values of mode maps are texts", "Before, they referred to literals.", mode_value_maps},
    {"stimuli have an execution condition",
     "It holds in the modes that enable the stimulus and not in those that disable it.", execution_condition,
     execution_condition_back},
    {"EnumMode is the new name of Mode", "It is a mode with literals. References follow.", {{"Mode", "EnumMode"}}},
};

}  // namespace

StepRules to_0_9_4() { return {Version::v0_9_4, rules_to_0_9_4}; }

}  // namespace amalthea::migration
