// SPDX-License-Identifier: Apache-2.0
// The hardware of a model in several files.

#include <algorithm>
#include <string>
#include <unordered_set>

#include <fmt/core.h>

#include "migration/rules/to_0_9_0.hpp"

namespace amalthea::migration::to_0_9_0_hardware {
namespace {

/// Content of a hardware model up to 0.8.3.
bool is_old(const Object& model) {
  constexpr std::string_view features[] = {"system",      "coreTypes", "memoryTypes", "networkTypes",
                                           "systemTypes", "ecuTypes",  "mcTypes",     "accessPaths"};
  return std::any_of(std::begin(features), std::end(features),
                     [&](std::string_view feature) { return model.child(feature) != nullptr; });
}

void collect_ids(const Step& step, const Object& object, std::unordered_set<std::string>& ids) {
  if (std::string id = step.id(object); !id.empty()) ids.insert(std::move(id));
  for (Object* const child : all_children(object)) collect_ids(step, *child, ids);
}

void collect_all(const Object& object, std::unordered_set<const Object*>& all) {
  all.insert(&object);
  for (Object* const child : all_children(object)) collect_all(*child, all);
}

}  // namespace

/// Structures, definitions and domains refer to each other, and access elements are in cores; so all files of a model
/// have their hardware in the first file with hardware.
void merge_models(Step& step) {
  const auto models = step.parts("hwModel");
  if (models.size() < 2 || std::none_of(models.begin(), models.end(), [](const Object* one) { return is_old(*one); }))
    return;
  Object& first = *models.front();
  std::unordered_set<std::string> moved_ids;
  std::unordered_set<const Object*> moved;
  for (std::size_t i = 1; i < models.size(); ++i) {
    Object& other = *models[i];
    step.changed(other, "moved to the hardware of the first file");
    while (!other.children().empty()) {
      Object& child = *other.children().front();
      collect_ids(step, child, moved_ids);
      collect_all(child, moved);
      child.move_to(first, child.feature());
    }
    step.drop(other);
  }
  std::unordered_set<std::string> first_ids;
  collect_ids(step, step.root_of(first), first_ids);
  step.model.for_each([&](Object& object) {
    const bool in_first = &step.root_of(object) == &step.root_of(first), was_moved = moved.contains(&object);
    for (Field& field : object.fields()) {
      const auto is = [](const std::unordered_set<std::string>& ids, std::string_view id) {
        return ids.contains(std::string(id));
      };
      if (field.kind == FieldKind::local) {
        const bool away = in_first ? was_moved && !is(first_ids, field.text) : is(moved_ids, field.text);
        if (!away) continue;
        const std::size_t type = field.text.rfind("?type=");
        if (type == std::string_view::npos) continue;  // by position
        field.target_class = metamodel::find_class(field.text.substr(type + 6)).value_or(no_class);
        field.text = step.model.keep(fmt::format("{}{}", any_file, field.text));
        field.kind = FieldKind::remote;
      } else if (field.kind == FieldKind::remote && in_first && field.text.starts_with(any_file) &&
                 is(first_ids, field.text.substr(any_file.size()))) {
        field.text = field.text.substr(any_file.size());
        field.kind = FieldKind::local;
        field.target_class = no_class;
      }
    }
  });
}

}  // namespace amalthea::migration::to_0_9_0_hardware
