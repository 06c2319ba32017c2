// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/contexts.hpp"

#include <algorithm>

namespace amalthea::engine {
namespace {

GpuContext& context_named(std::vector<GpuContext>& contexts, const System& system, const std::string& name) {
  if (!name.empty())
    for (GpuContext& context : contexts)
      if (system.tasks[context.tasks.front()].gpu.context == name) return context;
  return contexts.emplace_back();
}

GpuStream& stream_named(GpuContext& context, const std::string& name) {
  if (!name.empty())
    for (GpuStream& stream : context.streams)
      if (stream.name == name) return stream;
  context.streams.push_back({name, false, {}, {}});
  return context.streams.back();
}

}  // namespace

std::vector<GpuContext> contexts_on(const System& system, UnitIndex unit, const DeviceProfile& profile) {
  std::vector<GpuContext> contexts;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    if (task.side != Side::device || task.unit != unit) continue;
    GpuContext& context = context_named(contexts, system, task.gpu.context);
    const Duration slice = time_slice_of(system, task, profile);
    context.slice = context.tasks.empty() ? slice : std::max(context.slice, slice);
    context.runlist_slots =
        context.tasks.empty() ? task.gpu.runlist_slots : std::max(context.runlist_slots, task.gpu.runlist_slots);
    context.tasks.push_back(index);
    GpuStream& stream = stream_named(context, task.gpu.stream);
    stream.high_priority |= task.gpu.high_priority;
    if (stream.cu_mask.empty()) stream.cu_mask = task.gpu.cu_mask;
    stream.tasks.push_back(index);
  }
  return contexts;
}

Duration time_slice_of(const System& system, const Task& task, const DeviceProfile& profile) {
  const Scheduler& scheduler = system.platform.schedulers[task.scheduler];
  Duration slice = task.time_slice.value_or(profile.time_slice);
  if (scheduler.minimum_time_slice) slice = std::max(slice, *scheduler.minimum_time_slice);
  if (scheduler.maximum_time_slice) slice = std::min(slice, *scheduler.maximum_time_slice);
  return std::clamp(slice, Duration::picoseconds(1), longest_simulation);
}

}  // namespace amalthea::engine
