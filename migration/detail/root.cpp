// SPDX-License-Identifier: Apache-2.0
#include "migration/detail/root.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace amalthea::migration {
namespace {

/// The feature of Amalthea for objects of this class: "swModel" for SWModel.
const Feature* part_feature(ClassId cls, Version version) {
  if (cls == no_class) return nullptr;
  const ClassId amalthea = metamodel::find_class("Amalthea").value();
  for (const Feature* const feature : metamodel::all_features(amalthea, version))
    if (feature->kind == FeatureKind::containment && feature->type == cls) return feature;
  return nullptr;
}

/// "//@osOverheads.0" → "//@osModel/@osOverheads.0".
std::string led_through(std::string_view position, std::string_view part) {
  return fmt::format("//@{}/{}", part, position.substr(2));
}

/// Adapts references by position to the new root: those of its file, and those that can only refer to its content.
void redirect_through_root(Step& step, const Object& root, const Feature& part) {
  step.model.for_each([&](Object& object) {
    for (Field& field : object.fields()) {
      if (field.kind == FieldKind::value) continue;
      const std::size_t at = field.kind == FieldKind::remote ? field.text.find('#') + 1 : 0;
      const std::string_view position = field.text.substr(at);
      if (!position.starts_with("//@")) continue;
      const std::string_view first = position.substr(3, position.find_first_of("./", 3) - 3);
      const bool inside = field.kind == FieldKind::local
                              ? &step.root_of(object) == &root
                              : metamodel::find_feature(part.type, first, step.from.version) != nullptr;
      if (inside)
        field.text = step.model.keep(std::string(field.text.substr(0, at)) + led_through(position, part.name));
    }
  });
}

}  // namespace

void contain_roots(Step& step) {
  for (const EditableModel::File& file : step.model.files()) {
    Object& root = *file.root;
    const Feature* const feature = part_feature(root.cls(), step.from.version);
    if (feature == nullptr) continue;
    redirect_through_root(step, root, *feature);
    std::vector<OwnedObject> content;
    while (!root.children().empty()) content.push_back(root.take(*root.children().back()));
    root.set_class("Amalthea");
    Object& part = root.create(feature->name, feature->type);
    part.fields() = std::exchange(root.fields(), {});
    for (std::size_t i = content.size(); i-- > 0;) {
      const std::string name(content[i]->feature());
      part.add(name, std::move(content[i]));
    }
    step.changed(root);
  }
}

}  // namespace amalthea::migration
