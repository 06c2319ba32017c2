// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/time_slice_analysis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "amalthea/detail/counted_steps.hpp"
#include "amalthea/quantity.hpp"

namespace amalthea::engine::nvidia {
namespace {

using Wide = detail::Int128;

/// Larger than any relevant time, and small enough for a sum of three.
constexpr Duration infinite = Duration::picoseconds(std::int64_t{1} << 61);

Duration saturated(Wide picoseconds) {
  return Duration::picoseconds(static_cast<std::int64_t>(std::min<Wide>(picoseconds, infinite.picoseconds())));
}
Duration times(Duration time, std::int64_t count) { return saturated(Wide(time.picoseconds()) * count); }
Duration sum(Duration a, Duration b) { return saturated(Wide(a.picoseconds()) + b.picoseconds()); }

std::int64_t ceiling(Duration a, Duration b) { return detail::divide(a.picoseconds(), b.picoseconds(), Rounding::up); }
std::int64_t turns_of(Duration work, Duration slice) { return std::max<std::int64_t>(1, ceiling(work, slice)); }

/// Maximum number of evaluations of an equation before it has no bound, so that extreme input does not hang the
/// analysis.
constexpr std::int64_t max_group_steps = 1'000;
constexpr std::int64_t max_core_steps = 20'000;
/// Maximum total work, in pairs of tasks.
constexpr std::int64_t max_work = 1'000'000'000;

// ---- static facts about tasks

enum EngineIndex : std::size_t { copy_engine, execution_engine };
constexpr std::size_t engines = 2;

std::size_t engine_of(StreamOperationKind kind) {
  return kind == StreamOperationKind::kernel ? execution_engine : copy_engine;
}

/// The use of one engine by a task's jobs.
struct EngineUse {
  Duration work;           ///< per job, with maximum slowdown
  Duration undisturbed;    ///< per job, without slowdown
  std::int64_t turns = 0;  ///< per job
  Duration overrun;
  Duration before, after;  ///< minimum time of a job before its first and after its last operation here
};

struct TaskFacts {
  Duration execution;
  Duration best;
  bool offloads = false;
  std::array<EngineUse, engines> use;
  /// Worst times, one before and one after every GPU segment, possibly zero.
  std::vector<Duration> cpu_segments = std::vector<Duration>(1);
  std::vector<std::vector<std::pair<std::size_t, OperationGroup>>> segments;  ///< groups and their engine
  std::size_t context = 0;                                                    ///< index among the contexts
};

/// The maximum slowdown of an operation by what another task may execute on the other engine.
Slowdown slowdown_by(const TimeSliceProblem& problem, const GpuTask& other, const GpuOperation& operation) {
  Slowdown worst;
  for (const Segment& segment : other.segments) {
    const auto* gpu = std::get_if<GpuSegment>(&segment);
    if (gpu == nullptr) continue;
    for (const GpuOperation& beside : gpu->operations) {
      const bool is_kernel = operation.kind == StreamOperationKind::kernel;
      if (is_kernel == (beside.kind == StreamOperationKind::kernel)) continue;
      const Slowdown full = !is_kernel                                   ? problem.copy_by_kernel
                            : beside.kind == StreamOperationKind::memset ? problem.kernel_by_memset
                                                                         : problem.kernel_by_memcpy;
      worst = std::max(worst, weigh(full, is_kernel ? operation.memory_share : beside.memory_share));
    }
  }
  return worst;
}

/// Whether any task accesses memory while an operation of this one executes.
bool has_cpu_traffic(const TimeSliceProblem& problem, std::size_t task) {
  if (!problem.other_accesses.empty() || !problem.tasks[task].accesses_beside.is_zero()) return true;
  for (std::size_t other = 0; other < problem.tasks.size(); ++other)
    if (other != task && !problem.tasks[other].accesses.is_zero()) return true;
  return false;
}

/// The maximum slowdown of an operation of one task by all others.
Slowdown slowdown_of(const TimeSliceProblem& problem, std::size_t task, const GpuOperation& operation) {
  Slowdown worst = has_cpu_traffic(problem, task) ? operation.by_cpu : Slowdown{};
  for (std::size_t other = 0; other < problem.tasks.size(); ++other)
    if (other != task) worst = std::max(worst, slowdown_by(problem, problem.tasks[other], operation));
  return worst;
}

bool offloads(const GpuTask& task) {
  return std::any_of(task.segments.begin(), task.segments.end(),
                     [](const Segment& segment) { return std::holds_alternative<GpuSegment>(segment); });
}

/// Extends the group by an operation of this task.
void add_to(OperationGroup& group, const TimeSliceProblem& problem, std::size_t task, const GpuOperation& operation) {
  const Slowdown slowdown = slowdown_of(problem, task, operation);
  group.work += operation.worst;
  group.slowest += scale(operation.worst, slowdown.ppm, 1'000'000, Rounding::up);
  group.full = std::max(group.full, slowdown);
  if (has_cpu_traffic(problem, task)) group.by_cpu = std::max(group.by_cpu, operation.by_cpu);
  std::size_t context = 0;
  for (std::size_t other = 0; other < problem.tasks.size(); ++other) {
    if (!offloads(problem.tasks[other])) continue;
    if (group.by_contexts.size() <= context) group.by_contexts.emplace_back();
    if (other != task)
      group.by_contexts[context] =
          std::max(group.by_contexts[context], slowdown_by(problem, problem.tasks[other], operation));
    ++context;
  }
}

Duration slowed(Duration work, Slowdown by) { return scale(work, by.ppm, 1'000'000, Rounding::up); }

TaskFacts facts_of(const TimeSliceProblem& problem, std::size_t index) {
  const GpuTask& task = problem.tasks[index];
  TaskFacts facts;
  std::array<bool, engines> seen{};
  for (const Segment& segment : task.segments) {
    if (const auto* cpu = std::get_if<CpuSegment>(&segment)) {
      facts.execution += cpu->worst;
      facts.cpu_segments.back() += cpu->worst;
      facts.best += cpu->best;
      for (EngineUse& use : facts.use) use.after += cpu->best;
      continue;
    }
    facts.cpu_segments.emplace_back();
    auto& groups = facts.segments.emplace_back();
    for (const GpuOperation& operation : std::get<GpuSegment>(segment).operations) {
      facts.offloads = true;
      const std::size_t engine = engine_of(operation.kind);
      const Slowdown slowdown = slowdown_of(problem, index, operation);
      const Duration slowest = slowed(operation.worst, slowdown);
      if (groups.empty() || groups.back().first != engine) groups.push_back({engine, {}});
      add_to(groups.back().second, problem, index, operation);
      EngineUse& use = facts.use[engine];
      use.work += slowest;
      use.undisturbed += operation.worst;
      if (!seen[engine]) use.before = facts.best;
      seen[engine] = true;
      facts.best += operation.best;
      facts.use[1 - engine].after += operation.best;
      use.after = {};
      const bool by_block = problem.preemption == Preemption::block && operation.kind == StreamOperationKind::kernel &&
                            !operation.longest_block.is_zero();
      if (problem.preemption != Preemption::instruction)
        use.overrun = std::max(use.overrun, by_block ? slowed(operation.longest_block, slowdown) : slowest);
    }
    for (const auto& [engine, group] : groups) facts.use[engine].turns += turns_of(group.slowest, task.slice);
  }
  return facts;
}

// ---- the common fixed point

/// One task's job as other tasks see it: own work and switches, and its waits for each context.
struct JobBound {
  Duration gpu, slowdown, own_switches;
  std::vector<Duration> segments;
  std::vector<ContextWait> waits;  ///< parallel to the tasks
  /// parts of `slowdown`: by copies and kernels of each task's context; by accesses of each task and each of the others
  std::vector<Duration> slowed_by_copies, slowed_by_kernels, slowed_by_cpus;
  std::array<Duration, engines> work{};       ///< on each engine, with maximum slowdown
  std::array<std::int64_t, engines> turns{};  ///< for that work
  Duration own() const { return gpu + slowdown + own_switches; }
};

ContextWait operator+(const ContextWait& a, const ContextWait& b) {
  return {sum(a.slices, b.slices), sum(a.overruns, b.overruns), sum(a.switches, b.switches)};
}
ContextWait operator*(const ContextWait& a, std::int64_t count) {
  return {times(a.slices, count), times(a.overruns, count), times(a.switches, count)};
}

struct Response {
  Duration time;
  std::vector<BoundShare> parts;
};

class Analysis {
 public:
  explicit Analysis(const TimeSliceProblem& problem)
      : problem_(problem), response_(problem.tasks.size()), gave_up_(problem.tasks.size()) {
    for (std::size_t task = 0; task < problem_.tasks.size(); ++task) {
      facts_.push_back(facts_of(problem_, task));
      if (facts_.back().offloads) {
        facts_.back().context = contexts_.size();
        contexts_.push_back(task);
      }
    }
  }

  TimeSliceBounds run() {
    if (!solve()) {
      // Without demands, only the jitter of suspending tasks links the bounds.
      by_demand_ = false;
      if (!solve()) std::fill(response_.begin(), response_.end(), std::nullopt);
    }
    return report();
  }

 private:
  std::size_t count() const { return problem_.tasks.size(); }
  const GpuTask& task(std::size_t index) const { return problem_.tasks[index]; }

  /// The minimum distance of two releases, and so an upper limit for bounds (7a). Not above zero: no bound.
  Duration limit_of(std::size_t index) const { return task(index).period - task(index).jitter; }

  /// (8): false if it takes too many steps.
  bool solve() {
    work_ = 0;
    jobs_.clear();
    for (std::size_t index = 0; index < count(); ++index)
      response_[index] = task(index).unlimited ? std::nullopt : std::optional(facts_[index].best);
    for (bool again = true; again;) {
      again = bound_jobs();
      if (work_ > max_work) return false;
      for (std::size_t index = 0; index < count(); ++index) {
        if (!response_[index]) continue;
        const auto found = response_of(index);
        if (work_ > max_work) return false;
        const auto next = found ? std::optional(std::max(found->time, *response_[index])) : std::nullopt;
        again = again || next != response_[index];
        response_[index] = next;
      }
    }
    return true;
  }

  /// (3); nothing if the context may always request the engine.
  std::optional<EngineDemand> demand_of(std::size_t index, std::size_t engine) const {
    const EngineUse& use = facts_[index].use[engine];
    if (use.turns == 0) return EngineDemand{task(index).period, {}, {}, 0};
    if (!by_demand_ || task(index).unlimited) return std::nullopt;
    const Duration inside = use.before + use.after, best = facts_[index].best;
    if (!response_[index]) {
      if (best.is_zero()) return std::nullopt;
      return EngineDemand{best, best + (best - inside), jobs_.empty() ? use.undisturbed : jobs_[index].work[engine],
                          jobs_.empty() ? 1 : jobs_[index].turns[engine]};
    }
    return EngineDemand{
        task(index).period, sum(task(index).jitter, *response_[index] - std::min(*response_[index], inside)),
        jobs_.empty() ? use.undisturbed : jobs_[index].work[engine], jobs_.empty() ? 1 : jobs_[index].turns[engine]};
  }

  std::array<std::vector<SharingContext>, engines> sharing_contexts() const {
    std::array<std::vector<SharingContext>, engines> sharing;
    for (const std::size_t index : contexts_)
      for (std::size_t engine = 0; engine < engines; ++engine)
        sharing[engine].push_back({task(index).slice, facts_[index].use[engine].overrun, task(index).gpu_priority,
                                   demand_of(index, engine), demand_of(index, 1 - engine)});
    return sharing;
  }

  /// (5): the label accesses of each task and of each of the others, as an operation of task `self` meets them.
  std::vector<CpuDemand> cpu_demands(std::size_t self) const {
    std::vector<CpuDemand> demands;
    for (std::size_t index = 0; index < count(); ++index) {
      const Duration accesses = index == self ? task(index).accesses_beside : task(index).accesses;
      if (accesses.is_zero())
        demands.emplace_back(EngineDemand{task(index).period, {}, {}, 0});
      else if (index == self)
        demands.emplace_back(EngineDemand{longest_analyzed, {}, accesses, 1});  // of this job only
      else if (task(index).unlimited)
        demands.emplace_back(std::nullopt);
      else if (!by_demand_ || !response_[index])
        demands.push_back(accesses_without_response(facts_[index].best, accesses));
      else
        demands.emplace_back(EngineDemand{task(index).period, sum(task(index).jitter, *response_[index]), accesses, 1});
    }
    for (const TimeSliceProblem::OtherAccesses& other : problem_.other_accesses) demands.push_back(other.demand);
    return demands;
  }

  void add_slowdown(JobBound& job, std::size_t engine, const GroupBound& bound) const {
    job.slowdown += bound.slowdown;
    job.slowed_by_copies.resize(count());
    job.slowed_by_kernels.resize(count());
    job.slowed_by_cpus.resize(count() + problem_.other_accesses.size());
    auto& by_contexts = engine == execution_engine ? job.slowed_by_copies : job.slowed_by_kernels;
    for (std::size_t context = 0; context < contexts_.size(); ++context)
      by_contexts[contexts_[context]] += bound.slowed_by_contexts[context];
    for (std::size_t by = 0; by < bound.slowed_by_cpus.size(); ++by) job.slowed_by_cpus[by] += bound.slowed_by_cpus[by];
  }

  template <typename Add>
  static void report_slowdown(const JobBound& job, Add add) {
    for (std::size_t by = 0; by < job.slowed_by_copies.size(); ++by)
      add(BoundPart::slowed_by_copies, by, job.slowed_by_copies[by]);
    for (std::size_t by = 0; by < job.slowed_by_kernels.size(); ++by)
      add(BoundPart::slowed_by_kernels, by, job.slowed_by_kernels[by]);
    for (std::size_t by = 0; by < job.slowed_by_cpus.size(); ++by)
      add(BoundPart::slowed_by_cpu, by, job.slowed_by_cpus[by]);
  }

  /// Uses the maximum times found for the jobs of others, initially without slowdown. Returns whether they may take
  /// longer.
  bool bound_jobs() {
    const auto sharing = sharing_contexts();
    const std::vector<JobBound> before = std::exchange(jobs_, std::vector<JobBound>(count()));
    bool more = before.size() != count();
    for (std::size_t index = 0; index < count(); ++index) {
      JobBound& job = jobs_[index];
      job.waits.resize(count());
      const auto cpus = cpu_demands(index);
      for (const auto& groups : facts_[index].segments) {
        Duration segment;
        for (const auto& [engine, group] : groups) {
          const GroupBound bound =
              group_bound(group, sharing[engine], facts_[index].context, problem_.context_switch, cpus);
          work_ += static_cast<std::int64_t>(contexts_.size());
          segment = sum(segment, bound.response);
          const Duration slowed_work = sum(bound.work, bound.slowdown);
          job.work[engine] = sum(job.work[engine], slowed_work);
          job.turns[engine] += turns_of(slowed_work, task(index).slice);
          job.gpu += bound.work;
          add_slowdown(job, engine, bound);
          job.own_switches = sum(job.own_switches, bound.own_switches);
          for (std::size_t context = 0; context < contexts_.size(); ++context)
            job.waits[contexts_[context]] = job.waits[contexts_[context]] + bound.waits[context];
        }
        job.segments.push_back(segment);
      }
      if (before.empty()) continue;
      for (std::size_t engine = 0; engine < engines; ++engine) {
        // From below, so that the common solution is the smallest.
        job.work[engine] = std::max(job.work[engine], before[index].work[engine]);
        job.turns[engine] = std::max(job.turns[engine], before[index].turns[engine]);
        more = more || job.work[engine] > before[index].work[engine] || job.turns[engine] > before[index].turns[engine];
      }
    }
    return more;
  }

  /// A task's demand for its core, and whether the GPU segments are in the same window.
  struct Demand {
    std::size_t task = 0;
    Duration execution;
    bool with_gpu = false;
    /// A last segment without execution time follows tasks released at that instant: it counts as one moment.
    Duration moment;
  };
  static Duration moment_after(Duration last_execution) {
    return last_execution.is_zero() ? Duration::picoseconds(1) : Duration{};
  }

  /// The minimum of (6) and (7).
  std::optional<Response> response_of(std::size_t index) {
    auto whole =
        least_response({index, facts_[index].execution, true, moment_after(facts_[index].cpu_segments.back())});
    // Without GPU segments there is only one window; a response without waits cannot improve.
    if (!facts_[index].offloads || (whole && waits_for_nobody(*whole))) return whole;
    auto apart = response_by_segments(index);
    return !whole || (apart && apart->time < whole->time) ? apart : whole;
  }

  static bool waits_for_nobody(const Response& response) {
    return std::none_of(response.parts.begin(), response.parts.end(),
                        [](const BoundShare& share) { return share.by.has_value(); });
  }

  /// (7)
  std::optional<Response> response_by_segments(std::size_t index) {
    Response response;
    const JobBound& own = jobs_[index];
    const auto add = [&response](BoundPart part, std::optional<std::size_t> by, Duration time) {
      response.time = sum(response.time, time);
      if (time.is_zero()) return;
      for (BoundShare& share : response.parts)
        if (share.part == part && share.by == by) {
          share.time = sum(share.time, time);
          return;
        }
      response.parts.push_back({part, by, time});
    };
    for (const Duration execution : facts_[index].cpu_segments) {
      const auto segment = least_response({index, execution, false, moment_after(execution)});
      if (!segment) return std::nullopt;
      for (const BoundShare& share : segment->parts) add(share.part, share.by, share.time);
    }
    add(BoundPart::gpu, std::nullopt, own.gpu);
    report_slowdown(own, add);
    add(BoundPart::own_switches, std::nullopt, own.own_switches);
    for (std::size_t by = 0; by < count(); ++by) {
      add(BoundPart::slices, by, own.waits[by].slices);
      add(BoundPart::overruns, by, own.waits[by].overruns);
      add(BoundPart::switches, by, own.waits[by].switches);
    }
    if (response.time > limit_of(index)) return std::nullopt;
    std::sort(response.parts.begin(), response.parts.end(), [](const BoundShare& a, const BoundShare& b) {
      return a.part != b.part ? a.part < b.part : a.by < b.by;
    });
    return response;
  }

  /// The minimum over the ways to count suspending tasks of at least the priority.
  std::optional<Response> least_response(const Demand& demand) {
    const std::size_t index = demand.task;
    std::vector<std::size_t> rivals, free;
    for (std::size_t other = 0; other < count(); ++other) {
      if (other == index || task(other).core != task(index).core || task(other).priority < task(index).priority)
        continue;
      if (task(other).unlimited) return std::nullopt;
      rivals.push_back(other);
      if (facts_[other].offloads && task(other).wait == WaitMode::suspend && response_[other]) free.push_back(other);
    }
    std::vector<bool> jitter(count(), false);
    std::optional<Response> best;
    const auto attempt = [&] {
      auto found = solve_response(demand, rivals, jitter);
      const bool better = found && (!best || found->time < best->time);
      if (better) best = std::move(found);
      return better;
    };
    constexpr std::size_t all_divisions_up_to = 4;
    if (free.size() <= all_divisions_up_to) {
      for (std::size_t division = 0; division < std::size_t{1} << free.size(); ++division) {
        for (std::size_t i = 0; i < free.size(); ++i) jitter[free[i]] = (division >> i & 1U) != 0;
        attempt();
      }
      return best;
    }
    // Too many for all combinations: all one way, all the other way, and from there one task at a time.
    attempt();
    for (const std::size_t other : free) jitter[other] = true;
    attempt();
    for (const std::size_t other : free) {
      jitter[other] = false;
      if (!attempt()) jitter[other] = true;
    }
    return best;
  }

  std::optional<Response> solve_response(const Demand& demand, const std::vector<std::size_t>& rivals,
                                         const std::vector<bool>& jitter) {
    Duration window = sum(demand.execution, demand.moment);
    if (demand.with_gpu) window = sum(window, jobs_[demand.task].own());
    const auto pairs = static_cast<std::int64_t>((rivals.size() + 1) * (contexts_.size() + 1));
    for (std::int64_t step = 0; step < max_core_steps && window <= limit_of(demand.task); ++step) {
      bound_steps += static_cast<std::uint64_t>(pairs);
      if ((work_ += pairs) > max_work) break;
      std::vector<BoundShare> parts;
      const Duration next = evaluate(demand, rivals, jitter, window, parts);
      if (next <= window) return Response{next - demand.moment, std::move(parts)};
      window = next;
    }
    if (window <= limit_of(demand.task)) gave_up_[demand.task] = true;
    return std::nullopt;
  }

  /// The right side of (6) for X = window, or of (7) for a CPU segment.
  Duration evaluate(const Demand& demand, const std::vector<std::size_t>& rivals, const std::vector<bool>& jitter,
                    Duration window, std::vector<BoundShare>& parts) const {
    Duration total = demand.moment;
    const auto add = [&](BoundPart part, std::optional<std::size_t> by, Duration time) {
      total = sum(total, time);
      if (!time.is_zero()) parts.push_back({part, by, time});
    };
    add(BoundPart::execution, std::nullopt, demand.execution);
    std::vector<ContextWait> waits(count());
    if (demand.with_gpu) {
      const JobBound& own = jobs_[demand.task];
      add(BoundPart::gpu, std::nullopt, own.gpu);
      report_slowdown(own, add);
      add(BoundPart::own_switches, std::nullopt, own.own_switches);
      waits = own.waits;
    }
    const auto suspends = [this](std::size_t which) {
      return facts_[which].offloads && task(which).wait == WaitMode::suspend;
    };
    bool any_suspends = demand.with_gpu && suspends(demand.task);
    std::int64_t starts = any_suspends ? static_cast<std::int64_t>(facts_[demand.task].segments.size()) : 0;
    for (const std::size_t other : rivals) {
      const Duration execution = facts_[other].execution;
      if (jitter[other]) {
        const Duration spread = sum(task(other).jitter, *response_[other] - std::min(*response_[other], execution));
        add(BoundPart::preemption, other, times(execution, ceiling(sum(window, spread), task(other).period)));
        continue;
      }
      const std::int64_t jobs = ceiling(sum(window, task(other).jitter), task(other).period);
      add(BoundPart::preemption, other, times(sum(execution, jobs_[other].own()), jobs));
      starts += jobs * (1 + (suspends(other) ? static_cast<std::int64_t>(facts_[other].segments.size()) : 0));
      any_suspends = any_suspends || suspends(other);
      if (!facts_[other].offloads) continue;
      for (const std::size_t context : contexts_) waits[context] = waits[context] + jobs_[other].waits[context] * jobs;
    }
    for (const GpuTask::Blocking& blocking : task(demand.task).blocking)
      add(BoundPart::blocking, blocking.by, times(blocking.time, 1 + (any_suspends ? starts : 0)));
    // Time counted as own work of the task, or of a polling task that precedes it, does not count as waiting too.
    for (const std::size_t other : rivals)
      if (!jitter[other]) waits[other] = {};
    if (demand.with_gpu) waits[demand.task] = {};
    for (const std::size_t context : contexts_) limit(context, window, waits[context]);
    for (const std::size_t by : contexts_) add(BoundPart::slices, by, waits[by].slices);
    for (const std::size_t by : contexts_) add(BoundPart::overruns, by, waits[by].overruns);
    for (const std::size_t by : contexts_) add(BoundPart::switches, by, waits[by].switches);
    return total;
  }

  /// At most what the context can demand of both engines in the window.
  void limit(std::size_t by, Duration window, ContextWait& wait) const {
    if (wait.total().is_zero()) return;
    Duration work;
    std::int64_t turns = 0;
    for (std::size_t engine = 0; engine < engines; ++engine) {
      const auto demand = demand_of(by, engine);
      if (!demand) return;
      const EngineShare share = share_of(*demand, window);
      work = sum(work, share.work);
      turns += share.turns;
    }
    if (work < wait.slices + wait.overruns) {
      wait.slices = work;
      wait.overruns = {};
    }
    wait.switches = std::min(wait.switches, times(problem_.context_switch, turns));
  }

  // ---- results

  static double rate(Duration work, Duration period) {
    return static_cast<double>(work.picoseconds()) / static_cast<double>(period.picoseconds());
  }

  /// The minimum core time of a job: its execution, and the undisturbed GPU time it polls for.
  Duration core_time(std::size_t index) const {
    const TaskFacts& facts = facts_[index];
    if (task(index).wait == WaitMode::suspend) return facts.execution;
    return facts.execution + facts.use[copy_engine].undisturbed + facts.use[execution_engine].undisturbed;
  }

  TimeSliceBounds report() {
    TimeSliceBounds bounds;
    bounds.core_demand.resize(problem_.cores.size());
    for (std::size_t index = 0; index < count(); ++index) {
      if (task(index).unlimited) continue;
      bounds.core_demand[task(index).core] += rate(core_time(index), task(index).period);
      bounds.copy_demand += rate(facts_[index].use[copy_engine].undisturbed, task(index).period);
      bounds.execution_demand += rate(facts_[index].use[execution_engine].undisturbed, task(index).period);
    }
    bound_jobs();
    for (std::size_t index = 0; index < count(); ++index) {
      TaskBound bound;
      bound.best = facts_[index].best;
      bound.gpu_segments = jobs_[index].segments;
      describe_segments(index, bound);
      if (response_[index]) {
        work_ = 0;
        auto found = response_of(index);
        bound.response = found->time;
        bound.parts = std::move(found->parts);
        bound.in_time = *bound.response <= task(index).deadline;
      }
      bounds.tasks.push_back(std::move(bound));
    }
    for (std::size_t index = 0; index < count(); ++index) bounds.tasks[index].reason = reason_of(index, bounds);
    return bounds;
  }

  /// Describes the parts of the bounds of a task's GPU segments, and the bounds of its operations.
  void describe_segments(std::size_t index, TaskBound& bound) const {
    const auto sharing = sharing_contexts();
    const TaskFacts& facts = facts_[index];
    const auto cpus = cpu_demands(index);
    const auto bound_of = [&](std::size_t engine, const OperationGroup& group) {
      return group_bound(group, sharing[engine], facts.context, problem_.context_switch, cpus);
    };
    std::size_t next = 0;
    for (const Segment& segment : task(index).segments) {
      const auto* gpu = std::get_if<GpuSegment>(&segment);
      if (gpu == nullptr) continue;
      const auto& groups = facts.segments[next++];
      JobBound whole;
      whole.waits.resize(count());
      std::vector<Duration> group_responses;
      for (const auto& [engine, group] : groups) {
        const GroupBound found = bound_of(engine, group);
        group_responses.push_back(found.response);
        whole.gpu += found.work;
        add_slowdown(whole, engine, found);
        whole.own_switches = sum(whole.own_switches, found.own_switches);
        for (std::size_t context = 0; context < contexts_.size(); ++context)
          whole.waits[contexts_[context]] = whole.waits[contexts_[context]] + found.waits[context];
      }
      auto& parts = bound.segment_parts.emplace_back();
      const auto add = [&parts](BoundPart part, std::optional<std::size_t> by, Duration time) {
        if (!time.is_zero()) parts.push_back({part, by, time});
      };
      add(BoundPart::gpu, std::nullopt, whole.gpu);
      report_slowdown(whole, add);
      add(BoundPart::own_switches, std::nullopt, whole.own_switches);
      for (std::size_t by = 0; by < count(); ++by) add(BoundPart::slices, by, whole.waits[by].slices);
      for (std::size_t by = 0; by < count(); ++by) add(BoundPart::overruns, by, whole.waits[by].overruns);
      for (std::size_t by = 0; by < count(); ++by) add(BoundPart::switches, by, whole.waits[by].switches);
      // An operation is a separate group for (4), and lies within its group.
      auto& operations = bound.operations.emplace_back();
      std::size_t group = 0;
      for (const GpuOperation& operation : gpu->operations) {
        const std::size_t engine = engine_of(operation.kind);
        if (groups[group].first != engine) ++group;
        OperationGroup alone;
        add_to(alone, problem_, index, operation);
        operations.push_back(std::min(bound_of(engine, alone).response, group_responses[group]));
      }
    }
  }

  std::string reason_of(std::size_t index, const TimeSliceBounds& bounds) const {
    const TaskBound& bound = bounds.tasks[index];
    if (bound.in_time) return {};
    if (bound.response)
      return fmt::format("the bound exceeds the deadline by {}",
                         format_duration(*bound.response - task(index).deadline));
    if (task(index).unlimited) return "it has no minimum inter-arrival time";
    for (std::size_t other = 0; other < count(); ++other)
      if (other != index && task(other).unlimited && task(other).core == task(index).core &&
          task(other).priority >= task(index).priority)
        return fmt::format("{}, with the same or a higher priority on core {}, has no bound", task(other).name,
                           problem_.cores[task(index).core]);
    constexpr double most = 1 + 1e-9;
    const std::string_view core = problem_.cores[task(index).core];
    double core_demand = 0;
    for (std::size_t other = 0; other < count(); ++other)
      if (!task(other).unlimited && task(other).core == task(index).core &&
          (other == index || task(other).priority >= task(index).priority))
        core_demand += rate(core_time(other), task(other).period);
    if (core_demand > most)
      return fmt::format("core {} is overloaded by tasks of the same or a higher priority: utilization {:.2f} %", core,
                         100 * core_demand);
    const auto uses = [&](std::size_t engine) { return facts_[index].use[engine].turns > 0; };
    if (uses(execution_engine) && bounds.execution_demand > most)
      return fmt::format("the execution engine is overloaded: utilization {:.2f} %", 100 * bounds.execution_demand);
    if (uses(copy_engine) && bounds.copy_demand > most)
      return fmt::format("the copy engine is overloaded: utilization {:.2f} %", 100 * bounds.copy_demand);
    const Duration limit = limit_of(index);
    const std::string limit_text =
        task(index).jitter.is_zero()
            ? fmt::format("period of {}", format_duration(limit))
            : fmt::format("minimum inter-arrival time of {} (period {}, jitter {})", format_duration(limit),
                          format_duration(task(index).period), format_duration(task(index).jitter));
    if (limit <= Duration{})
      return fmt::format("several releases may coincide, because the jitter of {} is not below the period of {}",
                         format_duration(task(index).jitter), format_duration(task(index).period));
    const Duration least = sum(facts_[index].execution, jobs_[index].own());
    if (least > limit && !jobs_[index].slowdown.is_zero())
      return fmt::format("with copies and kernels slowed down by other tasks, it may need {}, which exceeds its {}",
                         format_duration(least), limit_text);
    if (least > limit)
      return fmt::format("even without interference it may need {}, which exceeds its {}", format_duration(least),
                         limit_text);
    std::size_t longest = 0;
    ContextWait waits;
    for (std::size_t other = 0; other < count(); ++other) {
      waits = waits + jobs_[index].waits[other];
      if (jobs_[index].waits[other].total() > jobs_[index].waits[longest].total()) longest = other;
    }
    if (sum(least, waits.total()) > limit)
      return fmt::format("the GPU may serve other contexts for {}, most of it {} ({}), but the task has a {}",
                         format_duration(waits.total()), task(longest).name,
                         format_duration(jobs_[index].waits[longest].total()), limit_text);
    if (gave_up_[index])
      return fmt::format(
          "the fixed-point iteration does not converge within its step limit; the utilization of core {} is {:.2f} %",
          core, 100 * bounds.core_demand[task(index).core]);
    if (!task(index).blocking.empty())
      return fmt::format(
          "with interference by tasks of at least its priority on core {} and blocking of up to {} by {}, the response "
          "time may exceed the {}",
          core, format_duration(task(index).blocking.front().time), task(task(index).blocking.front().by).name,
          limit_text);
    return fmt::format(
        "with interference by tasks of at least its priority on core {}, the response time may exceed the {}", core,
        limit_text);
  }

  const TimeSliceProblem& problem_;
  std::vector<TaskFacts> facts_;
  std::vector<std::size_t> contexts_;  ///< tasks that offload, in order
  std::vector<std::optional<Duration>> response_;
  std::vector<JobBound> jobs_;
  std::vector<bool> gave_up_;  ///< an equation of the task was not solved within the limit of steps
  bool by_demand_ = true;
  std::int64_t work_ = 0;
};

/// Describes what is wrong with a task; "" if nothing is.
std::string fault_of(const TimeSliceProblem& problem, const GpuTask& task) {
  const auto positive = [](Duration time) { return time > Duration{} && time < longest_analyzed; };
  if (!positive(task.period) || !positive(task.deadline) || !positive(task.slice))
    return fmt::format("period, deadline and time slice must be above zero and below {}",
                       format_duration(longest_analyzed));
  if (task.jitter < Duration{} || task.jitter >= longest_analyzed)
    return fmt::format("its jitter must be below {}", format_duration(longest_analyzed));
  if (task.core >= problem.cores.size()) return "its core is not there";
  for (const GpuTask::Blocking& blocking : task.blocking)
    if (blocking.by >= problem.tasks.size() || blocking.time < Duration{} || blocking.time >= longest_analyzed)
      return fmt::format("what blocks it must be there and below {}", format_duration(longest_analyzed));
  Wide total = 0;
  const auto fits = [&total](Duration best, Duration worst) {
    total += worst.picoseconds();
    return best >= Duration{} && best <= worst && total < longest_analyzed.picoseconds();
  };
  for (const Segment& segment : task.segments) {
    bool good = true;
    if (const auto* cpu = std::get_if<CpuSegment>(&segment)) good = fits(cpu->best, cpu->worst);
    if (const auto* gpu = std::get_if<GpuSegment>(&segment)) {
      if (gpu->operations.empty()) return "a GPU segment has no operation";
      for (const GpuOperation& operation : gpu->operations) {
        good = good && fits(operation.best, operation.worst);
        if (operation.worst.is_zero()) return "a copy or kernel takes no time";
        if (operation.longest_block < Duration{} || operation.longest_block > operation.worst)
          return "a block is longer than its kernel";
        if (!(operation.memory_share >= 0 && operation.memory_share <= 1)) return "a memory share is not in 0 ... 1";
      }
    }
    if (!good)
      return fmt::format("best times must be at most the worst, and all together below {}",
                         format_duration(longest_analyzed));
  }
  return {};
}

}  // namespace

std::string_view name_of(WaitMode mode) { return mode == WaitMode::busy ? "busy" : "suspend"; }

std::string_view name_of(BoundPart part) {
  switch (part) {
    case BoundPart::execution:
      return "execution";
    case BoundPart::gpu:
      return "gpu";
    case BoundPart::slowed_by_copies:
    case BoundPart::slowed_by_kernels:
    case BoundPart::slowed_by_cpu:
      return "slowdown";
    case BoundPart::own_switches:
      return "own_switches";
    case BoundPart::preemption:
      return "preemption";
    case BoundPart::blocking:
      return "blocking";
    case BoundPart::slices:
      return "slices";
    case BoundPart::overruns:
      return "overruns";
    case BoundPart::switches:
      return "switches";
  }
  return "";
}

namespace {

/// (5): the slowdown of a group, divided among its causes. What is known counts first; the rest is due to the first
/// cause that may be active all the time. Without a window, everything may be.
void limit_slowdown(const OperationGroup& group, const std::vector<SharingContext>& contexts, std::size_t self,
                    const std::vector<CpuDemand>& cpus, std::optional<Duration> window, GroupBound& bound) {
  Duration left = group.slowest - group.work;
  Duration* unknown = nullptr;
  bound.slowed_by_contexts.resize(contexts.size());
  bound.slowed_by_cpus.resize(cpus.size());
  const auto add = [&](const std::optional<EngineDemand>& demand, Slowdown factor, Duration& part) {
    if (factor == Slowdown{} || (demand && demand->turns == 0)) return;
    if (!demand || !window) {
      if (unknown == nullptr) unknown = &part;
      return;
    }
    const Duration active = share_of(*demand, *window).work;
    part = std::min(left, scale(active, factor.ppm - 1'000'000, factor.ppm, Rounding::up));
    left -= part;
  };
  for (std::size_t other = 0; other < contexts.size(); ++other)
    if (other != self)
      add(contexts[other].beside, group.by_contexts.empty() ? group.full : group.by_contexts[other],
          bound.slowed_by_contexts[other]);
  for (std::size_t other = 0; other < cpus.size(); ++other) add(cpus[other], group.by_cpu, bound.slowed_by_cpus[other]);
  if (unknown != nullptr) {
    *unknown = left;
    left = {};
  }
  bound.slowdown = group.slowest - group.work - left;
}

}  // namespace

EngineShare share_of(const EngineDemand& demand, Duration window) {
  const std::int64_t jobs = ceiling(sum(window, demand.jitter), demand.period);
  const Wide turns = Wide(jobs) * demand.turns;
  return {times(demand.work, jobs),
          static_cast<std::int64_t>(std::min<Wide>(turns, std::numeric_limits<std::int32_t>::max()))};
}

std::int64_t slots_before(const std::vector<SharingContext>& contexts, std::size_t self, std::size_t other,
                          std::int64_t turns) {
  const auto own = static_cast<std::int64_t>(contexts[self].priority);
  const auto its = static_cast<std::int64_t>(contexts[other].priority);
  // The other's slots in the gap after each own slot: of round 1, ..., and of the last, which wraps around.
  std::array<std::int64_t, 3> gaps{};
  for (std::int64_t round = 1; round < own; ++round)
    gaps[static_cast<std::size_t>(round - 1)] = its >= (other > self ? round : round + 1) ? 1 : 0;
  // in the first round before, or in the last after the own slot
  const bool in_between = other < self || its >= own;
  gaps[static_cast<std::size_t>(own - 1)] = std::max<std::int64_t>(0, its - own) + (in_between ? 1 : 0);
  std::int64_t most = 0;
  for (std::int64_t first = 0; first < own; ++first) {
    std::int64_t rest = 0;
    for (std::int64_t gap = 0; gap < turns % own; ++gap) rest += gaps[static_cast<std::size_t>((first + gap) % own)];
    most = std::max(most, rest);
  }
  return turns / own * its + most;
}

CpuDemand accesses_without_response(Duration shortest_job, Duration accesses) {
  if (shortest_job.is_zero()) return std::nullopt;
  return EngineDemand{shortest_job, times(shortest_job, 2), accesses, 1};
}

GroupBound group_bound(const OperationGroup& group, const std::vector<SharingContext>& contexts, std::size_t self,
                       Duration context_switch, const std::vector<CpuDemand>& cpus) {
  const auto asks = [](const std::optional<EngineDemand>& demand) { return !demand || demand->turns > 0; };
  // Without a window, only the slots of the others count, not their demands.
  const auto evaluate = [&](std::optional<Duration> window) {
    GroupBound bound;
    bound.waits.resize(contexts.size());
    bound.work = group.work;
    limit_slowdown(group, contexts, self, cpus, window, bound);
    const std::int64_t turns = turns_of(bound.work + bound.slowdown, contexts[self].slice);
    bound.response = bound.work + bound.slowdown;
    Wide others_turns = 0;
    for (std::size_t other = 0; other < contexts.size(); ++other) {
      const SharingContext& context = contexts[other];
      if (other == self || !asks(context.demand)) continue;
      std::int64_t slots = slots_before(contexts, self, other, turns);
      ContextWait& wait = bound.waits[other];
      wait.slices = times(context.slice, slots);
      wait.overruns = times(context.overrun, slots);
      if (window && context.demand) {
        const EngineShare share = share_of(*context.demand, *window);
        if (share.work < wait.slices + wait.overruns) {
          wait.slices = share.work;
          wait.overruns = {};
        }
        slots = std::min(slots, share.turns);
      }
      wait.switches = times(context_switch, slots);
      others_turns += slots;
      bound.response = sum(bound.response, saturated(Wide(wait.slices.picoseconds()) + wait.overruns.picoseconds() +
                                                     wait.switches.picoseconds()));
    }
    // The first turn may follow a turn of another context before the group arrived; every further own switch follows
    // one since.
    const bool shared = std::any_of(contexts.begin(), contexts.end(), [&](const SharingContext& context) {
      return &context != &contexts[self] && asks(context.demand);
    });
    if (shared)
      bound.own_switches = times(context_switch, static_cast<std::int64_t>(std::min<Wide>(turns, 1 + others_turns)));
    bound.response = sum(bound.response, bound.own_switches);
    return bound;
  };
  Duration window = group.work;
  for (std::int64_t step = 0; step < max_group_steps; ++step) {
    GroupBound bound = evaluate(window);
    if (bound.response <= window) return bound;
    window = bound.response;
  }
  return evaluate(std::nullopt);
}

std::optional<Duration> core_response(Duration own, const std::vector<CoreRival>& rivals, Duration limit) {
  std::int64_t steps = 0;
  for (Duration window = own; window <= limit && steps < max_core_steps; ++steps) {
    Duration next = own;
    for (const CoreRival& rival : rivals)
      next = sum(next, times(rival.execution, ceiling(sum(window, rival.jitter), rival.period)));
    if (next <= window) return window;
    window = next;
  }
  return std::nullopt;
}

tl::expected<TimeSliceBounds, std::string> time_slice_bounds(const TimeSliceProblem& problem) {
  constexpr std::int64_t max_slowdown = 1'000'000'000;  // a thousand times
  for (const Slowdown slowdown : {problem.kernel_by_memcpy, problem.kernel_by_memset, problem.copy_by_kernel})
    if (slowdown.ppm < 1'000'000 || slowdown.ppm > max_slowdown)
      return tl::unexpected(std::string("slowdowns must be between 1 and 1000"));
  if (problem.context_switch < Duration{} || problem.context_switch >= longest_analyzed)
    return tl::unexpected(fmt::format("the context switch must be below {}", format_duration(longest_analyzed)));
  for (const GpuTask& task : problem.tasks)
    if (const std::string fault = fault_of(problem, task); !fault.empty())
      return tl::unexpected(fmt::format("task {}: {}", task.name, fault));
  return Analysis(problem).run();
}

}  // namespace amalthea::engine::nvidia
