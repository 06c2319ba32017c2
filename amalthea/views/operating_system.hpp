// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Operating systems of a model of any version: schedulers and their hierarchy, overheads, semaphores.
///
/// Names and literals are views into the documents, which must outlive the view. Parts refer to each other by index.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/scheduling_algorithm.hpp"
#include "amalthea/location.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/time.hpp"
#include "amalthea/views/attributes.hpp"
#include "amalthea/views/properties.hpp"

namespace amalthea::views {

/// The algorithm that a model names. AMALTHEA has classes for algorithms up to 1.2.0, and common names of definitions
/// since 2.0.0.
struct SchedulingAlgorithm {
  /// AMALTHEA's spelling of a known algorithm, e.g. "FixedPriorityPreemptive"; another name as written; "" if the model
  /// states none.
  std::string name;
  bool known = false;                                 ///< AMALTHEA names it
  std::optional<amalthea::SchedulingAlgorithm> kind;  ///< if it is simulated
};

/// The algorithm with this name. Ignores case, blanks, '_' and '-'; knows "FPP", "EDF", "RM", "DM" and "RMS", "DMS".
SchedulingAlgorithm algorithm_of_name(std::string_view name);
/// The algorithm of a scheduler: the class of its `schedulingAlgorithm`, or the name of its `definition`.
SchedulingAlgorithm algorithm_of(const Model& model, Element scheduler);

/// A parameter of scheduler definitions (since 2.0.0).
struct OsParameterDefinition {
  Element element;
  std::string_view name;
  PropertyValue default_value;
};

/// SchedulerDefinition (since 2.0.0).
struct OsSchedulerDefinition {
  Element element;
  std::string_view name;
  std::vector<std::uint32_t> algorithm_parameters;  ///< into OperatingSystems::parameter_definitions
};

/// Execution of the operating system itself: ticks (since 0.9.3) or instructions.
struct OsExecution {
  Element element;
  /// values are instructions, to be divided by the instructions per cycle of the unit
  bool instructions = false;
  std::optional<Cycles> otherwise;  ///< on units without a separate entry
  struct Entry {
    Element definition;  ///< of processing units
    Cycles cycles;
  };
  std::vector<Entry> per_definition;
};

struct OsScheduler {
  Element element;
  std::string_view name;
  bool interrupt_controller = false;
  std::uint32_t operating_system = 0;  ///< into OperatingSystems::systems
  SchedulingAlgorithm algorithm;
  std::vector<Parameter> parameters;
  std::optional<std::uint32_t> definition;  ///< into OperatingSystems::scheduler_definitions
  /// The task scheduler that schedules this one. A cyclic reference is omitted.
  std::optional<std::uint32_t> parent;
  Element association;                            ///< `<parentAssociation>`
  std::vector<Parameter> association_parameters;  ///< parameters under which the parent schedules it
  std::vector<Element> computation_items;         ///< what the scheduler executes: computationItems (since 0.8.1)
  // Up to 0.8.0, its schedulingUnit:
  std::vector<OsExecution> unit_instructions;  ///< of a SchedulingSWUnit
  std::optional<std::int64_t> unit_priority;   ///< of a SchedulingSWUnit, or scheduleUnitPriority
  std::optional<Duration> unit_delay;          ///< of a SchedulingHWUnit
};

/// OsOverhead, or OsInstructions before 0.9.3.
struct OsOverhead {
  struct Api {
    std::string_view function;  ///< "SendMessage", "TerminateTask", …
    OsExecution execution;
  };
  std::vector<Api> api;  ///< those that are stated, in the order written
  std::optional<OsExecution> isr_category1_before, isr_category1_after;
  std::optional<OsExecution> isr_category2_before, isr_category2_after;
};

struct OperatingSystem {
  Element element;
  std::optional<std::uint32_t> overhead;  ///< into OperatingSystems::overheads
};

enum class SemaphoreKind : std::uint8_t { counting, resource, spinlock, mutex };

struct OsSemaphore {
  Element element;
  std::string_view name;
  std::optional<SemaphoreKind> kind;  ///< unstated before 0.8.1
  std::int64_t initial_value = 0;
  std::int64_t max_value = 0;     ///< as written; 0 if it is not (1 since 2.1.0)
  std::optional<bool> ownership;  ///< since 3.0.0
  bool priority_ceiling = false;
};

struct OperatingSystems {
  std::vector<OperatingSystem> systems;
  std::vector<OsScheduler> schedulers;  ///< task schedulers and interrupt controllers, in document order
  std::vector<OsOverhead> overheads;
  std::vector<OsSemaphore> semaphores;
  std::vector<OsSchedulerDefinition> scheduler_definitions;
  std::vector<OsParameterDefinition> parameter_definitions;

  ElementIndex scheduler_of, overhead_of;  ///< from elements to indices
};

/// All of a model's operating systems, in document order.
OperatingSystems operating_systems_of(const Model& model, Diagnostics& diagnostics);

}  // namespace amalthea::views
