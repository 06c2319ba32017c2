// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The mapping of a model of any version: what is scheduled by whom, which units a scheduler is responsible for, and
/// what lies in which memory. Entries hold the elements they name, in the order written; a reference that is not set
/// or leads nowhere is an empty Element.

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
  Element executing_unit;               ///< executingPU (executingCore before 0.9.0); from 0.8.1 on
};

struct TaskAllocation {
  Element element;
  Element task;
  Element scheduler;
  std::vector<Element> affinity;      ///< affinity (coreAffinity before 0.9.0); from 0.8.1 on
  std::vector<Parameter> parameters;  ///< scheduling_parameters(element); from 0.8.1 on
};

struct IsrAllocation {
  Element element;
  Element isr;
  Element controller;
  std::optional<std::int64_t> priority;  ///< from 0.7.2 on
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

/// PhysicalSectionMapping (from 0.7.1 on); SectionMapping in 0.7.0.
struct PhysicalSectionMapping {
  Element element;
  std::string_view name;
  std::vector<Element> sections;
  Element memory;
  std::optional<std::uint64_t> start_address;  ///< or memoryPositionAddress
  std::optional<std::uint64_t> end_address;
  std::vector<Element> labels;     ///< labels that are listed here one by one
  std::vector<Element> runnables;  ///< runEntities
};

struct Mapping {
  std::vector<SchedulerAllocation> schedulers;
  std::vector<TaskAllocation> tasks;
  std::vector<IsrAllocation> isrs;
  std::vector<RunnableAllocation> runnables;
  std::vector<MemoryMapping> memory;
  std::vector<PhysicalSectionMapping> sections;
  std::string_view address_type;  ///< "address", "offset" or ""

  ElementIndex task_allocation_of;  ///< from tasks to indices into `tasks`; the first allocation of a task counts
  ElementIndex isr_allocation_of;   ///< from ISRs to indices into `isrs`; the first allocation counts
  ElementIndex memory_mapping_of;   ///< from elements to indices into `memory`; the last mapping counts
};

Mapping mapping_of(const Model& model);

/// Where the priority of a task is stated.
struct PriorityText {
  std::string_view text;
  Element element;             ///< the element that holds it
  std::string_view attribute;  ///< of that element
};

/// The priority of a task, as it is written; nothing where none is.
/// - From 0.8.1 on: the scheduling parameter "priority" of its allocation.
/// - 0.7.2 and 0.8.0: the allocation's attribute; where that is not written or 0, which these versions write for none,
///   that of the task.
/// - Before: the task's attribute. Where nothing else states one, the task's custom property "priority": that is where
///   migrations of such models, AMALTHEA's and ours, keep it.
/// Forms are told by what is written, not by the version.
std::optional<PriorityText> priority_of(Element task, const TaskAllocation& allocation);

/// The memory that an element (label, runnable, process, …) lies in, or an empty Element. The first that applies: its
/// own memory mapping; a physical section mapping that lists it; the mapping of its section.
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
