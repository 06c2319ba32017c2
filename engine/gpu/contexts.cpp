// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/contexts.hpp"

#include <algorithm>

namespace amalthea::engine {
namespace {

/// `mps`: whether the GPU has MPS.
GpuContext& context_named(std::vector<GpuContext>& contexts, const System& system, const Task& task, bool mps) {
  for (GpuContext& context : contexts) {
    const GpuShare& other = system.tasks[context.tasks.front()].gpu;
    if (mps && task.gpu.mps_share > 0
            ? other.mps_share > 0
            : (!mps || other.mps_share == 0) && !task.gpu.context.empty() && other.context == task.gpu.context)
      return context;
  }
  return contexts.emplace_back();
}

/// The process of a task within its context: one, or under MPS one for every name.
std::size_t process_in(GpuContext& context, const System& system, const Task& task, bool mps) {
  if (!mps || task.gpu.mps_share == 0 || context.tasks.empty()) return 0;
  for (const GpuStream& stream : context.streams)
    if (!task.gpu.context.empty() && system.tasks[stream.tasks.front()].gpu.context == task.gpu.context)
      return stream.process;
  return context.processes++;
}

GpuStream& stream_of(GpuContext& context, std::size_t process, const GpuShare& share) {
  if (!share.stream.empty() || share.null_stream)
    for (GpuStream& stream : context.streams)
      if (stream.name == share.stream && stream.is_null == share.null_stream && stream.process == process)
        return stream;
  GpuStream& stream = context.streams.emplace_back();
  stream.name = share.stream;
  stream.is_null = share.null_stream;
  stream.process = process;
  return stream;
}

}  // namespace

bool GpuContext::has_barriers() const {
  return std::any_of(streams.begin(), streams.end(), [this](const GpuStream& stream) {
    return (stream.is_null || stream.has_pageable) &&
           std::any_of(streams.begin(), streams.end(),
                       [&](const GpuStream& other) { return &other != &stream && other.process == stream.process; });
  });
}

std::vector<GpuContext> contexts_on(const System& system, UnitIndex unit, const DeviceProfile& profile) {
  const bool mps = !profile.amd;
  std::vector<GpuContext> contexts;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    if (task.side != Side::device || task.unit != unit) continue;
    GpuContext& context = context_named(contexts, system, task, mps);
    const std::size_t process = process_in(context, system, task, mps);
    const Duration slice = time_slice_of(system, task, profile);
    context.slice = context.tasks.empty() ? slice : std::max(context.slice, slice);
    context.runlist_slots =
        context.tasks.empty() ? task.gpu.runlist_slots : std::max(context.runlist_slots, task.gpu.runlist_slots);
    context.urgency = context.tasks.empty() ? task.priority : std::max(context.urgency, task.priority);
    context.tasks.push_back(index);
    GpuStream& stream = stream_of(context, process, task.gpu);
    stream.high_priority |= task.gpu.high_priority;
    for (const NodeIndex node : task.body)
      if (const auto* copy = std::get_if<Copy>(&system.graph[node].activity)) stream.has_pageable |= copy->pageable;
    if (stream.cu_mask.empty()) stream.cu_mask = task.gpu.cu_mask;
    if (!stream.hsa_queue) stream.hsa_queue = task.gpu.hsa_queue;
    if (!stream.ace) stream.ace = task.gpu.ace;
    if (stream.sm_mask.empty()) stream.sm_mask = task.gpu.sm_mask;
    if (mps) stream.mps_share = std::max(stream.mps_share, task.gpu.mps_share);
    stream.tasks.push_back(index);
  }
  return contexts;
}

bool schedules_by_urgency(const System& system, UnitIndex unit) {
  return system.platform.units[unit].context_scheduling == "priority";
}

Duration time_slice_of(const System& system, const Task& task, const DeviceProfile& profile) {
  const Scheduler& scheduler = system.platform.schedulers[task.scheduler];
  Duration slice = task.time_slice.value_or(profile.time_slice);
  if (scheduler.minimum_time_slice) slice = std::max(slice, *scheduler.minimum_time_slice);
  if (scheduler.maximum_time_slice) slice = std::min(slice, *scheduler.maximum_time_slice);
  return std::clamp(slice, Duration::picoseconds(1), longest_simulation);
}

}  // namespace amalthea::engine
