// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Software: processes, runnables, data, modes, in one form for all versions. Unreadable quantities are reported
/// (AM0210) and treated as unstated. Literals are as written, "" if they are unstated or `_undefined_`. Semaphores
/// belong to the operating system; activities refer to them (views::SemaphoreAccess).

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/time.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/conditions.hpp"

namespace amalthea::views {

/// `unknown` is a literal of 0.7.0 and 0.7.1; `non_preemptive` replaces it since 0.7.2.
enum class Preemption : std::uint8_t { unstated, preemptive, cooperative, non_preemptive, unknown };

/// A label that exists for one executable only (since 2.1.0).
struct LocalModeLabel {
  Element element;
  std::string_view name;
  Element mode;
  std::string_view default_value;
};

enum class ProcessKind : std::uint8_t { task, isr };
struct Process {
  Element element;
  std::string_view name;
  ProcessKind kind = ProcessKind::task;
  std::vector<Element> stimuli;
  Preemption preemption = Preemption::unstated;  ///< tasks
  /// Maximum number of pending activations of a task; 0, the default, means no limit.
  std::int64_t activation_limit = 0;
  std::string_view isr_category;           ///< "CATEGORY_1", "CATEGORY_2" or ""
  std::optional<std::int64_t> priority;    ///< up to 0.8.0; later a parameter of the allocation
  std::optional<std::int64_t> osek_group;  ///< 0.7.1 – 0.8.0
  std::optional<DataSize> size;
  std::vector<LocalModeLabel> local_labels;
  std::vector<Element> tags;
};
/// Tasks and ISRs, in document order.
std::vector<Process> processes(const Model& model, Diagnostics& diagnostics);

struct RunnableParameter {
  Element element;
  std::string_view name;
  std::string_view direction;  ///< "in", "out", "inout" or ""
  Element data_type;
  std::optional<DataDependency> depends_on;
};
struct Runnable {
  Element element;
  std::string_view name;
  std::optional<DataSize> size;
  std::vector<Element> activations;
  std::optional<Duration> deadline;  ///< before 0.9.4; later a RunnableRequirement. See views::requirements
  bool callback = false;
  bool service = false;
  Element section;
  std::string_view asil_level;
  std::vector<RunnableParameter> parameters;
  std::optional<Condition> execution_condition;  ///< since 0.9.4
  std::vector<LocalModeLabel> local_labels;
  Element name_space;
  std::vector<Element> tags;
};
std::vector<Runnable> runnables(const Model& model, Diagnostics& diagnostics);

struct Label {
  Element element;
  std::string_view name;
  std::string_view display_name;
  std::optional<DataSize> size;
  bool constant = false;
  bool is_volatile = false;
  std::string_view data_stability;   ///< in 0.7.0 and 0.7.1 `buffered`: "buffered", "notBuffered"
  std::string_view stability_level;  ///< "period", "process", "scheduleSection", "runnable" or ""
  Element section;
  Element data_type;  ///< contained up to 2.2.0, a reference to a TypeDefinition since 3.0.0
  Element name_space;
  std::vector<Element> tags;
};
std::vector<Label> labels(const Model& model, Diagnostics& diagnostics);
/// The same, one by one: a model may have hundreds of thousands.
void for_each_label(const Model& model, Diagnostics& diagnostics, const std::function<void(const Label&)>& visit);

/// Since 0.7.2.
struct Channel {
  Element element;
  std::string_view name;
  std::string_view display_name;
  std::optional<DataSize> size;
  Element element_type;  ///< as Label::data_type
  std::int64_t default_elements = 0;
  std::int64_t max_elements = 0;
  Element name_space;
  std::vector<Element> tags;
};
std::vector<Channel> channels(const Model& model, Diagnostics& diagnostics);

struct Mode {
  Element element;
  std::string_view name;
  bool numeric = false;           ///< NumericMode, since 0.9.4
  std::vector<Element> literals;  ///< ModeLiterals
};
std::vector<Mode> modes(const Model& model);

struct ModeLabel {
  Element element;
  std::string_view name;
  std::string_view display_name;
  std::optional<DataSize> size;
  Element mode;  ///< 0.8.0 – 0.9.3 that of the initial literal
  std::string_view initial_value;
  Element initial_literal;  ///< the ModeLiteral that initial_value names
  std::vector<Element> tags;
};
std::vector<ModeLabel> mode_labels(const Model& model, Diagnostics& diagnostics);

/// An order of runnables in a process prototype.
struct Precedence {
  Element element;
  Element origin;
  Element target;
  Element label;  ///< AccessPrecedenceSpec only
  /// "order", "directOrder", "startSequence", "endSequence"; of accesses "defaultWR", "ignoreWR", "enforceRW"; or ""
  std::string_view type;
};
struct ChainedPrototype {
  Element element;
  Element prototype;
  std::int64_t apply = 0;
  std::int64_t offset = 0;
};
struct ProcessPrototype {
  Element element;
  std::string_view name;
  std::optional<DataSize> size;
  Preemption preemption = Preemption::unstated;
  Element first_runnable;
  Element last_runnable;
  std::vector<Precedence> access_precedences;
  std::vector<Precedence> order_precedences;
  std::vector<ChainedPrototype> chained;
  Element activation;
  std::vector<Element> runnable_calls;   ///< RunnableCall, TaskRunnableCall: see activity_item
  std::optional<std::int64_t> priority;  ///< up to 0.8.0
  std::vector<Element> tags;
};
std::vector<ProcessPrototype> process_prototypes(const Model& model, Diagnostics& diagnostics);

struct Section {
  Element element;
  std::string_view name;
  std::string_view asil_level;
  std::optional<DataSize> size;    ///< 0.7.0
  std::vector<Element> labels;     ///< its labels, whichever side states it
  std::vector<Element> runnables;  ///< its runnables, whichever side states it
};
std::vector<Section> sections(const Model& model, Diagnostics& diagnostics);

struct ProcessChain {
  Element element;
  std::string_view name;
  std::vector<Element> processes;
};
std::vector<ProcessChain> process_chains(const Model& model);

/// An event of the operating system (SetEvent, WaitEvent); not one of views::Event.
struct OsEvent {
  Element element;
  std::string_view name;
  std::int64_t communication_overhead_bits = 0;
  std::vector<Element> tags;
};
std::vector<OsEvent> os_events(const Model& model, Diagnostics& diagnostics);

struct CustomEntity {
  Element element;
  std::string_view name;
  std::string_view type_name;
  std::optional<DataSize> size;
  std::vector<Element> tags;
};
std::vector<CustomEntity> custom_entities(const Model& model, Diagnostics& diagnostics);

struct Tag {
  Element element;
  std::string_view name;
  std::string_view type;
};
/// From commonElements; in 0.7.0 and 0.7.1 from the sub-models.
std::vector<Tag> tags(const Model& model);

}  // namespace amalthea::views
