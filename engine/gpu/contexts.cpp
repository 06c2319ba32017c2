// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/contexts.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "engine/amd/partition.hpp"

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

amd::StreamSettings amd_stream_settings(const GpuStream& stream, const DeviceProfile& profile) {
  amd::StreamSettings settings;
  if (!profile.amd || stream.cu_mask.empty()) return settings;
  if (auto mask = amd::parse_cu_mask(stream.cu_mask, amd_settings(profile).layout())) settings.mask = std::move(*mask);
  return settings;
}

bool check_cu_masks(const System& system, const std::vector<const DeviceProfile*>& devices, Diagnostics& diagnostics) {
  bool all_well = true;
  for (UnitIndex unit = 0; unit < devices.size(); ++unit) {
    if (devices[unit] == nullptr) continue;
    const DeviceProfile& profile = *devices[unit];
    std::int64_t queues = 0;
    for (const GpuContext& context : contexts_on(system, unit, profile)) {
      std::int64_t unmasked = 0;
      for (const GpuStream& stream : context.streams) {
        ++(stream.cu_mask.empty() ? unmasked : queues);
        for (const TaskIndex task : stream.tasks) {
          const std::string& mask = system.tasks[task].gpu.cu_mask;
          if (mask.empty()) continue;
          if (!profile.amd) {
            diagnostics.add("AM0583", Severity::warning,
                            fmt::format("gpu.cuMask of task \"{}\" has no effect: the profile \"{}\" of its GPU is "
                                        "not one of an AMD GPU; remove it, or choose such a profile",
                                        system.tasks[task].name, profile.name));
            continue;
          }
          if (const auto parsed = amd::parse_cu_mask(mask, amd_settings(profile).layout()); !parsed) {
            diagnostics.add("AM0584", Severity::error,
                            fmt::format("gpu.cuMask \"{}\" of task \"{}\" is no mask of \"{}\": {}", mask,
                                        system.tasks[task].name, profile.name, parsed.error()));
            all_well = false;
          } else if (mask != stream.cu_mask) {
            diagnostics.add("AM0585", Severity::error,
                            fmt::format("tasks of the stream \"{}\" have the CU masks \"{}\" and \"{}\"; a mask is "
                                        "one of the whole stream; give them the same, or different streams",
                                        stream.name, stream.cu_mask, mask));
            all_well = false;
          }
        }
      }
      if (profile.amd) queues += std::min(unmasked, profile.amd->pool_queues);
    }
    if (profile.amd) amd::report_queues(amd_settings(profile), queues, diagnostics);
  }
  return all_well;
}

Duration time_slice_of(const System& system, const Task& task, const DeviceProfile& profile) {
  const Scheduler& scheduler = system.platform.schedulers[task.scheduler];
  Duration slice = task.time_slice.value_or(profile.time_slice);
  if (scheduler.minimum_time_slice) slice = std::max(slice, *scheduler.minimum_time_slice);
  if (scheduler.maximum_time_slice) slice = std::min(slice, *scheduler.maximum_time_slice);
  return std::clamp(slice, Duration::picoseconds(1), longest_simulation);
}

}  // namespace amalthea::engine
