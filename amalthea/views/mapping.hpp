// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The mapping of a model of any version: which scheduler schedules which process, which units a scheduler is
/// responsible for, and which memory holds what. Entries hold the elements they name, in the order written; a reference
/// that is not set or has no target is an empty Element.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/views/attributes.hpp"
#include "amalthea/views/properties.hpp"

namespace amalthea::views {

/// SchedulerAllocation; CoreAllocation up to 0.8.0.
struct SchedulerAllocation {
  Element element;
  Element scheduler;
  std::vector<Element> responsibility;  ///< units (cores before 0.9.0)
  Element executing_unit;               ///< executingPU (executingCore before 0.9.0); since 0.8.1
};

struct TaskAllocation {
  Element element;
  Element task;
  Element scheduler;
  std::vector<Element> affinity;      ///< affinity (coreAffinity before 0.9.0); since 0.8.1
  std::vector<Parameter> parameters;  ///< scheduling_parameters(model, element); since 0.8.1
};

struct IsrAllocation {
  Element element;
  Element isr;
  Element controller;
  std::optional<std::int64_t> priority;  ///< since 0.7.2
};

struct RunnableAllocation {
  Element element;
  Element runnable;
  Element scheduler;
};

/// MemoryMapping; AbstractElementMapping before 0.8.0.
struct MemoryMapping {
  Element element;
  Element mapped;  ///< label, process, runnable, …
  Element memory;
  std::optional<std::uint64_t> position;  ///< memoryPositionAddress
};

/// PhysicalSectionMapping (since 0.7.1); SectionMapping in 0.7.0.
struct PhysicalSectionMapping {
  Element element;
  std::vector<Element> sections;
  Element memory;
  std::optional<std::uint64_t> start_address;  ///< or memoryPositionAddress
  std::vector<Element> labels;                 ///< labels that are listed individually
  std::vector<Element> runnables;              ///< runEntities
};

struct Mapping {
  std::vector<SchedulerAllocation> schedulers;
  std::vector<TaskAllocation> tasks;
  std::vector<IsrAllocation> isrs;
  std::vector<RunnableAllocation> runnables;
  std::vector<MemoryMapping> memory;
  std::vector<PhysicalSectionMapping> sections;

  ElementIndex task_allocation_of;  ///< from tasks to indices into `tasks`; the first allocation of a task counts
  ElementIndex isr_allocation_of;   ///< from ISRs to indices into `isrs`; the first allocation counts
  ElementIndex memory_mapping_of;   ///< from elements to indices into `memory`; the last mapping counts
};

Mapping mapping_of(const Model& model);

/// Parameters that the allocation does not state, with the values that the definition of its scheduler gives them
/// (`defaultValue` of its `processParameters`, since 2.0.0).
std::vector<Parameter> default_parameters(const Model& model, const TaskAllocation& allocation);
/// The same for parameters that a feature of a definition of schedulers lists, such as its `algorithmParameters`.
std::vector<Parameter> default_parameters(const Model& model, Element definition, std::string_view feature,
                                          const std::vector<Parameter>& stated);

/// The location of a task's priority.
struct PriorityText {
  std::string_view text;
  Element element;             ///< the element that holds it
  std::string_view attribute;  ///< of that element
};

/// The priority of a task, as written; nothing if there is none.
/// - Since 0.8.1: the scheduling parameter "priority" of its allocation.
/// - 0.7.2 and 0.8.0: the allocation's attribute; if that is not written, or 0 (which means none in these versions),
///   that of the task.
/// - Before: the task's attribute. If there is none anywhere, the task's custom property "priority", in which
///   migrations (AMALTHEA's and this one) keep it.
/// The form depends on what is written, not on the version.
std::optional<PriorityText> priority_of(Element task, const TaskAllocation& allocation);

/// The memory of an element (label, runnable, process, …), or an empty Element. The first that applies: its own memory
/// mapping; a physical section mapping that lists it; the mapping of its section.
class MemoryFinder {
 public:
  MemoryFinder(const Model& model, const Mapping& mapping);
  Element memory_of(Element element) const;

 private:
  const Model* model_;
  const Mapping* mapping_;
  ElementIndex listed_;    // label or runnable → index into mapping.sections
  ElementIndex sections_;  // section → index into mapping.sections
  ElementIndex members_;   // 0.7.0: member of a section → index into mapping.sections
};

}  // namespace amalthea::views
