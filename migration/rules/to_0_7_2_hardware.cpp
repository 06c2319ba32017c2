// SPDX-License-Identifier: Apache-2.0
// Hardware contained in property constraints, which are references now: core and memory types, cores and memories. It
// moves to the first hardware model, or to a new one.

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <fmt/core.h>

#include "migration/rules/to_0_7_2_parts.hpp"

namespace amalthea::migration::to_0_7_2_parts {
namespace {

Object& hardware_model(Step& step) {
  const Objects models = step.parts("hwModel");
  return models.empty() ? step.model.files().front().root->create("hwModel", "HWModel") : *models.front();
}

Object& child_of(Object& owner, std::string_view feature, std::string_view class_name, std::string_view name) {
  Object* found = nullptr;
  for (Object* const child : owner.children(feature))
    if (found == nullptr && child->name() == name) found = child;
  if (found != nullptr) return *found;
  Object& made = owner.create(feature, class_name);
  made.set("name", name);
  return made;
}

Object& system_of(Object& hardware) {
  if (Object* const system = hardware.child("system")) return *system;
  return child_of(hardware, "system", "HwSystem", "migration_gen_system");
}

/// The objects of a class in all hardware models, by name.
std::unordered_map<std::string, Object*> hardware_of(Step& step, std::string_view class_name) {
  std::unordered_map<std::string, Object*> found;
  for (Object* const object : step.objects_of(class_name)) {
    const Object* at = object;
    while (at->owner() != nullptr && at->owner()->owner() != nullptr) at = at->owner();
    if (at->feature() == "hwModel") found.emplace(object->name(), object);
  }
  return found;
}

bool is_unset(std::string_view value) { return value.empty() || value == "0" || value == "_undefined_"; }

/// Whether the first object contains everything that the second one states.
bool covers(const Object* known, const Object& other) {
  for (const Field& field : other.fields()) {
    const std::string_view name = other.model().name(field.name);
    if (field.kind == FieldKind::value && is_unset(field.text)) continue;
    if (known == nullptr) return false;
    const auto& fields = known->fields();
    if (std::none_of(fields.begin(), fields.end(),
                     [&](const Field& same) { return same.name == field.name && same.text.ends_with(field.text); }) &&
        name != "xmi:id")
      return false;
  }
  return std::all_of(other.children().begin(), other.children().end(), [&](const OwnedObject& child) {
    if (known == nullptr) return covers(nullptr, *child);
    const Objects candidates = known->children(child->feature());
    return std::any_of(candidates.begin(), candidates.end(),
                       [&](const Object* candidate) { return covers(candidate, *child); });
  });
}

void ids_below(const Step& step, const Object& object, std::unordered_set<std::string>& ids) {
  if (std::string id = step.id(object); !id.empty()) ids.insert(std::move(id));
  for (Object* const child : all_children(object)) ids_below(step, *child, ids);
}

template <typename Which>
void make_remote(Object& object, Which which) {
  for (Field& field : object.fields())
    if (field.kind == FieldKind::local && which(std::string(field.text))) {
      field.kind = FieldKind::remote;
      field.text = object.model().keep(fmt::format("{}{}", any_file, field.text));
    }
  for (Object* const child : all_children(object)) make_remote(*child, which);
}

/// Moves an object, possibly to another file; references from and to it stay valid.
void move_across(Step& step, Object& object, Object& owner, std::string_view feature) {
  Object& before = step.root_of(object);
  step.move(object, owner, feature);
  if (&before == &step.root_of(owner)) return;
  std::unordered_set<std::string> ids;
  ids_below(step, object, ids);
  make_remote(object, [&](const std::string& id) { return !ids.contains(id); });
  make_remote(before, [&](const std::string& id) { return ids.contains(id); });
}

/// Removes objects whose name already exists, after checking that both state the same.
void drop_or_keep(Step& step, Object& object, const Object* known) {
  Object& owner = *object.owner();
  if (covers(known, object))
    step.remove(object);
  else
    step.keep_child(owner, object);
}

void move_types(Step& step, std::string_view definitions, std::string_view class_name, std::string_view feature) {
  auto known = hardware_of(step, class_name);
  for (Object* const constraints : step.parts("propertyConstraintsModel"))
    for (Object* const type : constraints->children(definitions)) {
      step.changed(*type);
      if (const auto same = known.find(std::string(type->name())); same != known.end()) {
        drop_or_keep(step, *type, same->second);
        continue;
      }
      move_across(step, *type, hardware_model(step), feature);
      known.emplace(type->name(), type);
    }
}

template <typename Place>
void refer(Step& step, std::string_view property_class, std::string_view feature, std::string_view class_name,
           std::string_view hardware_feature, Place place) {
  auto known = hardware_of(step, class_name);
  for (Object* const property : step.objects_of(property_class)) {
    Object* const contained = property->child(feature);
    if (contained == nullptr) continue;
    const std::string name(contained->name());
    const std::string id = step.id(*contained);
    const auto same = known.find(name);
    step.changed(*property);
    if (name.empty()) {
      drop_or_keep(step, *contained, nullptr);
      continue;
    }
    if (same != known.end()) {
      drop_or_keep(step, *contained, same->second);
    } else {
      move_across(step, *contained, place(hardware_model(step)), hardware_feature);
      known.emplace(name, contained);
    }
    // Of several that have this name it means the one that the name means.
    if (&step.root_of(*known.at(name)) == &step.root_of(*property))
      property->add_reference(feature, id);
    else
      property->add_remote_reference(feature, fmt::format("{}{}", any_file, id));
  }
}

}  // namespace

void move_types_to_hardware(Step& step) {
  move_types(step, "coreTypeDefinitions", "CoreType", "coreTypes");
  move_types(step, "memoryTypeDefinitions", "MemoryType", "memoryTypes");
}

void refer_to_cores(Step& step) {
  refer(step, "HwCoreProperty", "core", "Core", "cores", [](Object& hardware) -> Object& {
    Object& ecu = child_of(system_of(hardware), "ecus", "ECU", "migration_gen_ecu");
    return child_of(ecu, "microcontrollers", "Microcontroller", "migration_gen_microcontroller");
  });
}

void refer_to_memories(Step& step) {
  refer(step, "HwMemoryProperty", "memory", "Memory", "memories",
        [](Object& hardware) -> Object& { return system_of(hardware); });
}

}  // namespace amalthea::migration::to_0_7_2_parts
