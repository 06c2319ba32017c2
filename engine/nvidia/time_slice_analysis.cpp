// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/time_slice_analysis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "amalthea/detail/counted_steps.hpp"
#include "amalthea/quantity.hpp"
#include "engine/nvidia/streams.hpp"

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
/// The same where responses may exceed periods, and the longest window there, in periods.
constexpr std::int64_t max_work_beyond = 10'000'000;
constexpr std::int64_t max_periods = 64;

// ---- static facts about contexts, streams and tasks

/// Per GPU: one copy engine, the execution engine, and the engine for copies from the device.
enum EngineKind : std::size_t { copy_engine, execution_engine, second_copy_engine };
constexpr std::size_t engines_per_gpu = 3;

/// Index among the engines of all GPUs.
std::size_t engine_of(const TimeSliceProblem& problem, std::size_t gpu, StreamOperationKind kind) {
  const bool second = kind == StreamOperationKind::device_to_host && problem.gpus[gpu].copy_engines > 1;
  return engines_per_gpu * gpu + (kind == StreamOperationKind::kernel ? execution_engine
                                  : second                            ? second_copy_engine
                                                                      : copy_engine);
}
bool executes_kernels(std::size_t engine) { return engine % engines_per_gpu == execution_engine; }

Duration slowed(Duration work, Slowdown by) { return scale(work, by.ppm, 1'000'000, Rounding::up); }

/// The largest slowdowns of an operation, or of all operations of a context on an engine, by what one context executes.
struct Slowdowns {
  Slowdown by_copies, by_kernels;
};

/// The same by everything.
struct AllSlowdowns {
  std::vector<Slowdowns> by_contexts = {};  ///< by context
  Slowdown by_cpu = {};
  Slowdown largest = {};

  void include(const AllSlowdowns& other) {
    if (by_contexts.empty()) by_contexts.resize(other.by_contexts.size());
    for (std::size_t context = 0; context < other.by_contexts.size(); ++context) {
      Slowdowns& by = by_contexts[context];
      by.by_copies = std::max(by.by_copies, other.by_contexts[context].by_copies);
      by.by_kernels = std::max(by.by_kernels, other.by_contexts[context].by_kernels);
    }
    by_cpu = std::max(by_cpu, other.by_cpu);
    largest = std::max(largest, other.largest);
  }
};

Duration accesses_on(const std::vector<Duration>& accesses, std::size_t gpu) {
  return gpu < accesses.size() ? accesses[gpu] : Duration{};
}

/// Whether any task accesses memory while an operation of this one executes.
bool has_cpu_traffic(const TimeSliceProblem& problem, std::size_t task, std::size_t gpu) {
  for (const TimeSliceProblem::OtherAccesses& other : problem.other_accesses)
    if (other.gpu == gpu) return true;
  for (std::size_t other = 0; other < problem.tasks.size(); ++other) {
    const GpuTask& its = problem.tasks[other];
    if (!accesses_on(other == task ? its.accesses_beside : its.accesses, gpu).is_zero()) return true;
  }
  return false;
}

/// An operation in a stream, with its slowdown by others.
struct StreamOperation {
  const GpuOperation* operation = nullptr;
  std::size_t engine = 0;
  AllSlowdowns slowdown = {};
  Duration slowest = {};     ///< for a kernel of all its rounds
  KernelBlocks blocks = {};  ///< of a kernel, without slowdown
};

/// One task's use of a stream.
struct StreamUse {
  std::size_t task = 0;
  std::vector<StreamOperation> operations;
};

struct StreamFacts {
  std::size_t context = 0;
  StreamPriority priority = StreamPriority::low;
  std::vector<StreamUse> uses;  ///< one for each task
};

struct ContextFacts {
  std::size_t gpu = 0;
  Duration slice;
  ContextPriority priority = ContextPriority::medium;
  std::int64_t urgency = 0;
  std::vector<std::size_t> streams = {};
  std::vector<std::size_t> tasks = {};       ///< that use it
  std::size_t place = 0;                     ///< index among the contexts of its GPU
  std::optional<BlockWeights> weights = {};  ///< if several tasks use it
  Duration longest_low_block = {};           ///< of all kernels of low priority, without slowdown
  std::array<AllSlowdowns, engines_per_gpu> slowdown = {};
  std::array<Duration, engines_per_gpu> overrun = {};

  bool is_private() const { return tasks.size() <= 1; }
};

/// The use of one engine by a task's jobs.
struct EngineUse {
  Duration work;           ///< per job, with maximum slowdown
  Duration undisturbed;    ///< per job, without slowdown
  std::int64_t turns = 0;  ///< per job
  Duration before, after;  ///< minimum time of a job before its first and after its last operation here
};

/// Consecutive operations of a segment on one engine.
struct Group {
  std::size_t engine = 0;
  std::size_t stream = 0;
  std::vector<StreamOperation> operations;
  OperationGroup work;
  AllSlowdowns slowdown = {};

  void add(const StreamOperation& operation) {
    operations.push_back(operation);
    work.work += operation.operation->worst;
    work.slowest += operation.slowest;
    slowdown.include(operation.slowdown);
    work.full = slowdown.largest;
  }
};

struct TaskFacts {
  Duration execution;
  Duration best;
  bool offloads = false;
  bool several_contexts = false;
  std::vector<EngineUse> use;  ///< by engine
  /// Worst times, one before and one after every GPU segment, possibly zero.
  std::vector<Duration> cpu_segments = std::vector<Duration>(1);
  std::vector<std::vector<Group>> segments;
  std::vector<WaitSegment> waits;  ///< in the order of the job's steps

  /// How often a job may leave its core.
  std::int64_t stops() const { return static_cast<std::int64_t>(segments.size() + waits.size()); }
};

/// The contexts and streams of a problem with their operations.
class Sharing {
 public:
  explicit Sharing(const TimeSliceProblem& problem) : problem_(problem) {
    for (const SharedContext& context : problem.contexts)
      contexts.push_back({context.gpu, context.slice, context.priority, context.urgency});
    for (const SharedStream& stream : problem.streams) streams.push_back({stream.context, stream.priority, {}});
    for (std::size_t task = 0; task < problem.tasks.size(); ++task) add_uses(task);
    std::vector<std::size_t> places(problem.gpus.size());
    for (ContextFacts& context : contexts) context.place = places[context.gpu]++;
    for (std::size_t stream = 0; stream < streams.size(); ++stream) {
      ContextFacts& context = contexts[streams[stream].context];
      context.streams.push_back(stream);
      for (const StreamUse& use : streams[stream].uses)
        if (std::find(context.tasks.begin(), context.tasks.end(), use.task) == context.tasks.end())
          context.tasks.push_back(use.task);
    }
    for (StreamFacts& stream : streams)
      for (StreamUse& use : stream.uses)
        for (StreamOperation& operation : use.operations) operation.slowdown = slowdown_of(stream, use, operation);
    for (ContextFacts& context : contexts) add_roundings(context);
    for (StreamFacts& stream : streams)
      for (StreamUse& use : stream.uses)
        for (StreamOperation& operation : use.operations) set_times(operation);
    for (ContextFacts& context : contexts) find_facts(context);
  }

  /// The stream of a GPU segment.
  std::size_t stream_of(std::size_t task, const GpuSegment& segment) const {
    return segment.stream ? *segment.stream : *own_stream_[task];
  }

  std::vector<ContextFacts> contexts;
  std::vector<StreamFacts> streams;

 private:
  void add_uses(std::size_t index) {
    own_stream_.emplace_back();
    const GpuTask& task = problem_.tasks[index];
    for (const Segment& segment : task.segments) {
      const auto* gpu = std::get_if<GpuSegment>(&segment);
      if (gpu == nullptr) continue;
      if (!gpu->stream && !own_stream_[index]) {
        own_stream_[index] = streams.size();
        streams.push_back({contexts.size(), StreamPriority::low, {}});
        contexts.push_back({0, task.slice, task.gpu_priority});
      }
      StreamFacts& stream = streams[stream_of(index, *gpu)];
      if (stream.uses.empty() || stream.uses.back().task != index) stream.uses.push_back({index, {}});
      for (const GpuOperation& operation : gpu->operations)
        stream.uses.back().operations.push_back(
            {&operation, engine_of(problem_, contexts[stream.context].gpu, operation.kind)});
    }
  }

  /// The maximum slowdown of an operation by what other tasks may execute at the same time. Operations of one stream
  /// follow one another, and so do those of a task. Kernels of other contexts never execute at the same time.
  AllSlowdowns slowdown_of(const StreamFacts& stream, const StreamUse& use, const StreamOperation& operation) const {
    const ContextFacts& own = contexts[stream.context];
    AllSlowdowns slowdowns;
    slowdowns.by_contexts.resize(contexts.size());
    if (has_cpu_traffic(problem_, use.task, own.gpu)) slowdowns.by_cpu = operation.operation->by_cpu;
    slowdowns.largest = slowdowns.by_cpu;
    for (std::size_t context = 0; context < contexts.size(); ++context) {
      if (contexts[context].gpu != own.gpu) continue;
      Slowdowns& by = slowdowns.by_contexts[context];
      by = slowdown_by(contexts[context], &contexts[context] == &own, stream, use, *operation.operation);
      slowdowns.largest = std::max({slowdowns.largest, by.by_copies, by.by_kernels});
    }
    return slowdowns;
  }

  /// The same by one context.
  Slowdowns slowdown_by(const ContextFacts& context, bool is_own, const StreamFacts& stream, const StreamUse& use,
                        const GpuOperation& operation) const {
    const SharedGpu& gpu = problem_.gpus[context.gpu];
    const gpu::InterferenceTable& table = gpu.interference;
    const bool is_kernel = operation.kind == StreamOperationKind::kernel;
    Slowdowns worst;
    double shares = 0;                              // memory shares of kernels that may execute at the same time
    std::vector<std::vector<KernelInUse>> kernels;  // by stream
    for (const std::size_t beside : context.streams) {
      if (&streams[beside] == &stream) continue;
      double largest = 0;
      kernels.emplace_back();
      for (const StreamUse& other : streams[beside].uses)
        for (const StreamOperation& aggressor : other.operations) {
          if (other.task == use.task) continue;
          const StreamOperationKind kind = aggressor.operation->kind;
          if (kind == StreamOperationKind::kernel) {
            largest = std::max(largest, aggressor.operation->memory_share);
            kernels.back().push_back({aggressor.operation->memory, aggressor.operation->memory_share});
          } else if (is_kernel) {
            worst.by_copies = std::max(
                worst.by_copies, kind == StreamOperationKind::memset ? table.kernel_by_memset : table.kernel_by_memcpy);
          }
        }
      shares = std::min(1.0, shares + largest);
    }
    if (!is_kernel) return {worst.by_copies, weigh(table.copy_by_kernel, shares)};
    worst.by_copies = weigh(worst.by_copies, operation.memory_share);
    if (!is_own) return worst;
    worst.by_kernels =
        weigh(weigh(std::max(table.kernel_by_same_gpc, table.kernel_by_other_gpc), shares), operation.memory_share);
    if (shares > 0 && operation.memory != nullptr &&
        gpu.contention.basis_of(*operation.memory) == ContentionBasis::measured)
      worst.by_kernels =
          std::max(worst.by_kernels, gpu.contention
                                         .worst_by_kernels(*operation.memory, operation.memory_share, kernels,
                                                           has_cpu_traffic(problem_, use.task, context.gpu))
                                         .slowdown);
    return worst;
  }

  /// Time lost to rounding may cost a turn, so it is part of the work, but only where something slows an operation down:
  /// this one or, in a context that several tasks use, any of the context.
  void add_roundings(const ContextFacts& context) {
    const auto for_each = [&](const auto& visit) {
      for (const std::size_t stream : context.streams)
        for (StreamUse& use : streams[stream].uses)
          for (StreamOperation& operation : use.operations) visit(operation);
    };
    bool any = false;
    for_each([&](const StreamOperation& operation) { any = any || operation.slowdown.largest != Slowdown{}; });
    for_each([&](StreamOperation& operation) {
      const Duration rounding = operation.operation->rounding;
      if (rounding.is_zero() || !any || (context.is_private() && operation.slowdown.largest == Slowdown{})) return;
      GpuOperation& rounded = rounded_.emplace_back(*operation.operation);
      rounded.worst += rounding;
      if (!rounded.longest_block.is_zero()) rounded.longest_block += rounding;
      operation.operation = &rounded;
    });
  }

  static void set_times(StreamOperation& operation) {
    const GpuOperation& written = *operation.operation;
    operation.slowest = slowed(written.worst, operation.slowdown.largest);
    const Duration block = written.longest_block.is_zero() ? written.worst : written.longest_block;
    operation.blocks = {block, written.blocks, written.use, written.cache_config, written.sms};
  }

  void find_facts(ContextFacts& context) {
    const Preemption preemption = problem_.gpus[context.gpu].preemption;
    std::vector<KernelBlocks> kernels;
    std::array<Duration, engines_per_gpu> all_streams{};
    for (const std::size_t index : context.streams) {
      const StreamFacts& stream = streams[index];
      std::array<Duration, engines_per_gpu> longest{};
      for (const StreamUse& use : stream.uses)
        for (const StreamOperation& operation : use.operations) {
          const std::size_t kind = operation.engine % engines_per_gpu;
          longest[kind] = std::max(longest[kind], operation.slowest);
          context.slowdown[kind].include(operation.slowdown);
          const bool by_block = preemption == Preemption::block && kind == execution_engine;
          context.overrun[kind] =
              std::max(context.overrun[kind],
                       by_block ? slowed(operation.blocks.block, operation.slowdown.largest) : operation.slowest);
          if (kind != execution_engine) continue;
          kernels.push_back(operation.blocks);
          if (stream.priority == StreamPriority::low)
            context.longest_low_block = std::max(context.longest_low_block, operation.blocks.block);
        }
      for (std::size_t kind = 0; kind < engines_per_gpu; ++kind)
        all_streams[kind] = sum(all_streams[kind], longest[kind]);
    }
    // At the end of kernels, one of every stream may have begun.
    if (preemption == Preemption::kernel && !context.is_private())
      context.overrun[execution_engine] = sum(
          all_streams[execution_engine], slowed(context.longest_low_block, context.slowdown[execution_engine].largest));
    if (preemption == Preemption::instruction) context.overrun = {};
    if (!context.is_private()) context.weights.emplace(problem_.gpus[context.gpu].limits, kernels);
  }

  const TimeSliceProblem& problem_;
  std::vector<std::optional<std::size_t>> own_stream_;  ///< of every task
  std::deque<GpuOperation> rounded_;                    ///< operations with what rounding adds to them
};

TaskFacts facts_of(const TimeSliceProblem& problem, const Sharing& sharing, std::size_t index) {
  const GpuTask& task = problem.tasks[index];
  TaskFacts facts;
  facts.use.resize(engines_per_gpu * problem.gpus.size());
  std::vector<bool> seen(facts.use.size());
  std::vector<std::pair<std::size_t, std::size_t>> taken;  ///< streams, and how many operations of the task there
  for (const Segment& segment : task.segments) {
    if (const auto* cpu = std::get_if<CpuSegment>(&segment)) {
      facts.execution += cpu->worst;
      facts.cpu_segments.back() += cpu->worst;
      facts.best += cpu->best;
      for (EngineUse& use : facts.use) use.after += cpu->best;
      continue;
    }
    if (const auto* wait = std::get_if<WaitSegment>(&segment)) {
      facts.offloads = true;
      facts.waits.push_back(*wait);
      facts.cpu_segments.emplace_back();
      continue;
    }
    const auto& gpu = std::get<GpuSegment>(segment);
    const std::size_t stream_index = sharing.stream_of(index, gpu);
    const StreamFacts& stream = sharing.streams[stream_index];
    const ContextFacts& context = sharing.contexts[stream.context];
    const bool alone_in_stream = stream.uses.size() == 1;
    const auto& operations = std::find_if(stream.uses.begin(), stream.uses.end(), [&](const StreamUse& use) {
                               return use.task == index;
                             })->operations;
    auto at = std::find_if(taken.begin(), taken.end(), [&](const auto& each) { return each.first == stream_index; });
    if (at == taken.end()) at = taken.insert(taken.end(), {stream_index, 0});
    facts.several_contexts = facts.several_contexts || sharing.streams[taken.front().first].context != stream.context;
    facts.cpu_segments.emplace_back();
    auto& groups = facts.segments.emplace_back();
    for (std::size_t i = 0; i < gpu.operations.size(); ++i) {
      const StreamOperation& operation = operations[at->second++];
      const Duration worst = operation.operation->worst, best = operation.operation->best;
      facts.offloads = true;
      if (groups.empty() || groups.back().engine != operation.engine || !alone_in_stream)
        groups.push_back({operation.engine, stream_index, {}, {}, {}});
      groups.back().add(operation);
      EngineUse& use = facts.use[operation.engine];
      use.work += operation.slowest;
      use.undisturbed += worst;
      if (!seen[operation.engine]) use.before = facts.best;
      seen[operation.engine] = true;
      facts.best += best;
      for (EngineUse& other : facts.use) other.after += best;
      use.after = {};
      if (context.is_private()) continue;
      // Its turns may end when the context runs dry, or with the slice. At the end of a slice the engine may run partly
      // idle. A kernel of high priority delays others also by the blocks for which it waits.
      const bool high = stream.priority == StreamPriority::high && executes_kernels(operation.engine);
      const Duration blocking =
          high ? slowed(context.longest_low_block, context.slowdown[execution_engine].largest) : Duration{};
      const Duration charged = sum(operation.slowest, blocking);
      const std::int64_t turns = 1 + turns_of(charged, context.slice);
      use.turns += turns;
      use.work = sum(use.work, blocking);
      if (executes_kernels(operation.engine)) use.work = sum(use.work, times(context.overrun[execution_engine], turns));
    }
    if (context.is_private())
      for (const Group& group : groups) facts.use[group.engine].turns += turns_of(group.work.slowest, context.slice);
  }
  return facts;
}

// ---- the common fixed point

/// One task's job as other tasks see it: own work and switches, and its waits.
struct JobBound {
  Duration gpu, slowdown, own_switches, drains;
  std::vector<Duration> segments;
  std::vector<BoundShare> slowed;          ///< parts of `slowdown`
  std::vector<ContextWait> waits;          ///< by context
  std::vector<ContextWait> blocking;       ///< by the less urgent contexts that may delay longest (4a)
  std::vector<Duration> queued;            ///< by stream
  std::vector<Duration> work;              ///< on each engine, with maximum slowdown
  std::vector<Duration> served;            ///< on each engine, from submission to end while the context is served
  std::vector<std::int64_t> turns;         ///< for that work
  Duration awaited;                        ///< the longest time of its waits for tasks whose host it is (10)
  std::vector<std::size_t> longest_waits;  ///< indices of the waits that this is the sum of
  std::vector<std::vector<BoundShare>> segment_shares;  ///< of a task with a host

  /// What it needs itself, and what delays it in its own context.
  Duration own() const {
    Duration total = sum(sum(sum(gpu, slowdown), sum(own_switches, drains)), awaited);
    for (const Duration time : queued) total = sum(total, time);
    // Another context than the named one may delay each group, so that no demand of a context limits this.
    for (const ContextWait& wait : blocking) total = sum(total, wait.total());
    return total;
  }
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

/// For each task, the bound that has a response, or the shorter one; of each GPU segment and operation the shorter one.
TimeSliceBounds least_of(TimeSliceBounds a, TimeSliceBounds b) {
  for (std::size_t index = 0; index < a.tasks.size(); ++index) {
    TaskBound& least = a.tasks[index];
    TaskBound& other = b.tasks[index];
    for (std::size_t segment = 0; segment < least.gpu_segments.size(); ++segment) {
      auto& operations = least.operations[segment];
      for (std::size_t operation = 0; operation < operations.size(); ++operation)
        operations[operation] = std::min(operations[operation], other.operations[segment][operation]);
      if (other.gpu_segments[segment] >= least.gpu_segments[segment]) continue;
      least.gpu_segments[segment] = other.gpu_segments[segment];
      least.segment_parts[segment] = std::move(other.segment_parts[segment]);
    }
    if (!other.response || (least.response && *least.response <= *other.response)) {
      if (!least.response) least.reason = std::move(other.reason);
      continue;
    }
    least.response = other.response;
    least.parts = std::move(other.parts);
    least.awaited = std::move(other.awaited);
    least.in_time = other.in_time;
    least.reason = std::move(other.reason);
  }
  return a;
}

class Analysis {
 public:
  explicit Analysis(const TimeSliceProblem& problem)
      : problem_(problem), sharing_(problem), response_(problem.tasks.size()), gave_up_(problem.tasks.size()) {
    for (std::size_t task = 0; task < problem_.tasks.size(); ++task)
      facts_.push_back(facts_of(problem_, sharing_, task));
  }

  TimeSliceBounds run() {
    if (!solve(max_work)) {
      // Without demands, only the jitter of suspending tasks links the bounds.
      by_demand_ = false;
      if (!solve(max_work)) std::fill(response_.begin(), response_.end(), std::nullopt);
    }
    TimeSliceBounds bounds = report();
    by_demand_ = beyond_ = true;
    if (!any_may_gain(bounds) || !solve(max_work_beyond)) return bounds;
    return least_of(std::move(bounds), report());
  }

 private:
  std::size_t count() const { return problem_.tasks.size(); }
  const GpuTask& task(std::size_t index) const { return problem_.tasks[index]; }

  /// The minimum distance of two releases (7a); not above zero: they may coincide.
  Duration distance_of(std::size_t index) const { return task(index).period - task(index).jitter; }
  /// The minimum distance of a release and the `count`-th after it.
  Duration distance_of(std::size_t index, std::int64_t count) const {
    const Duration apart = times(task(index).period, count);
    return apart - std::min(apart, task(index).jitter);
  }
  /// No window is longer.
  Duration limit_of(std::size_t index) const {
    if (!beyond_) return distance_of(index);
    return std::min(longest_analyzed, sum(times(task(index).period, max_periods), task(index).jitter));
  }

  /// Whether a task has no bound because its response may exceed its period.
  bool any_may_gain(const TimeSliceBounds& bounds) const {
    for (std::size_t index = 0; index < count(); ++index)
      if (!bounds.tasks[index].response && !task(index).unlimited && !task(index).elsewhere && !task(index).host)
        return true;
    return false;
  }

  /// (8): false if it takes too many steps.
  bool solve(std::int64_t most_work) {
    work_ = 0;
    most_work_ = most_work;
    std::fill(gave_up_.begin(), gave_up_.end(), false);
    jobs_.clear();
    for (std::size_t index = 0; index < count(); ++index)
      response_[index] = task(index).unlimited || task(index).host ? std::nullopt : std::optional(facts_[index].best);
    for (bool again = true; again;) {
      again = bound_jobs();
      if (work_ > most_work_) return false;
      for (std::size_t index = 0; index < count(); ++index) {
        if (!response_[index]) continue;
        const auto found = response_of(index);
        if (work_ > most_work_) return false;
        const auto next = found ? std::optional(std::max(found->time, *response_[index])) : std::nullopt;
        again = again || next != response_[index];
        response_[index] = next;
      }
    }
    return true;
  }

  /// (3); nothing if the task may always request the engine.
  std::optional<EngineDemand> demand_of(std::size_t index, std::size_t engine) const {
    const EngineUse& use = facts_[index].use[engine];
    if (use.turns == 0) return EngineDemand{task(index).period, {}, {}, 0};
    const std::size_t releasing = task(index).host.value_or(index);
    if (!by_demand_ || task(releasing).unlimited) return std::nullopt;
    const Duration inside = use.before + use.after, best = facts_[releasing].best;
    const auto& response = response_[releasing];
    if (!response) {
      if (best.is_zero()) return std::nullopt;
      return EngineDemand{best, best + (best - std::min(best, inside)),
                          jobs_.empty() ? use.undisturbed : jobs_[index].work[engine],
                          jobs_.empty() ? 1 : jobs_[index].turns[engine]};
    }
    return EngineDemand{task(releasing).period, sum(task(releasing).jitter, *response - std::min(*response, inside)),
                        jobs_.empty() ? use.undisturbed : jobs_[index].work[engine],
                        jobs_.empty() ? 1 : jobs_[index].turns[engine]};
  }

  /// Adds the demands of a context's tasks for an engine; false if one may always request it.
  bool add_demands(const ContextFacts& context, std::size_t engine, std::vector<EngineDemand>& demands) const {
    for (const std::size_t index : context.tasks) {
      const auto demand = demand_of(index, engine);
      if (!demand) return false;
      if (demand->turns > 0) demands.push_back(*demand);
    }
    return true;
  }

  /// For every engine, the contexts of its GPU. Of the context of one task only those operations count that this task
  /// cannot wait for itself.
  std::vector<std::vector<SharingContext>> sharing_contexts() const {
    std::vector<std::vector<SharingContext>> sharing(engines_per_gpu * problem_.gpus.size());
    for (const ContextFacts& context : sharing_.contexts)
      for (std::size_t kind = 0; kind < engines_per_gpu; ++kind) {
        const std::size_t engine = engines_per_gpu * context.gpu + kind;
        SharingContext& shared = sharing[engine].emplace_back();
        shared.slice = context.slice;
        shared.overrun = context.overrun[kind];
        shared.priority = context.priority;
        shared.urgency = context.urgency;
        shared.demand.emplace();
        if (!add_demands(context, engine, *shared.demand)) shared.demand.reset();
      }
    return sharing;
  }

  /// (5): the label accesses of a task, as an operation of task `self` meets them.
  CpuDemand cpu_demand(std::size_t index, std::size_t self, std::size_t gpu) const {
    const Duration accesses = accesses_on(index == self ? task(index).accesses_beside : task(index).accesses, gpu);
    if (accesses.is_zero()) return EngineDemand{task(index).period, {}, {}, 0};
    if (index == self) return EngineDemand{longest_analyzed, {}, accesses, 1};  // of this job only
    if (task(index).unlimited) return std::nullopt;
    if (!by_demand_ || !response_[index]) return accesses_without_response(facts_[index].best, accesses);
    return EngineDemand{task(index).period, sum(task(index).jitter, *response_[index]), accesses, 1};
  }

  /// A cause of slowdown with its name.
  struct Cause {
    SlowdownCause aggressor;
    BoundShare share;  ///< without a time
  };

  /// (5), (9): what may slow down a group or, where several tasks use its context, all operations of the context on the
  /// engine: copies of others; kernels of others, for kernels only those that are resident in the context; CPUs.
  std::vector<Cause> causes_of(std::size_t index, const Group& group) const {
    const std::size_t own = sharing_.streams[group.stream].context, gpu = sharing_.contexts[own].gpu;
    const AllSlowdowns& slowdown = sharing_.contexts[own].is_private()
                                       ? group.slowdown
                                       : sharing_.contexts[own].slowdown[group.engine % engines_per_gpu];
    std::vector<Cause> causes;
    const auto add = [&](Slowdown factor, const std::optional<EngineDemand>& demand, BoundPart part, std::size_t by,
                         std::optional<std::size_t> stream) {
      if (factor != Slowdown{} && (!demand || demand->turns > 0))
        causes.push_back({{factor, demand}, {part, by, {}, stream}});
    };
    const bool on_kernels = executes_kernels(group.engine);
    for (std::size_t context = 0; context < sharing_.contexts.size(); ++context) {
      if (sharing_.contexts[context].gpu != gpu) continue;
      for (const std::size_t task : sharing_.contexts[context].tasks) {
        if (task == index) continue;
        const std::size_t stream = stream_in(context, task);
        const auto add_engine = [&](EngineKind kind, Slowdown factor, BoundPart part) {
          const std::size_t engine = engines_per_gpu * gpu + kind;
          auto demand = demand_of(task, engine);
          if (demand && demand->turns > 0 && on_kernels && executes_kernels(engine))
            demand->work = jobs_.empty() ? facts_[task].use[engine].undisturbed : jobs_[task].served[engine];
          add(factor, demand, part, task, stream);
        };
        const Slowdowns& by = slowdown.by_contexts[context];
        if (on_kernels) add_engine(copy_engine, by.by_copies, BoundPart::slowed_by_copies);
        if (on_kernels) add_engine(second_copy_engine, by.by_copies, BoundPart::slowed_by_copies);
        if (!on_kernels || context == own) add_engine(execution_engine, by.by_kernels, BoundPart::slowed_by_kernels);
      }
    }
    if (slowdown.by_cpu == Slowdown{}) return causes;
    for (std::size_t by = 0; by < count(); ++by)
      add(slowdown.by_cpu, cpu_demand(by, index, gpu), BoundPart::slowed_by_cpu, by, std::nullopt);
    for (std::size_t other = 0; other < problem_.other_accesses.size(); ++other)
      if (problem_.other_accesses[other].gpu == gpu)
        add(slowdown.by_cpu, problem_.other_accesses[other].demand, BoundPart::slowed_by_cpu, count() + other,
            std::nullopt);
    return causes;
  }

  /// The first stream of the task in the context.
  std::size_t stream_in(std::size_t context, std::size_t task) const {
    const auto& its = sharing_.contexts[context].streams;
    return *std::find_if(its.begin(), its.end(), [&](std::size_t stream) {
      const auto& uses = sharing_.streams[stream].uses;
      return std::any_of(uses.begin(), uses.end(), [&](const StreamUse& use) { return use.task == task; });
    });
  }

  /// (9): adds what other streams of the context may execute before the group has ended.
  OperationGroup with_rivals(std::size_t index, const Group& group) const {
    OperationGroup work = group.work;
    const StreamFacts& own = sharing_.streams[group.stream];
    const ContextFacts& context = sharing_.contexts[own.context];
    if (context.is_private()) return work;
    const bool kernels = executes_kernels(group.engine);
    const auto count = static_cast<std::int64_t>(group.operations.size());
    if (kernels) work.drain = context.overrun[execution_engine];
    work.full = context.slowdown[group.engine % engines_per_gpu].largest;
    StreamDelay in_sequence{work.work, {}}, by_area;
    for (const StreamOperation& operation : group.operations)
      if (kernels && context.weights->apply())
        by_area.own = sum(by_area.own, sum(context.weights->time(operation.blocks, operation.blocks.blocks - 1),
                                           operation.blocks.block));
    Duration blocking = kernels && own.priority == StreamPriority::high ? context.longest_low_block : Duration{};
    for (const std::size_t stream : context.streams) {
      if (stream == group.stream) continue;
      const StreamFacts& other = sharing_.streams[stream];
      StreamRival sequence{stream, Duration{}, std::vector<EngineDemand>()}, area = sequence;
      const bool below = kernels && other.priority > own.priority, above = kernels && other.priority < own.priority;
      for (const StreamUse& use : other.uses) {
        if (use.task == index) continue;
        Duration sum_in_sequence, sum_by_area, most_in_sequence, most_by_area;
        for (const StreamOperation& operation : use.operations) {
          if (operation.engine != group.engine) continue;
          const Duration penalty = above ? context.longest_low_block : Duration{};
          sum_in_sequence = sum(sum_in_sequence, sum(operation.operation->worst, penalty));
          most_in_sequence = std::max(most_in_sequence, operation.operation->worst);
          if (!kernels || !context.weights->apply()) continue;
          const Duration time = context.weights->time(operation.blocks, operation.blocks.blocks);
          sum_by_area = sum(sum_by_area, time);
          most_by_area = std::max(most_by_area, time);
        }
        if (sum_in_sequence.is_zero()) continue;
        const auto demand = demand_of(use.task, group.engine);
        const auto add = [&](StreamRival& rival, Duration most, Duration all) {
          rival.most = above ? std::nullopt : std::optional(std::max(*rival.most, times(most, count)));
          if (!demand) rival.demand.reset();
          if (rival.demand) rival.demand->push_back({demand->period, demand->jitter, all, 1});
        };
        add(sequence, most_in_sequence, sum_in_sequence);
        add(area, most_by_area, sum_by_area);
      }
      if (below && !sequence.most->is_zero()) {
        // Of streams of lower priority only resident blocks delay, all of them in parallel.
        sequence.most = times(std::exchange(blocking, Duration{}), count);
        sequence.demand.reset();
      }
      in_sequence.rivals.push_back(std::move(sequence));
      by_area.rivals.push_back(std::move(area));
    }
    work.ways.push_back(std::move(in_sequence));
    if (kernels && context.weights->apply()) work.ways.push_back(std::move(by_area));
    return work;
  }

  struct CausedBound : GroupBound {
    std::vector<BoundShare> slowed_by;  ///< parallel to `slowed`
  };

  CausedBound bound_of(std::size_t index, const Group& group,
                       const std::vector<std::vector<SharingContext>>& sharing) const {
    const std::size_t own = sharing_.streams[group.stream].context;
    const ContextFacts& context = sharing_.contexts[own];
    const Duration context_switch = problem_.gpus[context.gpu].context_switch;
    OperationGroup work = with_rivals(index, group);
    std::vector<BoundShare> shares;
    for (Cause& cause : causes_of(index, group)) {
      work.aggressors.push_back(cause.aggressor);
      shares.push_back(cause.share);
    }
    const auto bound = [&](const std::vector<SharingContext>& contexts) {
      CausedBound found{
          group_bound(work, contexts, context.place, context_switch, problem_.gpus[context.gpu].by_priority),
          std::move(shares)};
      for (std::size_t cause = 0; cause < found.slowed.size(); ++cause)
        found.slowed_by[cause].time = found.slowed[cause];
      return found;
    };
    if (!facts_[index].several_contexts) return bound(sharing[group.engine]);
    // Its other contexts have no work meanwhile.
    std::vector<SharingContext> others = sharing[group.engine];
    for (std::size_t other = 0; other < sharing_.contexts.size(); ++other) {
      const ContextFacts& its = sharing_.contexts[other];
      if (other != own && its.gpu == context.gpu && its.is_private() && !its.tasks.empty() &&
          its.tasks.front() == index) {
        others[its.place].demand.emplace();
      }
    }
    return bound(others);
  }

  /// For every stream that several tasks use, and every use, the longest of its operations once it is the first of the
  /// stream.
  std::vector<std::vector<Duration>> bounds_in_streams(const std::vector<std::vector<SharingContext>>& sharing) const {
    std::vector<std::vector<Duration>> longest(sharing_.streams.size());
    for (std::size_t stream = 0; stream < sharing_.streams.size(); ++stream) {
      const auto& uses = sharing_.streams[stream].uses;
      if (uses.size() < 2) continue;
      for (const StreamUse& use : uses) {
        Duration& most = longest[stream].emplace_back();
        for (const auto& groups : facts_[use.task].segments)
          for (const Group& group : groups)
            if (group.stream == stream) most = std::max(most, bound_of(use.task, group, sharing).response);
      }
    }
    return longest;
  }

  /// The contexts of a GPU in the order of its runlist, as indices among all contexts.
  std::vector<std::size_t> contexts_of(std::size_t gpu) const {
    std::vector<std::size_t> found;
    for (std::size_t context = 0; context < sharing_.contexts.size(); ++context)
      if (sharing_.contexts[context].gpu == gpu) found.push_back(context);
    return found;
  }

  /// Adds a group to a job, and returns the time from its submission to its end.
  Duration add_group(std::size_t index, const Group& group, const CausedBound& bound,
                     const std::vector<std::vector<Duration>>& in_streams, JobBound& job) const {
    const StreamFacts& stream = sharing_.streams[group.stream];
    const ContextFacts& context = sharing_.contexts[stream.context];
    Duration response = bound.response;
    job.gpu = sum(job.gpu, bound.work);
    job.slowdown = sum(job.slowdown, bound.slowdown);
    for (const BoundShare& share : bound.slowed_by) add_share(job.slowed, share);
    job.own_switches = sum(job.own_switches, bound.own_switches);
    job.drains = sum(job.drains, bound.drains);
    std::size_t rival = 0;
    for (const std::size_t other : context.streams)
      if (other != group.stream && rival < bound.queued.size())
        job.queued[other] = sum(job.queued[other], bound.queued[rival++]);
    for (std::size_t use = 0; use < in_streams[group.stream].size(); ++use) {
      if (stream.uses[use].task == index) continue;
      job.queued[group.stream] = sum(job.queued[group.stream], in_streams[group.stream][use]);
      response = sum(response, in_streams[group.stream][use]);
    }
    const auto others = contexts_of(context.gpu);
    for (std::size_t place = 0; place < others.size(); ++place)
      job.waits[others[place]] = job.waits[others[place]] + bound.waits[place];
    if (bound.blocked_by) {
      ContextWait& blocking = job.blocking[others[*bound.blocked_by]];
      blocking = blocking + bound.blocking;
    }
    return response;
  }

  static void add_share(std::vector<BoundShare>& shares, const BoundShare& added) {
    if (added.time.is_zero()) return;
    for (BoundShare& share : shares)
      if (share.part == added.part && share.by == added.by && share.stream == added.stream) {
        share.time = sum(share.time, added.time);
        return;
      }
    shares.push_back(added);
  }

  JobBound empty_job() const {
    JobBound job;
    job.waits.resize(sharing_.contexts.size());
    job.blocking.resize(sharing_.contexts.size());
    job.queued.resize(sharing_.streams.size());
    job.work.resize(engines_per_gpu * problem_.gpus.size());
    job.turns.resize(job.work.size());
    job.served.resize(job.work.size());
    return job;
  }

  /// Uses the maximum times found for the jobs of others, initially without slowdown. Returns whether they may take
  /// longer.
  bool bound_jobs() {
    const auto sharing = sharing_contexts();
    const auto in_streams = bounds_in_streams(sharing);
    std::vector<JobBound> found(count(), empty_job());
    bool more = jobs_.size() != count();
    for (std::size_t index = 0; index < count(); ++index) {
      JobBound& job = found[index];
      for (const auto& groups : facts_[index].segments) {
        Duration segment;
        JobBound alone = empty_job();
        for (const Group& group : groups) {
          const CausedBound bound = bound_of(index, group, sharing);
          const ContextFacts& context = sharing_.contexts[sharing_.streams[group.stream].context];
          work_ += static_cast<std::int64_t>(sharing_.contexts.size() + bound.queued.size());
          segment = sum(segment, add_group(index, group, bound, in_streams, job));
          if (task(index).host) add_group(index, group, bound, in_streams, alone);
          job.served[group.engine] = sum(job.served[group.engine], bound.served);
          if (!context.is_private()) continue;
          const Duration slowed_work = sum(bound.work, bound.slowdown);
          job.work[group.engine] = sum(job.work[group.engine], slowed_work);
          job.turns[group.engine] += turns_of(slowed_work, context.slice);
        }
        job.segments.push_back(segment);
        if (task(index).host) job.segment_shares.push_back(shares_of_gpu(index, alone, alone.waits));
      }
      for (std::size_t engine = 0; engine < job.work.size(); ++engine) {
        if (std::any_of(sharing_.contexts.begin(), sharing_.contexts.end(), [&](const ContextFacts& context) {
              return context.gpu == engine / engines_per_gpu && !context.is_private() &&
                     std::find(context.tasks.begin(), context.tasks.end(), index) != context.tasks.end();
            })) {
          job.work[engine] = facts_[index].use[engine].work;
          job.turns[engine] = facts_[index].use[engine].turns;
        }
        job.served[engine] = std::max(job.served[engine], facts_[index].use[engine].undisturbed);
        if (jobs_.empty()) continue;
        // From below, so that the common solution is the smallest.
        job.work[engine] = std::max(job.work[engine], jobs_[index].work[engine]);
        job.turns[engine] = std::max(job.turns[engine], jobs_[index].turns[engine]);
        job.served[engine] = std::max(job.served[engine], jobs_[index].served[engine]);
        more = more || job.work[engine] > jobs_[index].work[engine] || job.turns[engine] > jobs_[index].turns[engine] ||
               job.served[engine] > jobs_[index].served[engine];
      }
    }
    for (std::size_t index = 0; index < count(); ++index) add_waits_for_tasks(index, found);
    jobs_ = std::move(found);
    return more;
  }

  /// (10): the longest sum of waits that do not overlap.
  void add_waits_for_tasks(std::size_t index, std::vector<JobBound>& jobs) const {
    const auto& waits = facts_[index].waits;
    std::vector<Duration> longest;               // that ends with each wait
    std::vector<std::vector<std::size_t>> sums;  // and what it consists of
    for (std::size_t last = 0; last < waits.size(); ++last) {
      longest.emplace_back();
      sums.emplace_back();
      for (std::size_t before = 0; before < last; ++before)
        if (waits[before].to <= waits[last].from && longest[before] > longest[last]) {
          longest[last] = longest[before];
          sums[last] = sums[before];
        }
      longest[last] = sum(longest[last], jobs[waits[last].task].segments[waits[last].segment]);
      sums[last].push_back(last);
      if (longest[last] <= jobs[index].awaited) continue;
      jobs[index].awaited = longest[last];
      jobs[index].longest_waits = sums[last];
    }
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
    if (const auto& response = task(index).elsewhere)
      return *response ? std::optional(Response{**response, {}}) : std::nullopt;
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

  static bool comes_before(const BoundShare& a, const BoundShare& b) {
    return std::tie(a.part, a.by, a.stream) < std::tie(b.part, b.by, b.stream);
  }

  /// (7)
  std::optional<Response> response_by_segments(std::size_t index) {
    Response response;
    const JobBound& own = jobs_[index];
    const auto add = [&response](const BoundShare& added) {
      response.time = sum(response.time, added.time);
      add_share(response.parts, added);
    };
    for (const Duration execution : facts_[index].cpu_segments) {
      const auto segment = least_response({index, execution, false, moment_after(execution)});
      if (!segment) return std::nullopt;
      for (const BoundShare& share : segment->parts) add(share);
    }
    for (const BoundShare& share : shares_of_gpu(index, own, own.waits)) add(share);
    if (response.time > (beyond_ ? task(index).period : distance_of(index))) return std::nullopt;
    // Jobs follow one another. The longest response is that of the last of those that jitter may release together, or of
    // the next one.
    const std::int64_t together = task(index).jitter.picoseconds() / task(index).period.picoseconds();
    Duration earlier;
    for (const std::int64_t before : {together, together + 1}) {
      const Duration backlog = times(response.time, before), apart = distance_of(index, before);
      earlier = std::max(earlier, backlog - std::min(backlog, apart));
    }
    add({BoundPart::preemption, index, earlier});
    std::sort(response.parts.begin(), response.parts.end(), &comes_before);
    return response;
  }

  /// The GPU segments of a job, with these waits for other contexts; none of zero.
  std::vector<BoundShare> shares_of_gpu(std::size_t index, const JobBound& job,
                                        const std::vector<ContextWait>& waits) const {
    std::vector<BoundShare> shares;
    const auto add = [&shares](BoundPart part, std::optional<std::size_t> by, Duration time,
                               std::optional<std::size_t> stream = std::nullopt) {
      if (!time.is_zero()) shares.push_back({part, by, time, stream});
    };
    add(BoundPart::gpu, std::nullopt, job.gpu);
    for (const BoundShare& share : job.slowed) add(share.part, share.by, share.time, share.stream);
    add(BoundPart::own_switches, std::nullopt, job.own_switches);
    add_waits(waits, add);
    add_waits(job.blocking, add);
    add(BoundPart::overruns, index, job.drains,
        job.drains.is_zero() ? std::nullopt : std::optional(first_stream(index)));
    for (std::size_t stream = 0; stream < sharing_.streams.size(); ++stream) {
      if (job.queued[stream].is_zero()) continue;
      const auto& uses = sharing_.streams[stream].uses;
      const auto other =
          std::find_if(uses.begin(), uses.end(), [&](const StreamUse& use) { return use.task != index; });
      add(BoundPart::streams, other->task, job.queued[stream], stream);
    }
    for (const std::size_t wait : job.longest_waits) {
      const WaitSegment& awaited = facts_[index].waits[wait];
      for (const BoundShare& share : jobs_[awaited.task].segment_shares[awaited.segment])
        add(share.part, share.by, share.time, share.stream);
    }
    return shares;
  }

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

  /// (6): the longest of the jobs in a busy window; (7): a CPU segment.
  std::optional<Response> solve_response(const Demand& demand, const std::vector<std::size_t>& rivals,
                                         const std::vector<bool>& jitter) {
    std::optional<Response> longest;
    Duration window;
    for (std::int64_t earlier = 0;; ++earlier) {
      auto found = solve_window(demand, earlier, rivals, jitter, window);
      if (!found) return std::nullopt;
      window = sum(found->time, demand.moment);
      const Duration released = demand.with_gpu ? distance_of(demand.task, earlier) : Duration{};
      if (!longest || found->time - released > longest->time) {
        leave_out(released, demand.task, *found);
        longest = std::move(found);
      }
      if (!demand.with_gpu || window <= distance_of(demand.task, earlier + 1)) return longest;
    }
  }

  /// The window up to the end of a job that follows `earlier` others, at least `window`.
  std::optional<Response> solve_window(const Demand& demand, std::int64_t earlier,
                                       const std::vector<std::size_t>& rivals, const std::vector<bool>& jitter,
                                       Duration window) {
    Duration least = sum(demand.execution, demand.moment);
    if (demand.with_gpu) least = sum(least, jobs_[demand.task].own());
    window = std::max(window, least);
    const Duration limit = demand.with_gpu || !beyond_ ? limit_of(demand.task) : task(demand.task).period;
    const auto pairs = static_cast<std::int64_t>((rivals.size() + 1) * (sharing_.contexts.size() + 1));
    for (std::int64_t step = 0; step < max_core_steps && window <= limit; ++step) {
      bound_steps += static_cast<std::uint64_t>(pairs);
      if ((work_ += pairs) > most_work_) break;
      std::vector<BoundShare> parts;
      const Duration next = evaluate(demand, earlier, rivals, jitter, window, parts);
      if (next <= window) return Response{next - demand.moment, std::move(parts)};
      window = next;
    }
    if (window <= limit) gave_up_[demand.task] = true;
    return std::nullopt;
  }

  /// Takes the time before the release out of a window: first of the task's earlier jobs, then of other tasks.
  static void leave_out(Duration before, std::size_t index, Response& response) {
    response.time = response.time - before;
    const auto take = [&](const auto& from) {
      for (BoundShare& share : response.parts) {
        if (!from(share)) continue;
        const Duration taken = std::min(before, share.time);
        share.time -= taken;
        before -= taken;
      }
    };
    take([&](const BoundShare& share) { return share.part == BoundPart::preemption && share.by == index; });
    take([](const BoundShare& share) { return share.part == BoundPart::blocking; });
    take([](const BoundShare& share) { return share.part == BoundPart::preemption; });
    take([](const BoundShare& share) { return share.by.has_value(); });
    take([](const BoundShare&) { return true; });
    auto& parts = response.parts;
    parts.erase(
        std::remove_if(parts.begin(), parts.end(), [](const BoundShare& share) { return share.time.is_zero(); }),
        parts.end());
  }

  /// The right side of (6) for X = window, or of (7) for a CPU segment.
  Duration evaluate(const Demand& demand, std::int64_t earlier, const std::vector<std::size_t>& rivals,
                    const std::vector<bool>& jitter, Duration window, std::vector<BoundShare>& parts) const {
    Duration total = demand.moment;
    const auto add = [&](BoundPart part, std::optional<std::size_t> by, Duration time,
                         std::optional<std::size_t> stream = std::nullopt) {
      total = sum(total, time);
      if (!time.is_zero()) parts.push_back({part, by, time, stream});
    };
    add(BoundPart::execution, std::nullopt, demand.execution);
    std::vector<ContextWait> waits(sharing_.contexts.size());
    if (demand.with_gpu) waits = jobs_[demand.task].waits;
    if (earlier > 0) {
      add(BoundPart::preemption, demand.task, times(sum(demand.execution, jobs_[demand.task].own()), earlier));
      for (ContextWait& wait : waits) wait = wait * (earlier + 1);
    }
    const auto suspends = [this](std::size_t which) {
      return facts_[which].offloads && task(which).wait == WaitMode::suspend;
    };
    bool any_suspends = demand.with_gpu && suspends(demand.task);
    std::int64_t starts = earlier + (any_suspends ? (earlier + 1) * facts_[demand.task].stops() : 0);
    for (const std::size_t other : rivals) {
      const Duration execution = facts_[other].execution;
      if (jitter[other]) {
        const Duration spread = sum(task(other).jitter, *response_[other] - std::min(*response_[other], execution));
        add(BoundPart::preemption, other, times(execution, ceiling(sum(window, spread), task(other).period)));
        continue;
      }
      const std::int64_t jobs = ceiling(sum(window, task(other).jitter), task(other).period);
      add(BoundPart::preemption, other, times(sum(execution, jobs_[other].own()), jobs));
      starts += jobs * (1 + (suspends(other) ? facts_[other].stops() : 0));
      any_suspends = any_suspends || suspends(other);
      if (!facts_[other].offloads) continue;
      for (std::size_t context = 0; context < waits.size(); ++context)
        waits[context] = waits[context] + jobs_[other].waits[context] * jobs;
    }
    for (const GpuTask::Blocking& blocking : task(demand.task).blocking)
      add(BoundPart::blocking, blocking.by, times(blocking.time, 1 + (any_suspends ? starts : 0)));
    for (std::size_t index = 0; index < waits.size(); ++index) {
      const ContextFacts& context = sharing_.contexts[index];
      // Time counted as own work of the task, or of a polling task that precedes it, does not count as waiting too.
      if (context.is_private() && !context.tasks.empty() &&
          ((context.tasks.front() == demand.task && demand.with_gpu) ||
           (!jitter[context.tasks.front()] &&
            std::find(rivals.begin(), rivals.end(), context.tasks.front()) != rivals.end())))
        waits[index] = {};
      limit(context, window, waits[index]);
    }
    if (demand.with_gpu) {
      for (const BoundShare& share : shares_of_gpu(demand.task, jobs_[demand.task], waits))
        add(share.part, share.by, share.time, share.stream);
    } else {
      add_waits(waits, add);
    }
    return total;
  }

  /// At most what the context can demand of all engines in the window.
  void limit(const ContextFacts& context, Duration window, ContextWait& wait) const {
    if (wait.total().is_zero()) return;
    std::vector<EngineDemand> demands;
    for (std::size_t kind = 0; kind < engines_per_gpu; ++kind)
      if (!add_demands(context, engines_per_gpu * context.gpu + kind, demands)) return;
    const EngineShare share = share_of(demands, window);
    if (share.work < wait.slices + wait.overruns) {
      wait.slices = share.work;
      wait.overruns = {};
    }
    wait.switches = std::min(wait.switches, times(problem_.gpus[context.gpu].context_switch, share.turns));
  }

  // ---- results

  static double rate(Duration work, Duration period) {
    return static_cast<double>(work.picoseconds()) / static_cast<double>(period.picoseconds());
  }

  /// The minimum core time of a job: its execution, and the undisturbed GPU time it polls for.
  Duration core_time(std::size_t index) const {
    const TaskFacts& facts = facts_[index];
    if (task(index).wait == WaitMode::suspend) return facts.execution;
    Duration time = facts.execution;
    for (const EngineUse& use : facts.use) time += use.undisturbed;
    return time;
  }

  TimeSliceBounds report() {
    TimeSliceBounds bounds;
    bounds.core_demand.resize(problem_.cores.size());
    engine_demand_.assign(engines_per_gpu * problem_.gpus.size(), 0);
    for (std::size_t index = 0; index < count(); ++index) {
      if (task(index).unlimited) continue;
      bounds.core_demand[task(index).core] += rate(core_time(index), task(index).period);
      for (std::size_t engine = 0; engine < engine_demand_.size(); ++engine)
        engine_demand_[engine] += rate(facts_[index].use[engine].undisturbed, task(index).period);
    }
    bounds.copy_demand = engine_demand_[copy_engine];
    bounds.execution_demand = engine_demand_[execution_engine];
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
        for (const BoundShare& share : found->parts) add_share(bound.parts, share);
        for (const std::size_t wait : jobs_[index].longest_waits)
          bound.awaited.push_back(facts_[index].waits[wait].task);
        std::stable_sort(bound.parts.begin(), bound.parts.end(), &comes_before);
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
    const auto in_streams = bounds_in_streams(sharing);
    for (const auto& groups : facts_[index].segments) {
      JobBound whole = empty_job();
      // An operation is a separate group for (4), and lies within its group.
      auto& operations = bound.operations.emplace_back();
      for (const Group& group : groups) {
        const Duration response = add_group(index, group, bound_of(index, group, sharing), in_streams, whole);
        for (const StreamOperation& operation : group.operations) {
          JobBound ignored = empty_job();
          Group alone{group.engine, group.stream, {}, {}, {}};
          alone.add(operation);
          operations.push_back(
              std::min(add_group(index, alone, bound_of(index, alone, sharing), in_streams, ignored), response));
        }
      }
      bound.segment_parts.push_back(shares_of_gpu(index, whole, whole.waits));
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
    for (const bool kernels : {true, false})
      for (std::size_t engine = 0; engine < engine_demand_.size(); ++engine) {
        // Kernels of several streams may execute at the same time.
        const bool in_sequence =
            !kernels || std::all_of(sharing_.contexts.begin(), sharing_.contexts.end(), [&](const auto& context) {
              return context.gpu != engine / engines_per_gpu || context.is_private();
            });
        if (executes_kernels(engine) == kernels && facts_[index].use[engine].turns > 0 && in_sequence &&
            engine_demand_[engine] > most)
          return fmt::format("the {} engine is overloaded: utilization {:.2f} %", kernels ? "execution" : "copy",
                             100 * engine_demand_[engine]);
      }
    const Duration limit = beyond_ ? task(index).period : distance_of(index);
    const std::string limit_text =
        beyond_ || task(index).jitter.is_zero()
            ? fmt::format("period of {}", format_duration(limit))
            : fmt::format("minimum inter-arrival time of {} (period {}, jitter {})", format_duration(limit),
                          format_duration(task(index).period), format_duration(task(index).jitter));
    if (limit <= Duration{})
      return fmt::format("several releases may coincide, because the jitter of {} is not below the period of {}",
                         format_duration(task(index).jitter), format_duration(task(index).period));
    const JobBound& job = jobs_[index];
    const Duration alone = sum(facts_[index].execution, sum(job.gpu, sum(job.slowdown, job.own_switches)));
    const Duration least = sum(facts_[index].execution, job.own());
    if (alone <= limit && least > limit) return reason_of_streams(index, limit_text);
    if (least > limit && !jobs_[index].slowdown.is_zero())
      return fmt::format("with copies and kernels slowed down by other tasks, it may need {}, which exceeds its {}",
                         format_duration(least), limit_text);
    if (least > limit)
      return fmt::format("even without interference it may need {}, which exceeds its {}", format_duration(least),
                         limit_text);
    std::size_t longest = 0;
    ContextWait waits;
    for (std::size_t other = 0; other < job.waits.size(); ++other) {
      waits = waits + job.waits[other];
      if (job.waits[other].total() > job.waits[longest].total()) longest = other;
    }
    if (waits.total() >= infinite)
      return fmt::format("{}, whose context has at least its priority on the GPU, has no bound",
                         task(sharing_.contexts[longest].tasks.front()).name);
    if (sum(least, waits.total()) > limit)
      return fmt::format("the GPU may serve other contexts for {}, most of it {} ({}), but the task has a {}",
                         format_duration(waits.total()), task(sharing_.contexts[longest].tasks.front()).name,
                         format_duration(job.waits[longest].total()), limit_text);
    if (gave_up_[index])
      return fmt::format(
          "the fixed-point iteration does not converge within its step limit; the utilization of core {} is {:.2f} %",
          core, 100 * bounds.core_demand[task(index).core]);
    if (beyond_)
      return fmt::format(
          "with interference by tasks of at least its priority on core {}, more than {} of its jobs may be pending",
          core, max_periods);
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

  /// Why other streams of its contexts delay it too long.
  std::string reason_of_streams(std::size_t index, const std::string& limit) const {
    const JobBound& job = jobs_[index];
    std::size_t longest = 0;
    Duration total;
    for (std::size_t stream = 0; stream < job.queued.size(); ++stream) {
      total = sum(total, job.queued[stream]);
      if (job.queued[stream] > job.queued[longest]) longest = stream;
    }
    const auto& uses = sharing_.streams[longest].uses;
    const auto other = std::find_if(uses.begin(), uses.end(), [&](const StreamUse& use) { return use.task != index; });
    const std::string name = other == uses.end() ? std::string() : task(other->task).name;
    if (total >= infinite && other != uses.end() && task(other->task).unlimited)
      return fmt::format("{}, in a stream of higher priority of its GPU context, has no bound", name);
    if (total >= infinite)
      return fmt::format("kernels of {}, in a stream of higher priority of its GPU context, may delay it for ever",
                         name);
    return fmt::format("other tasks of its GPU context may delay it for {}, most of it {}, but the task has a {}",
                       format_duration(total), name, limit);
  }

  const TimeSliceProblem& problem_;
  Sharing sharing_;
  std::vector<TaskFacts> facts_;
  std::vector<std::optional<Duration>> response_;
  std::vector<JobBound> jobs_;
  std::vector<double> engine_demand_;  ///< undisturbed work per time
  std::vector<bool> gave_up_;          ///< an equation of the task was not solved within the limit of steps
  bool by_demand_ = true;
  bool beyond_ = false;  ///< responses may exceed the minimum distance of two releases
  std::int64_t work_ = 0, most_work_ = max_work;
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
    if (const auto* wait = std::get_if<WaitSegment>(&segment))
      if (wait->task >= problem.tasks.size() || !problem.tasks[wait->task].host)
        return "it waits for a task without a host";
    if (const auto* gpu = std::get_if<GpuSegment>(&segment)) {
      if (gpu->stream && *gpu->stream >= problem.streams.size()) return "its stream is not there";
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
    case BoundPart::streams:
      return "streams";
  }
  return "";
}

EngineShare share_of(const std::vector<EngineDemand>& demands, Duration window) {
  EngineShare share;
  Wide turns = 0;
  for (const EngineDemand& demand : demands) {
    const std::int64_t jobs = ceiling(sum(window, demand.jitter), demand.period);
    share.work = sum(share.work, times(demand.work, jobs));
    turns += Wide(jobs) * demand.turns;
  }
  share.turns = static_cast<std::int64_t>(std::min<Wide>(turns, std::numeric_limits<std::int32_t>::max()));
  return share;
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

namespace {

/// What a slowdown adds to work at most.
Duration growth(Duration work, Slowdown factor) {
  return factor == Slowdown{} ? Duration{}
                              : saturated(Wide(work.picoseconds()) * (factor.ppm - 1'000'000) / 1'000'000 + 1);
}

/// (5): the slowdown of work, divided among its causes. What is known counts first; the rest is due to the first cause
/// that may be active all the time. Without a window, everything may be.
void limit_slowdown(const OperationGroup& group, Duration work, Duration most, std::optional<Duration> window,
                    GroupBound& bound) {
  const std::vector<SlowdownCause>& aggressors = group.aggressors;
  std::vector<std::size_t> order(aggressors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return aggressors[a].factor < aggressors[b].factor; });
  bound.slowed.assign(aggressors.size(), Duration{});
  std::optional<std::size_t> unknown;
  Duration total;
  for (const std::size_t index : order) {
    const auto& [factor, demand] = aggressors[index];
    Duration& part = bound.slowed[index];
    part = infinite;
    if (demand && window)
      part = scale(share_of({*demand}, *window).work, factor.ppm - 1'000'000, factor.ppm, Rounding::up);
    else
      unknown = unknown ? std::min(*unknown, index) : index;
    const Duration before = total;
    total = sum(total, part);
    if (group.ways.empty()) continue;
    total = std::min(total, growth(work, factor));
    part = total - before;
  }
  bound.slowdown = total = std::min(total, most);
  for (std::size_t index = 0; index < aggressors.size(); ++index) {
    Duration& part = bound.slowed[index];
    part = part == infinite && (!window || !aggressors[index].demand) ? Duration{} : std::min(part, total);
    total -= part;
  }
  if (unknown) bound.slowed[*unknown] += total;
}

}  // namespace

GroupBound group_bound(const OperationGroup& group, const std::vector<SharingContext>& contexts, std::size_t self,
                       Duration context_switch, bool by_priority) {
  const auto asks = [](const auto& demand) { return !demand || !demand->empty(); };
  const auto limit_of = [](const StreamRival& rival, const std::optional<Duration>& window) {
    Duration limit = rival.most.value_or(infinite);
    if (window && rival.demand) limit = std::min(limit, share_of(*rival.demand, *window).work);
    return limit;
  };
  // Without a window, only the slots of the others count, not their demands.
  const auto evaluate = [&](std::optional<Duration> window) {
    GroupBound bound;
    bound.waits.resize(contexts.size());
    bound.work = group.work;
    if (group.ways.empty()) {
      limit_slowdown(group, group.work, group.slowest - group.work, window, bound);
    } else {
      const StreamDelay* least = nullptr;
      Duration undisturbed;
      for (const StreamDelay& way : group.ways) {
        Duration total = way.own;
        for (const StreamRival& rival : way.rivals) total = sum(total, limit_of(rival, window));
        if (least != nullptr && total >= undisturbed) continue;
        least = &way;
        undisturbed = total;
      }
      bound.work = std::min(least->own, group.work);
      for (const StreamRival& rival : least->rivals) bound.queued.push_back(limit_of(rival, window));
      // What free SMs cost that a block does not fit on counts for the stream that delays most.
      if (!bound.queued.empty()) {
        Duration& most = *std::max_element(bound.queued.begin(), bound.queued.end());
        most = sum(most, least->own - bound.work);
      } else {
        bound.work = least->own;
      }
      limit_slowdown(group, undisturbed, growth(undisturbed, group.full), window, bound);
    }
    bound.served = sum(bound.work, bound.slowdown);
    for (const Duration time : bound.queued) bound.served = sum(bound.served, time);
    bound.response = bound.served;
    const std::int64_t turns = turns_of(bound.response, contexts[self].slice);
    bound.drains = times(group.drain, turns);
    bound.response = sum(bound.response, bound.drains);
    Wide others_turns = 0;
    // By priority, less urgent contexts delay the group once, until the next preemption point.
    std::optional<std::size_t> less_urgent;
    for (std::size_t other = 0; other < contexts.size() && by_priority; ++other) {
      const SharingContext& context = contexts[other];
      if (other == self || !asks(context.demand)) continue;
      ContextWait& wait = bound.waits[other];
      if (context.urgency < contexts[self].urgency) {
        if (!less_urgent || context.overrun > contexts[*less_urgent].overrun) less_urgent = other;
        continue;
      }
      if (window && context.demand) {
        const EngineShare share = share_of(*context.demand, *window);
        wait.slices = share.work;
        wait.switches = times(context_switch, share.turns);
        others_turns += share.turns;
      } else {
        wait.slices = infinite;
      }
      bound.response = sum(bound.response, sum(wait.slices, wait.switches));
    }
    if (less_urgent) {
      bound.blocking = {{}, contexts[*less_urgent].overrun, context_switch};
      bound.blocked_by = less_urgent;
      bound.response = sum(bound.response, bound.blocking.total());
    }
    for (std::size_t other = 0; other < contexts.size() && !by_priority; ++other) {
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
    const Wide returns = 1 + others_turns;
    if (shared)
      bound.own_switches =
          times(context_switch, static_cast<std::int64_t>(by_priority ? returns : std::min<Wide>(turns, returns)));
    bound.response = sum(bound.response, bound.own_switches);
    return bound;
  };
  Duration window = group.work;
  for (std::int64_t step = 0; step < max_group_steps; ++step) {
    GroupBound bound = evaluate(window);
    if (bound.response <= window || bound.response >= infinite) return bound;
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
  for (const SharedGpu& gpu : problem.gpus) {
    const gpu::InterferenceTable& table = gpu.interference;
    for (const Slowdown slowdown :
         {table.kernel_by_memcpy, table.kernel_by_memset, table.kernel_by_same_gpc, table.kernel_by_other_gpc,
          table.kernel_by_cpu, table.copy_by_kernel, table.copy_by_cpu})
      if (slowdown.ppm < 1'000'000 || slowdown.ppm > max_slowdown)
        return tl::unexpected(std::string("slowdowns must be between 1 and 1000"));
    if (gpu.context_switch < Duration{} || gpu.context_switch >= longest_analyzed)
      return tl::unexpected(fmt::format("the context switch must be below {}", format_duration(longest_analyzed)));
  }
  for (const SharedContext& context : problem.contexts)
    if (context.gpu >= problem.gpus.size() || context.slice <= Duration{} || context.slice >= longest_analyzed)
      return tl::unexpected(std::string("a context has no GPU, or a time slice out of range"));
  for (const SharedStream& stream : problem.streams)
    if (stream.context >= problem.contexts.size()) return tl::unexpected(std::string("a stream has no context"));
  for (const GpuTask& task : problem.tasks)
    if (const std::string fault = fault_of(problem, task); !fault.empty())
      return tl::unexpected(fmt::format("task {}: {}", task.name, fault));
  return Analysis(problem).run();
}

}  // namespace amalthea::engine::nvidia
