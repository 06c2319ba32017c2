// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an analysis finds: plain data, no elements, no formats. Indices are those of the analysed System.

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

/// What a job spent its response time on.
enum class ContributionKind : std::uint8_t {
  execution,       ///< the task's own execution
  memory,          ///< its own accesses to labels
  preemption,      ///< a core given to `by`, which is more urgent
  blocking,        ///< a core or semaphore that `by`, which is not more urgent, cannot be made to leave
  budget,          ///< the task's server has none left
  backlog,         ///< the task's own previous jobs
  event,           ///< waiting for an event of `by` that is no device task at work
  copy,            ///< own copies, undisturbed
  kernel,          ///< own kernels, undisturbed
  engine_slice,    ///< execution engine or copy engine given to the context of `by`
  engine_queue,    ///< behind an operation of `by` in the same context
  context_switch,  ///< an engine turning to the task's context
  interference,    ///< own copy or kernel slowed by what `by` does on the other engine
};
std::string_view to_string(ContributionKind);

struct Contribution {
  ContributionKind kind = ContributionKind::execution;
  std::optional<TaskIndex> by;
  Duration time;
};

/// What holds for every job, simulated or not.
struct Bound {
  std::optional<Duration> best;     ///< none is shorter
  std::optional<Duration> worst;    ///< none is longer
  std::string reason;               ///< why `worst` is not known; "" when it is
  std::vector<Contribution> parts;  ///< they add up to `worst`
};

/// Of one process and its deadline; docs/reference/verdicts.md. Unknown: the simulation did not see enough of it.
enum class Verdict : std::uint8_t { met, missed, unbounded, unknown, no_deadline };
std::string_view to_string(Verdict);

struct TaskResult {
  Statistics response;                      ///< release to completion, of completed jobs
  std::uint64_t unfinished = 0;             ///< jobs released within the horizon that never ended
  std::uint64_t lost_activations = 0;       ///< beyond the task's activation limit
  std::uint64_t missed_deadlines = 0;       ///< late jobs, ended or not
  std::optional<Instant> worst_release;     ///< release of the completed job with the longest response
  std::vector<Contribution> contributions;  ///< of that job; they add up to its response time
  Verdict verdict = Verdict::no_deadline;
  std::string reason;  ///< why, in a sentence
  Bound bound;         ///< of the response time
  ProcessMetrics metrics;
  /// Whether no job can be late: the bound is within the deadline. False: the bound exceeds it, or a job was seen late.
  /// Nothing: there is no deadline, or there is no bound and nothing was seen against it.
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
  Bound bound;          ///< of the same; without parts
};

enum class ResourceKind : std::uint8_t { core, execution_engine, copy_engine };
std::string_view to_string(ResourceKind);

struct ResourceResult {
  UnitIndex unit = 0;
  ResourceKind kind = ResourceKind::core;
  /// Share of the simulated time in use: executing or polling (cores), serving a context (engines).
  double utilization = 0;
  /// Long-run demand: work per time at the execution times of the analysis. Polling cores are charged with the
  /// undisturbed device time they poll for; what comes on top depends on the schedule.
  double demand = 0;
  bool overloaded() const { return demand > 1 + 1e-9; }
};

struct Results {
  Execution execution = Execution::worst;
  Communication communication = Communication::implicit;  ///< by which latency constraints are judged
  bool strict = false;                                    ///< assumptions count as not judged
  /// What was asked for in place of what the model says, in a phrase each: "accesses to memory cost what "waters2019"
  /// says".
  std::vector<std::string> replaced;
  std::string memory_model = "model";  ///< by name: what accesses to memory cost
  LineRule line_rule = LineRule::exact;
  Duration horizon;                              ///< simulated time
  std::optional<Duration> hyperperiod;           ///< nothing when it exceeds 2^63 ps or nothing is periodic
  std::vector<std::string> device_profiles;      ///< parallel to Platform::units; "" for CPUs
  std::vector<std::optional<Duration>> periods;  ///< parallel to System::tasks; see periods_of (program/releases.hpp)
  std::vector<TaskResult> tasks;                 ///< parallel to System::tasks
  std::vector<RunnableResult> runnables;
  std::vector<OperationResult> operations;
  std::vector<ResourceResult> resources;
  /// Per task, if a chain, or the process chain of a requirement, has it: when its ended jobs read (at their start; on
  /// a device when they submit their first operation) and wrote (at their end), in the order of their release.
  std::vector<std::vector<JobAccess>> accesses;
  std::vector<std::vector<Duration>> responses;  ///< per task, of its measured jobs; when they were asked for
  std::vector<ChainResult> chains;               ///< parallel to System::chains
  std::vector<RequirementResult> requirements;   ///< parallel to System::requirements
  std::vector<ConstraintResult> constraints;     ///< parallel to System::constraints
  bool stopped_early = false;                    ///< the simulation gave up before the end: `horizon` says when
  std::uint64_t events = 0;                      ///< instants at which the simulation acted
};

}  // namespace amalthea::engine
