// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/properties.hpp"

#include <limits>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/identifier.hpp"
#include "amalthea/primitives/ascii.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/quantities.hpp"

namespace amalthea {
namespace {

/// Id of the definition that is the key of a scheduling parameter; "" for a parameter without key (up to 1.2.0).
std::string key_of(Element parameter) {
  if (const auto key = parameter.attribute("key")) return std::string(*key);
  const Element elsewhere = parameter.child("key");
  return elsewhere ? id_of_href(elsewhere.attribute_or("href", "")) : std::string{};
}

}  // namespace

std::string without_extended(std::string name) {
  constexpr std::string_view extended = "extended: ";
  if (name.starts_with(extended)) name.erase(0, extended.size());
  return name;
}

std::string value_text(Element value) {
  std::string text(value.attribute_or("value", ""));
  if (const auto unit = value.attribute("unit")) text.append(" ").append(*unit);
  return text;
}

std::optional<Parameter> custom_property(Element element, std::string_view key) {
  for (const Element property : element.children())
    if (property.tag() == "customProperties" && property.attribute_or("key", "") == key)
      if (const Element value = property.child("value")) return Parameter{std::string(key), value_text(value), value};
  return std::nullopt;
}

std::vector<Parameter> scheduling_parameters(const Model& model, Element container) {
  std::vector<Parameter> found;
  const auto collect = [&](Element from) {
    for (const Element child : from.children()) {
      if (child.tag() == "parameterExtensions" || child.tag() == "parameter") {
        found.push_back(
            {std::string(child.attribute_or("key", "")), std::string(child.attribute_or("value", "")), child});
      } else if (child.tag() == "schedulingParameters") {
        if (const std::string key = key_of(child); !key.empty()) {
          // An id that is not made of the name, or a path, does not state it.
          const Element definition = model.reference(child, "key");
          const bool named = definition && !definition.name().empty();
          const std::string name = without_extended(named ? std::string(definition.name()) : name_of_id(key));
          for (const Element value : child.children("value")) found.push_back({name, value_text(value), value});
        } else {
          if (const auto priority = child.attribute("priority"))
            found.push_back({"priority", std::string(*priority), child});
          for (const Element time : child.children())
            found.push_back({std::string(time.tag()), value_text(time), time});
        }
      }
    }
  };
  collect(container);
  if (const Element algorithm = container.child("schedulingAlgorithm")) {
    if (const auto quant = algorithm.attribute("quantSizeNs"))
      found.push_back({"quantSizeNs", std::string(*quant), algorithm});
    collect(algorithm);
  }
  return found;
}

std::string scheduling_algorithm(const Model& model, Element scheduler) {
  if (const Element algorithm = scheduler.child("schedulingAlgorithm")) return std::string(algorithm.class_name());
  if (const Element definition = model.reference(scheduler, "definition")) return std::string(definition.name());
  return {};
}

std::string name_of_id(std::string_view id) {
  std::string_view path = id.substr(0, id.find("?type="));
  return decode_name(path.substr(path.rfind('/') + 1));
}

}  // namespace amalthea

namespace amalthea::views {
namespace {

/// An unreadable value is reported and left empty.
void unreadable(PropertyValue& value, const std::string& expected, Diagnostics& diagnostics) {
  diagnostics.add("AM0214", Severity::error,
                  fmt::format("\"{}\" is not {}, which the value of a {} must be",
                              value.element.attribute_or("value", ""), expected, value.element.class_name()),
                  value.element.attribute_location("value"), value.element.path());
}

template <typename T>
void read_integer(PropertyValue& value, std::string_view text, Diagnostics& diagnostics) {
  const auto integer = parse_integer(text);
  if (integer && *integer >= std::numeric_limits<T>::min() && *integer <= std::numeric_limits<T>::max())
    value.value = static_cast<T>(*integer);
  else
    unreadable(value, fmt::format("an integer of {} bits", sizeof(T) * 8), diagnostics);
}

bool is_integer(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

PropertyReference reference_of(const Model& model, Element value) {
  PropertyReference reference;
  reference.id = value.attribute_or("value", "");
  if (const Element child = value.child("value"); child && reference.id.empty())
    reference.id = child.attribute_or("href", "");
  reference.target = model.reference(value, "value");
  return reference;
}

}  // namespace

PropertyValue value_of(const Model& model, Element element, Diagnostics& diagnostics) {
  PropertyValue value;
  value.element = element;
  if (!element) return value;
  const std::string_view cls = element.class_name();
  const std::string_view text = element.attribute_or("value", "");
  if (cls == "StringObject") {
    value.value = std::string(text);
  } else if (cls == "IntegerObject") {
    read_integer<std::int32_t>(value, element.attribute_or("value", "0"), diagnostics);
  } else if (cls == "LongObject") {
    read_integer<std::int64_t>(value, element.attribute_or("value", "0"), diagnostics);
  } else if (cls == "BigIntegerObject") {
    const std::string_view digits = element.attribute_or("value", "0");
    if (is_integer(digits))
      value.value = BigInteger{std::string(digits)};
    else
      unreadable(value, "an integer", diagnostics);
  } else if (cls == "FloatObject" || cls == "DoubleObject") {
    const auto number = parse_double(element.attribute_or("value", "0"));
    if (!number)
      unreadable(value, "a number", diagnostics);
    else if (cls == "FloatObject")
      value.value = static_cast<float>(*number);
    else
      value.value = *number;
  } else if (cls == "BooleanObject") {
    value.value = equal_ignoring_case(text, "true");
  } else if (cls == "Time" || cls == "TimeObject" || cls == "SignedTimeObject") {
    if (const auto time = time_of(element, diagnostics)) value.value = *time;
  } else if (cls == "ReferenceObject") {
    value.value = reference_of(model, element);
  } else if (cls == "ListObject") {
    PropertyList list;
    for (const Element child : element.children("values")) list.values.push_back(value_of(model, child, diagnostics));
    value.value = std::move(list);
  } else if (cls == "MapObject") {
    PropertyMap map;
    for (const Element entry : element.children("entries")) {
      map.keys.emplace_back(entry.attribute_or("key", ""));
      map.values.push_back(value_of(model, entry.child("value"), diagnostics));
    }
    value.value = std::move(map);
  }
  return value;
}

}  // namespace amalthea::views
