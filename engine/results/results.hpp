// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Results of an analysis: plain data, without elements and formats. Indices refer to the analyzed System.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/program/program.hpp"
#include "engine/results/chain_result.hpp"
#include "engine/results/constraint_result.hpp"
#include "engine/results/process_metrics.hpp"
#include "engine/results/requirement_result.hpp"
#include "engine/results/statistics.hpp"

namespace amalthea::engine {

/// How a job spent its response time.
enum class ContributionKind : std::uint8_t {
  execution,       ///< the task's own execution
  memory,          ///< its own label accesses
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
  interference,    ///< own copy or kernel slowed down by what `by` does on the other engine
};
std::string_view to_string(ContributionKind);

struct Contribution {
  ContributionKind kind = ContributionKind::execution;
  std::optional<TaskIndex> by;
  Duration time;
};

/// A bound that holds for every job, in any run.
struct Bound {
  std::optional<Duration> best;     ///< lower bound
  std::optional<Duration> worst;    ///< upper bound
  std::string reason;               ///< why `worst` is unknown; "" if it is known
  std::vector<Contribution> parts;  ///< their sum is `worst`
  bool exact = false;               ///< a job reaches `worst`; it holds for the stated offsets
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
  /// observed. Nothing: no deadline, or no bound and no late job.
  std::optional<bool> guaranteed;
};

struct RunnableResult {
  RunnableIndex runnable = 0;
  TaskIndex task = 0;
  Statistics duration;  ///< first start to last end within one job
};

struct OperationResult {
  NodeIndex node = 0;
  TaskIndex task = 0;
  Statistics duration;  ///< submission to the device to completion
  Bound bound;          ///< of the same time; without parts
};

enum class ResourceKind : std::uint8_t { core, execution_engine, copy_engine };
std::string_view to_string(ResourceKind);

struct ResourceResult {
  UnitIndex unit = 0;
  ResourceKind kind = ResourceKind::core;
  /// Utilization: share of the simulated time spent executing or polling (cores), or serving a context (engines).
  double utilization = 0;
  /// Long-run demand: work per time at the execution times of the analysis. Cores with polling tasks include the
  /// undisturbed device time they poll for; any further polling depends on the schedule.
  double demand = 0;
  bool overloaded() const { return demand > 1 + 1e-9; }
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
  Duration horizon;                              ///< simulated time
  std::optional<Duration> hyperperiod;           ///< nothing if it exceeds 2^63 ps or nothing is periodic
  std::vector<std::string> device_profiles;      ///< parallel to Platform::units; "" for CPUs
  std::vector<std::optional<Duration>> periods;  ///< parallel to System::tasks; see periods_of (program/releases.hpp)
  std::vector<TaskResult> tasks;                 ///< parallel to System::tasks
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
  bool stopped_early = false;                    ///< the simulation stopped before the end, at `horizon`
  std::uint64_t events = 0;                      ///< number of instants that the simulation processed
};

}  // namespace amalthea::engine
