// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Timing constraints of a model, in the words of a System: of which events they speak, and what they demand of them.
/// docs/reference/constraints.md says what each of them means.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/event_action.hpp"
#include "amalthea/graph/activity.hpp"
#include "amalthea/origin.hpp"
#include "amalthea/time.hpp"

namespace amalthea {

/// An event that a simulation shows. Its occurrences are all that happens to the entity, or to any entity of the kind
/// where none is named; where a runnable, process or unit is named, only what happens in it.
struct ObservableEvent {
  struct OfProcess {
    std::optional<TaskIndex> task;
    EventAction action = EventAction::any;
    std::optional<UnitIndex> unit;
  };
  struct OfRunnable {
    std::optional<RunnableIndex> runnable;
    EventAction action = EventAction::any;
    std::optional<TaskIndex> task;
    std::optional<UnitIndex> unit;
  };
  struct OfLabel {
    std::optional<LabelIndex> label;
    EventAction action = EventAction::any;  ///< any, read, write
    std::optional<RunnableIndex> runnable;
    std::optional<TaskIndex> task;
  };
  struct OfStimulus {
    std::optional<StimulusIndex> stimulus;
  };
  struct OfSemaphore {
    std::optional<SemaphoreIndex> semaphore;
    EventAction action = EventAction::any;  ///< any, lock, unlock
    std::optional<RunnableIndex> runnable;
    std::optional<TaskIndex> task;
    std::optional<UnitIndex> unit;
  };
  struct OfMode {
    std::optional<ModeIndex> mode;
    EventAction action = EventAction::write;  ///< write, increment, decrement
    std::optional<RunnableIndex> runnable;
    std::optional<TaskIndex> task;
  };
  /// A custom event: the activities that trigger it.
  struct OfActivities {
    std::vector<std::size_t> nodes;  ///< of the runnable graph, in order
  };
  std::string name;  ///< as in the model
  std::variant<OfProcess, OfRunnable, OfLabel, OfStimulus, OfSemaphore, OfMode, OfActivities> what;
};

/// Nobody can tell whether it holds: what it speaks of is missing, or not simulated, or it demands nothing.
struct Unjudgeable {
  std::string reason;  ///< what is wrong, as a clause: "its source is not set"
  bool empty = false;  ///< it demands nothing
};

/// Limits that are not stated: the least is zero, and there is no largest.
struct TimeLimits {
  std::optional<Duration> lower;
  std::optional<Duration> upper;
};

struct DelayLimit {
  enum class Mapping : std::uint8_t { reaction, one_to_one, unique_reaction };  ///< reaction where it is not stated
  ObservableEvent source;
  ObservableEvent target;
  TimeLimits limits;
  Mapping mapping = Mapping::reaction;
};

/// The i-th source before the i-th target.
struct EventOrder {
  ObservableEvent source;
  ObservableEvent target;
};

struct Repetition {
  ObservableEvent event;
  std::int64_t span = 1;  ///< > 0
  TimeLimits limits;      ///< of the distance of ideal occurrences `span` apart
  Duration jitter;        ///< how much later than an ideal occurrence the real one may come
};

struct EventSynchronization {
  std::vector<ObservableEvent> events;  ///< at least two
  Duration tolerance;
  bool multiple_occurrences = false;  ///< any number of each within a window; else the i-th ones belong together
};

/// Of two chains, each as its events in order, at least two: stimulus, those in between, response.
struct ChainSynchronization {
  enum class Of : std::uint8_t { stimuli, responses };
  std::vector<std::vector<ObservableEvent>> chains;  ///< two, with a common response (stimuli) or stimulus (responses)
  Of of = Of::responses;
  Duration tolerance;
};

/// Of the value that a runnable reads: the time since it was written, or that in periods of its writer.
struct DataAge {
  RunnableIndex runnable = 0;
  LabelIndex label = 0;
  TimeLimits limits;
  std::optional<std::int64_t> least_cycles;  ///< either of these: limits are in periods
  std::optional<std::int64_t> max_cycles;
};

/// Whose accesses count as the group's own: those of these processes and of these runnables. All others are foreign.
struct DataScope {
  std::vector<TaskIndex> tasks;
  std::vector<RunnableIndex> runnables;
};
struct DataCoherency {
  std::vector<LabelIndex> labels;
  DataScope scope;
  bool output = false;
};
struct DataStability {
  std::vector<LabelIndex> labels;
  DataScope scope;
};

struct RunnableSequence {
  enum class Order : std::uint8_t { successor, immediately_at_start, immediately_anywhere, immediately_at_end };
  struct Group {
    std::vector<RunnableIndex> members;  ///< in the stated order
    std::vector<TaskIndex> tasks;        ///< meant in these only; empty: in all in scope (0.7.0)
    bool all = false;                    ///< a job with any of them must run them all (0.7.0)
  };
  Order order = Order::successor;
  std::vector<TaskIndex> tasks;  ///< in scope; empty: all
  std::vector<Group> groups;     ///< at least two
};

struct SectionPlacement {
  std::string section;
  std::vector<LabelIndex> labels;     ///< at least one
  std::vector<MemoryIndex> memories;  ///< where they may be
};

struct TimingConstraint {
  std::string name;
  std::string class_name;  ///< AMALTHEA's, such as "DelayConstraint"
  Origin origin;
  Location location;  ///< where it stands, for messages
  std::variant<Unjudgeable, DelayLimit, EventOrder, Repetition, EventSynchronization, ChainSynchronization, DataAge,
               DataCoherency, DataStability, RunnableSequence, SectionPlacement>
      kind;
};

/// 'DelayConstraint "Quick"'
std::string describe(const TimingConstraint&);

}  // namespace amalthea
