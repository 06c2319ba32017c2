// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A complete system, ready for analysis: platform, tasks, data, stimuli and the runnable graph. This is all that the
/// engine sees of a model.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/distribution.hpp"
#include "amalthea/graph/constraint.hpp"
#include "amalthea/graph/platform.hpp"
#include "amalthea/graph/runnable_graph.hpp"
#include "amalthea/time.hpp"
#include "amalthea/time_metric.hpp"

namespace amalthea {

enum class Side : std::uint8_t {
  host,    ///< runs on a CPU core
  device,  ///< its scheduler is responsible for a GPU
};

/// Where a label resides, for copies: a label that a host task accesses is a host label, one that only device tasks
/// access is a device label.
enum class LabelSide : std::uint8_t { unused, host, device };

struct Label {
  std::string name;
  DataSize size;
  std::optional<MemoryIndex> memory;
  LabelSide side = LabelSide::unused;
  Origin origin;
};

struct Runnable {
  std::string name;
  Origin origin;
  bool random_access = false;  ///< on a core: it accesses its labels in random order (gpu.access)
};

struct OsEvent {
  std::string name;
  Origin origin = {};
};

/// A mode label. The literals of an enumeration are numbered from 0 in model order.
struct Mode {
  std::string name;
  std::int64_t initial = 0;
  /// Of an enumeration, in the order of their numbers, shared by all of its mode labels; else null.
  std::shared_ptr<const std::vector<std::string>> literals = {};
  Origin origin = {};
};

struct Semaphore {
  std::string name;
  std::int64_t free = 1;          ///< initially available units
  std::int64_t capacity = 1;      ///< >= free
  bool priority_ceiling = false;  ///< its holder runs at the highest priority of all its users
  bool spinlock = false;
  Origin origin = {};
};

/// Occurs at offset + k × period, each delayed by its jitter, but never before the previous one, nor within
/// `minimum_distance` after it.
struct Periodic {
  Duration period;           ///< > 0
  Duration offset;           ///< >= 0
  Distribution jitter = {};  ///< ps, >= 0; negative jitter in the model has moved the offset
  Duration minimum_distance = {};
};
struct Single {
  Duration occurrence;
};
struct InterProcess {};  ///< occurs when a Trigger activity names it
/// RelativePeriodicStimulus: the first at `offset`, then each after a random `distance`.
struct Sporadic {
  Duration offset;
  Distribution distance;  ///< ps; average > 0; lower 0: any number at once, which has no bound and is not simulated
};
/// PeriodicSyntheticStimulus: at offset + k × period + each occurrence.
struct Synthetic {
  Duration period;
  Duration offset;
  std::vector<Duration> occurrences;  ///< in order, within [0, period)
};
/// PeriodicBurstStimulus: in each period `occurrences` of them, anywhere within `length`, but at least
/// `minimum_distance` apart; those that do not fit the length are lost.
struct Burst {
  Duration period;
  Duration offset;
  Duration length;  ///< from 0 to `period`
  Duration minimum_distance;
  std::int64_t occurrences = 1;  ///< > 0
};
/// ArrivalCurveStimulus: any `count` consecutive occurrences span at least `lower` and, if given, at most `upper`.
struct ArrivalCurve {
  struct Entry {
    std::int64_t count = 0;  ///< >= 2
    Duration lower;
    std::optional<Duration> upper;
  };
  std::vector<Entry> entries;  ///< by count
};
/// Whether some sequence complies with the curve, and none is arbitrarily dense: the mean distance must be neither
/// below `lower` nor above `upper` of any entry, each divided by count - 1, and some `lower` must be above zero.
bool is_possible(const ArrivalCurve& curve);
/// VariableRateStimulus: a number of occurrences per `step`, evenly distributed, with a limited change from one step to
/// the next. The first occurs at 0.
struct VariableRate {
  Duration step;
  Distribution occurrences;                                  ///< millionths of an occurrence per step
  std::optional<double> largest_increase, largest_decrease;  ///< occurrences per step, >= 0
};
/// EventStimulus: a Trigger follows every activity that causes its event. Also occurs when one of these events is set.
struct EventDriven {
  std::vector<EventIndex> events;
};

struct ModeSetting {
  ModeIndex mode = 0;
  std::int64_t value = 0;
};

using OccurrenceKinds =
    std::variant<Periodic, Single, InterProcess, Sporadic, Synthetic, Burst, ArrivalCurve, VariableRate, EventDriven>;
/// A variant of its kinds, copied like a `Guard`.
struct Occurrence : OccurrenceKinds {
  Occurrence();
  // NOLINTBEGIN(google-explicit-constructor): a kind is one of them
  Occurrence(Periodic);
  Occurrence(Single);
  Occurrence(InterProcess);
  Occurrence(Sporadic);
  Occurrence(Synthetic);
  Occurrence(Burst);
  Occurrence(ArrivalCurve);
  Occurrence(VariableRate);
  Occurrence(EventDriven);
  // NOLINTEND(google-explicit-constructor)
  Occurrence(const Occurrence&);
  Occurrence(Occurrence&&) noexcept;
  Occurrence& operator=(const Occurrence&);
  Occurrence& operator=(Occurrence&&) noexcept;
  ~Occurrence();
};

struct Stimulus {
  std::string name;
  Occurrence occurrence;
  std::vector<TaskIndex> activates;        ///< in model order
  EveryNth counter = {};                   ///< for inter-process and event stimuli: which of their occurrences count
  std::vector<ModeSetting> sets;           ///< modes that change when it occurs, before activations
  std::optional<ModeCondition> condition;  ///< it has no effect while this is false
  Origin origin = {};
};

/// How a device task shares the GPU (gpu.context, gpu.contextPriority, gpu.stream, gpu.nullStream, gpu.priority,
/// gpu.cuMask, gpu.smMask, gpu.mpsShare).
struct GpuShare {
  std::string context;              ///< tasks with the same name belong to one process; "": the task has its own
  std::uint32_t runlist_slots = 2;  ///< of the context: priority low 1, medium 2, high 3
  std::string stream;               ///< within the context; "": the task has its own
  bool null_stream = false;         ///< it uses the NULL stream of its context, which has no name
  bool high_priority = false;       ///< of the stream
  std::string cu_mask;              ///< of the stream on an AMD GPU, as written; "": none
  std::optional<std::int64_t> hsa_queue = {};  ///< of the stream on an AMD GPU: its number in the pool of the process
  std::optional<std::int64_t> ace = {};        ///< of the HSA queue of a stream with a mask on an AMD GPU
  std::string sm_mask;                         ///< of the stream on an NVIDIA GPU, as written; "": none
  double mps_share = 0;                        ///< of the process under MPS, in percent; 0: it does not use MPS
};

/// What a task does without an activity of its own: calls and accesses of device tasks, which kernels contain, and those
/// that disappear with a wrapper and its copies.
struct Contained {
  std::optional<RunnableIndex> runnable;  ///< where it is
  std::optional<LabelIndex> label;        ///< nothing: the runnable begins
  bool write = false;                     ///< of the label
  bool in_every_job = true;
};

enum class ProcessKind : std::uint8_t { task, isr_category1, isr_category2 };

enum class Preemption : std::uint8_t {
  preemptive,
  cooperative,     ///< other cooperative tasks preempt it only at schedule points and between runnables
  non_preemptive,  ///< no other task preempts it
};

/// A process: a task, or an ISR. An interrupt controller schedules ISRs, and they preempt all tasks of their core.
struct Task {
  std::string name;
  ProcessKind kind = ProcessKind::task;
  Side side = Side::host;
  SchedulerIndex scheduler = 0;
  UnitIndex unit = 0;  ///< where it runs; if there are several, the first of `units`
  /// units it may run on, if more than one: its affinity, or those of its scheduler
  std::vector<UnitIndex> units;
  std::int64_t priority = 0;  ///< a larger value is more urgent
  Preemption preemption = Preemption::preemptive;
  /// maximum number of pending activations; further ones are lost; 0: no limit stated
  std::uint32_t activation_limit = 0;
  std::optional<Duration> time_slice;     ///< of a device task's context
  GpuShare gpu;                           ///< of a device task
  std::optional<Duration> deadline;       ///< upper limit of a ResponseTime requirement, relative to the release
  std::vector<NodeIndex> body;            ///< activities in execution order
  std::vector<Contained> contained = {};  ///< what it does besides
  /// Set for the wrapper of an offloaded function that is mapped to a CPU: wrapper and copies are removed, and the
  /// named task gets its releases and deadline.
  std::optional<TaskIndex> folded_into;
  Origin origin;
};

/// A limit on the latency of a chain (EventChainLatencyConstraint).
struct ChainLimit {
  enum class Kind : std::uint8_t { reaction, age };
  std::string name;
  Kind kind = Kind::reaction;  ///< default: reaction
  std::optional<Duration> minimum;
  std::optional<Duration> maximum;
};

/// An event of an event chain, and the task in which it occurs.
struct ChainEvent {
  ObservableEvent event;
  std::size_t position = 0;  ///< of its task in Chain::tasks; of the task before it, if it names none
  bool in_task = true;  ///< false: a label event in no task or in several, which names what passes to the next task
};

/// Tasks that data passes through, in order: an event chain of the model, or one that the user requested or a search
/// derived.
struct Chain {
  enum class Source : std::uint8_t { model, request, label_flow };
  std::string name;
  std::vector<TaskIndex> tasks;
  Origin origin;  ///< of an event chain
  Source source = Source::model;
  std::vector<ChainLimit> limits;
  bool from_activation = false;  ///< its stimulus is the activation of the first task, not its start
  /// What keeps an event chain from being a sequence of tasks, such as a step in no task or in several, as a clause. It
  /// has no latencies, and its limits are not judged.
  std::string gap = {};
  std::vector<ChainEvent> events = {};  ///< of an event chain, in order
};

/// A requirement of the model, whether or not it can be judged. Metrics other than times keep AMALTHEA's literal, "" if
/// the model states none.
struct Requirement {
  enum class Severity : std::uint8_t { unstated, cosmetic, minor, major, critical };
  enum class LimitType : std::uint8_t { unstated, upper, lower };
  enum class Kind : std::uint8_t { unknown, process, runnable, process_chain, architecture };

  struct OfProcess {
    TaskIndex task = 0;
  };
  struct OfRunnable {
    RunnableIndex runnable = 0;
  };
  struct OfChain {
    std::vector<TaskIndex> tasks;  ///< in order; removed wrappers are replaced by their functions
  };
  /// An architecture requirement, or one whose subject is not in the system.
  struct OfOther {};

  struct TimeLimit {
    std::optional<TimeMetric> metric;
    std::optional<Duration> value;  ///< may be negative; nothing if it is missing or unreadable
  };
  struct CountLimit {
    std::string metric;
    std::int64_t value = 0;
  };
  struct PercentageLimit {
    std::string metric;
    double value = 0;  ///< percent
  };
  struct CpuLimit {
    std::string metric;
    double value = 0;               ///< percent
    std::optional<UnitIndex> unit;  ///< the named unit, if any
    bool unknown_unit = false;      ///< something is named, but it is no unit of the platform
  };
  struct FrequencyLimit {
    std::string metric;
    std::optional<double> hertz;
  };
  struct NoLimit {};

  std::string name;
  Origin origin;
  Severity severity = Severity::unstated;
  Kind kind = Kind::unknown;
  std::variant<OfOther, OfProcess, OfRunnable, OfChain> subject;
  std::string subject_name;  ///< as in the model; "" where there is none
  LimitType limit_type = LimitType::unstated;
  std::variant<NoLimit, TimeLimit, CountLimit, PercentageLimit, CpuLimit, FrequencyLimit> limit;
};
std::string_view to_string(Requirement::Severity);   ///< AMALTHEA's literal; "" where it is not stated
std::string_view to_string(Requirement::LimitType);  ///< the same
std::string_view to_string(Requirement::Kind);       ///< "process", "runnable", "process chain", …

/// A part of a System that has a place in the model.
struct Part {
  enum class Kind : std::uint8_t {
    unit,
    memory,
    scheduler,
    label,
    runnable,
    event,
    mode,
    semaphore,
    stimulus,
    task,
    chain,
    requirement,
    constraint,
  };
  Kind kind = Kind::task;
  std::uint32_t index = 0;  ///< into the list of its kind
  friend bool operator==(const Part&, const Part&) = default;
};

/// A finding that leaves the timing of some parts open: a value that nobody filled in, a construct that is not
/// simulated. No limit that depends on one of these parts can be judged.
struct OpenFinding {
  std::string id;           ///< "AM0458"
  Location location;        ///< where to mend it
  bool assumption = false;  ///< something usual was assumed instead; open only if assumptions do not count
  std::vector<Part> parts;  ///< empty: it may concern any part
};

struct System {
  // Defined once: otherwise everybody who holds a system compiles how each part of it is copied.
  System();
  System(const System&);
  System(System&&) noexcept;
  System& operator=(const System&);
  System& operator=(System&&) noexcept;
  ~System();

  Platform platform;
  std::vector<Label> labels;
  std::vector<Runnable> runnables;
  std::vector<OsEvent> events;
  std::vector<Mode> modes;
  std::vector<Semaphore> semaphores;
  std::vector<Stimulus> stimuli;
  std::vector<Task> tasks;
  std::vector<Chain> chains;
  std::vector<Requirement> requirements;  ///< in document order, then deadlines of processes and of runnables
  /// By class, each in document order; of latency constraints of event chains those alone that are no limits of
  /// `chains`.
  std::vector<TimingConstraint> constraints;
  RunnableGraph graph;
  std::vector<OpenFinding> open;  ///< in the order of the findings
};

/// How `unit` reaches the memory of `label`: the access to that memory; for a label that is mapped to no memory the
/// unit's only access, if it has just one. Null: the model states no cost.
const MemoryAccess* access_to(const ProcessingUnit& unit, const Label& label);

/// The literal of this number, or the number.
std::string mode_value_name(const Mode& mode, std::int64_t value);
/// A guard in words: "Gear = Reverse and Speed < 10", "weight 0.25", "every 3 from 1", "otherwise".
std::string describe(const System& system, const Guard& guard);

/// Adds an activity after the last one of the task's body.
void append_activity(System& system, TaskIndex task, Activity activity);

/// The graph of one task alone: its activities and the sequence between them.
RunnableGraph task_graph(const System& system, TaskIndex task);

}  // namespace amalthea
