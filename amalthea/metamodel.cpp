// SPDX-License-Identifier: Apache-2.0
#include "amalthea/metamodel.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace amalthea {
namespace {

using namespace std::string_view_literals;

#include "metamodel_tables.inc"

static_assert(std::size(version_names) == version_count,
              "enum class Version and metamodel.txt list different versions");

constexpr std::array<Version, version_count> make_versions() {
  std::array<Version, version_count> result{};
  for (std::size_t at = 0; at < version_count; ++at) result[at] = static_cast<Version>(at);
  return result;
}

constexpr std::array<Version, version_count> versions = make_versions();

/// The tables are in the order of names, compared byte by byte.
template <typename Info, std::size_t count>
const Info* find_by_name(const Info (&infos)[count], std::string_view name) {
  const Info* const found = std::lower_bound(std::begin(infos), std::end(infos), name,
                                             [](const Info& one, std::string_view text) { return one.name < text; });
  return found != std::end(infos) && found->name == name ? found : nullptr;
}

std::span<const ClassId> classes_in(std::span<const ClassRange> ranges, Version version) {
  for (const ClassRange& range : ranges) {
    if (range.versions.contains(version)) return range.classes;
  }
  return {};
}

}  // namespace

std::string_view to_string(Version version) { return version_names[static_cast<std::size_t>(version)]; }

std::optional<Version> parse_version(std::string_view text) {
  const auto* const found = std::find(std::begin(version_names), std::end(version_names), text);
  if (found == std::end(version_names)) return std::nullopt;
  return static_cast<Version>(found - std::begin(version_names));
}

std::span<const Version> all_versions() { return versions; }

std::string namespace_uri(Version version) {
  return std::string("http://app4mc.eclipse.org/amalthea/").append(to_string(version));
}

std::vector<std::string_view> EnumInfo::literals_in(Version version) const {
  std::vector<std::string_view> result;
  for (const EnumLiteral& literal : literals) {
    if (literal.versions.contains(version)) result.push_back(literal.text);
  }
  return result;
}

bool EnumInfo::has_literal(std::string_view text, Version version) const {
  return std::any_of(literals.begin(), literals.end(), [&](const EnumLiteral& literal) {
    return literal.text == text && literal.versions.contains(version);
  });
}

std::string_view EnumInfo::default_literal(Version version) const {
  for (const EnumLiteral& literal : literals) {
    if (literal.versions.contains(version)) return literal.text;
  }
  return {};
}

const DataTypeForm* DataTypeInfo::form_in(Version version) const {
  for (const DataTypeForm& form : forms) {
    if (form.versions.contains(version)) return &form;
  }
  return nullptr;
}

namespace metamodel {

std::span<const ClassInfo> classes() { return class_infos; }

std::span<const EnumInfo> enums() { return enum_infos; }

std::span<const DataTypeInfo> data_types() { return data_type_infos; }

std::optional<ClassId> find_class(std::string_view name) {
  const ClassInfo* const found = find_by_name(class_infos, name);
  if (found == nullptr) return std::nullopt;
  return found->id;
}

const ClassInfo& info(ClassId id) { return class_infos[static_cast<std::size_t>(id)]; }

bool exists(ClassId id, Version version) { return info(id).versions.contains(version); }

bool is_abstract(ClassId id, Version version) { return info(id).abstract_in.contains(version); }

std::span<const ClassId> supertypes(ClassId id, Version version) { return classes_in(info(id).supertypes, version); }

std::span<const ClassId> lineage(ClassId id, Version version) { return classes_in(info(id).lineages, version); }

bool is_a(ClassId sub, ClassId super, Version version) {
  const std::span<const ClassId> all = lineage(sub, version);
  return std::find(all.begin(), all.end(), super) != all.end();
}

bool is_referable(ClassId id, Version version) {
  static const ClassId referable = find_class("IReferable").value();
  return is_a(id, referable, version);
}

const Feature* find_feature(ClassId id, std::string_view name, Version version) {
  for (const ClassId one : lineage(id, version)) {
    for (const Feature& feature : info(one).features) {
      if (feature.name == name && feature.versions.contains(version)) return &feature;
    }
  }
  return nullptr;
}

bool is_referable_any_version(ClassId id, Version nearest_to) {
  const int start = static_cast<int>(nearest_to);
  const int count = static_cast<int>(version_count);
  for (int distance = 0; distance < count; ++distance)
    for (const int at : {start - distance, start + distance})
      if (at >= 0 && at < count && exists(id, static_cast<Version>(at)))
        return is_referable(id, static_cast<Version>(at));
  return false;
}

const Feature* find_feature_any_version(ClassId id, std::string_view name, Version nearest_to) {
  const int start = static_cast<int>(nearest_to);
  const int count = static_cast<int>(version_count);
  for (int distance = 0; distance < count; ++distance) {
    for (const int at : {start - distance, start + distance}) {
      if (at < 0 || at >= count) continue;
      const Feature* const found = find_feature(id, name, static_cast<Version>(at));
      if (found != nullptr) return found;
    }
  }
  return nullptr;
}

std::vector<const Feature*> all_features(ClassId id, Version version) {
  std::vector<const Feature*> result;
  for (const ClassId one : lineage(id, version)) {
    for (const Feature& feature : info(one).features) {
      if (feature.versions.contains(version)) result.push_back(&feature);
    }
  }
  return result;
}

const EnumInfo* find_enum(std::string_view name) { return find_by_name(enum_infos, name); }

const EnumInfo& info(EnumId id) { return enum_infos[static_cast<std::size_t>(id)]; }

const DataTypeInfo* find_data_type(std::string_view name) { return find_by_name(data_type_infos, name); }

const DataTypeInfo& info(DataTypeId id) { return data_type_infos[static_cast<std::size_t>(id)]; }

}  // namespace metamodel
}  // namespace amalthea
