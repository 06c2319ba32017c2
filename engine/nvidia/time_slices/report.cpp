// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/time_slices/analysis.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/rounded_duration.hpp"

namespace amalthea::engine::nvidia::time_slices {

Duration total_of(const std::vector<ContextWait>& waits) {
  Duration total;
  for (const ContextWait& wait : waits) total = sum(total, wait.total());
  return total;
}

std::vector<ContextWait> limited(std::vector<ContextWait> waits, Duration most) {
  for (ContextWait& wait : waits)
    for (Duration* part : {&wait.slices, &wait.overruns, &wait.switches}) {
      *part = std::min(*part, most);
      most -= *part;
    }
  return waits;
}

std::vector<BoundShare> Analysis::shares_of_gpu(std::size_t index, const JobBound& job,
                                                const std::vector<ContextWait>& waits, bool is_apart) const {
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
  add(BoundPart::overruns, index, job.drains, job.drains.is_zero() ? std::nullopt : std::optional(first_stream(index)));
  for (std::size_t stream = 0; stream < sharing_.streams.size(); ++stream) {
    if (job.queued[stream].is_zero()) continue;
    const auto& uses = sharing_.streams[stream].uses;
    const auto other = std::find_if(uses.begin(), uses.end(), [&](const StreamUse& use) { return use.task != index; });
    add(BoundPart::streams, other->task, job.queued[stream], stream);
  }
  for (const std::size_t wait : is_apart ? job.longest_apart : job.longest_waits) {
    const WaitSegment& awaited = facts_[index].waits[wait];
    const JobBound& its = jobs_[awaited.task];
    for (const BoundShare& share : is_apart ? its.apart[awaited.segment].shares : its.segment_shares[awaited.segment])
      add(share.part, share.by, share.time, share.stream);
  }
  return shares;
}

Duration Analysis::core_time(std::size_t index) const {
  const TaskFacts& facts = facts_[index];
  if (task(index).wait == WaitMode::suspend) return facts.execution;
  Duration time = facts.execution;
  for (const EngineUse& use : facts.use) time += use.undisturbed;
  return time;
}

TimeSliceBounds Analysis::report() {
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
      for (const std::size_t wait : jobs_[index].longest_waits) bound.awaited.push_back(facts_[index].waits[wait].task);
      std::stable_sort(bound.parts.begin(), bound.parts.end(), &comes_before);
      bound.in_time = *bound.response <= task(index).deadline;
    }
    bounds.tasks.push_back(std::move(bound));
  }
  for (std::size_t index = 0; index < count(); ++index) bounds.tasks[index].reason = reason_of(index, bounds);
  return bounds;
}

void Analysis::describe_segments(std::size_t index, TaskBound& bound) const {
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
    bound.segment_parts.push_back(shares_of_gpu(index, whole, limited(whole.waits, whole.waiting)));
  }
}

std::string Analysis::reason_of(std::size_t index, const TimeSliceBounds& bounds) const {
  const TaskBound& bound = bounds.tasks[index];
  if (bound.in_time) return {};
  if (bound.response)
    return fmt::format("the bound exceeds the deadline by {}",
                       format_duration(*bound.response - task(index).deadline, Rounding::up));
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
  std::size_t longest = 0;
  ContextWait waits;
  for (std::size_t other = 0; other < job.waits.size(); ++other) {
    waits = waits + job.waits[other];
    if (job.waits[other].total() > job.waits[longest].total()) longest = other;
  }
  if (waits.total() >= infinite)
    return fmt::format("{}, whose context has at least its priority on the GPU, may keep the GPU without limit",
                       task(sharing_.contexts[longest].tasks.front()).name);
  const Duration alone = sum(facts_[index].execution, sum(job.gpu, sum(job.slowdown, job.own_switches)));
  const Duration least = sum(facts_[index].execution, job.own(false));
  const bool endless = std::find(job.queued.begin(), job.queued.end(), infinite) != job.queued.end();
  if ((alone <= limit && least > limit) || endless) return reason_of_streams(index, limit_text);
  if (least > limit && !jobs_[index].slowdown.is_zero())
    return fmt::format("with copies and kernels slowed down by other tasks, it may need {}, which exceeds its {}",
                       format_duration(least), limit_text);
  if (least > limit)
    return fmt::format("even without interference it may need {}, which exceeds its {}", format_duration(least),
                       limit_text);
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
        "with interference by tasks of at least its priority on core {}, more than {} of its jobs may be pending", core,
        max_periods);
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

std::string Analysis::reason_of_streams(std::size_t index, const std::string& limit) const {
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
  const ContextFacts& context = sharing_.contexts[sharing_.streams[longest].context];
  const bool overtaking = !problem_.gpus[context.gpu].overtaking.empty();
  if (total >= infinite && context.sharing != nullptr)
    return fmt::format("{}, whose kernels may share SMs with its own, has no bound", name);
  if (total >= infinite && other != uses.end() && task(other->task).unlimited)
    return fmt::format("{}{}, has no bound", name,
                       overtaking ? ", whose kernels may overtake it on the GPU"
                                  : ", in a stream of higher priority of its GPU context");
  if (total >= infinite && overtaking)
    return fmt::format("kernels of {} may overtake it on the GPU without limit", name);
  if (total >= infinite)
    return fmt::format("kernels of {}, in a stream of higher priority of its GPU context, may delay it for ever", name);
  return fmt::format("other tasks {} may delay it for {}, most of it {}, but the task has a {}",
                     overtaking ? "on the GPU" : "of its GPU context", format_duration(total), name, limit);
}

}  // namespace amalthea::engine::nvidia::time_slices
