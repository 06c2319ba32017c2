// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/time_slices/analysis.hpp"

#include <algorithm>
#include <utility>

namespace amalthea::engine::nvidia::time_slices {

std::optional<EngineDemand> Analysis::demand_of(std::size_t index, std::size_t engine) const {
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
                      jobs_.empty() ? 1 : jobs_[index].turns[engine], true};
}

bool Analysis::are_siblings(std::size_t a, std::size_t b) const {
  return task(a).host && task(b).host && *task(a).host == *task(b).host;
}

bool Analysis::may_overlap(std::size_t a, std::size_t b) const {
  if (a == b || !are_siblings(a, b)) return host_of(a) != host_of(b);
  const auto& waits = facts_[*task(a).host].waits;
  return std::any_of(waits.begin(), waits.end(), [&](const WaitSegment& one) {
    return one.task == a && std::any_of(waits.begin(), waits.end(), [&](const WaitSegment& other) {
             return other.task == b && one.from < other.to && other.from < one.to;
           });
  });
}

std::optional<EngineDemand> Analysis::demand_beside(std::size_t self, std::size_t index, std::size_t engine) const {
  const EngineUse& use = facts_[index].use[engine];
  if (use.turns == 0 || !are_siblings(self, index)) return demand_of(index, engine);
  return EngineDemand{longest_analyzed,
                      {},
                      jobs_.empty() ? use.undisturbed : jobs_[index].work[engine],
                      jobs_.empty() ? 1 : jobs_[index].turns[engine]};
}

bool Analysis::add_demands(const ContextFacts& context, std::size_t engine, std::vector<EngineDemand>& demands) const {
  for (const std::size_t index : context.tasks) {
    auto demand = demand_of(index, engine);
    if (!demand) return false;
    demand->within_jitter = demand->within_jitter && context.is_private();
    if (demand->turns > 0) demands.push_back(*demand);
  }
  return true;
}

void Analysis::find_sequences() {
  sequences_.assign(count(), {});
  for (std::size_t index = 0; index < count(); ++index) {
    const auto is_shared = [&](const auto& groups) {
      return std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
        return !sharing_.contexts[sharing_.streams[group.stream].context].is_private();
      });
    };
    const auto& segments = facts_[index].segments;
    const auto& response = response_[host_of(index)];
    if (!by_demand_ || !response || std::any_of(segments.begin(), segments.end(), is_shared)) continue;
    const GpuTask& releases = task(host_of(index));
    for (const EngineUse& use : facts_[index].use)
      sequences_[index].push_back({releases.period, sum(*response, releases.jitter), use.before, use.parts, use.gaps});
  }
}

const PartSequence* Analysis::sequence_of(std::size_t index, std::size_t engine) const {
  return sequences_.empty() || sequences_[index].empty() ? nullptr : &sequences_[index][engine];
}

bool Analysis::is_below(const ContextFacts& context, std::size_t index) const {
  if (!context.is_private() || context.tasks.empty()) return false;
  const GpuTask& other = task(context.tasks.front());
  return other.core == task(index).core && other.priority < task(index).priority && !other.host && !other.unlimited;
}

bool Analysis::uses(const ContextFacts& context, std::size_t engine) const {
  return std::any_of(context.streams.begin(), context.streams.end(), [&](std::size_t stream) {
    const auto& all = sharing_.streams[stream].uses;
    return std::any_of(all.begin(), all.end(), [&](const StreamUse& use) {
      return std::any_of(use.operations.begin(), use.operations.end(),
                         [&](const StreamOperation& operation) { return operation.engine == engine; });
    });
  });
}

EngineDemand Analysis::segment_demand(std::size_t index, std::size_t engine) const {
  const EngineShare share = jobs_.empty() ? EngineShare{} : jobs_[index].segment[engine];
  return {longest_analyzed, {}, share.work, share.turns};
}

std::vector<std::vector<SharingContext>> Analysis::sharing_contexts() const {
  std::vector<std::vector<SharingContext>> sharing(engines_per_gpu * problem_.gpus.size());
  for (const ContextFacts& context : sharing_.contexts)
    for (std::size_t kind = 0; kind < engines_per_gpu; ++kind) {
      const std::size_t engine = engines_per_gpu * context.gpu + kind;
      SharingContext& shared = sharing[engine].emplace_back();
      shared.slice = context.slice;
      shared.overrun = context.overrun[kind];
      shared.priority = context.priority;
      shared.urgency = context.urgency;
      if (context.tasks.size() == 1) shared.sequence = sequence_of(context.tasks.front(), engine);
      if (context.tasks.size() == 1) shared.longest_request = facts_[context.tasks.front()].use[engine].longest_request;
      shared.demand.emplace();
      if (!add_demands(context, engine, *shared.demand)) shared.demand.reset();
    }
  return sharing;
}

CpuDemand Analysis::cpu_demand(std::size_t index, std::size_t self, std::size_t gpu) const {
  const Duration accesses = accesses_on(index == self ? task(index).accesses_beside : task(index).accesses, gpu);
  if (accesses.is_zero()) return EngineDemand{task(index).period, {}, {}, 0};
  if (index == self) return EngineDemand{longest_analyzed, {}, accesses, 1};  // of this job only
  if (task(index).unlimited) return std::nullopt;
  if (!by_demand_ || !response_[index]) return accesses_without_response(facts_[index].best, accesses);
  return EngineDemand{task(index).period, sum(task(index).jitter, *response_[index]), accesses, 1};
}

std::vector<Analysis::Cause> Analysis::causes_of(std::size_t index, const Group& group) const {
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
        auto demand = demand_beside(index, task, engine);
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
  if (slowdown.always != Slowdown{})
    causes.push_back({{slowdown.always, std::nullopt, true}, {BoundPart::slowed_by_cpu, {}, {}, {}}});
  if (slowdown.by_cpu == Slowdown{}) return causes;
  for (std::size_t by = 0; by < count(); ++by)
    add(slowdown.by_cpu, cpu_demand(by, index, gpu), BoundPart::slowed_by_cpu, by, std::nullopt);
  for (std::size_t other = 0; other < problem_.other_accesses.size(); ++other)
    if (problem_.other_accesses[other].gpu == gpu)
      add(slowdown.by_cpu, problem_.other_accesses[other].demand, BoundPart::slowed_by_cpu, count() + other,
          std::nullopt);
  return causes;
}

std::size_t Analysis::stream_in(std::size_t context, std::size_t task) const {
  const auto& its = sharing_.contexts[context].streams;
  return *std::find_if(its.begin(), its.end(), [&](std::size_t stream) {
    const auto& uses = sharing_.streams[stream].uses;
    return std::any_of(uses.begin(), uses.end(), [&](const StreamUse& use) { return use.task == task; });
  });
}

bool Analysis::ends_before_next(std::size_t index, Duration later) const {
  const std::size_t host = host_of(index);
  const bool executes_once = facts_[index].segments.size() == 1;
  return executes_once && by_demand_ && !task(host).unlimited && response_[host] &&
         sum(*response_[host], later) <= distance_of(host);
}

StreamDelay Analysis::overtaking_rivals(std::size_t index, const Group& group, const gpu::KernelDelays& delays) const {
  StreamDelay delay;
  delay.or_before = delays.or_before;
  for (const StreamOperation& operation : group.operations) {
    const std::size_t kernel = operation.operation->kernel;
    delay.own = sum(delay.own, delays.own[kernel]);
    if (!delays.again.empty() && !ends_before_next(index, delays.lag[kernel]))
      delay.own = sum(delay.own, delays.again[kernel]);
  }
  const StreamPriority priority = sharing_.streams[group.stream].priority;
  for (const std::size_t stream : sharing_.contexts[sharing_.streams[group.stream].context].streams) {
    if (stream == group.stream) continue;
    StreamRival rival{stream, Duration{}, std::vector<EngineDemand>()};
    const bool above = sharing_.streams[stream].priority < priority;
    std::vector<Duration> front(group.operations.size());
    for (const StreamUse& use : sharing_.streams[stream].uses) {
      if (use.task == index) continue;
      Duration added, lag;
      for (const StreamOperation& other : use.operations) {
        if (other.engine != group.engine) continue;
        Duration most;
        for (std::size_t own = 0; own < group.operations.size(); ++own) {
          const std::size_t kernel = group.operations[own].operation->kernel, its = other.operation->kernel;
          const Duration in_front = delays.front.empty() ? Duration{} : delays.front[kernel][its];
          front[own] = std::max(front[own], in_front);
          most = std::max(most, above ? sum(delays.by[kernel][its], in_front) : delays.by[kernel][its]);
        }
        added = sum(added, most);
        if (!delays.lag.empty()) lag = std::max(lag, delays.lag[other.operation->kernel]);
      }
      if (added.is_zero()) continue;
      rival.most.reset();
      const auto demand = demand_beside(index, use.task, group.engine);
      if (!demand) rival.demand.reset();
      const bool in_part = demand && demand->within_jitter && !delays.lag.empty();
      // What they leave in pipelines is part of what they add, so those that ended before may count.
      const bool ended = !delays.left.empty();
      const Duration jitter = demand ? sum(demand->jitter, ended ? lag : Duration{}) : Duration{};
      if (rival.demand) rival.demand->push_back({demand->period, jitter, added, 1, in_part, ended ? Duration{} : lag});
    }
    if (delays.one_priority && sharing_.streams[stream].priority != priority) delay.own = infinite;
    for (const Duration each : front)
      if (!above) delay.own = sum(delay.own, each);
    delay.rivals.push_back(std::move(rival));
  }
  return delay;
}

StreamDelay Analysis::older_rivals(std::size_t index, const Group& group, const gpu::KernelDelays& delays) const {
  StreamDelay delay;
  for (const StreamOperation& operation : group.operations)
    delay.own = sum(delay.own, delays.own[operation.operation->kernel]);
  for (const std::size_t stream : sharing_.contexts[sharing_.streams[group.stream].context].streams) {
    if (stream == group.stream) continue;
    Duration all;
    for (const StreamOperation& operation : group.operations) {
      Duration most;
      for (const StreamUse& use : sharing_.streams[stream].uses)
        for (const StreamOperation& other : use.operations)
          if (use.task != index && other.engine == group.engine)
            most = std::max(most, delays.by[operation.operation->kernel][other.operation->kernel]);
      all = sum(all, most);
    }
    delay.rivals.push_back({stream, all, std::nullopt});
  }
  return delay;
}

OperationGroup Analysis::with_rivals(std::size_t index, const Group& group) const {
  OperationGroup work = group.work;
  const StreamFacts& own = sharing_.streams[group.stream];
  const ContextFacts& context = sharing_.contexts[own.context];
  if (context.is_private()) return work;
  const bool kernels = executes_kernels(group.engine);
  const auto count = static_cast<std::int64_t>(group.operations.size());
  if (const auto& overtaking = problem_.gpus[context.gpu].overtaking; kernels && !overtaking.empty()) {
    for (const gpu::KernelDelays& delays : overtaking) work.ways.push_back(overtaking_rivals(index, group, delays));
    return work;
  }
  if (kernels) work.drain = context.overrun[execution_engine];
  work.full = context.slowdown[group.engine % engines_per_gpu].largest;
  if (kernels && context.sharing != nullptr) {
    for (const gpu::KernelDelays& delays : *context.sharing) {
      if (delays.single && count > 1) continue;
      work.ways.push_back(delays.once ? older_rivals(index, group, delays) : overtaking_rivals(index, group, delays));
    }
    return work;
  }
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
      const auto demand = demand_beside(index, use.task, group.engine);
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

Analysis::CausedBound Analysis::bound_of(std::size_t index, const Group& group,
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
    if (busy_[group.engine] < infinite) {
      // Without what the group counts there: a constant, so that no wait is shorter because the group takes longer.
      const Duration counted = charge_of(group);
      found.waiting = std::min(found.waiting, busy_[group.engine] - counted);
      found.response = sum(sum(found.served, found.own_switches), found.waiting);
    }
    work_ += found.steps;
    problem_.taken.add(static_cast<std::uint64_t>(found.steps));
    for (std::size_t cause = 0; cause < found.slowed.size(); ++cause) found.slowed_by[cause].time = found.slowed[cause];
    return found;
  };
  std::optional<std::vector<SharingContext>> adapted;
  const auto adapt = [&](const ContextFacts& other) -> SharingContext& {
    if (!adapted) adapted = sharing[group.engine];
    return (*adapted)[other.place];
  };
  for (const ContextFacts& other : sharing_.contexts) {
    if (&other == &context || other.gpu != context.gpu || !other.is_private() || other.tasks.empty()) continue;
    const std::size_t its = other.tasks.front();
    // Those of the same host that do not overlap have no work meanwhile, but the engine may have to switch from one.
    if (!may_overlap(its, index)) {
      adapt(other).idle = true;
      if (!uses(other, group.engine)) adapt(other).demand.emplace();
    } else if (are_siblings(its, index) && facts_[its].use[group.engine].turns > 0) {
      adapt(other).demand = {*demand_beside(index, its, group.engine)};
    }
    if (keeps_core(index) && is_below(other, index) && facts_[its].use[group.engine].turns > 0)
      adapt(other).demand = {segment_demand(its, group.engine)};
  }
  return bound(adapted ? *adapted : sharing[group.engine]);
}

std::vector<std::vector<Duration>> Analysis::bounds_in_streams(
    const std::vector<std::vector<SharingContext>>& sharing) const {
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

std::vector<std::size_t> Analysis::contexts_of(std::size_t gpu) const {
  std::vector<std::size_t> found;
  for (std::size_t context = 0; context < sharing_.contexts.size(); ++context)
    if (sharing_.contexts[context].gpu == gpu) found.push_back(context);
  return found;
}

Duration Analysis::add_group(std::size_t index, const Group& group, const CausedBound& bound,
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
  job.waiting = sum(job.waiting, bound.waiting);
  if (bound.blocked_by) {
    ContextWait& blocking = job.blocking[others[*bound.blocked_by]];
    blocking = blocking + bound.blocking;
  }
  return response;
}

void Analysis::add_share(std::vector<BoundShare>& shares, const BoundShare& added) {
  if (added.time.is_zero()) return;
  for (BoundShare& share : shares)
    if (share.part == added.part && share.by == added.by && share.stream == added.stream) {
      share.time = sum(share.time, added.time);
      return;
    }
  shares.push_back(added);
}

JobBound Analysis::empty_job() const {
  JobBound job;
  job.waits.resize(sharing_.contexts.size());
  job.blocking.resize(sharing_.contexts.size());
  job.queued.resize(sharing_.streams.size());
  job.work.resize(engines_per_gpu * problem_.gpus.size());
  job.turns.resize(job.work.size());
  job.segment.resize(job.work.size());
  job.served.resize(job.work.size());
  return job;
}

namespace {

void include(const EngineShare& share, EngineShare& most) {
  most = {std::max(most.work, share.work), std::max(most.turns, share.turns)};
}

}  // namespace

Duration Analysis::charge_of(const Group& group) const {
  const ContextFacts& context = sharing_.contexts[sharing_.streams[group.stream].context];
  const std::int64_t turns = turns_of(group.work.slowest, context.slice);
  return sum(group.work.slowest, times(problem_.gpus[context.gpu].context_switch, turns));
}

Duration Analysis::longest_busy(std::size_t engine) {
  if (!by_demand_ || problem_.gpus[engine / engines_per_gpu].by_priority) return infinite;
  struct Requests {
    Duration period, jitter, work;
  };
  std::vector<Requests> all;
  for (std::size_t index = 0; index < count(); ++index) {
    const TaskFacts& facts = facts_[index];
    const std::size_t releasing = host_of(index);
    const GpuTask& releases = task(releasing);
    Duration submitted, earliest;
    std::size_t first = 0;
    for (const auto& groups : facts.segments)
      for (const Group& group : groups) {
        const ContextFacts& context = sharing_.contexts[sharing_.streams[group.stream].context];
        const bool follows = first < facts.first_groups;
        if (group.engine == engine) {
          if (!context.is_private() || releases.unlimited || !response_[releasing]) return infinite;
          // Between the earliest and the latest submission.
          const Duration response = *response_[releasing];
          Duration jitter = response - std::min(response, facts.path);
          if (follows && !jobs_.empty() && response <= distance_of(releasing))
            jitter = std::min(jitter, submitted - std::min(submitted, earliest));
          all.push_back({releases.period, sum(releases.jitter, jitter), charge_of(group)});
        }
        if (follows && !jobs_.empty()) submitted = sum(submitted, jobs_[index].first_groups[first]);
        for (const StreamOperation& operation : group.operations) earliest = sum(earliest, operation.operation->best);
        ++first;
      }
  }
  Duration busy;
  for (const Requests& each : all) busy = sum(busy, each.work);
  for (std::int64_t step = 0; step < max_group_steps; ++step) {
    work_ += static_cast<std::int64_t>(all.size());
    problem_.taken.add(all.size());
    Duration next;
    for (const Requests& each : all) next = sum(next, times(each.work, ceiling(sum(busy, each.jitter), each.period)));
    if (next <= busy) return busy;
    if (next >= longest_analyzed) return infinite;
    busy = next;
  }
  return infinite;
}

bool Analysis::bound_jobs() {
  find_sequences();
  busy_.clear();
  for (std::size_t engine = 0; engine < engines_per_gpu * problem_.gpus.size(); ++engine)
    busy_.push_back(longest_busy(engine));
  const auto sharing = sharing_contexts();
  const auto in_streams = bounds_in_streams(sharing);
  std::vector<JobBound> found(count(), empty_job());
  bool more = jobs_.size() != count();
  for (std::size_t index = 0; index < count(); ++index) {
    JobBound& job = found[index];
    for (const auto& groups : facts_[index].segments) {
      Duration segment;
      JobBound alone = empty_job();
      std::vector<EngineShare> shares(job.segment.size());
      for (const Group& group : groups) {
        const CausedBound bound = bound_of(index, group, sharing);
        const ContextFacts& context = sharing_.contexts[sharing_.streams[group.stream].context];
        work_ += static_cast<std::int64_t>(sharing_.contexts.size() + bound.queued.size());
        const Duration response = add_group(index, group, bound, in_streams, job);
        segment = sum(segment, response);
        if (job.first_groups.size() < facts_[index].first_groups) job.first_groups.push_back(response);
        add_group(index, group, bound, in_streams, alone);
        job.served[group.engine] = sum(job.served[group.engine], bound.served);
        if (!context.is_private()) continue;
        const Duration slowed_work = sum(bound.work, bound.slowdown);
        job.work[group.engine] = sum(job.work[group.engine], slowed_work);
        job.turns[group.engine] += turns_of(slowed_work, context.slice);
        shares[group.engine].work = sum(shares[group.engine].work, slowed_work);
        shares[group.engine].turns += turns_of(slowed_work, context.slice);
      }
      for (std::size_t engine = 0; engine < shares.size(); ++engine) include(shares[engine], job.segment[engine]);
      job.segments.push_back(segment);
      if (task(index).host) add_segment(index, segment, alone, job);
    }
    for (std::size_t group = 0; group < job.first_groups.size() && !jobs_.empty(); ++group) {
      more = more || job.first_groups[group] > jobs_[index].first_groups[group];
      job.first_groups[group] = std::max(job.first_groups[group], jobs_[index].first_groups[group]);
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
      include(jobs_[index].segment[engine], job.segment[engine]);
      more = more || job.segment[engine].work > jobs_[index].segment[engine].work ||
             job.segment[engine].turns > jobs_[index].segment[engine].turns ||
             job.work[engine] > jobs_[index].work[engine] || job.turns[engine] > jobs_[index].turns[engine] ||
             job.served[engine] > jobs_[index].served[engine];
    }
  }
  for (std::size_t index = 0; index < count(); ++index) add_waits_for_tasks(index, found);
  jobs_ = std::move(found);
  return more;
}

bool Analysis::belongs_to(const ContextFacts& context, std::size_t host) const {
  return std::all_of(context.tasks.begin(), context.tasks.end(),
                     [&](std::size_t index) { return host_of(index) == host; });
}

void Analysis::add_segment(std::size_t index, Duration time, const JobBound& alone, JobBound& job) const {
  job.segment_shares.push_back(shares_of_gpu(index, alone, limited(alone.waits, alone.waiting)));
  std::vector<ContextWait> apart = alone.waits, within(apart.size());
  for (std::size_t context = 0; context < apart.size(); ++context)
    if (belongs_to(sharing_.contexts[context], host_of(index))) std::swap(apart[context], within[context]);
  // Of the limit on all waits, any part may be for contexts of the host.
  within = limited(std::move(within), alone.waiting);
  if (time < infinite) time = time - alone.waiting + total_of(within);
  const Duration waiting = std::min(alone.waiting, total_of(apart));
  job.apart.push_back({time, shares_of_gpu(index, alone, within), std::move(apart), waiting});
}

void Analysis::add_waits_for_tasks(std::size_t index, std::vector<JobBound>& jobs) const {
  const auto& waits = facts_[index].waits;
  if (waits.empty()) return;
  JobBound& job = jobs[index];
  const auto longest = [&](const auto& time_of) {
    std::vector<Duration> times;
    for (const WaitSegment& wait : waits) times.push_back(time_of(wait));
    return longest_waits(waits, times);
  };
  const auto apart_of = [&](const WaitSegment& wait) -> const auto& { return jobs[wait.task].apart[wait.segment]; };
  job.longest_waits = longest([&](const WaitSegment& wait) { return jobs[wait.task].segments[wait.segment]; });
  for (const std::size_t wait : job.longest_waits)
    job.awaited = sum(job.awaited, jobs[waits[wait].task].segments[waits[wait].segment]);
  job.longest_apart = longest([&](const WaitSegment& wait) { return apart_of(wait).time; });
  for (const std::size_t wait : job.longest_apart)
    job.awaited_apart = sum(job.awaited_apart, apart_of(waits[wait]).time);
  for (const std::size_t wait : longest([&](const WaitSegment& each) { return apart_of(each).waiting; }))
    job.waiting_apart = sum(job.waiting_apart, apart_of(waits[wait]).waiting);
  job.waits_apart.resize(job.waits.size());
  for (std::size_t context = 0; context < job.waits.size(); ++context) {
    // What is served and the switches have limits of their own, and each may be longest in other segments.
    ContextWait& most = job.waits_apart[context];
    const auto its = [&](const WaitSegment& wait) -> const ContextWait& { return apart_of(wait).waits[context]; };
    for (const std::size_t wait :
         longest([&](const WaitSegment& each) { return its(each).slices + its(each).overruns; }))
      most = most + ContextWait{its(waits[wait]).slices, its(waits[wait]).overruns, {}};
    for (const std::size_t wait : longest([&](const WaitSegment& each) { return its(each).switches; }))
      most.switches = sum(most.switches, its(waits[wait]).switches);
  }
}

}  // namespace amalthea::engine::nvidia::time_slices

namespace amalthea::engine::nvidia {

std::vector<WaitSegment> waits_of(const GpuTask& task) {
  std::vector<WaitSegment> waits;
  for (const Segment& segment : task.segments)
    if (const auto* wait = std::get_if<WaitSegment>(&segment)) waits.push_back(*wait);
  return waits;
}

std::vector<std::size_t> longest_waits(const std::vector<WaitSegment>& waits, const std::vector<Duration>& times) {
  std::vector<Duration> longest;               // that ends with each wait
  std::vector<std::vector<std::size_t>> sums;  // and what it consists of
  std::size_t most = 0;
  for (std::size_t last = 0; last < waits.size(); ++last) {
    longest.emplace_back();
    sums.emplace_back();
    for (std::size_t before = 0; before < last; ++before)
      if (waits[before].to <= waits[last].from && longest[before] > longest[last]) {
        longest[last] = longest[before];
        sums[last] = sums[before];
      }
    longest[last] = time_slices::sum(longest[last], times[last]);
    sums[last].push_back(last);
    if (longest[last] > longest[most]) most = last;
  }
  return waits.empty() || longest[most].is_zero() ? std::vector<std::size_t>{} : sums[most];
}

}  // namespace amalthea::engine::nvidia
