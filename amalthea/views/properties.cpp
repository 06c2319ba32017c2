#include "amalthea/views/properties.hpp"

#include "amalthea/identifier.hpp"

namespace amalthea {
namespace {

std::string value_text(Element value) {
  std::string text(value.attribute_or("value", ""));
  if (const auto unit = value.attribute("unit")) text.append(" ").append(*unit);
  return text;
}

std::string without_extended(std::string name) {
  constexpr std::string_view extended = "extended: ";
  return name.starts_with(extended) ? name.substr(extended.size()) : name;
}

}  // namespace

std::optional<Parameter> custom_property(Element element, std::string_view key) {
  for (const Element property : element.children())
    if (property.tag() == "customProperties" && property.attribute_or("key", "") == key)
      if (const Element value = property.child("value")) return Parameter{std::string(key), value_text(value), value};
  return std::nullopt;
}

std::vector<Parameter> scheduling_parameters(Element container) {
  std::vector<Parameter> found;
  const auto collect = [&found](Element from) {
    for (const Element child : from.children()) {
      if (child.tag() == "parameterExtensions") {
        found.push_back(
            {std::string(child.attribute_or("key", "")), std::string(child.attribute_or("value", "")), child});
      } else if (child.tag() == "schedulingParameters") {
        if (const auto key = child.attribute("key")) {
          if (const Element value = child.child("value"))
            found.push_back({without_extended(name_of_id(*key)), value_text(value), value});
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
  if (const Element algorithm = container.child("schedulingAlgorithm")) collect(algorithm);
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
