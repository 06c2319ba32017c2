// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The activities of a task, ISR or runnable, in one form for all versions:
/// - up to 0.9.4: `callGraph/graphEntries[CallSequence]/calls` in tasks, `runnableItems` in runnables;
/// - 0.9.5 and 0.9.6: `callGraph/items`; since 0.9.7: `activityGraph/items`.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/conditions.hpp"
#include "amalthea/views/deviations.hpp"

namespace amalthea {

/// The items below a container (an executable, a Group, a CallSequence, a switch entry) in document order. Groups and
/// CallSequences are items; `items_of` on them returns the next level. What 0.7.x wraps into a DeviationRunnableItem or
/// ProbabilityRunnableItem is returned itself. Entries of switches are not items: see views::Switch.
std::vector<Element> items_of(Element container);

namespace views {

// ---------------------------------------------------------------- parts of items

/// An item takes effect on every `prescaler`-th execution, the first time after `offset` executions.
struct Counter {
  Element element;
  std::int64_t prescaler = 1;
  std::int64_t offset = 0;
};

/// The counter of an activity, stimulus or activation.
std::optional<Counter> counter_of(Element holder, Diagnostics& diagnostics);

/// SingleValueStatistic (min and max are empty) or MinAvgMaxStatistic.
struct Statistic {
  Element element;
  double average = 0;
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> largest;
};

/// active: polls; passive: leaves its core.
enum class Waiting : std::uint8_t { unstated, active, passive };

// ---------------------------------------------------------------- items

/// A sequence of items, or items in any order: Group, CallSequence. Its content: `activity_items`.
struct Group {
  std::string_view name;
  bool ordered = true;        ///< false: in any order
  bool interruptible = true;  ///< since 1.2.0
};

/// One alternative of a switch. Its content: `activity_items` of its element.
struct SwitchEntry {
  Element element;
  std::optional<Condition> condition;
};
/// Switch, ModeSwitch, RunnableModeSwitch: the first entry whose condition is true, else the default.
struct Switch {
  std::vector<SwitchEntry> entries;
  Element otherwise;  ///< default entry; empty if there is none
};

struct ProbabilitySwitchEntry {
  Element element;
  double probability = 0;  ///< as written; relative to the sum over all entries
};
/// ProbabilitySwitch, RunnableProbabilitySwitch, ProbabilityGroup: one of the entries.
struct ProbabilitySwitch {
  std::vector<ProbabilitySwitchEntry> entries;
};

/// While the condition is true (since 1.2.0). Its content: `activity_items`.
struct WhileLoop {
  std::optional<Condition> condition;
};

/// RunnableCall, TaskRunnableCall.
struct RunnableCall {
  Element runnable;
  std::optional<Statistic> statistic;
  std::optional<Counter> counter;
};

enum class Access : std::uint8_t { unstated, read, write };
struct LabelAccess {
  Element label;
  Access access = Access::unstated;
  std::optional<Statistic> statistic;
  Element transmission;  ///< a TransmissionPolicy whose chunks take time (since 0.7.2)
};

enum class ModeAccess : std::uint8_t { unstated, read, set, increment, decrement };
struct ModeLabelAccess {
  Element label;
  ModeAccess access = ModeAccess::unstated;
  std::string_view value;  ///< of `set`
  Element literal;         ///< the ModeLiteral `value` names
  std::int64_t step = 1;   ///< of `increment` and `decrement`
};

struct ChannelSend {
  Element channel;
};
struct ChannelReceive {
  Element channel;
};

/// Execution time in cycles (since 0.9.3).
struct Ticks {
  std::optional<Deviation<std::int64_t>> otherwise;  ///< `default`
  /// By ProcessingUnitDefinition; an entry whose definition or value is missing has an empty one.
  std::vector<std::pair<Element, std::optional<Deviation<std::int64_t>>>> extended;
};

/// An amount of something, such as "Instructions".
struct Need {
  Element element;
  std::string_view key;
  std::optional<Deviation<std::int64_t>> amount;
};
/// An amount of work rather than a time: RunnableInstructions and Instructions… (before 0.9.0, key "Instructions"),
/// ExecutionNeed.
struct ExecutionNeed {
  std::vector<Need> needs;                                      ///< on any unit
  std::vector<std::pair<Element, std::vector<Need>>> extended;  ///< by unit definition (CoreType before 0.9.0)
};

enum class SemaphoreOperation : std::uint8_t { unstated, request, exclusive, release };
struct SemaphoreAccess {
  Element semaphore;
  SemaphoreOperation operation = SemaphoreOperation::unstated;
  Waiting waiting = Waiting::unstated;
};

struct SetEvent {
  std::vector<Element> events;
  Element process;  ///< the receiver; empty: all waiting processes
  std::optional<Counter> counter;
};
struct ClearEvent {
  std::vector<Element> events;
  std::optional<Counter> counter;
};
enum class EventMaskType : std::uint8_t { unstated, all, any };
struct WaitEvent {
  std::vector<Element> events;
  EventMaskType mask = EventMaskType::unstated;
  Waiting waiting = Waiting::unstated;
  std::optional<Counter> counter;
};

/// InterProcessTrigger, InterProcessActivation.
struct InterProcessTrigger {
  Element stimulus;
  std::optional<Counter> counter;
};
struct CustomEventTrigger {
  Element event;
};
/// Other cooperative tasks may preempt a cooperative task here.
struct SchedulePoint {
  std::optional<Counter> counter;  ///< before 0.9.5
};
struct TerminateProcess {
  std::optional<Counter> counter;
};
/// The process migrates to another scheduler.
struct EnforcedMigration {};

struct SenderReceiverRead {
  Element label;
};
struct SenderReceiverWrite {
  Element label;
};

struct SynchronousServerCall {
  Element runnable;
};
struct AsynchronousServerCall {
  Element runnable;
  Element result_runnable;
};
struct GetResultServerCall {};
/// Sets a local mode label (since 2.1.0).
struct LocalModeAssignment {};
/// Copies a mode label into a local one (since 2.1.0).
struct ModeLabelAssignment {};

/// An item of an unknown class, or without a class.
struct UnknownItem {};

struct ActivityItem {
  using Kind =
      std::variant<UnknownItem, Group, Switch, ProbabilitySwitch, WhileLoop, RunnableCall, LabelAccess, ModeLabelAccess,
                   ChannelSend, ChannelReceive, Ticks, ExecutionNeed, SemaphoreAccess, SetEvent, ClearEvent, WaitEvent,
                   InterProcessTrigger, CustomEventTrigger, SchedulePoint, TerminateProcess, EnforcedMigration,
                   SenderReceiverRead, SenderReceiverWrite, SynchronousServerCall, AsynchronousServerCall,
                   GetResultServerCall, LocalModeAssignment, ModeLabelAssignment>;
  Element element;
  Kind kind;
};

/// Reads one item. Unreadable values are reported (AM0210) and treated as unstated.
ActivityItem activity_item(const Model& model, Element item, Diagnostics& diagnostics);

/// Reads the items below a container, one level (items_of).
std::vector<ActivityItem> activity_items(const Model& model, Element container, Diagnostics& diagnostics);

/// The containers one level below an item: the item itself for groups and loops; a switch's entries, the default last.
/// Empty for items that contain no others.
std::vector<Element> containers_of(const ActivityItem& item);

/// How often a DeviationRunnableItem (0.7.0, 0.7.1) repeats the item that it wraps; nothing for other items.
std::optional<Deviation<std::int64_t>> repetition_of(Element item, Diagnostics& diagnostics);

/// The cycles of instructions on a unit that executes `instructions_per_cycle` (> 0): bounds rounded outwards, the
/// average to nearest. Nothing for a rate that is not above zero.
std::optional<Cycles> cycles_of_instructions(const Cycles& instructions, double instructions_per_cycle);

/// The instructions of a need on a unit of this definition: its `extended` entry, else the entry for any unit. Nothing
/// if the need states none.
std::optional<Deviation<std::int64_t>> instructions_on(const ExecutionNeed& need, Element definition);

}  // namespace views
}  // namespace amalthea
