// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The common solution of the equations of all tasks (docs/theory/gpu.md).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/nvidia/time_slices/bound_time.hpp"
#include "engine/nvidia/time_slices/sharing.hpp"

namespace amalthea::engine::nvidia::time_slices {

/// Maximum total work, in pairs of tasks.
constexpr std::int64_t max_work = 1'000'000'000;
/// The same where responses may exceed periods, and the longest window there, in periods.
constexpr std::int64_t max_work_beyond = 10'000'000;
constexpr std::int64_t max_periods = 64;

/// One task's job as other tasks see it: own work and switches, and its waits.
struct JobBound {
  Duration gpu, slowdown, own_switches, drains;
  std::vector<Duration> segments;
  std::vector<BoundShare> slowed;          ///< parts of `slowdown`
  std::vector<ContextWait> waits;          ///< by context
  Duration waiting;                        ///< for all of them, at most the sum of `waits`
  std::vector<ContextWait> blocking;       ///< by the less urgent contexts that may delay longest (4a)
  std::vector<Duration> queued;            ///< by stream
  std::vector<Duration> work;              ///< on each engine, with maximum slowdown
  std::vector<Duration> served;            ///< on each engine, from submission to end while the context is served
  std::vector<std::int64_t> turns;         ///< for that work
  std::vector<EngineShare> segment;        ///< the most of both that one GPU segment has
  Duration awaited;                        ///< the longest time of its waits for tasks whose host it is (10)
  std::vector<std::size_t> longest_waits;  ///< indices of the waits that this is the sum of
  std::vector<std::vector<BoundShare>> segment_shares;  ///< of a task with a host
  /// Of such a task, a segment without the waits for contexts that are not of its host, and these waits.
  struct Apart {
    Duration time;
    std::vector<BoundShare> shares;
    std::vector<ContextWait> waits;  ///< by context
    Duration waiting;                ///< for all of them
  };
  std::vector<Apart> apart;
  /// The same of the waits for tasks whose host it is: another limit.
  Duration awaited_apart;
  std::vector<std::size_t> longest_apart;
  std::vector<ContextWait> waits_apart;  ///< by context; empty: it is no host
  Duration waiting_apart;
  std::vector<Duration> first_groups;  ///< the groups before which a job executes nothing

  /// What it needs itself, and what delays it in its own context.
  Duration own(bool is_apart) const {
    Duration total = sum(sum(sum(gpu, slowdown), sum(own_switches, drains)), is_apart ? awaited_apart : awaited);
    for (const Duration time : queued) total = sum(total, time);
    // Another context than the named one may delay each group, so that no demand of a context limits this.
    for (const ContextWait& wait : blocking) total = sum(total, wait.total());
    return total;
  }
};

inline ContextWait operator+(const ContextWait& a, const ContextWait& b) {
  return {sum(a.slices, b.slices), sum(a.overruns, b.overruns), sum(a.switches, b.switches)};
}
inline ContextWait operator*(const ContextWait& a, std::int64_t count) {
  return {times(a.slices, count), times(a.overruns, count), times(a.switches, count)};
}

Duration total_of(const std::vector<ContextWait>& waits);
/// Without what exceeds the sum.
std::vector<ContextWait> limited(std::vector<ContextWait> waits, Duration most);

struct Response {
  Duration time;
  std::vector<BoundShare> parts;
};

/// Starts from the shortest responses and raises them until all equations hold: job_bounds.cpp has the equations of GPU
/// segments, responses.cpp those of cores and the iteration, report.cpp the results.
class Analysis {
 public:
  explicit Analysis(const TimeSliceProblem& problem)
      : problem_(problem), sharing_(problem), response_(problem.tasks.size()), gave_up_(problem.tasks.size()) {
    for (std::size_t task = 0; task < problem_.tasks.size(); ++task)
      facts_.push_back(facts_of(problem_, sharing_, task));
  }

  TimeSliceBounds run();

 private:
  std::size_t count() const { return problem_.tasks.size(); }
  const GpuTask& task(std::size_t index) const { return problem_.tasks[index]; }

  /// The minimum distance of two releases (7a); not above zero: they may coincide.
  Duration distance_of(std::size_t index) const { return task(index).period - task(index).jitter; }
  /// The minimum distance of a release and the `count`-th after it.
  Duration distance_of(std::size_t index, std::int64_t count) const;
  /// No window is longer.
  Duration limit_of(std::size_t index) const;

  /// Whether a task has no bound because its response may exceed its period.
  bool any_may_gain(const TimeSliceBounds& bounds) const;

  /// (8): false if it takes too many steps.
  bool solve(std::int64_t most_work);

  /// (3); nothing if the task may always request the engine.
  std::optional<EngineDemand> demand_of(std::size_t index, std::size_t engine) const;

  /// The task whose jobs trigger its GPU segments.
  std::size_t host_of(std::size_t index) const { return task(index).host.value_or(index); }
  /// Whether one host awaits both (10).
  bool are_siblings(std::size_t a, std::size_t b) const;
  /// Whether both may be at work at the same time.
  bool may_overlap(std::size_t a, std::size_t b) const;
  /// What a task requests while a segment of `self` is at work. Of tasks with the same host, one job is (10).
  std::optional<EngineDemand> demand_beside(std::size_t self, std::size_t index, std::size_t engine) const;
  /// Whether only the host and tasks that it awaits use the context.
  bool belongs_to(const ContextFacts& context, std::size_t host) const;
  /// Adds a segment of a task with a host.
  void add_segment(std::size_t index, Duration time, const JobBound& alone, JobBound& job) const;
  /// The waits of a job for other contexts.
  std::vector<ContextWait> waits_of(std::size_t index, bool is_apart) const;
  Duration waiting_of(std::size_t index, bool is_apart) const;

  /// Adds the demands of a context's tasks for an engine; false if one may always request it.
  bool add_demands(const ContextFacts& context, std::size_t engine, std::vector<EngineDemand>& demands) const;

  /// Whether the task keeps its core while the GPU works for it.
  bool keeps_core(std::size_t index) const {
    return !facts_[index].offloads ||
           (task(index).wait == WaitMode::busy && !task(index).also_suspends && !task(index).host);
  }

  /// Whether the context belongs to a less urgent task of the same core. While a job of `index` or of a more urgent task
  /// keeps the core, that task has at most one GPU segment at work, which it submitted before.
  bool is_below(const ContextFacts& context, std::size_t index) const;

  /// Whether operations of the context request the engine.
  bool uses(const ContextFacts& context, std::size_t engine) const;

  /// The demand of that segment for an engine.
  EngineDemand segment_demand(std::size_t index, std::size_t engine) const;

  /// For every engine, the contexts of its GPU. Of the context of one task only those operations count that this task
  /// cannot wait for itself.
  std::vector<std::vector<SharingContext>> sharing_contexts() const;

  /// (5): the label accesses of a task, as an operation of task `self` meets them.
  CpuDemand cpu_demand(std::size_t index, std::size_t self, std::size_t gpu) const;

  /// A cause of slowdown with its name.
  struct Cause {
    SlowdownCause aggressor;
    BoundShare share;  ///< without a time
  };

  /// (5), (9): what may slow down a group or, where several tasks use its context, all operations of the context on the
  /// engine: copies of others; kernels of others, for kernels only those that are resident in the context; CPUs.
  std::vector<Cause> causes_of(std::size_t index, const Group& group) const;

  /// The first stream of the task in the context.
  std::size_t stream_in(std::size_t context, std::size_t task) const;

  /// (9): adds what other streams of the context may execute before the group has ended.
  OperationGroup with_rivals(std::size_t index, const Group& group) const;

  /// Whether the task executes its operations once in each job of it, or of its host, which ends so much before the next
  /// one begins.
  bool ends_before_next(std::size_t index, Duration later) const;

  /// The same for kernels that may overtake each other.
  StreamDelay overtaking_rivals(std::size_t index, const Group& group, const gpu::KernelDelays& delays) const;

  /// If only one kernel of each other stream delays a kernel, whatever the window.
  StreamDelay older_rivals(std::size_t index, const Group& group, const gpu::KernelDelays& delays) const;

  struct CausedBound : GroupBound {
    std::vector<BoundShare> slowed_by;  ///< parallel to `slowed`
  };

  CausedBound bound_of(std::size_t index, const Group& group,
                       const std::vector<std::vector<SharingContext>>& sharing) const;

  /// For every stream that several tasks use, and every use, the longest of its operations once it is the first of the
  /// stream.
  std::vector<std::vector<Duration>> bounds_in_streams(const std::vector<std::vector<SharingContext>>& sharing) const;

  /// The contexts of a GPU in the order of its runlist, as indices among all contexts.
  std::vector<std::size_t> contexts_of(std::size_t gpu) const;

  /// Adds a group to a job, and returns the time from its submission to its end.
  Duration add_group(std::size_t index, const Group& group, const CausedBound& bound,
                     const std::vector<std::vector<Duration>>& in_streams, JobBound& job) const;

  static void add_share(std::vector<BoundShare>& shares, const BoundShare& added);

  JobBound empty_job() const;

  /// Uses the maximum times found for the jobs of others, initially without slowdown. Returns whether they may take
  /// longer.
  bool bound_jobs();

  /// (10): the longest sum of waits that do not overlap.
  void add_waits_for_tasks(std::size_t index, std::vector<JobBound>& jobs) const;

  /// A task's demand for its core, and whether the GPU segments are in the same window.
  struct Demand {
    std::size_t task = 0;
    Duration execution;
    bool with_gpu = false;
    /// A last segment without execution time follows tasks released at that instant: it counts as one moment.
    Duration moment;
    bool is_apart = false;  ///< waits of jobs for tasks whose host they are count without those for other contexts
  };
  static Duration moment_after(Duration last_execution);

  /// The minimum of (6) and (7).
  std::optional<Response> response_of(std::size_t index);

  static bool waits_for_nobody(const Response& response);

  static bool comes_before(const BoundShare& a, const BoundShare& b);

  /// (7)
  std::optional<Response> response_by_segments(std::size_t index);

  /// The GPU segments of a job that takes at least `rest` beside them.
  std::vector<BoundShare> shares_within(std::size_t index, bool is_apart, Duration rest);

  /// The GPU segments of a job, with these waits for other contexts; none of zero.
  std::vector<BoundShare> shares_of_gpu(std::size_t index, const JobBound& job, const std::vector<ContextWait>& waits,
                                        bool is_apart = false) const;

  std::size_t first_stream(std::size_t index) const { return facts_[index].segments.front().front().stream; }

  template <typename Add>
  void add_waits(const std::vector<ContextWait>& waits, const Add& add) const {
    const auto each = [&](BoundPart part, Duration ContextWait::*time) {
      for (std::size_t context = 0; context < waits.size(); ++context)
        if (!(waits[context].*time).is_zero()) {
          const ContextFacts& served = sharing_.contexts[context];
          add(part, served.tasks.front(), waits[context].*time, served.streams.front());
        }
    };
    each(BoundPart::slices, &ContextWait::slices);
    each(BoundPart::overruns, &ContextWait::overruns);
    each(BoundPart::switches, &ContextWait::switches);
  }

  /// The minimum over the ways to count suspending tasks of at least the priority.
  std::optional<Response> least_response(Demand demand);

  /// (6): the longest of the jobs in a busy window; (7): a CPU segment.
  std::optional<Response> solve_response(const Demand& demand, const std::vector<std::size_t>& rivals,
                                         const std::vector<bool>& jitter);

  /// The window up to the end of a job that follows `earlier` others, at least `window`.
  std::optional<Response> solve_window(const Demand& demand, std::int64_t earlier,
                                       const std::vector<std::size_t>& rivals, const std::vector<bool>& jitter,
                                       Duration window);

  /// Takes the time before the release out of a window: first of the task's earlier jobs, then of other tasks.
  static void leave_out(Duration before, std::size_t index, Response& response);

  /// The right side of (6) for X = window, or of (7) for a CPU segment.
  Duration evaluate(const Demand& demand, std::int64_t earlier, const std::vector<std::size_t>& rivals,
                    const std::vector<bool>& jitter, Duration window, CarriedIn carried_in,
                    std::vector<BoundShare>& parts) const;

  /// At most what the context can demand of all engines in the window: of its own task, or one segment.
  void limit(const ContextFacts& context, Duration window, bool one_segment, CarriedIn carried_in,
             ContextWait& wait) const;
  /// The same of tasks that use several contexts alone: they have one part at work at a time.
  void limit_tasks(Duration window, CarriedIn carried_in, std::vector<ContextWait>& waits) const;
  /// What jobs of the task execute on an engine; null: unknown.
  const PartSequence* sequence_of(std::size_t index, std::size_t engine) const;
  void find_sequences();
  /// The longest time for which an engine has work without a break; `infinite`: no limit is known.
  Duration longest_busy(std::size_t engine);
  /// What a group counts there: with maximum slowdown, and a switch for each turn.
  Duration charge_of(const Group& group) const;

  /// The most that a suspending task executes on its core in a window, counted with jitter (6).
  Duration execution_within(std::size_t index, Duration window, CarriedIn carried_in) const;

  // ---- results

  static double rate(Duration work, Duration period);

  /// The minimum core time of a job: its execution, and the undisturbed GPU time it polls for.
  Duration core_time(std::size_t index) const;

  TimeSliceBounds report();

  /// Describes the parts of the bounds of a task's GPU segments, and the bounds of its operations.
  void describe_segments(std::size_t index, TaskBound& bound) const;

  std::string reason_of(std::size_t index, const TimeSliceBounds& bounds) const;

  /// Why other streams of its contexts delay it too long.
  std::string reason_of_streams(std::size_t index, const std::string& limit) const;

  const TimeSliceProblem& problem_;
  Sharing sharing_;
  std::vector<TaskFacts> facts_;
  std::vector<std::optional<Duration>> response_;
  std::vector<JobBound> jobs_;
  std::vector<Duration> busy_;                        ///< by engine
  std::vector<std::vector<PartSequence>> sequences_;  ///< by task and engine; empty: unknown
  std::vector<double> engine_demand_;                 ///< undisturbed work per time
  std::vector<bool> gave_up_;  ///< an equation of the task was not solved within the limit of steps
  bool by_demand_ = true;
  bool beyond_ = false;  ///< responses may exceed the minimum distance of two releases
  mutable std::int64_t work_ = 0;
  std::int64_t most_work_ = max_work;
};

}  // namespace amalthea::engine::nvidia::time_slices
