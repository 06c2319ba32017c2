// SPDX-License-Identifier: Apache-2.0
// 0.7.0 → 0.7.1: sizes and frequencies with units, references from content to sections, another form of mode switches.
// Constraints are in to_0_7_1_constraints.cpp.

#include <string>
#include <vector>

#include "amalthea/attribute_value.hpp"
#include "migration/detail/root.hpp"
#include "migration/detail/steps.hpp"
#include "migration/rules/to_0_7_1.hpp"

namespace amalthea::migration {
namespace {

// ---- sizes and frequencies

void number_bits(Step& step, Object& size) {
  if (size.attribute("numberBits")) {
    size.rename_feature("numberBits", "value");
    size.set("unit", "bit");
  }
  step.changed(size);
}

void sizes_with_unit(Step& step) {
  for (Object* const size : step.objects_of("DataUnit")) {
    if (size->owner() != nullptr && size->owner()->is("Section")) continue;
    step.set_class(*size, "DataSize");
    number_bits(step, *size);
  }
  // Old sizes in a file with a newer version.
  for (Object* const size : step.objects_of("DataSize"))
    if (size->attribute("numberBits")) number_bits(step, *size);
}

void sizes_in_bits(Step& step) {
  for (Object* const size : step.objects_of("DataSize")) {
    if (size->owner() == nullptr || size->owner()->is("MemoryType")) continue;
    const bool bits = size->attribute("unit") == "bit";
    if (!bits && size->attribute("value")) continue;
    step.set_class(*size, "DataUnit");
    size->unset("unit");
    size->rename_feature("value", "numberBits");
    step.changed(*size);
  }
}

/// An attribute becomes a child with that value, without a unit: none was stated.
void attribute_to_child(Step& step, std::string_view owner_class, std::string_view feature,
                        std::string_view child_class) {
  for (Object* const owner : step.objects_of(owner_class)) {
    const auto value = owner->attribute(feature);
    if (!value) continue;
    const std::string text(*value);
    owner->unset(feature);
    owner->create(feature, child_class).set("value", text);
    step.changed(*owner);
  }
}

void memory_sizes(Step& step) { attribute_to_child(step, "MemoryType", "size", "DataSize"); }

void memory_sizes_back(Step& step) {
  for (Object* const type : step.objects_of("MemoryType")) {
    Object* const size = type->child("size");
    if (size == nullptr || size->attribute("unit")) continue;
    const std::string value(size->attribute_or("value", "0"));
    step.drop(*size, {"value"});
    type->set("size", value);
    step.changed(*type);
  }
}

void quartz_frequencies(Step& step) { attribute_to_child(step, "Quartz", "frequency", "Frequency"); }

void quartz_frequencies_back(Step& step) {
  for (Object* const quartz : step.objects_of("Quartz")) {
    Object* const frequency = quartz->child("frequency");
    if (frequency == nullptr || frequency->attribute("unit")) continue;
    const auto value = parse_java_real(frequency->attribute_or("value", "0"));
    if (!value || !(*value >= -2147483648.0 && *value <= 2147483647.0)) continue;
    const auto whole = static_cast<int>(*value);
    if (static_cast<double>(whole) != *value) continue;
    step.drop(*frequency, {"value"});
    quartz->set("frequency", std::to_string(whole));
    step.changed(*quartz);
  }
}

// ---- sections

/// How others refer to a section: by its name, or by its xmi:id if that is all it has.
std::string section_id(const Step& step, const Object& section) {
  const auto id = section.attribute("xmi:id");
  return section.name().empty() && id ? std::string(*id) : step.id(section);
}

/// Everything listed in a section refers to its section instead; entries that cannot (missing, or in another section
/// already) are kept as properties.
void members_know_section(Step& step, Object& section, std::string_view list, std::string_view member_class) {
  const std::vector<Field> members = section.references(list);
  if (members.empty()) return;
  const std::string id = section_id(step, section);
  std::string rest;
  for (const Field& listed : members) {
    Object* const member = step.find(section, listed);
    if (member == nullptr || !member->is(member_class) || member->reference("section")) {
      rest.append(rest.empty() ? "" : " ").append(listed.text);
      continue;
    }
    if (&step.root_of(*member) == &step.root_of(section))
      member->add_reference("section", id, &section);
    else
      member->add_remote_reference("section", "amlt:/#" + id, no_class, &section);
    step.changed(*member);
  }
  section.unset(list);
  if (!rest.empty()) step.keep(section, list, rest);
}

void members_of_sections(Step& step) {
  for (Object* const section : step.objects_of("Section")) {
    members_know_section(step, *section, "labels", "Label");
    members_know_section(step, *section, "runEntities", "Runnable");
  }
}

void sections_know_members(Step& step, std::string_view list, std::string_view member_class) {
  for (Object* const member : step.objects_of(member_class)) {
    const auto references = member->references("section");
    if (references.empty()) continue;
    Object* const section = step.find(*member, references.front());
    if (section == nullptr) continue;
    member->unset("section");
    if (&step.root_of(*member) == &step.root_of(*section))
      section->add_reference(list, step.id(*member), member);
    else
      section->add_remote_reference(list, "amlt:/#" + step.id(*member), no_class, member);
    step.changed(*section);
  }
}

void members_of_sections_back(Step& step) {
  sections_know_members(step, "labels", "Label");
  sections_know_members(step, "runEntities", "Runnable");
}

void section_sizes(Step& step) {
  for (Object* const section : step.objects_of("Section"))
    for (Object* const size : section->children("size")) step.keep_child(*section, *size);
}

void section_mappings(Step& step) { keep_objects(step, "SectionMapping"); }

void section_mapping_constraints(Step& step) { keep_objects(step, "SectionMappingConstraint"); }

// ---- switches

void default_entries(Step& step) {
  for (Object* const mode_switch : step.objects_of("ModeSwitch"))
    for (Object* const entry : mode_switch->children("entries")) {
      const auto stated = entry->attribute("default");
      if (!stated) continue;
      const bool is_default = *stated == "true";
      if (!is_default && *stated != "false") step.keep_field(*entry, "default");  // no truth value
      entry->unset("default");
      if (!is_default) continue;
      if (mode_switch->child("defaultEntry") != nullptr) {
        step.altered(*entry, "this entry is no longer the default; only one entry can be, and another one is");
        continue;
      }
      step.keep_field(*entry, "value");
      step.set_class(*entry, "ModeSwitchDefault");
      step.move(*entry, *mode_switch, "defaultEntry");
      step.changed(*entry);
    }
}

void default_entries_back(Step& step) {
  for (Object* const entry : step.objects_of("ModeSwitchDefault")) {
    if (entry->owner() == nullptr || !entry->owner()->is("ModeSwitch")) continue;
    step.set_class(*entry, "ModeSwitchEntry");
    entry->set("default", "true");
    step.move(*entry, *entry->owner(), "entries");
    step.changed(*entry);
  }
}

void values_of_entries_back(Step& step) {
  for (Object* const entry : step.objects_of("ModeSwitchEntry")) {
    if (entry->references("values").size() != 1) continue;
    entry->rename_feature("values", "value");
    step.changed(*entry);
  }
}

constexpr Rule rules_to_0_7_1[] = {
    {"Amalthea is the root", "A sub-model that was the root of its file moves into an Amalthea object.", contain_roots},
    {"the size of a section is a custom property", "Sections are virtual and no longer have a size.", section_sizes},
    {"labels and runnables name their section",
     "A section no longer lists its labels and runnables. Each of them refers to its section.", members_of_sections,
     members_of_sections_back},
    {"mappings of sections are custom properties", "PhysicalSectionMapping now maps the content of a section.",
     section_mappings},
    {"mapping constraints of sections are custom properties",
     "PhysicalSectionConstraint now limits where a section may be.", section_mapping_constraints},
    {"DataSize instead of DataUnit", "The number of bits becomes a value with the unit bit.", sizes_with_unit,
     sizes_in_bits},
    {"the size of a memory type is a DataSize", "It keeps its value and has no unit, because none was stated.",
     memory_sizes, memory_sizes_back},
    {"the frequency of a quartz is a Frequency", "It keeps its value and has no unit, because none was stated.",
     quartz_frequencies, quartz_frequencies_back},
    {"entries of switches have items",
     "`graphEntries` of switch entries become `items`.",
     {{"graphEntries", "items", "ModeSwitchEntry"}, {"graphEntries", "items", "ProbabilitySwitchEntry"}}},
    {"the default entry of a mode switch is a feature of its own",
     "The first entry that is marked as default becomes the `defaultEntry`. Its value, which had no meaning, becomes a "
     "custom property.",
     default_entries, default_entries_back},
    {"entries of mode switches have several values",
     "`value` of an entry becomes the only one of its `values`.",
     {{"value", "values", "ModeSwitchEntry"}},
     values_of_entries_back},
    {"runnables of a sequencing constraint are in its groups",
     "A group has no entries and refers to the runnables itself. Other content of an entry becomes a custom property.",
     runnables_of_groups, runnables_of_groups_back},
    {"the grouping of a group of runnables is a custom property", "`groupingType` no longer exists.", grouping_types},
    {"constraints of schedulers are custom properties",
     "Pairing and separation constraints of schedulers no longer exist.", scheduler_constraints},
    {"order constraints are custom properties", "OrderConstraint no longer exists.", order_constraints},
    {"EventChainLatencyConstraint instead of age and reaction constraints",
     "One class with a type, Age or Reaction, replaces both.", latency_constraints, latency_constraints_back},
    {"EventSynchronizationConstraint is the new name of SynchronisationConstraint",
     "The version has a second such class for event chains.",
     {{"SynchronisationConstraint", "EventSynchronizationConstraint"}},
     synchronization_constraints_back},
    {"the mapping type of a delay constraint is Reaction", "The type did not exist before.", delay_mapping_types,
     delay_mapping_types_back},
};

}  // namespace

StepRules to_0_7_1() { return {Version::v0_7_1, rules_to_0_7_1}; }

}  // namespace amalthea::migration
