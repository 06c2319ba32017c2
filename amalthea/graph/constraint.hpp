// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Timing constraints of a model, in terms of a System: the events they constrain, and their limits.
/// docs/reference/constraints.md describes each of them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/event_action.hpp"
#include "amalthea/graph/activity.hpp"
#include "amalthea/location.hpp"
#include "amalthea/origin.hpp"
#include "amalthea/time.hpp"

namespace amalthea {

/// An event that a simulation can observe. Its occurrences are all matching events of the entity, or of any entity of
/// the kind if none is named. If a runnable, process or unit is named, only events within it count.
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

/// A constraint that cannot be judged: what it refers to is missing or not simulated, or it has no limits.
struct Unjudgeable {
  std::string reason;  ///< what is wrong, as a clause: "its source is not set"
  bool empty = false;  ///< it has no limits
};

/// Defaults: the lower limit is zero, and there is no upper limit.
struct TimeLimits {
  std::optional<Duration> lower;
  std::optional<Duration> upper;
};

struct DelayLimit {
  enum class Mapping : std::uint8_t { reaction, one_to_one, unique_reaction };  ///< default: reaction
  ObservableEvent source;
  ObservableEvent target;
  TimeLimits limits;
  Mapping mapping = Mapping::reaction;
};

/// The i-th source precedes the i-th target.
struct EventOrder {
  ObservableEvent source;
  ObservableEvent target;
};

struct Repetition {
  ObservableEvent event;
  std::int64_t span = 1;  ///< > 0
  TimeLimits limits;      ///< of the distance of ideal occurrences `span` apart
  Duration jitter;        ///< maximum delay of an occurrence after its ideal time
};

struct EventSynchronization {
  std::vector<ObservableEvent> events;  ///< at least two
  Duration tolerance;
  /// any number of each within a window; otherwise the i-th occurrences belong together
  bool multiple_occurrences = false;
};

/// For two chains, each as its events in order, at least two: stimulus, intermediate events, response.
struct ChainSynchronization {
  enum class Of : std::uint8_t { stimuli, responses };
  std::vector<std::vector<ObservableEvent>> chains;  ///< two, with a common response (stimuli) or stimulus (responses)
  Of of = Of::responses;
  Duration tolerance;
};

/// For the value that a runnable reads: the time since it was written, or this time in periods of its writer.
struct DataAge {
  RunnableIndex runnable = 0;
  LabelIndex label = 0;
  TimeLimits limits;
  std::optional<std::int64_t> least_cycles;  ///< either of these: limits are in periods
  std::optional<std::int64_t> max_cycles;
};

/// The processes and runnables whose accesses belong to the group. All others are foreign.
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
    std::vector<TaskIndex> tasks;        ///< only in these processes; empty: in all in scope (0.7.0)
    bool all = false;                    ///< a job with any of them must run them all (0.7.0)
  };
  Order order = Order::successor;
  std::vector<TaskIndex> tasks;  ///< in scope; empty: all
  std::vector<Group> groups;     ///< at least two
};

struct SectionPlacement {
  std::string section;
  std::vector<LabelIndex> labels;     ///< at least one
  std::vector<MemoryIndex> memories;  ///< where they may be mapped to
};

struct TimingConstraint {
  std::string name;
  std::string class_name;  ///< AMALTHEA's, such as "DelayConstraint"
  Origin origin;
  Location location;  ///< location in the model, for messages
  std::variant<Unjudgeable, DelayLimit, EventOrder, Repetition, EventSynchronization, ChainSynchronization, DataAge,
               DataCoherency, DataStability, RunnableSequence, SectionPlacement>
      kind;
};

/// 'DelayConstraint "Quick"'
std::string describe(const TimingConstraint&);

}  // namespace amalthea
