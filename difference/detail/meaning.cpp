// SPDX-License-Identifier: Apache-2.0
#include "difference/detail/meaning.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "amalthea/attribute_value.hpp"
#include "amalthea/identifier.hpp"
#include "amalthea/quantity.hpp"

namespace amalthea::difference::detail {
namespace {

/// Lists whose order has a meaning; every other list is a set.
constexpr std::array<std::string_view, 22> ordered_features = {
    "items",          "calls",        "graphEntries", "runnableItems", "deploymentItems", "entries",
    "segments",       "pathElements", "accessPath",   "latencies",     "occurrenceTimes", "timestamps",
    "runtimes",       "runnables",    "processes",    "callSequences", "runnableCalls",   "chainedPrototypes",
    "runnableGroups", "values",       "parameters",   "arguments"};

/// What only serves the file.
constexpr std::array<std::string_view, 4> of_the_file = {"xmi:id", "xmi:version", "xsi:schemaLocation", "href"};

/// An integer times a unit, exactly: bits are not rounded to bytes here. `eight`: eight of the unit.
std::optional<std::string> exact(std::string_view value, const Parsed<std::int64_t>& eight) {
  const auto count = parse_integer(value);
  if (!count || !eight) return std::nullopt;
  std::int64_t product = 0;
  if (__builtin_mul_overflow(*count, *eight, &product)) return std::nullopt;
  return std::to_string(product);
}

}  // namespace

Part part_of(std::string_view sub_model) {
  if (sub_model == "swModel" || sub_model == "componentsModel") return Part::software;
  if (sub_model == "mappingModel") return Part::mapping;
  if (sub_model == "stimuliModel") return Part::stimuli;
  if (sub_model == "hwModel") return Part::hardware;
  if (sub_model == "constraintsModel" || sub_model == "propertyConstraintsModel") return Part::constraints;
  return Part::rest;
}

const Feature* Meaning::feature(ClassId cls, std::string_view name) {
  if (cls == no_class) return nullptr;
  std::string key = fmt::format("{} ", static_cast<unsigned>(cls));
  key += name;
  const auto found = features_.find(key);
  if (found != features_.end()) return found->second;
  const Feature* known = metamodel::find_feature_any_version(cls, name, version_);
  features_.emplace(std::move(key), known);
  return known;
}

std::optional<std::string> Meaning::value(const Object& object, const Field& field) {
  const std::string_view name = object.model().name(field.name);
  if (std::find(of_the_file.begin(), of_the_file.end(), name) != of_the_file.end()) return std::nullopt;
  if (name == "name") return std::string(field.text);
  const Feature* known = feature(object.cls(), name);
  if (known == nullptr || known->kind != FeatureKind::attribute) return std::string(field.text);
  auto written = written_value(*known, version_, field.text);
  if (!written) return std::string(field.text);
  if (written == default_value(*known, version_)) return std::nullopt;
  return written;
}

std::optional<std::string> Meaning::value_or_default(const Object& object, std::string_view name) {
  const auto wanted = object.model().find_name(name);
  if (wanted)
    for (const Field& field : object.fields())
      if (field.name == *wanted && field.kind == FieldKind::value)
        if (auto meant = value(object, field)) return meant;
  const Feature* known = feature(object.cls(), name);
  if (known == nullptr || known->kind != FeatureKind::attribute) return std::nullopt;
  return default_value(*known, version_);
}

std::optional<std::string> Meaning::quantity(const Object& object) const {
  if (!object.children().empty()) return std::nullopt;
  const std::string_view name = object.class_name();
  const std::string_view value = object.attribute_or("value", "0"), unit = object.attribute_or("unit", "");
  if (name == "Time") {
    const auto time = parse_time(value, unit);
    return time ? std::optional(std::to_string(time->picoseconds())) : std::nullopt;
  }
  if (name == "Frequency") {
    const auto count = parse_double(value);
    const auto one = parse_frequency("1", unit);
    return count && one ? std::optional(java_real(*count * static_cast<double>(one->millihertz()), false))
                        : std::nullopt;
  }
  if (name == "DataSize") return exact(value, parse_data_size("8", unit).map([](DataSize size) { return size.bytes; }));
  if (name == "DataRate")
    return exact(value, parse_data_rate("8", unit).map([](DataRate rate) { return rate.bytes_per_second; }));
  return std::nullopt;
}

bool Meaning::is_referable(ClassId cls) const {
  return cls != no_class && metamodel::is_referable_any_version(cls, version_);
}

bool Meaning::is_many(const Object& owner, std::string_view name) {
  const Feature* known = feature(owner.cls(), name);
  return known == nullptr || known->many();
}

bool Meaning::is_ordered(const Object& owner, std::string_view name) const {
  // The runnables of a model, and the processes of a group, are sets.
  if ((name == "runnables" || name == "processes") && !owner.is("RunnableEntityGroup") && !owner.is("ProcessChain"))
    return false;
  if (name == "values" && owner.is("MapObject")) return false;
  return std::find(ordered_features.begin(), ordered_features.end(), name) != ordered_features.end();
}

bool Meaning::is_required(const Object& object, std::string_view name) {
  const Feature* known = feature(object.cls(), name);
  return known != nullptr && known->kind == FeatureKind::reference && known->required();
}

bool Meaning::is_key(const Object& object, std::string_view name) {
  // What is allocated stays the same object with another scheduler.
  const bool says_where = (name == "scheduler" && !object.is("SchedulerAllocation")) || name == "controller";
  return name == "key" || (is_required(object, name) && !says_where);
}

std::string Meaning::target_id(const Field& field) {
  return field.kind == FieldKind::remote ? id_of_href(field.text) : std::string(field.text);
}

std::string Meaning::target_name(const Field& field) const {
  const std::string id = target_id(field);
  if (const auto type = id.find("?type="); type != std::string::npos) return decode_name(id.substr(0, type));
  if (field.target != nullptr)
    return field.target->name().empty() ? field.target->path() : std::string(field.target->name());
  return id;
}

std::string Meaning::targets_text(const std::vector<Field>& targets) const {
  std::string text;
  for (const Field& field : targets) text += fmt::format("{}{}", text.empty() ? "" : ", ", target_name(field));
  return text;
}

std::string Meaning::key_text(const Object& object) {
  for (const Field& field : object.fields()) {
    const std::string_view name = object.model().name(field.name);
    if (is_key(object, name)) return field.kind == FieldKind::value ? std::string(field.text) : target_name(field);
  }
  return {};
}

std::string Meaning::brief(const Object& object) {
  if (quantity(object)) {
    const std::string_view unit = object.attribute_or("unit", "");
    return fmt::format("{}{}{}", object.attribute_or("value", "0"), unit.empty() ? "" : " ", unit);
  }
  if (!object.name().empty() && is_referable(object.cls()))
    return fmt::format("{} {}", object.class_name(), object.name());
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  };
  for (const Field& field : object.fields()) {
    const std::string_view name = object.model().name(field.name);
    if (field.kind != FieldKind::value)
      add(name, target_name(field));
    else if (const auto meant = value(object, field))
      add(name, *meant);
  }
  for (const OwnedObject& child : object.children()) add(child->feature(), brief(*child));
  constexpr std::size_t longest = 160;
  if (text.size() > longest) {
    std::size_t end = longest;  // not within a character
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end) + "…";
  }
  return fmt::format("{}({})", object.class_name(), text);
}

std::size_t Meaning::index_among_siblings(const Object& object) {
  if (const auto known = indices_.find(&object); known != indices_.end()) return known->second;
  std::unordered_map<std::string_view, std::size_t> counts;
  for (const OwnedObject& child : object.owner()->children()) indices_.emplace(child.get(), counts[child->feature()]++);
  return indices_.at(&object);
}

std::string Meaning::owner_text(const Object& object) {
  if (object.owner() == nullptr) return {};
  const auto [subject, place] = subject_and_place(*object.owner());
  return place.empty() ? subject : fmt::format("{}, {}", subject, place);
}

std::pair<std::string, std::string> Meaning::subject_and_place(const Object& object) {
  std::string place;
  const Object* at = &object;
  for (; at->owner() != nullptr; at = at->owner()) {
    if (!at->name().empty() && is_referable(at->cls()))
      return {fmt::format("{} {}", at->class_name(), at->name()), place};
    const bool of_sub_model = at->owner()->owner() != nullptr && at->owner()->owner()->owner() == nullptr;
    if (of_sub_model)
      if (const std::string key = key_text(*at); !key.empty())
        return {fmt::format("{} of {}", at->class_name(), key), place};
    std::string step(at->feature());
    if (is_many(*at->owner(), at->feature())) {
      if (const std::string key =
              at->is("CustomProperty") || at->feature() == "schedulingParameters" ? key_text(*at) : "";
          !key.empty()) {
        step += fmt::format("[{}]", key);
      } else {
        step += fmt::format("[{}]", index_among_siblings(*at));
      }
    }
    place = place.empty() ? step : fmt::format("{}/{}", step, place);
  }
  return {std::string(at->class_name()), place};
}

}  // namespace amalthea::difference::detail
