// SPDX-License-Identifier: Apache-2.0
#include "migration/rules/to_itea_1_3_0_modes.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "migration/detail/itea_reference.hpp"

namespace amalthea::migration {
namespace {

Object* software_of(const Object& root) {
  if (root.is("SWModel")) return const_cast<Object*>(&root);
  return root.child("swModel");
}

/// The software model for the modes of a file: its own, or the first one. Null if there is none and none can be
/// created.
Object* software_for(Step& step, Object& root) {
  if (Object* const own = software_of(root)) return own;
  for (const EditableModel::File& file : step.model.files())
    if (Object* const other = software_of(*file.root)) return other;
  return root.is("Amalthea") ? &step.part(root, "swModel", "SWModel") : nullptr;
}

/// The files in the order of mode numbers: whole models, then parts.
std::vector<Object*> roots_in_order(const EditableModel& model) {
  std::vector<Object*> roots;
  for (const EditableModel::File& file : model.files()) roots.push_back(file.root.get());
  std::stable_partition(roots.begin(), roots.end(), [](const Object* root) { return root->is("Amalthea"); });
  return roots;
}

/// The content of `value`, also if 0.7.0 has a reference there.
std::string value_of(const Object& entry) {
  return std::string(entry.attribute("value").value_or(entry.reference("value").value_or("0")));
}

/// The values of entries, which are numbers, become literals of one new mode. Entries that already refer to a literal
/// are unchanged. Returns whether there were any.
bool make_literals(Step& step, Object& root, const std::vector<Object*>& entries, const std::string& mode_name,
                   const IteaReferences& references) {
  std::vector<Object*> old;
  for (Object* const entry : entries) {
    const Object* const target = references.target(*entry, "value");
    if (target == nullptr || !target->is("ModeLiteral")) old.push_back(entry);
  }
  if (old.empty()) return false;
  Object* const software = software_for(step, root);
  if (software == nullptr) {
    for (Object* const entry : old) {
      const std::string value = value_of(*entry);
      entry->unset("value");
      step.keep(*entry, "value", value);
    }
    return false;
  }
  Object& mode = software->create("modes", "Mode");
  mode.set("name", mode_name);
  std::map<std::string, Object*> literals;
  for (Object* const entry : old) {
    const std::string value = value_of(*entry);
    Object*& literal = literals[value];
    if (literal == nullptr) {
      literal = &mode.create("literals", "ModeLiteral");
      literal->set("name", value);
    }
    entry->unset("value");
    refer(*entry, "value", *literal, references);
  }
  return true;
}

/// The mode label that replaces a label, next to it.
Object& mode_label_for(Object& label) {
  Object& software = *label.owner();
  for (Object* const known : software.children("modeLabels"))
    if (known->name() == label.name()) return *known;
  Object& made = software.create("modeLabels", "ModeLabel");
  made.set("name", label.name());
  return made;
}

/// `before` of an object refers to a label; afterwards `after` refers to its mode label.
void redirect_to_mode_label(Step& step, Object& object, std::string_view before, std::string_view after,
                            const IteaReferences& references) {
  if (!IteaReferences::is_set(object, before)) return;
  Object* const label = references.target(object, before);
  if (label != nullptr && !label->is("Label")) return;
  if (label == nullptr || label->owner() == nullptr) {
    if (before == after) return;  // unresolved, and remains so
    const Object* const address = object.child(before);
    const std::string written(address != nullptr ? address->attribute_or("href", "") : object.attribute_or(before, ""));
    step.keep(object, before, written);
  }
  for (Object* const address : object.children(before)) step.drop(*address, {"href", "xsi:type"});
  object.unset(before);
  if (label == nullptr || label->owner() == nullptr) return;
  refer(object, after, mode_label_for(*label), references);
  step.changed(object, label->name());
}

}  // namespace

void stimulus_label_values(Step& step) {
  constexpr std::pair<std::string_view, std::string_view> lists[] = {{"setLabelsList", "setModeValueList"},
                                                                     {"enablingLabelsList", "enablingModeValueList"},
                                                                     {"disablingLabelsList", "disablingModeValueList"}};
  std::size_t modes = 1;
  for (Object* const root : roots_in_order(step.model)) {
    const IteaReferences references(step.model);
    std::vector<Object*> entries;
    const auto convert_stimulus = [&](Object& stimulus) {
      for (const auto& [before, after] : lists) {
        if (stimulus.child(before) != nullptr) stimulus.rename_feature(before, after);
        for (Object* const list : stimulus.children(after))
          for (Object* const entry : list->children("entries")) entries.push_back(entry);
      }
    };
    Object* const stimuli = root->is("StimuliModel") ? root : root->child("stimuliModel");
    if (stimuli == nullptr) {
      convert_stimulus(*root);
    } else {
      for (Object* const stimulus : stimuli->children("stimuli")) convert_stimulus(*stimulus);
    }
    const std::string name = fmt::format("mode_stimuli_{}_migration_generated", modes);
    if (make_literals(step, *root, entries, name, references)) ++modes;
    for (Object* const entry : entries)
      redirect_to_mode_label(step, *entry, "valueProvider", "valueProvider", references);
  }
}

void label_switches(Step& step) {
  std::size_t modes = 0;
  for (Object* const root : roots_in_order(step.model)) {
    const IteaReferences references(step.model);
    std::vector<Object*> switches, entries;  // in their order
    std::vector<Object*> left{root};
    while (!left.empty()) {
      Object& object = *left.back();
      left.pop_back();
      if (object.is("ModeSwitch")) switches.push_back(&object);
      if (object.is("ModeSwitchEntry")) entries.push_back(&object);
      for (std::size_t i = object.children().size(); i-- > 0;) left.push_back(object.children()[i].get());
    }
    for (Object* const mode_switch : switches)
      redirect_to_mode_label(step, *mode_switch, "label", "valueProvider", references);
    const std::string name = fmt::format("mode_sw_{}_migration_generated", modes);
    if (make_literals(step, *root, entries, name, references)) ++modes;
  }
}

void initial_values(Step& step) {
  for (Object* const label : step.objects_of("Label")) step.keep_field(*label, "initialValue");
}

}  // namespace amalthea::migration
