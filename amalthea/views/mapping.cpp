// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/mapping.hpp"

#include <algorithm>

#include "amalthea/primitives/ascii.hpp"

namespace amalthea::views {
namespace {

/// The references of whichever of two features is written; the second one is the older.
std::vector<Element> either(const Model& model, Element element, std::string_view feature, std::string_view older) {
  auto found = model.references(element, feature);
  return found.empty() ? model.references(element, older) : found;
}

Element first_of(const std::vector<Element>& elements) { return elements.empty() ? Element{} : elements.front(); }

void read(const Model& model, Element element, Mapping& mapping) {
  const std::string_view cls = element.class_name();
  const auto reference = [&](std::string_view feature) { return model.reference(element, feature); };
  if (cls == "SchedulerAllocation" || cls == "CoreAllocation") {
    mapping.schedulers.push_back({element, reference("scheduler"), either(model, element, "responsibility", "core"),
                                  first_of(either(model, element, "executingPU", "executingCore"))});
  } else if (cls == "TaskAllocation") {
    mapping.tasks.push_back({element, reference("task"), reference("scheduler"),
                             either(model, element, "affinity", "coreAffinity"),
                             scheduling_parameters(model, element)});
    if (const Element task = mapping.tasks.back().task)
      mapping.task_allocation_of.add(task, static_cast<std::uint32_t>(mapping.tasks.size() - 1));
  } else if (cls == "ISRAllocation") {
    mapping.isrs.push_back(
        {element, reference("isr"), reference("controller"), integer_attribute(element, "priority")});
    if (const Element isr = mapping.isrs.back().isr)
      mapping.isr_allocation_of.add(isr, static_cast<std::uint32_t>(mapping.isrs.size() - 1));
  } else if (cls == "RunnableAllocation") {
    mapping.runnables.push_back({element, reference("entity"), reference("scheduler")});
  } else if (cls == "MemoryMapping" || cls == "AbstractElementMapping") {
    mapping.memory.push_back({element, reference("abstractElement"), reference("memory"),
                              address_attribute(element, "memoryPositionAddress")});
  } else if (cls == "PhysicalSectionMapping") {
    mapping.sections.push_back({element, model.references(element, "origin"), reference("memory"),
                                address_attribute(element, "startAddress"), model.references(element, "labels"),
                                model.references(element, "runEntities")});
  } else if (cls == "SectionMapping") {
    mapping.sections.push_back({element,
                                model.references(element, "section"),
                                reference("memory"),
                                address_attribute(element, "memoryPositionAddress"),
                                {},
                                {}});
  }
}

}  // namespace

Mapping mapping_of(const Model& model) {
  Mapping mapping;
  for_each_part(model, "MappingModel", [&](Element part) {
    // Nearly all of a large mapping is labels in memories; gradual growth would need twice the memory.
    for (const std::string_view tag : {"memoryMapping", "mapping"})
      mapping.memory.reserve(mapping.memory.size() + part.document().members(part, tag).size());
    for (const Element element : part.children()) read(model, element, mapping);
  });
  for (std::size_t i = mapping.memory.size(); i > 0; --i)  // the last of several mappings counts
    if (mapping.memory[i - 1].mapped && mapping.memory[i - 1].memory)
      mapping.memory_mapping_of.add(mapping.memory[i - 1].mapped, static_cast<std::uint32_t>(i - 1));
  return mapping;
}

std::vector<Parameter> default_parameters(const Model& model, const TaskAllocation& allocation) {
  const Element definition = allocation.scheduler ? model.reference(allocation.scheduler, "definition") : Element{};
  return default_parameters(model, definition, "processParameters", allocation.parameters);
}

std::vector<Parameter> default_parameters(const Model& model, Element definition, std::string_view feature,
                                          const std::vector<Parameter>& stated) {
  std::vector<Parameter> found;
  if (!definition) return found;
  for (const Element parameter : model.references(definition, feature)) {
    const Element value = parameter.child("defaultValue");
    const std::string name = without_extended(std::string(parameter.name()));
    const bool is_stated = std::any_of(stated.begin(), stated.end(),
                                       [&](const Parameter& one) { return equal_ignoring_case(one.name, name); });
    if (value && !is_stated) found.push_back({name, value_text(value), value});
  }
  return found;
}

std::optional<PriorityText> priority_of(Element task, const TaskAllocation& allocation) {
  for (const Parameter& parameter : allocation.parameters)
    if (equal_ignoring_case(parameter.name, "priority")) {
      // Up to 1.2.0 it is an attribute with that name; else the value of a parameter or of an extension.
      const std::string_view attribute = parameter.element.attribute("priority") ? "priority" : "value";
      return PriorityText{parameter.element.attribute_or(attribute, ""), parameter.element, attribute};
    }
  const auto own = task ? task.attribute("priority") : std::nullopt;
  const auto allocated = allocation.element ? allocation.element.attribute("priority") : std::nullopt;
  if (allocated && !(*allocated == "0" && own)) return PriorityText{*allocated, allocation.element, "priority"};
  if (own) return PriorityText{*own, task, "priority"};
  if (task)
    if (const auto kept = custom_property(task, "priority"))
      return PriorityText{kept->element.attribute_or("value", ""), kept->element, "value"};
  return std::nullopt;
}

MemoryFinder::MemoryFinder(const Model& model, const Mapping& mapping) : model_(&model), mapping_(&mapping) {
  for (std::uint32_t index = 0; index < mapping.sections.size(); ++index) {
    const PhysicalSectionMapping& section_mapping = mapping.sections[index];
    if (!section_mapping.memory) continue;
    for (const Element label : section_mapping.labels) listed_.add(label, index);
    for (const Element runnable : section_mapping.runnables) listed_.add(runnable, index);
    for (const Element section : section_mapping.sections) {
      sections_.add(section, index);
      for (const std::string_view feature : {"labels", "runEntities"})  // of a section, in 0.7.0
        for (const Element member : model.references(section, feature)) members_.add(member, index);
    }
  }
}

Element MemoryFinder::memory_of(Element element) const {
  if (const auto index = mapping_->memory_mapping_of.find(element)) return mapping_->memory[*index].memory;
  if (const auto index = listed_.find(element)) return mapping_->sections[*index].memory;
  if (const auto index = sections_.find(model_->reference(element, "section")))
    return mapping_->sections[*index].memory;
  if (const auto index = members_.find(element)) return mapping_->sections[*index].memory;
  return {};
}

}  // namespace amalthea::views
