// SPDX-License-Identifier: Apache-2.0
// 2.2.0 → 3.0.0: one kind of switches and conditions, data types by reference.

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

// ---- types of labels and channels

struct Typed {
  std::string_view cls, feature;
};

constexpr Typed typed[] = {{"Label", "dataType"}, {"Channel", "elementType"}};

bool name_taken(const Step& step, std::string_view name) {
  for (const std::string_view cls : {"DataTypeDefinition", "BaseTypeDefinition"})
    for (const Object* const definition : step.objects_of(cls))
      if (definition->name() == name) return true;
  return false;
}

/// A definition for a type that was written in place of a reference.
void define_type(Step& step, Object& owner, std::string_view feature, Object& type) {
  std::string name = fmt::format("{}_{}", owner.name(), feature);
  for (std::size_t number = 2; name_taken(step, name); ++number)
    name = fmt::format("{}_{}_{}", owner.name(), feature, number);
  Object& definition = step.part(owner, "swModel", "SWModel").create("typeDefinitions", "DataTypeDefinition");
  definition.set("name", name);
  step.move(type, definition, "dataType");
  owner.add_reference(feature, step.id(definition), &definition);
}

void types_by_reference(Step& step) {
  for (const Typed& one : typed)
    for (Object* const owner : step.objects_of(one.cls)) {
      Object* const type = owner->child(one.feature);
      if (type == nullptr) continue;
      step.changed(*owner);
      const auto targets = type->references("typeDef");
      if (!type->is("TypeRef") || targets.empty()) {
        if (type->is("TypeRef"))
          step.keep_child(*owner, *type);  // without type
        else
          define_type(step, *owner, one.feature, *type);
        continue;
      }
      const Field target = targets.front();
      for (OwnedObject& property : type->take_all("customProperties"))
        owner->add("customProperties", std::move(property));
      step.drop(*type, {"typeDef"});
      owner->add_reference_like(one.feature, target);
    }
}

void types_by_reference_back(Step& step) {
  for (const Typed& one : typed)
    for (Object* const owner : step.objects_of(one.cls)) {
      const auto targets = owner->references(one.feature);
      if (targets.empty()) continue;
      const Field target = targets.front();
      owner->unset(one.feature);
      Object& type = owner->create(one.feature, "TypeRef");
      type.add_reference_like("typeDef", target);
      step.changed(*owner);
    }
}

/// A semaphore is owned by default.
void ownership_back(Step& step) {
  for (Object* const semaphore : step.objects_of("Semaphore"))
    if (semaphore->attribute("ownership") == "true") {
      semaphore->unset("ownership");
      step.changed(*semaphore);
    }
}

// The reverse direction keeps switches and conditions: 2.2.0 also has the new classes.
constexpr Rule rules_to_3_0_0[] = {
    {"Switch is the new name of ModeSwitch",
     "Its entries and its default are renamed in the same way.",
     {{"ModeSwitch", "Switch"}, {"ModeSwitchEntry", "SwitchEntry"}, {"ModeSwitchDefault", "SwitchDefault"}},
     nullptr},
    {"mode conditions use general classes",
     "The classes are ConditionDisjunction and ConditionConjunction.",
     {{"ModeConditionDisjunction", "ConditionDisjunction"}, {"ModeConditionConjunction", "ConditionConjunction"}},
     nullptr},
    {"dataType is the new name of datatype",
     "This applies to component interfaces.",
     {{"datatype", "dataType", "MainInterface"}, {"datatype", "dataType", "SubInterface"}}},
    {"labels and channels refer to their type", "A type inside them becomes a DataTypeDefinition with their name.",
     types_by_reference, types_by_reference_back},
    {"semaphores state whether they are owned", "A semaphore that does not state it is owned.", nothing,
     ownership_back},
};

}  // namespace

StepRules to_3_0_0() { return {Version::v3_0_0, rules_to_3_0_0}; }

}  // namespace amalthea::migration
