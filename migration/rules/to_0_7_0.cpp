// SPDX-License-Identifier: Apache-2.0
// ITEA 1.3.0 → 0.7.0, the first release of APP4MC: one package instead of twelve. Reading has already replaced merely
// renamed things ("isBuffered", sw:Periodic, mem); see amalthea/primitives/itea.hpp.

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "migration/detail/itea_reference.hpp"
#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

// ---- references

/// "default.amxmi-os#_x0y" → "amlt:/#_x0y": since 0.7.0 files are not named. Other files ("interfaces.fidl#…") are
/// kept.
std::string without_file(std::string_view address) {
  const std::size_t hash = address.find('#');
  if (hash == std::string_view::npos || address.substr(0, hash).find(".amxmi") == std::string_view::npos)
    return std::string(address);
  return std::string(any_file).append(address.substr(hash + 1));
}

void references_without_package(Step& step) {
  const IteaReferences references(step.model);
  // By name if the target has a unique one.
  const auto address = [&](const Object& holder, const Field& field) {
    const Object* const target = references.find(holder, field.text);
    return target != nullptr && references.is_named(*target) ? std::string(any_file).append(step.id(*target))
                                                             : without_file(field.text);
  };
  step.model.for_each([&](Object& object) {
    for (Field& field : object.fields()) {
      if (field.kind == FieldKind::value) continue;
      const std::string text =
          without_package(field.kind == FieldKind::remote ? address(object, field) : std::string(field.text));
      if (text == field.text) continue;
      step.changed(object, fmt::format("{} → {}", field.text, text));
      field.text = step.model.keep(text);
      const std::size_t mark = text.rfind(type_mark);
      if (field.target_class != no_class && mark != std::string::npos)
        field.target_class = metamodel::find_class(text.substr(mark + type_mark.size())).value_or(field.target_class);
    }
  });
}

// ---- components

void franca_interfaces(Step& step) {
  for (Object* const port : step.objects_of("FInterfacePort")) {
    Object* const interface = port->child("interface");
    if (interface == nullptr || interface->cls() != no_class) continue;
    const auto href = interface->attribute("href");
    if (!href) continue;
    const std::string address(*href);
    step.drop(*interface, {"href", "xsi:type"});
    step.keep_as(*port, "Franca interface", address);
  }
}

// ---- hardware

/// A value of a hardware attribute, and the object that contains such a value in a custom property.
struct ValueClass {
  std::string_view before, after;
};
constexpr ValueClass value_classes[] = {
    {"BoolValue", "BooleanObject"},   {"CharValue", "StringObject"}, {"DoubleValue", "DoubleObject"},
    {"FeatureTypes", "StringObject"}, {"IntValue", "IntegerObject"}, {"LongValue", "LongObject"},
    {"StrValue", "StringObject"},
};

/// "hw:BoolValue" → "BoolValue" with its object.
const ValueClass* value_class(const Object& value) {
  std::string_view type = value.attribute_or("xsi:type", "");
  type.remove_prefix(type.find(':') + 1);
  for (const ValueClass& known : value_classes)
    if (known.before == type) return &known;
  return nullptr;
}

/// "97" → "a": characters were written as numbers. Anything outside the range of Java's char is kept.
std::string character(std::string_view number) {
  unsigned code = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), code);
  if (error != std::errc{} || end != number.data() + number.size() || code < 0x20 || code > 0xFFFF ||
      (code >= 0xD800 && code <= 0xDFFF))
    return std::string(number);
  std::string text;
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6U));
    text += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    text += static_cast<char>(0xE0U | (code >> 12U));
    text += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    text += static_cast<char>(0x80U | (code & 0x3FU));
  }
  return text;
}

/// All values of `owner` in the feature; "attribute#ft1", "feature#FeatureTypes#ft2" are APP4MC's keys, with "null" for
/// no name.
void values_to_properties(Step& step, Object& owner, std::string_view feature, std::string_view prefix) {
  for (Object* const value : owner.children(feature)) {
    const ValueClass* const cls = value->cls() == no_class ? value_class(*value) : nullptr;
    if (cls == nullptr) continue;
    const bool special = cls->before == "FeatureTypes";
    Object& property = owner.create("customProperties", "CustomProperty");
    property.set("key",
                 fmt::format("{}#{}{}", prefix, special ? "FeatureTypes#" : "", value->attribute_or("name", "null")));
    Object& held = property.create("value", cls->after);
    if (const auto text = value->attribute("value"))
      held.set("value", cls->before == "CharValue" ? character(*text) : std::string(*text));
    step.changed(owner, property.attribute_or("key", ""));
    step.drop(*value, {"name", "value", "xsi:type"});
  }
}

void hardware_values(Step& step) {
  Objects owners;
  step.model.for_each([&](Object& object) {
    if (object.cls() != no_class && (object.child("attribute") != nullptr || object.child("features") != nullptr))
      owners.push_back(&object);
  });
  for (Object* const owner : owners) {
    values_to_properties(step, *owner, "attribute", "attribute");
    values_to_properties(step, *owner, "features", "feature");
  }
}

// ---- mapping

/// The reference `before`, which 0.7.0 does not know: as a reference, an attribute, or an element with an address.
std::optional<std::string> take_target(Step& step, Object& object, std::string_view before) {
  std::optional<std::string> target;
  if (const auto known = object.references(before); !known.empty()) {
    target = known.front().text;
    for (std::size_t i = 1; i < known.size(); ++i) step.keep(object, before, known[i].text);
  } else if (const auto token = object.attribute(before)) {
    target = *token;
  } else if (Object* const link = object.child(before); link != nullptr && link->cls() == no_class) {
    if (const auto href = link->attribute("href")) target = *href;
    if (target) step.drop(*link, {"href", "xsi:type"});
  }
  if (target) object.unset(before);
  return target;
}

/// Moves the target of `before` to `after`, by name if it has one.
void rename_target(Step& step, Object& object, std::string_view before, std::string_view after) {
  const auto written = take_target(step, object, before);
  if (!written) return;
  std::string text = without_package(without_file(*written));
  const bool remote = text.find('#') != std::string::npos;
  Field field{step.model.intern(after), remote ? FieldKind::remote : FieldKind::local, no_class, text};
  if (text.find(type_mark) == std::string::npos)
    if (const Object* const target = step.find(object, field); target != nullptr && !target->name().empty())
      text = std::string(remote ? any_file : "").append(step.id(*target));
  field.text = step.model.keep(text);
  object.fields().push_back(field);
}

void allocations(Step& step, std::string_view class_name, std::string_view process, std::string_view scheduler) {
  for (Object* const object : step.objects_of(class_name)) {
    if (object->owner() == nullptr || object->feature() != "processAllocation") continue;
    rename_target(step, *object, "process", process);
    rename_target(step, *object, "scheduler", scheduler);
    step.move(*object, *object->owner(), process == "task" ? "taskAllocation" : "isrAllocation");
    step.changed(*object);
  }
}

void task_allocations(Step& step) { allocations(step, "TaskAllocation", "task", "scheduler"); }

void isr_allocations(Step& step) { allocations(step, "ISRAllocation", "isr", "controller"); }

constexpr Rule rules_to_0_7_0[] = {
    {"references name a class without its package",
     "\"Speed?type=sw.Label\" becomes \"Speed?type=Label\", and \"os.amxmi#_x0y\" becomes \"amlt:/#_x0y\".",
     references_without_package},
    {"InterfaceKind is in lower case",
     "The kinds of a port, PROVIDES and REQUIRES, become provides and requires.",
     {{"PROVIDES", "provides", "FInterfacePort", "kind"}, {"REQUIRES", "requires", "FInterfacePort", "kind"}},
     nullptr},
    {"the Franca interface of a port is a custom property",
     "Ports no longer refer to Franca interfaces. The address becomes the custom property \"Franca interface\".",
     franca_interfaces},
    {"attributes and features of hardware are custom properties",
     "Hardware no longer has free attributes and features. They become \"attribute#NAME\" and \"feature#NAME\".",
     hardware_values},
    {"taskAllocation instead of processAllocation",
     "The allocation of a task names `task` and `scheduler` instead of `process` and `scheduler`.", task_allocations},
    {"isrAllocation instead of processAllocation",
     "The allocation of an ISR names `isr` and `controller` instead of `process` and `scheduler`.", isr_allocations},
};

}  // namespace

StepRules to_0_7_0() { return {Version::v0_7_0, rules_to_0_7_0}; }

}  // namespace amalthea::migration
