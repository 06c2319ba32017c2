// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/stream_bounds.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "engine/gpu/launch_plan.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"

namespace amalthea::engine::gpu {
namespace {

using Operations = std::vector<const StreamOperation*>;

/// What a stream submits, by release.
using Submissions = std::map<Instant, Operations>;

bool is_covered(const StreamScenario& scenario, const std::vector<Submissions>& submissions) {
  std::vector<std::size_t> streams(scenario.contexts.size());
  for (std::size_t i = 0; i < scenario.streams.size(); ++i) {
    const Stream& stream = scenario.streams[i];
    if (stream.is_null || stream.process > 0 || stream.process_sms > 0) return false;
    if (!submissions[i].empty()) ++streams[stream.context];
  }
  // No bound counts how often streams of high priority preempt others.
  const bool has_high = std::any_of(scenario.streams.begin(), scenario.streams.end(),
                                    [](const Stream& stream) { return stream.priority == StreamPriority::high; });
  if (has_high && !scenario.device.stream_preemption.is_zero()) return false;
  // What warps execute takes a time that depends on the other warps of their SM.
  const bool has_warps = std::any_of(scenario.operations.begin(), scenario.operations.end(),
                                     [](const StreamOperation& operation) { return operation.warps != nullptr; });
  const bool has_barriers = std::any_of(scenario.streams.begin(), scenario.streams.end(),
                                        [](const Stream& stream) { return stream.has_barriers; });
  return scenario.gpus.empty() && !has_warps && !has_barriers && !scenario.device.amd && scenario.loops.empty() &&
         scenario.device.cpu_traffic == 0 &&
         !(scenario.by_urgency && std::any_of(streams.begin(), streams.end(), [](auto count) { return count > 1; }));
}

bool are_alike(const Operations& a, const Operations& b) {
  const auto key = [](const StreamOperation& operation) {
    const BlockShape& shape = operation.shape;
    return std::tuple(operation.kind, operation.duration, operation.blocks, shape.threads, shape.registers,
                      shape.shared_memory, operation.cache_config, operation.memory_share,
                      operation.mask.value_or(CuMask{}).bits);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const auto* one, const auto* other) { return key(*one) == key(*other); });
}

/// Nothing if the kernel fits no SM.
std::optional<nvidia::GpuOperation> analyzed(const StreamOperation& operation, const StreamScenario& scenario) {
  nvidia::GpuOperation result;
  result.kind = operation.kind;
  result.worst = std::max(operation.duration, Duration::picoseconds(1));
  if (operation.kind == StreamOperationKind::kernel) {
    const auto& mask = operation.mask ? operation.mask : scenario.streams[operation.stream].mask;
    result.sms = mask ? mask->count() : 0;
    const BlockShape& shape = operation.shape;
    const auto plan =
        plan_launch({operation.blocks, shape.threads, shape.registers, shape.shared_memory, operation.cache_config},
                    scenario.device, result.sms);
    if (!plan) return std::nullopt;
    result.memory_share = operation.memory_share;
    result.longest_block = result.worst;
    result.worst = result.worst * plan->rounds;
    result.blocks = operation.blocks;
    result.use = plan->block;
    result.cache_config = operation.cache_config;
  }
  result.best = result.worst;
  // As for a kernel or copy of a model.
  result.rounding = Duration::nanoseconds(1) + scale(result.worst, 1, 1'000'000, Rounding::up);
  return result;
}

}  // namespace

std::vector<std::optional<Duration>> stream_bounds(const StreamScenario& scenario) {
  const std::size_t count = scenario.streams.size();
  std::vector<std::optional<Duration>> bounds(count);
  std::vector<Submissions> submissions(count);
  for (const StreamOperation& operation : scenario.operations)
    submissions[operation.stream][operation.release].push_back(&operation);
  if (!is_covered(scenario, submissions)) return bounds;

  nvidia::TimeSliceProblem problem;
  const DeviceProfile& device = scenario.device;
  problem.gpus = {{device.preemption, device.context_switch, device.interference, device.copy_engines,
                   scenario.limits(), nvidia::ContentionLaw(device)}};
  problem.gpus.front().by_priority = scenario.by_urgency;
  for (const Context& context : scenario.contexts)
    problem.contexts.push_back({0, context.slice, context.priority, context.urgency});
  std::vector<std::size_t> stream_of;  // of each task
  for (std::size_t i = 0; i < count; ++i) {
    if (submissions[i].empty()) continue;
    nvidia::GpuTask task;
    task.name = scenario.streams[i].name;
    task.core = problem.cores.size();
    task.wait = nvidia::WaitMode::suspend;
    task.period = nvidia::longest_analyzed - Duration::picoseconds(1);
    nvidia::GpuSegment segment;
    segment.stream = problem.streams.size();
    const auto& [first_release, first] = *submissions[i].begin();
    Instant before = first_release;
    for (const auto& [release, operations] : submissions[i]) {
      if (release != first_release) task.period = std::min(task.period, release - before);
      before = release;
      // One without a pattern may submit any of its operations at any time.
      if (task.unlimited || !are_alike(first, operations)) task.unlimited = true;
      if (release != first_release && !task.unlimited) continue;
      for (const StreamOperation* operation : operations) {
        const auto added = analyzed(*operation, scenario);
        if (!added) return bounds;
        segment.operations.push_back(*added);
      }
    }
    task.deadline = task.period;
    task.segments.emplace_back(std::move(segment));
    problem.cores.push_back(task.name);
    problem.streams.push_back({scenario.streams[i].context, scenario.streams[i].priority});
    problem.tasks.push_back(std::move(task));
    stream_of.push_back(i);
  }
  if (const auto found = nvidia::time_slice_bounds(problem))
    for (std::size_t task = 0; task < stream_of.size(); ++task) bounds[stream_of[task]] = found->tasks[task].response;
  return bounds;
}

}  // namespace amalthea::engine::gpu
