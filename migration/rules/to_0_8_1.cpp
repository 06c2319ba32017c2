// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "migration/detail/steps.hpp"
#include "migration/rules/to_0_8_1_parts.hpp"

namespace amalthea::migration {
namespace {

using namespace to_0_8_1_parts;

void trigger_processes(Step& step) {
  constexpr std::string_view mark = "?type=";
  step.rename_class("InterProcessActivation", "InterProcessTrigger");
  for (Object* const trigger : step.objects_of("InterProcessTrigger")) {
    const auto stimulus = trigger->reference("stimulus");
    const std::size_t at = stimulus ? stimulus->rfind(mark) : std::string_view::npos;
    if (at == std::string_view::npos) continue;
    const std::string_view cls = stimulus->substr(at + mark.size());
    if (cls != "InterProcessStimulus" && cls != "InterProcess") step.keep_field(*trigger, "stimulus");
  }
}

constexpr Renaming lists[] = {{"activation", "activations", "Runnable"},
                              {"trigger", "triggeringEvents", "EventActivation"},
                              {"trigger", "triggeringEvents", "EventStimulus"}};

void rename_lists(Step& step) {
  for (const Renaming& list : lists) step.rename_feature(list.cls, list.before, list.after);
}

/// If there is only one.
void rename_lists_back(Step& step) {
  for (const Renaming& list : lists)
    for (Object* const object : step.objects_of(list.cls)) {
      if (object->references(list.after).size() != 1) continue;
      object->rename_feature(list.after, list.before);
      step.changed(*object);
    }
}

constexpr std::string_view condition_lists[] = {"enablingModeValueList", "disablingModeValueList"};

void value_modes(Step& step) {
  for (const std::string_view condition : condition_lists)
    for (Object* const list : step.objects_of("ModeValueList"))
      if (list->feature() == condition) {
        list->set_class("ModeValueDisjunction");
        step.changed(*list);
      }
  step.rename_class("ModeValueListEntry", "ModeValue");
}

void list_modes(Step& step) {
  for (Object* const list : step.objects_of("ModeValueDisjunction")) {
    const auto& entries = list->children();
    if (std::any_of(entries.begin(), entries.end(),
                    [](const OwnedObject& entry) { return entry->is("ModeValueConjunction"); }))
      continue;
    list->set_class("ModeValueList");
    step.changed(*list);
  }
  for (Object* const entry : step.objects_of("ModeValue"))
    if (entry->owner() != nullptr && entry->owner()->is("ModeValueList")) {
      entry->set_class("ModeValueListEntry");
      step.changed(*entry);
    }
}

/// The ids of all objects that are referred to.
std::unordered_set<std::string_view> referred_ids(const Step& step) {
  std::unordered_set<std::string_view> ids;
  step.model.for_each([&](Object& object) {
    for (const Field& field : object.fields())
      if (field.kind != FieldKind::value) ids.insert(field.text.substr(field.text.find('#') + 1));
  });
  return ids;
}

bool is_referred(const Step& step, const Object& object, const std::unordered_set<std::string_view>& ids) {
  return ids.contains(step.id(object)) ||
         std::any_of(object.children().begin(), object.children().end(),
                     [&](const OwnedObject& child) { return is_referred(step, *child, ids); });
}

constexpr std::string_view node_parts[] = {"memories", "networks", "components", "ports", "prescaler"};

void release_from_quartzes(Step& step) {
  std::unordered_set<std::string_view> ids;
  for (Object* const quartz : step.objects_of("Quartz")) {
    Object* owner = quartz->owner();
    while (owner != nullptr && owner->is("Quartz")) owner = owner->owner();
    if (owner == nullptr) continue;
    for (const std::string_view part : node_parts)
      for (Object* const object : quartz->children(part)) {
        if (ids.empty()) ids = referred_ids(step);
        const bool taken = part == "prescaler" && owner->child(part) != nullptr;
        if (taken || !is_referred(step, *object, ids)) continue;
        step.changed(*object);
        step.move(*object, *owner, part);
      }
  }
}

void gather_quartzes(Step& step) {
  const Objects quartzes = step.objects_of("Quartz");
  const bool all_gathered = std::all_of(quartzes.begin(), quartzes.end(), [](const Object* quartz) {
    return quartz->owner() == nullptr || quartz->owner()->is("HwSystem");
  });
  if (all_gathered) return;
  // All of them, to keep their order.
  for (Object* const quartz : quartzes) {
    Object* system = quartz->owner();
    while (system != nullptr && !system->is("HwSystem")) system = system->owner();
    if (system == nullptr) continue;
    if (quartz->owner() != system) step.changed(*quartz);
    step.move(*quartz, *system, "quartzes");
  }
}

void keep_deadlines(Step& step) {
  for (Object* const activation : step.objects_of("PeriodicActivation"))
    for (Object* const deadline : activation->children("deadline")) {
      step.replace(*deadline, step.keep_as_object(*activation, "deadline", "TimeObject"));
    }
}

void restore_deadlines(Step& step) {
  for (Object* const activation : step.objects_of("PeriodicActivation"))
    for (Object* const property : activation->children("customProperties")) {
      Object* const time = property->child("value");
      if (property->attribute("key") != "deadline" || time == nullptr || !time->is("TimeObject")) continue;
      step.replace(*time, activation->create("deadline", "Time"));
      step.drop(*property, {"key"});
      step.changed(*activation);
    }
}

constexpr Rule rules_to_0_8_1[] = {
    {"classes of stimuli have new names",
     "Periodic becomes PeriodicStimulus, and so on. PeriodicEvent becomes VariableRateStimulus.",
     {{"ArrivalCurve", "ArrivalCurveStimulus"},
      {"InterProcess", "InterProcessStimulus"},
      {"Periodic", "PeriodicStimulus"},
      {"PeriodicEvent", "VariableRateStimulus"},
      {"Single", "SingleStimulus"},
      {"Sporadic", "SporadicStimulus"},
      {"Synthetic", "SyntheticStimulus"}}},
    {"InterProcessTrigger instead of InterProcessActivation", "It can only trigger an InterProcessStimulus.",
     trigger_processes, [](Step& step) { step.rename_class("InterProcessTrigger", "InterProcessActivation"); }},
    {"several activations and triggering events",
     "The activation of a runnable and the trigger of event stimuli and event activations become lists.", rename_lists,
     rename_lists_back},
    {"modes that enable or disable a stimulus are a ModeValueDisjunction", "Its entries become ModeValues.",
     value_modes, list_modes},
    {"the deadline of a periodic activation is a custom property", "The version has no counterpart.", keep_deadlines,
     restore_deadlines},
    {"the priority of a process is a custom property", "The priority now belongs to the allocation to a scheduler.",
     keep_priorities, restore_priorities},
    {"osekTaskGroup is a custom property", "The version has no counterpart.", keep_task_groups, restore_task_groups},
    {"the priority of a task allocation is a scheduling parameter", "The default, 0, is left out.",
     parameterize_priority, restore_allocation_priority},
    {"SchedulerAllocation instead of CoreAllocation", "The scheduler becomes responsible for the allocated cores.",
     allocate_schedulers, allocate_cores},
    {"parameters of a scheduling algorithm are ParameterExtensions",
     "AlgorithmParameters become ParameterExtensions.",
     {{"AlgorithmParameter", "ParameterExtension"},
      {"parameter", "parameterExtensions", "UserSpecificSchedulingAlgorithm"}},
     restore_parameters},
    {"a scheduler no longer has a SchedulingUnit",
     "Its instructions become computation items of the scheduler. Priority and delay become custom properties.",
     compute_in_schedulers, schedule_by_unit},
    {"RunnableEntityGroup instead of ProcessRunnableGroup",
     "One class serves all groups of runnables.",
     {{"ProcessRunnableGroup", "RunnableEntityGroup"}},
     [](Step& step) {
       for (Object* const group : step.objects_of("RunnableEntityGroup"))
         if (group->feature() == "runnableGroups") {
           group->set_class("ProcessRunnableGroup");
           step.changed(*group);
         }
     }},
    {"hardware inside a quartz moves next to it",
     "A quartz no longer contains hardware. Parts that nothing refers to become text.", release_from_quartzes},
    {"quartzes are in the hardware system", "Before, any part of the system could contain them.", gather_quartzes},
    {"references to nested event chains are custom properties",
     "A nested chain no longer has an id, so nothing can refer to it.", part_from_sub_chains},
    {"EventChainContainer contains a SubEventChain",
     "Before, the container was called SubEventChain and contained an EventChain.", contain_sub_chains,
     release_sub_chains},
};

}  // namespace

StepRules to_0_8_1() { return {Version::v0_8_1, rules_to_0_8_1}; }

}  // namespace amalthea::migration
