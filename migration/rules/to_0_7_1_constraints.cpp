// SPDX-License-Identifier: Apache-2.0
// 0.7.0 → 0.7.1: constraints.

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "migration/rules/to_0_7_1.hpp"

namespace amalthea::migration {
namespace {

/// The id without the address: "amlt:/#Control?type=Task" and "Control?type=Task" are the same.
std::string_view id_of(std::string_view text) { return text.substr(text.find('#') + 1); }

void gather_runnables(Step& step, Object& group) {
  const Objects entries = group.children("entries");
  if (entries.empty()) return;
  std::unordered_set<std::string> known;
  for (const Field& target : group.references("runnables")) known.emplace(id_of(target.text));
  for (Object* const entry : entries) {
    const auto targets = entry->references("runnable");
    if (!targets.empty() && known.emplace(id_of(targets.front().text)).second)
      group.add_reference_like("runnables", targets.front());
    // A runnable that is named again and nothing else says nothing more: a group is a set.
    step.drop(*entry, {"runnable"});
  }
  step.changed(group);
}

}  // namespace

void keep_objects(Step& step, std::string_view class_name) {
  for (Object* const object : step.objects_of(class_name))
    if (object->owner() != nullptr) step.keep_child(*object->owner(), *object);
}

void runnables_of_groups(Step& step) {
  for (Object* const group : step.objects_of("ProcessRunnableGroup")) gather_runnables(step, *group);
}

void runnables_of_groups_back(Step& step) {
  for (Object* const group : step.objects_of("ProcessRunnableGroup")) {
    const std::vector<Field> runnables = group->references("runnables");
    if (runnables.empty()) continue;
    group->unset("runnables");
    for (const Field& runnable : runnables)
      group->create("entries", "ProcessRunnableGroupEntry").add_reference_like("runnable", runnable);
    step.changed(*group);
  }
}

void grouping_types(Step& step) {
  for (Object* const group : step.objects_of("ProcessRunnableGroup")) step.keep_field(*group, "groupingType");
}

void scheduler_constraints(Step& step) {
  keep_objects(step, "SchedulerPairingConstraint");
  keep_objects(step, "SchedulerSeparationConstraint");
}

void order_constraints(Step& step) { keep_objects(step, "OrderConstraint"); }

void latency_constraints(Step& step) {
  for (const std::string_view type : {"Age", "Reaction"}) {
    const std::string before = std::string(type) + "Constraint";
    for (Object* const constraint : step.objects_of(before)) constraint->set("type", type);
    step.rename_class(before, "EventChainLatencyConstraint");
  }
}

void latency_constraints_back(Step& step) {
  for (Object* const constraint : step.objects_of("EventChainLatencyConstraint")) {
    const std::string type(constraint->attribute_or("type", ""));
    if (type != "Age" && type != "Reaction") continue;
    constraint->unset("type");
    step.set_class(*constraint, type + "Constraint");
    step.changed(*constraint);
  }
}

void synchronization_constraints_back(Step& step) {
  for (Object* const constraint : step.objects_of("EventSynchronizationConstraint")) {
    if (constraint->attribute("multipleOccurrencesAllowed") == "true") continue;
    constraint->unset("multipleOccurrencesAllowed");
    step.set_class(*constraint, "SynchronisationConstraint");
    step.changed(*constraint);
  }
}

void delay_mapping_types(Step& step) {
  for (Object* const constraint : step.objects_of("DelayConstraint")) {
    if (constraint->attribute("mappingType")) continue;
    constraint->set("mappingType", "Reaction");
    step.changed(*constraint);
  }
}

void delay_mapping_types_back(Step& step) {
  for (Object* const constraint : step.objects_of("DelayConstraint")) {
    if (constraint->attribute("mappingType") != "Reaction") continue;
    constraint->unset("mappingType");
    step.changed(*constraint);
  }
}

}  // namespace amalthea::migration
