// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/time_slices/sharing.hpp"

#include <algorithm>
#include <utility>

namespace amalthea::engine::nvidia::time_slices {
namespace {

/// Index among the engines of all GPUs.
std::size_t engine_of(const TimeSliceProblem& problem, std::size_t gpu, StreamOperationKind kind) {
  const bool second = kind == StreamOperationKind::device_to_host && problem.gpus[gpu].copy_engines > 1;
  return engines_per_gpu * gpu + (kind == StreamOperationKind::kernel ? execution_engine
                                  : second                            ? second_copy_engine
                                                                      : copy_engine);
}

Duration slowed(Duration work, Slowdown by) {
  return saturated((Wide(work.picoseconds()) * by.ppm + 999'999) / 1'000'000);
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

}  // namespace

Sharing::Sharing(const TimeSliceProblem& problem) : problem_(problem) {
  for (const SharedContext& context : problem.contexts)
    contexts.push_back({context.gpu, context.slice, context.priority, context.urgency,
                        context.sharing.empty() ? nullptr : &context.sharing});
  for (const SharedStream& stream : problem.streams)
    streams.push_back({stream.context, stream.priority, {}, stream.overlapping});
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
    for (StreamUse& use : stream.uses) set_slowdowns(stream, use);
  for (ContextFacts& context : contexts) add_roundings(context);
  for (StreamFacts& stream : streams)
    for (StreamUse& use : stream.uses)
      for (StreamOperation& operation : use.operations) set_times(operation);
  for (ContextFacts& context : contexts) find_facts(context);
}

std::size_t Sharing::stream_of(std::size_t task, const GpuSegment& segment) const {
  return segment.stream ? *segment.stream : *own_stream_[task];
}

void Sharing::add_uses(std::size_t index) {
  own_stream_.emplace_back();
  const GpuTask& task = problem_.tasks[index];
  for (const Segment& segment : task.segments) {
    const auto* gpu = std::get_if<GpuSegment>(&segment);
    if (gpu == nullptr) continue;
    if (!gpu->stream && !own_stream_[index]) {
      own_stream_[index] = streams.size();
      streams.push_back({contexts.size(), StreamPriority::low, {}});
      contexts.push_back({0, task.slice, task.gpu_priority, task.priority});
    }
    StreamFacts& stream = streams[stream_of(index, *gpu)];
    if (stream.uses.empty() || stream.uses.back().task != index) stream.uses.push_back({index, {}});
    for (const GpuOperation& operation : gpu->operations)
      stream.uses.back().operations.push_back(
          {&operation, engine_of(problem_, contexts[stream.context].gpu, operation.kind)});
  }
}

void Sharing::set_slowdowns(const StreamFacts& stream, StreamUse& use) const {
  const std::size_t gpu = contexts[stream.context].gpu;
  const bool cpu_traffic = has_cpu_traffic(problem_, use.task, gpu);
  for (StreamOperation& operation : use.operations) {
    operation.slowdown.by_contexts.resize(contexts.size());
    if (cpu_traffic) operation.slowdown.by_cpu = operation.operation->by_cpu;
    operation.slowdown.always = operation.operation->always;
    operation.slowdown.largest = std::max(operation.slowdown.by_cpu, operation.slowdown.always);
  }
  for (std::size_t context = 0; context < contexts.size(); ++context) {
    if (contexts[context].gpu != gpu) continue;
    const Aggressors aggressors = aggressors_of(contexts[context], stream, use.task);
    for (StreamOperation& operation : use.operations) {
      Slowdowns& by = operation.slowdown.by_contexts[context];
      by = slowdown_by(aggressors, context == stream.context, cpu_traffic, *operation.operation);
      operation.slowdown.largest = std::max({operation.slowdown.largest, by.by_copies, by.by_kernels});
    }
  }
}

Sharing::Aggressors Sharing::aggressors_of(const ContextFacts& context, const StreamFacts& stream,
                                           std::size_t task) const {
  const gpu::InterferenceTable& table = problem_.gpus[context.gpu].interference;
  Aggressors aggressors = {context.gpu};
  for (const std::size_t beside : context.streams) {
    const bool overlapping = streams[beside].overlapping;
    if (&streams[beside] == &stream && !overlapping) continue;
    double largest = 0;
    aggressors.kernels.emplace_back();
    for (const StreamUse& other : streams[beside].uses) {
      if (other.task == task) continue;
      if (overlapping) {  // its tasks execute beside each other, like streams
        aggressors.shares = std::min(1.0, aggressors.shares + std::exchange(largest, 0));
        aggressors.kernels.emplace_back();
      }
      for (const StreamOperation& aggressor : other.operations) {
        const StreamOperationKind kind = aggressor.operation->kind;
        if (kind == StreamOperationKind::kernel) {
          largest = std::max(largest, aggressor.operation->memory_share);
          aggressors.kernels.back().push_back({aggressor.operation->memory, aggressor.operation->memory_share});
          aggressors.launched.push_back(aggressor.operation);
        } else {
          aggressors.copies = std::max(
              aggressors.copies, kind == StreamOperationKind::memset ? table.kernel_by_memset : table.kernel_by_memcpy);
        }
      }
    }
    aggressors.shares = std::min(1.0, aggressors.shares + largest);
  }
  return aggressors;
}

Slowdowns Sharing::slowdown_by(const Aggressors& aggressors, bool is_own, bool cpu_traffic,
                               const GpuOperation& operation) const {
  const SharedGpu& gpu = problem_.gpus[aggressors.gpu];
  const gpu::InterferenceTable& table = gpu.interference;
  if (operation.kind != StreamOperationKind::kernel) return {{}, weigh(table.copy_by_kernel, aggressors.shares)};
  Slowdowns worst;
  worst.by_copies = weigh(aggressors.copies, operation.memory_share);
  if (!is_own) return worst;
  worst.by_kernels = weigh(weigh(std::max(table.kernel_by_same_gpc, table.kernel_by_other_gpc), aggressors.shares),
                           operation.memory_share);
  if (aggressors.shares > 0 && operation.memory != nullptr &&
      gpu.contention.basis_of(*operation.memory) == ContentionBasis::measured)
    worst.by_kernels = std::max(
        worst.by_kernels,
        gpu.contention.worst_by_kernels(*operation.memory, operation.memory_share, aggressors.kernels, cpu_traffic)
            .slowdown);
  if (!operation.has_warps && shares_sms(operation, aggressors))
    worst.by_kernels = std::max(worst.by_kernels, table.kernel_by_same_sm);
  return worst;
}

bool Sharing::shares_sms(const GpuOperation& kernel, const Aggressors& aggressors) const {
  const SmLimits& limits = problem_.gpus[aggressors.gpu].limits;
  return std::any_of(aggressors.launched.begin(), aggressors.launched.end(), [&](const GpuOperation* other) {
    return kernel.use && other->use && kernel.cache_config == other->cache_config &&
           gpu::fits(limits, *other->use, *kernel.use);
  });
}

namespace {

/// On the clock of (9) the end of each block loses less than a picosecond, and each picosecond of an SM a millionth of
/// one. A picosecond of this clock is at most `slowdown` picoseconds of time: x = sum + k 10^-6 x, and
/// 1 / (1 - y) <= 1 + 2 y up to y = 1/2.
Duration with_rounding(Duration time, std::int64_t blocks, Slowdown slowdown) {
  constexpr Wide all = 1'000'000'000'000;
  if (time.is_zero()) return {};
  if (time >= infinite || Wide(slowdown.ppm) * 2 > all) return infinite;
  const Wide whole = Wide(time.picoseconds()) + blocks;
  return saturated(whole + (whole * 2 * slowdown.ppm + all - 1) / all);
}

}  // namespace

void Sharing::round_shared(ContextFacts& context) {
  Slowdown largest;
  std::vector<std::int64_t> blocks(context.sharing->front().own.size());
  for (const std::size_t stream : context.streams)
    for (const StreamUse& use : streams[stream].uses)
      for (const StreamOperation& operation : use.operations) {
        if (operation.operation->kind != StreamOperationKind::kernel) continue;
        largest = std::max(largest, operation.slowdown.largest);
        blocks[operation.operation->kernel] = operation.operation->blocks;
      }
  if (largest == Slowdown{}) return;
  std::vector<gpu::KernelDelays>& rounded = rounded_delays_.emplace_back();
  for (const gpu::KernelDelays& delays : *context.sharing) {
    // Once: blocks of any later kernel may end in the window. In front and single: not proven with slowdown.
    if (delays.once || delays.single || !delays.front.empty()) continue;
    gpu::KernelDelays& added = rounded.emplace_back(delays);
    added.forget_ends();  // it is time of SMs, which something slows down
    for (std::size_t kernel = 0; kernel < blocks.size(); ++kernel) {
      added.own[kernel] = with_rounding(added.own[kernel], blocks[kernel], largest);
      for (std::size_t other = 0; other < blocks.size(); ++other)
        added.by[kernel][other] = with_rounding(added.by[kernel][other], blocks[other], largest);
    }
  }
  context.sharing = &rounded;
  for (const std::size_t stream : context.streams)
    for (StreamUse& use : streams[stream].uses)
      for (StreamOperation& operation : use.operations) {
        if (operation.operation->kind != StreamOperationKind::kernel) continue;
        GpuOperation& slowed = rounded_.emplace_back(*operation.operation);
        slowed.worst = rounded.front().own[slowed.kernel];
        operation.operation = &slowed;
      }
}

void Sharing::add_roundings(ContextFacts& context) {
  if (context.sharing != nullptr) round_shared(context);
  const auto for_each = [&](const auto& visit) {
    for (const std::size_t stream : context.streams)
      for (StreamUse& use : streams[stream].uses)
        for (StreamOperation& operation : use.operations) visit(operation);
  };
  bool any = false;
  for_each([&](const StreamOperation& operation) { any = any || operation.slowdown.largest != Slowdown{}; });
  for_each([&](StreamOperation& operation) {
    const Duration rounding = operation.operation->rounding;
    if (context.sharing != nullptr && operation.operation->kind == StreamOperationKind::kernel) return;
    if (rounding.is_zero() || !any || (context.is_private() && operation.slowdown.largest == Slowdown{})) return;
    GpuOperation& rounded = rounded_.emplace_back(*operation.operation);
    rounded.worst += rounding;
    if (!rounded.longest_block.is_zero()) rounded.longest_block += rounding;
    operation.operation = &rounded;
  });
}

void Sharing::set_times(StreamOperation& operation) {
  const GpuOperation& written = *operation.operation;
  operation.slowest = slowed(written.worst, operation.slowdown.largest);
  const Duration block = written.longest_block.is_zero() ? written.worst : written.longest_block;
  operation.blocks = {block, written.blocks, written.use, written.cache_config, written.sms};
}

void Sharing::find_facts(ContextFacts& context) {
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

namespace {

/// For every engine, the longest work of operations that may follow each other without time in between, also from one
/// job to the next; nothing if no break is certain.
void find_longest_requests(const GpuTask& task, TaskFacts& facts) {
  struct Piece {
    std::optional<std::size_t> engine;  ///< nothing: a core
    Duration work;                      ///< with maximum slowdown
    bool takes_time = false;
  };
  std::vector<Piece> job;
  auto groups = facts.segments.begin();
  for (const Segment& segment : task.segments) {
    if (const auto* cpu = std::get_if<CpuSegment>(&segment)) job.push_back({std::nullopt, {}, !cpu->best.is_zero()});
    if (!std::holds_alternative<GpuSegment>(segment)) continue;
    for (const Group& group : *groups++)
      job.push_back({group.engine, group.work.slowest,
                     std::any_of(group.operations.begin(), group.operations.end(),
                                 [](const StreamOperation& each) { return !each.operation->best.is_zero(); })});
  }
  for (std::size_t engine = 0; engine < facts.use.size(); ++engine) {
    Duration longest, request;
    bool breaks = false;
    for (std::size_t twice = 0; twice < 2; ++twice)
      for (const Piece& piece : job) {
        if (piece.engine == engine) {
          request = sum(request, piece.work);
          longest = std::max(longest, request);
        } else if (piece.takes_time) {
          request = {};
          breaks = true;
        }
      }
    if (breaks) facts.use[engine].longest_request = longest;
  }
}

}  // namespace

TaskFacts facts_of(const TimeSliceProblem& problem, const Sharing& sharing, std::size_t index) {
  const GpuTask& task = problem.tasks[index];
  TaskFacts facts;
  facts.use.resize(engines_per_gpu * problem.gpus.size());
  std::vector<bool> seen(facts.use.size());
  bool beside = false;                                     // whether the job may execute beside the next GPU segment
  std::vector<std::pair<std::size_t, std::size_t>> taken;  ///< streams, and how many operations of the task there
  for (const Segment& segment : task.segments) {
    if (const auto* cpu = std::get_if<CpuSegment>(&segment)) {
      beside = beside || cpu->beside;
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
      facts.gaps.emplace_back();
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
    Duration& gap = facts.gaps.emplace_back();
    const bool alone = !std::exchange(beside, false);
    auto& groups = facts.segments.emplace_back();
    for (std::size_t i = 0; i < gpu.operations.size(); ++i) {
      const StreamOperation& operation = operations[at->second++];
      const Duration worst = operation.operation->worst, best = operation.operation->best;
      facts.offloads = true;
      if (groups.empty() || groups.back().engine != operation.engine || !alone_in_stream)
        groups.push_back({operation.engine, stream_index, {}, {}, {}});
      groups.back().add(operation);
      EngineUse& use = facts.use[operation.engine];
      if (seen[operation.engine]) use.gaps.push_back(use.after);
      use.parts.push_back(operation.slowest);
      use.work = sum(use.work, operation.slowest);
      use.undisturbed = sum(use.undisturbed, worst);
      if (!seen[operation.engine]) use.before = facts.best;
      seen[operation.engine] = true;
      facts.best += best;
      if (alone) gap += best;
      for (EngineUse& other : facts.use) other.after += best;
      use.after = {};
      if (context.is_private()) continue;
      // Its turns may end when the context runs dry, or with the slice. At the end of a slice the engine may run partly
      // idle. A kernel of high priority delays others also by the blocks for which it waits.
      const bool high = stream.priority == StreamPriority::high && executes_kernels(operation.engine);
      const Duration blocking =
          high ? slowed(context.longest_low_block, context.slowdown[execution_engine].largest) : Duration{};
      // (12): and what it costs others. What slows down one kernel may slow down all on its SMs.
      Duration issued;
      if (context.sharing != nullptr && executes_kernels(operation.engine)) {
        const std::size_t kernel = operation.operation->kernel;
        const Duration all = sum(worst, context.sharing->front().by[kernel][kernel]);
        issued = slowed(all, context.slowdown[execution_engine].largest) - operation.slowest;
      }
      const Duration delay = sum(blocking, issued), charged = sum(operation.slowest, delay);
      const std::int64_t turns = 1 + turns_of(charged, context.slice);
      use.turns += turns;
      use.work = sum(use.work, delay);
      if (executes_kernels(operation.engine)) use.work = sum(use.work, times(context.overrun[execution_engine], turns));
    }
    if (context.is_private())
      for (const Group& group : groups) facts.use[group.engine].turns += turns_of(group.work.slowest, context.slice);
  }
  facts.path = facts.best;
  const bool is_alone = std::count_if(problem.tasks.begin(), problem.tasks.end(),
                                      [&](const GpuTask& other) { return other.core == task.core; }) == 1;
  if (!task.segments.empty() && std::holds_alternative<GpuSegment>(task.segments.front()) && is_alone && !task.host &&
      !task.elsewhere)
    facts.first_groups = facts.segments.front().size();
  if (task.host) {
    Duration before = longest_analyzed, after = before;
    for (const WaitSegment& wait : waits_of(problem.tasks[*task.host])) {
      if (wait.task != index) continue;
      before = std::min(before, wait.before);
      after = std::min(after, wait.after);
    }
    facts.path = sum(facts.path, sum(before, after));
    for (EngineUse& use : facts.use) {
      use.before = sum(use.before, before);
      use.after = sum(use.after, after);
    }
  }
  for (EngineUse& use : facts.use) use.gaps.push_back(use.after);
  // The jobs of an unlimited task are unknown.
  if (!task.unlimited && !problem.tasks[task.host.value_or(index)].unlimited) find_longest_requests(task, facts);
  return facts;
}
}  // namespace amalthea::engine::nvidia::time_slices
