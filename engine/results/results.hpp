// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Results of an analysis: plain data, without elements and formats. Indices refer to the analyzed System.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "amalthea/time.hpp"
#include "engine/program/program.hpp"
#include "engine/results/chain_result.hpp"
#include "engine/results/constraint_result.hpp"
#include "engine/results/coverage.hpp"
#include "engine/results/process_metrics.hpp"
#include "engine/results/requirement_result.hpp"
#include "engine/results/statistics.hpp"

namespace amalthea::engine {

/// How a job spent its response time.
enum class ContributionKind : std::uint8_t {
  execution,       ///< the task's own execution
  memory,          ///< its own label accesses; under dynamic contention without interference
  preemption,      ///< `by` runs on the core, with higher urgency
  blocking,        ///< `by` has the core or semaphore, without higher urgency, and cannot be preempted
  budget,          ///< the task's server has no budget left
  backlog,         ///< earlier jobs of the task
  event,           ///< waiting for an event of `by`, which is not an active device task
  copy,            ///< own copies, without interference
  kernel,          ///< own kernels, without interference
  engine_slice,    ///< the execution engine or copy engine serves the context of `by`
  engine_queue,    ///< queued behind an operation of `by` in the same context
  context_switch,  ///< an engine switches to the task's context
  interference,    ///< own copy, kernel or label access slowed down by what `by` does to the memory
};
std::string_view to_string(ContributionKind);

/// What slows an operation or an access down.
enum class TrafficKind : std::uint8_t { none, copies, kernels, cpu };
std::string_view to_string(TrafficKind);  ///< "copies", "kernels", "cpu"; "" for none

struct Contribution {
  ContributionKind kind = ContributionKind::execution;
  std::optional<TaskIndex> by;
  Duration time;
  TrafficKind traffic = TrafficKind::none;  ///< for interference: what `by` does
  std::uint32_t others = 0;                 ///< > 0: the sum of as many contributions, each `by` another task
};

/// How many contributions of a time are kept apart by default.
inline constexpr std::size_t default_contributions = 32;
/// Keeps the own and the largest contributions apart, and adds the others up, one sum for each kind and traffic.
void keep_largest(std::vector<Contribution>& parts, std::size_t most);

/// How an upper bound was found. All but the first hold for the stated offsets only.
enum class BoundMethod : std::uint8_t {
  equations,         ///< equations that hold for all offsets
  offsets,           ///< equations for the busy periods that the offsets allow
  longest_schedule,  ///< the schedule in which every job takes its longest time
  graph,             ///< an exploration of all schedules
  schedule,          ///< the only schedule, where nothing varies
};
std::string_view to_string(BoundMethod);  ///< "equations", "offsets", "longest_schedule", "graph", "schedule"

/// A bound that holds for every job, in any run.
struct Bound {
  std::optional<Duration> best;                 ///< lower bound
  std::optional<Duration> worst;                ///< upper bound
  std::string reason;                           ///< why `worst` is unknown; "" if it is known
  std::vector<Contribution> parts;              ///< their sum is `worst`
  bool exact = false;                           ///< a job reaches `worst`, with BoundMethod::schedule
  BoundMethod method = BoundMethod::equations;  ///< of `worst`
  /// The maximum number of activations of the task that are pending at once, a new one included; holds where `worst`
  /// does. Nothing if it is unknown.
  std::optional<std::int64_t> pending = {};
  /// Whether it may rely on the time until a stimulus activates a task that ends a wait: then it holds for offsets up to
  /// the stated one or the period.
  bool awaits_signal = false;
  /// Whether the task, or one that contributes to its bound, awaits an event that an activation limit can withhold.
  bool awaits_limited = false;
  std::optional<Duration> proved = {};  ///< an upper bound that a proof assistant has checked; `worst` may be smaller
};

/// For one process and its deadline; docs/reference/verdicts.md. Unknown: the simulation did not observe enough.
enum class Verdict : std::uint8_t { met, missed, unbounded, unknown, no_deadline };
std::string_view to_string(Verdict);

struct TaskResult {
  Statistics response;                      ///< release to completion, over completed jobs
  std::uint64_t unfinished = 0;             ///< jobs released within the horizon that never ended
  std::uint64_t lost_activations = 0;       ///< beyond the task's activation limit
  std::uint64_t missed_deadlines = 0;       ///< late jobs, ended or not
  std::optional<Instant> worst_release;     ///< release of the completed job with the longest response
  std::vector<Contribution> contributions;  ///< of that job; their sum is its response time
  Verdict verdict = Verdict::no_deadline;
  std::string reason;  ///< a sentence
  Bound bound;         ///< of the response time
  ProcessMetrics metrics;
  /// Whether no job can be late: the bound is within the deadline. False: the bound exceeds it, or a late job was
  /// observed. Nothing: no deadline, or no late job and either no bound or activations that may be lost.
  std::optional<bool> guaranteed;
  Coverage coverage = {};  ///< of the guarantee
};

struct RunnableResult {
  RunnableIndex runnable = 0;
  TaskIndex task = 0;
  Statistics duration;  ///< first start to last end within one job
};

/// How the blocks of a launched kernel fill the GPU, if nothing else runs there.
struct LaunchFigures {
  std::int64_t blocks_per_sm = 0;  ///< that are resident at the same time
  std::int64_t rounds = 0;         ///< of as many blocks as fit on the GPU
};

struct OperationResult {
  NodeIndex node = 0;
  TaskIndex task = 0;
  Statistics duration;                           ///< submission to the device to completion
  Bound bound;                                   ///< of the same time; without parts
  std::vector<Contribution> contributions = {};  ///< of the longest one; their sum is duration.max
  std::optional<LaunchFigures> launch = {};      ///< for kernels with a launch configuration
  /// on GPUs with a law of contention: what its slowdown by other kernels and CPUs is taken from
  std::optional<gpu::ContentionBasis> basis = {};
};

/// Which interference the simulation assumes for label accesses with a table of costs. Operations of a GPU always depend
/// on what runs at the same time, and bounds on the worst that can coincide.
enum class Contention : std::uint8_t {
  static_,  ///< that of all cores and GPUs with tasks, all the time
  dynamic,  ///< that of the cores and GPUs that access memory at the same time
};
std::string_view to_string(Contention);  ///< "static", "dynamic"

enum class ResourceKind : std::uint8_t { core, execution_engine, copy_engine, server };
std::string_view to_string(ResourceKind);  ///< "core", "execution engine", "copy engine", "server"

/// A device task on an engine of its GPU.
struct EngineUse {
  TaskIndex task = 0;
  Duration time_slice;  ///< of its context, while others wait
  double demand = 0;    ///< its part of ResourceResult::demand
};

struct ResourceResult {
  UnitIndex unit = 0;  ///< of a server: the first one of its tasks
  ResourceKind kind = ResourceKind::core;
  /// Utilization: share of the simulated time spent executing or polling (cores), or serving a context (engines). Of a
  /// server, utilization and demand are shares of its budget.
  double utilization = 0;
  /// Long-run demand: work per time at the execution times of the analysis. Cores with polling tasks include the
  /// undisturbed device time they poll for; any further polling depends on the schedule.
  double demand = 0;
  std::vector<EngineUse> uses = {};  ///< of an engine: the device tasks that need it, in model order
  std::optional<SchedulerIndex> server = {};
  bool overloaded() const { return demand > 1 + 1e-9; }
};
/// Of its unit, or of the server.
template <typename Resource>
const std::string& name_of(const System& system, const Resource& resource) {
  return resource.server ? system.platform.schedulers[*resource.server].name
                         : system.platform.units[resource.unit].name;
}

/// What mending an open finding (System::open) would unlock.
struct OpenResult {
  std::string id;          ///< of the finding
  Location location;       ///< where to mend it
  std::size_t limits = 0;  ///< limits that are unknown because of it, maybe among others
};

struct Results {
  Execution execution = Execution::worst;
  /// the semantics that latency constraints are judged by
  Communication communication = Communication::implicit;
  bool strict = false;  ///< assumptions count as not judged
  /// What the user asked for instead of what the model states, one phrase each: "accesses to memory cost what
  /// "waters2019" says".
  std::vector<std::string> replaced;
  std::string memory_model = "model";  ///< name of the memory model that defines the cost of accesses
  LineRule line_rule = LineRule::exact;
  Contention contention = Contention::static_;
  Duration horizon;                              ///< simulated time
  std::optional<Duration> hyperperiod;           ///< nothing if it exceeds 2^63 ps or nothing is periodic
  std::vector<std::string> device_profiles;      ///< parallel to Platform::units; "" for CPUs
  std::vector<std::optional<Duration>> periods;  ///< parallel to System::tasks; see periods_of (program/releases.hpp)
  std::vector<TaskResult> tasks;                 ///< parallel to System::tasks
  bool proofs = false;                           ///< whether Bound::proved was looked for
  std::vector<RunnableResult> runnables;
  std::vector<OperationResult> operations;
  std::vector<ResourceResult> resources;
  /// Per task that is part of a chain, or of the process chain of a requirement: when its ended jobs read (at their
  /// start; on a device when they submit their first operation) and wrote (at their end), in the order of release.
  std::vector<std::vector<JobAccess>> accesses;
  std::vector<std::vector<Duration>> responses;  ///< per task, of its measured jobs; only on request
  std::vector<ChainResult> chains;               ///< parallel to System::chains
  std::vector<RequirementResult> requirements;   ///< parallel to System::requirements
  std::vector<ConstraintResult> constraints;     ///< parallel to System::constraints
  std::vector<OpenResult> open;                  ///< what limits wait for; only findings that count
  bool stopped_early = false;                    ///< the simulation stopped before the end, at `horizon`
  std::uint64_t events = 0;                      ///< number of instants that the simulation processed
};

}  // namespace amalthea::engine
