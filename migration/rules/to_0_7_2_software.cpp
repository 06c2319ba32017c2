// SPDX-License-Identifier: Apache-2.0
// The form of runnables, labels and tasks since 0.7.2.

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "migration/rules/to_0_7_2_parts.hpp"

namespace amalthea::migration::to_0_7_2_parts {
namespace {

constexpr std::string_view instructions[] = {"InstructionsConstant", "InstructionsDeviation"};

/// Whether the object is an item of a runnable, a group or an entry of a switch.
bool is_runnable_item(const Object& object) {
  const std::string_view feature = object.feature();
  return feature == "runnableItems" || feature == "runnableItem" || feature == "items";
}

/// Whether the object or its descendants have any content.
bool has_content(const Object& object) {
  return !object.fields().empty() || std::any_of(object.children().begin(), object.children().end(),
                                                 [](const OwnedObject& child) { return has_content(*child); });
}

void move_properties(Object& from, Object& to) {
  for (Object* const property : from.children("customProperties")) property->move_to(to, "customProperties");
}

/// "3" or "3.0".
bool whole(std::string_view number) {
  const std::size_t point = number.find('.');
  return point == std::string_view::npos ? number.find_first_of("eE") == std::string_view::npos
                                         : number.find_first_not_of('0', point + 1) == std::string_view::npos;
}

constexpr std::pair<std::string_view, std::string_view> stabilities[] = {{"buffered", "customProtection"},
                                                                         {"notBuffered", "noProtection"}};

}  // namespace

void wrap_instructions(Step& step) {
  for (const std::string_view cls : instructions)
    for (Object* const item : step.objects_of(cls)) {
      if (!is_runnable_item(*item)) continue;
      step.set_class(*item, "RunnableInstructions");
      Object& inner = item->create("default", cls);
      if (const auto value = item->attribute("value")) {
        inner.set("value", *value);
        item->unset("value");
      }
      for (const std::string_view part : {"fetchStatistic", "deviation"})
        for (Object* const child : item->children(part)) child->move_to(inner, part);
      step.changed(*item);
    }
}

void unwrap_instructions(Step& step) {
  for (Object* const item : step.objects_of("RunnableInstructions")) {
    Object* const inner = item->child("default");
    // A single item cannot contain instructions by type of core.
    if (inner == nullptr || item->child("extended") != nullptr || !is_runnable_item(*item)) continue;
    if (std::find(std::begin(instructions), std::end(instructions), inner->class_name()) == std::end(instructions))
      continue;
    step.set_class(*item, inner->class_name());
    if (const auto value = inner->attribute("value")) item->set("value", *value);
    for (const std::string_view part : {"fetchStatistic", "deviation"})
      for (Object* const child : inner->children(part)) child->move_to(*item, part);
    step.drop(*inner, {"value"});
    step.changed(*item);
  }
}

void switch_probability_groups(Step& step) {
  for (Object* const group : step.objects_of("ProbabilityGroup")) {
    step.set_class(*group, "RunnableProbabilitySwitch");
    group->rename_feature("items", "entries");
    for (Object* const entry : group->children("entries")) {
      step.set_class(*entry, "ProbabilitySwitchEntry");
      entry->rename_feature("runnableItem", "items");
    }
    step.changed(*group);
  }
}

void group_probabilities(Step& step) {
  for (Object* const choice : step.objects_of("RunnableProbabilitySwitch")) {
    const Objects entries = choice->children("entries");
    // An entry was one item with a whole number.
    if (!std::all_of(entries.begin(), entries.end(), [](const Object* entry) {
          return entry->children("items").size() <= 1 && whole(entry->attribute_or("probability", "0"));
        }))
      continue;
    step.set_class(*choice, "ProbabilityGroup");
    choice->rename_feature("entries", "items");
    for (Object* const entry : entries) {
      step.set_class(*entry, "ProbabilityRunnableItem");
      entry->rename_feature("items", "runnableItem");
      if (const auto probability = entry->attribute("probability"))
        entry->set("probability", probability->substr(0, probability->find('.')));
    }
    step.changed(*choice);
  }
}

void unwrap_group_items(Step& step) {
  for (Object* const group : step.objects_of("Group")) {
    bool changed = false;
    for (Object* const box : group->children("items")) {
      if (!box->is("DeviationRunnableItem")) continue;
      changed = true;
      Object* const item = box->child("runnableItem");
      if (item != nullptr) group->add("items", box->take(*item), box);
      Object& new_owner = item != nullptr ? *item : *group;
      move_properties(*box, new_owner);
      if (Object* const deviation = box->child("deviation"); deviation != nullptr && has_content(*deviation)) {
        deviation->move_to(new_owner, "deviation");
        step.keep_child(new_owner, *deviation);
      }
      if (Object* const deviation = box->child("deviation"); deviation != nullptr && !has_content(*deviation))
        step.remove(*deviation);
      step.drop(*box);
    }
    if (changed) step.changed(*group);
  }
}

void wrap_group_items(Step& step) {
  for (Object* const group : step.objects_of("Group")) {
    std::vector<OwnedObject> items = group->take_all("items");
    for (OwnedObject& item : items) {
      if (item->is("DeviationRunnableItem"))
        group->add("items", std::move(item));
      else
        group->create("items", "DeviationRunnableItem").add("runnableItem", std::move(item));
    }
    if (!items.empty()) step.changed(*group);
  }
}

void state_group_order(Step& step) {
  for (Object* const group : step.objects_of("Group"))
    if (!group->attribute("ordered")) {
      group->set("ordered", "false");
      step.changed(*group);
    }
}

void name_data_stability(Step& step) {
  for (const std::string_view cls : {"Label", "LabelAccess"})
    for (Object* const object : step.objects_of(cls)) {
      const auto buffered = object->attribute("buffered");
      if (!buffered) continue;
      std::string_view stability = *buffered;
      for (const auto& [before, after] : stabilities)
        if (*buffered == before) stability = after;
      object->set("dataStability", stability);
      object->unset("buffered");
      step.changed(*object);
    }
}

void name_buffering(Step& step) {
  for (const std::string_view cls : {"Label", "LabelAccess"})
    for (Object* const object : step.objects_of(cls)) {
      const auto stability = object->attribute("dataStability");
      if (!stability) continue;
      const auto known = std::find_if(std::begin(stabilities), std::end(stabilities),
                                      [&](const auto& pair) { return pair.second == *stability; });
      const bool same = *stability == "inherited" || *stability == "_undefined_";
      if (known == std::end(stabilities) && !same) continue;  // there is no counterpart
      object->set("buffered", same ? *stability : known->first);
      object->unset("dataStability");
      step.changed(*object);
    }
}

void move_sampling_to_boundaries(Step& step) {
  for (Object* const deviation : step.objects_of("Deviation")) {
    const auto sampling = deviation->attribute("samplingType");
    if (!sampling) continue;
    Object* const distribution = deviation->child("distribution");
    if (distribution != nullptr && distribution->is("Boundaries")) {
      if (!distribution->attribute("samplingType"))
        distribution->set("samplingType", *sampling);
      else if (distribution->attribute("samplingType") != *sampling)
        step.keep_field(*deviation, "samplingType");
      step.changed(*deviation);
    } else if (*sampling != "default") {
      step.altered(*deviation,
                   fmt::format("the samplingType {} has no meaning without Boundaries and is left out", *sampling));
    }
    deviation->unset("samplingType");
  }
}

void move_sampling_to_deviation(Step& step) {
  for (Object* const boundaries : step.objects_of("Boundaries")) {
    const auto sampling = boundaries->attribute("samplingType");
    if (!sampling || boundaries->owner() == nullptr || !boundaries->owner()->is("Deviation")) continue;
    boundaries->owner()->set("samplingType", *sampling);
    boundaries->unset("samplingType");
    step.changed(*boundaries);
  }
}

void drop_unknown_preemption(Step& step) {
  for (const std::string_view cls : {"Task", "ProcessPrototype"})
    for (Object* const process : step.objects_of(cls))
      if (process->attribute("preemption") == "unknown") {
        process->unset("preemption");
        step.changed(*process);
      }
}

}  // namespace amalthea::migration::to_0_7_2_parts
