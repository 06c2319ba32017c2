// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Shared state of the steps of build_system: the model, the partial system, and the mapping from elements to indices.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/views/attributes.hpp"
#include "amalthea/views/conditions.hpp"
#include "amalthea/views/events.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/operating_system.hpp"
#include "amalthea/views/properties.hpp"
#include "importer/building/system_builder.hpp"

namespace amalthea::importer::detail {

/// Element → index of what was built from it.
using ElementMap = views::ElementIndex;

/// The activities of one task in execution order, before copies and kernels are identified.
using RawBody = std::vector<GraphNode>;

/// An event of the event model that makes an EventStimulus occur.
struct EventTrigger {
  views::Event event;
  StimulusIndex stimulus = 0;
  bool open = false;  ///< reported: it also occurs in a way that is not simulated
};

/// What a model may leave open although it affects timing; assumptions.cpp lists the assumptions.
enum class Unstated : std::uint8_t {
  label_memory,
  other_label_memory,  ///< other labels have a memory
  only_memory,
  latency,
  label_size,
  other_label_size,  ///< other accessed labels have one, or its value is missing
  access,
  priority,
  pu_type,
  accelerator,
  normal_bound,
  instructions,
  cache_line,
  other_clock_ratio,    ///< other prescalers have one
  other_registers,      ///< other kernels state registers
  other_shared_memory,  ///< other kernels state shared memory
  preemption,
  waiting,
  mask,
  mode_value,
  deadline,
  period,
  cooperation,
  schedule_point,
  semaphore_type,
  other_semaphore_type,  ///< other semaphores have one
  isr_priority,
  clock,  ///< it may change or stop
};

struct BuildContext {
  BuildContext(const Model& its_model, const BuildOptions& its_options, Diagnostics& its_diagnostics)
      : model(its_model), options(its_options), diagnostics(its_diagnostics) {}

  const Model& model;
  const BuildOptions& options;
  Diagnostics& diagnostics;
  System system;
  views::Mapping mapping;

  ElementMap definitions, units, memories, schedulers, stimuli, labels, events, runnables, modes, semaphores;
  ElementMap tasks;                        // and ISRs
  std::vector<Element> task_elements;      // parallel to system.tasks
  std::vector<Element> runnable_elements;  // parallel to system.runnables
  std::vector<RawBody> raw_bodies;         // parallel to system.tasks

  /// A Trigger of the stimulus follows every activity that causes one of these events.
  std::vector<EventTrigger> event_triggers;

  /// What mapping changes do, by task. Reported after folding: a folded wrapper does not run.
  std::vector<std::pair<TaskIndex, Diagnostic>> mapping_notes;

  /// True if something that affects timing is missing.
  bool blocked = false;

  /// Tasks whose scheduler or unit is not known because of an error.
  std::set<TaskIndex> unplaced;

  /// The subjects of errors that are reported once and not for every task: units without a GPU definition, units
  /// without a clock, schedulers without a unit; and schedulers whose tasks may migrate.
  std::set<UnitIndex> reported_units, reported_clocks;
  std::set<SchedulerIndex> reported_schedulers, global_schedulers;
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported_allocations;  ///< (document, element)
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported_parameters;   ///< their values

  /// Functions of operating systems whose stated overhead is not simulated, by name.
  std::map<std::string, Element, std::less<>> other_overheads;
  std::vector<views::OsSemaphore> semaphore_views;  ///< parallel to system.semaphores

  /// Constructs that are read but not simulated, by class.
  std::map<std::string, std::vector<Element>> not_simulated;

  std::size_t weight_of_bytes = 0;   ///< activities that are counted for long names and content
  bool too_many_activities = false;  ///< reported

  /// Conditions that are not simulated, by the reason (a clause, with the remedy): the first faulty part, and the
  /// switches, loops and runnables that depend on it (document, element).
  struct UnknownConditions {
    Element first;
    std::set<std::pair<std::uint32_t, std::uint32_t>> users;
  };
  std::map<std::string, UnknownConditions> unknown_conditions;
  /// For values of conditions that are no literals, by the literals of the mode and the value: which may be meant.
  std::map<std::pair<const void*, std::string>, std::string> suggested_literals;

  /// ExecutionNeeds of these tasks are not evaluated, and the reason is reported.
  std::set<TaskIndex> with_open_needs;

  /// Execution times (document, element) whose faults are reported; every call of a runnable reads them again.
  std::set<std::pair<std::uint32_t, std::uint32_t>> read_executions;

  /// The elements (document, element) that leave something open.
  std::map<Unstated, std::vector<std::pair<std::uint32_t, std::uint32_t>>> unstated;  // may repeat elements
  void assume(Unstated what, Element where) {
    unstated[what].emplace_back(where.origin().document, where.origin().element);
  }

  std::set<UnitIndex> units_without_line;  ///< units without a cache that states its line size
  std::set<std::pair<UnitIndex, MemoryIndex>> free_reads, free_writes;  ///< accesses without a stated cost
  /// A part on the way to a memory that leaves open what it costs.
  struct OpenCost {
    Element part;
    std::string_view what;
    friend auto operator<=>(const OpenCost& a, const OpenCost& b) {
      return std::pair(a.part.origin().document, a.part.origin().element) <=>
             std::pair(b.part.origin().document, b.part.origin().element);
    }
  };
  std::map<std::pair<UnitIndex, MemoryIndex>, std::vector<OpenCost>> open_reads, open_writes;
  std::map<UnitIndex, std::vector<OpenCost>> open_lines;  ///< caches without a line size
  std::vector<std::pair<ModeIndex, Element>> modes_without_value;

  void error(std::string_view id, std::string message, Location location, std::string path = {}) {
    blocked = true;
    diagnostics.add(id, Severity::error, std::move(message), std::move(location), std::move(path));
  }
  /// Reports that `element` lacks something, unless an error that is already reported explains it.
  void error_unless_explained(std::string_view id, Element element, std::string message);
  /// Whether a value or a reference of the element, of its content or of its targets has been reported.
  bool is_explained(Element element) const;

  /// Reports that something is stated again, with other content. `what`: "priority"; `used`: what the analysis uses.
  void report_second(std::string_view what, Element second, std::string_view used = "the first");

  /// Reports that something lacks what others of its kind state, which concerns `elements`.
  void report_partly_stated(std::string message, Element place, std::vector<Origin> elements);

  /// Reports that something that executes states no time.
  void report_unfilled(Element element);

  /// Reports a count below zero for which the analysis uses another value.
  void report_negative(Element element, std::string_view attribute, std::string_view used);

  /// Reports an event that makes a stimulus occur and is not simulated. `clause`: "which …; remedy".
  void report_event(std::string_view stimulus, Element event, std::string_view clause);
  /// The same for some of its occurrences, once.
  void report_open_event(EventTrigger& trigger, std::string_view occurrences, std::string_view remedy);

  /// Reports an overhead of the operating system that is stated and not simulated. `whose`: "schedulingUnit of …". It
  /// concerns these processes, or all that the element concerns.
  void report_overhead(std::string_view whose, Element element, std::uint64_t count = 1,
                       std::vector<Origin> processes = {});

  void ignore(Element element) {
    const std::string_view written = element.attribute_or("xsi:type", element.tag());
    not_simulated[std::string(element.cls() ? element.class_name() : written)].push_back(element);
  }

  /// Whether `element` has the target of a feature that the analysis requires; reports an error otherwise. (References
  /// to something that is not in the model have stopped the analysis before.)
  bool require(Element target, Element element, std::string_view feature);
  /// The index of what was built from the target; reports an error if the target is of another kind.
  std::optional<std::uint32_t> required(const ElementMap& kind, Element target, Element element,
                                        std::string_view feature);
};

void build_platform(BuildContext&);  ///< definitions, units, memories, schedulers, semaphores; the mapping
/// Schedulers and interrupt controllers with their hierarchy and overheads. Needs definitions, units and the mapping.
void build_schedulers(BuildContext&, const views::OperatingSystems&);
void build_semaphores(BuildContext&, const views::OperatingSystems&);
/// Whether the tasks and children of a scheduler with this algorithm have priorities.
/// Scheduler, units, priority and time slice of a task.
void allocate(BuildContext&, const views::TaskAllocation&, Task&);
/// Reports once per unit that it has no clock; `who` runs on it.
void check_clock(BuildContext&, UnitIndex, const std::string& who);
void report_second_allocations(BuildContext&);
/// Reports parameters of one element that have the same name and different values (AM0462).
void report_repeated_parameters(BuildContext&, const std::vector<Parameter>&);
/// Reports parameters of a task on a host that are not simulated (AM0496): budgets, preemption thresholds, time slices
/// other than that of a scheduler whose tasks take turns, and what else the definition of the scheduler lists.
void report_unknown_parameters(BuildContext&, const views::TaskAllocation&);
/// Allocations of runnables that contradict those of the tasks that call them. Needs the activities.
void report_runnable_allocations(BuildContext&);
/// Releases of semaphores that nothing has requested. Needs the activities.
void report_lone_releases(BuildContext&);
/// Assumes the kind of semaphores in use that do not state their type. Needs the activities.
void report_untyped_semaphores(BuildContext&);
/// Events that are set for no named task although several tasks wait for them. Needs the activities.
void report_events_for_all(BuildContext&);
void change_profiles(BuildContext&);                   ///< of GPUs, as the options say
std::vector<UnitSetting> unit_settings(Element unit);  ///< what a GPU states in place of figures of its profile
void check_mapping_changes(BuildContext&);             ///< whether tasks and units with these names exist
/// The change for a task in BuildOptions::mapping; null if there is none.
const MappingChange* mapping_change_of(const BuildContext&, std::string_view task);
/// Whether the model or a mapping change states the priority of a task.
bool states_priority(const BuildContext&, Element task);
/// Reports mapping changes. Needs folded wrappers.
void report_mapping_changes(BuildContext&);
/// Whether the simulation supports the algorithms of schedulers with tasks and of their parents. Needs allocated tasks.
void check_host_schedulers(BuildContext&);
void map_labels(BuildContext&);  ///< the memories of labels

void build_modes(BuildContext&);               ///< mode labels and their initial values
void build_stimuli(BuildContext&);             ///< stimuli, without what they activate
void build_data(BuildContext&);                ///< labels, events, runnables
void build_tasks(BuildContext&);               ///< tasks, allocations, priorities, time slices, activations, deadlines
void build_raw_bodies(BuildContext&);          ///< the activities of each task
void fold_wrappers(BuildContext&);             ///< wrappers of functions that are mapped to a CPU
void shape_offloading(BuildContext&);          ///< label sides; copies and kernels of device tasks
void report_offload_protocols(BuildContext&);  ///< triggers, waits and results of offloads; needs shaped activities
void build_graph(BuildContext&);               ///< vertices and edges
void build_chains(BuildContext&);              ///< event chains as task sequences
/// Why a limit that a constraint, or its age, states cannot be read, as a clause; such a limit would count as none.
std::optional<std::string> unreadable_limit(Element constraint);
void build_constraints(BuildContext&);         ///< all timing constraints; needs chains and folded wrappers
void build_requirements(BuildContext&);        ///< all requirements; needs tasks, runnables and folded wrappers
void report_partial_overheads(BuildContext&);  ///< overheads of operating systems that are stated in part
void report_data_protection(BuildContext&);    ///< protected data and transmitted events, whose times are not simulated
void report_assumptions(BuildContext&);        ///< assumptions for what the model leaves open; needs all of the above
void report_unused_properties(BuildContext&);  ///< this tool's custom properties (`gpu.…`) without effect

/// The event as a simulation observes it; or, as a clause, why it cannot. `role`: "its source", "its event 2".
tl::expected<ObservableEvent, std::string> observable_event(const BuildContext&, Element event, std::string_view role);

/// The number of a mode's value: that of the literal, or the text as a number. Nothing if it is neither, or no value of
/// the label's mode.
std::optional<std::int64_t> mode_value(const BuildContext&, Element label, std::string_view value, Element literal);
/// A condition on modes; nothing if it depends on anything else, such as channels and local labels.
std::optional<ModeCondition> mode_condition(const BuildContext&, const views::Condition&);

/// Remembers why a condition, which `user` depends on, is not simulated. Nothing: the element states no condition.
void note_unknown_condition(BuildContext&, Element user, Element place, const views::Condition*);

/// The conjunction of two conditions, and the first without the second; nothing if it would become too large.
std::optional<ModeCondition> conjunction_of(const ModeCondition&, const ModeCondition&);
std::optional<ModeCondition> negated(const ModeCondition&);

// Parts of build_tasks.
void build_isrs(BuildContext&);                         ///< after all tasks
void activate_task(BuildContext&, Element, TaskIndex);  ///< registers the stimuli that activate it
void build_deadlines(BuildContext&);                    ///< from requirements

}  // namespace amalthea::importer::detail
