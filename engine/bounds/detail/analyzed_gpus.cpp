// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/analyzed_gpus.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/bounds/detail/amd_kernels.hpp"
#include "engine/bounds/detail/shared_sms.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/devices/makers.hpp"
#include "engine/gpu/contexts.hpp"

namespace amalthea::engine::bounds {
namespace {

/// The GPUs with active device tasks.
std::vector<UnitIndex> used_gpus(const AnalyzedSystem& subject, const std::vector<Activations>& activations) {
  std::vector<UnitIndex> used;
  for (TaskIndex task = 0; task < subject.tasks(); ++task)
    if (!subject.is_host(task) && activations[task].any()) used.push_back(subject.task(task).unit);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

std::string fault_of_operations(const AnalyzedSystem& subject, UnitIndex unit) {
  for (TaskIndex task = 0; task < subject.tasks(); ++task)
    if (!subject.is_host(task) && subject.task(task).unit == unit &&
        operations_of(subject, task).worst >= nvidia::longest_analyzed)
      return fmt::format("{} may take {} or more", subject.name(task), format_duration(nvidia::longest_analyzed));
  return {};
}

/// Why the analysis does not cover the NULL stream, or the pageable memory, of a process.
std::string fault_of_barriers(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                              UnitIndex unit, const GpuContext& context) {
  if (!context.has_barriers()) return {};
  const DeviceProfile& profile = *subject.devices[unit];
  const bool has_null = std::any_of(context.streams.begin(), context.streams.end(),
                                    [](const GpuStream& stream) { return stream.is_null; });
  const std::string null =
      fmt::format("a process on {} {} beside other streams", subject.system.platform.units[unit].name,
                  has_null ? "has a NULL stream" : "copies pageable memory");
  if (profile.amd) return null + "; the analysis does not cover this on AMD GPUs";
  if (profile.preemption != gpu::Preemption::instruction)
    return null + "; the analysis does not cover this where slices end only after blocks or kernels";
  for (const GpuStream& stream : context.streams) {
    if (stream.high_priority != context.streams.front().high_priority)
      return null + ", and they have two priorities; the analysis does not cover this";
    const auto active = std::count_if(stream.tasks.begin(), stream.tasks.end(),
                                      [&](TaskIndex task) { return activations[task].any(); });
    if (!stream.is_null && active > 1)
      return fmt::format("{}, and several tasks use the stream \"{}\"; the analysis does not cover this", null,
                         stream.name);
  }
  return {};
}

std::string fault_of_gpu(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                         const Offloads& offloads, UnitIndex unit) {
  const DeviceProfile& profile = *subject.devices[unit];
  const std::string& gpu = subject.system.platform.units[unit].name;
  if (!gpu::maker_of(profile).analyzed) return fmt::format("no analysis covers GPUs like {}", gpu);
  for (const GpuContext& context : contexts_on(subject.system, unit, profile))
    if (std::string fault = fault_of_barriers(subject, activations, unit, context); !fault.empty()) return fault;
  if (profile.amd) {
    if (!profile.amd->ace_slice.is_zero())
      return fmt::format("ACEs of {} turn to their next queues at the ends of slices; no bound is known for this", gpu);
    const AmdKernels kernels = amd_kernels(subject, activations, offloads, unit);
    const std::int64_t queues = kernels.queues;
    const std::int64_t slots = amd::device_settings(profile).queues();
    if (queues > slots)
      return fmt::format(
          "device tasks on {} use {} HSA queues, but it has slots for {}; the analysis does not cover queues that take "
          "turns",
          gpu, queues, slots);
    if (!kernels.fault.empty()) return kernels.fault;
    return fault_of_operations(subject, unit);
  }
  if (profile.context_switch >= nvidia::longest_analyzed)
    return fmt::format("a context switch on {} is {} or longer", gpu, format_duration(nvidia::longest_analyzed));
  for (const GpuContext& context : contexts_on(subject.system, unit, profile)) {
    if (context.slice >= nvidia::longest_analyzed)
      return fmt::format("a time slice on {} is {} or longer", gpu, format_duration(nvidia::longest_analyzed));
    if (context.tasks.size() > 1 && schedules_by_urgency(subject.system, unit))
      return fmt::format(
          "{} serves contexts by priority, and device tasks share one of them; the analysis covers only contexts of "
          "one "
          "task",
          gpu);
    if (context.processes > 1)
      return fmt::format(
          "processes share {} through MPS, so their kernels run concurrently; no bound is known for this", gpu);
    if (std::any_of(context.streams.begin(), context.streams.end(),
                    [](const GpuStream& stream) { return stream.mps_share > 0 && stream.mps_share < 100; }))
      return fmt::format("a process has a share of {} through MPS; no bound is known for this", gpu);
    // No bound counts how often streams of high priority preempt others.
    if (!profile.stream_preemption.is_zero() && context.streams.size() > 1 &&
        std::any_of(context.streams.begin(), context.streams.end(),
                    [](const GpuStream& stream) { return stream.high_priority; }))
      return fmt::format("a stream of high priority preempts others on {}, which takes {}; no bound is known for this",
                         gpu, format_duration(profile.stream_preemption));
    if (profile.preemption != gpu::Preemption::instruction)
      if (std::string fault = shared_sms(subject, activations, offloads, context).fault; !fault.empty()) return fault;
    for (const GpuStream& stream : context.streams)
      for (const TaskIndex task : stream.tasks)
        if (subject.task(task).gpu.sm_mask != stream.sm_mask)
          return fmt::format(
              "{} on {} shares a stream with a task that has another mask of SMs, and the mask belongs to the stream",
              subject.name(task), gpu);
  }
  return fault_of_operations(subject, unit);
}

void exclude(const AnalyzedSystem& subject, TaskIndex device, const std::string& fault, Offloads& offloads,
             Faults& faults) {
  add_fault(faults, device, fault);
  const auto host = offloads.driver[device];
  if (!host) return;
  if (faults[*host].empty())
    faults[*host] = fmt::format("it waits for {}, which has no bound: {}", subject.name(device), fault);
  offloads.waits[*host].clear();
  // What it triggers on other GPUs counts as device tasks for which no host waits.
  std::replace(offloads.driver.begin(), offloads.driver.end(), host, std::optional<TaskIndex>());
}

}  // namespace

std::vector<UnitIndex> analyzed_gpus(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                                     Offloads& offloads, Faults& faults) {
  std::vector<UnitIndex> gpus;
  for (const UnitIndex unit : used_gpus(subject, activations)) {
    const std::string fault = fault_of_gpu(subject, activations, offloads, unit);
    if (fault.empty()) gpus.push_back(unit);
    for (TaskIndex task = 0; task < subject.tasks() && !fault.empty(); ++task)
      if (!subject.is_host(task) && subject.task(task).unit == unit) exclude(subject, task, fault, offloads, faults);
    if (subject.devices[unit]->amd) continue;
    for (const GpuContext& context : contexts_on(subject.system, unit, *subject.devices[unit])) {
      const SharedSms shared = shared_sms(subject, activations, offloads, context);
      for (const TaskIndex task : context.tasks) {
        offloads.open_times[task] = shared.compete;
        // With coarser preemption, fault_of_gpu counts this for the whole GPU.
        if (!fault.empty() || shared.fault.empty() || !activations[task].any()) continue;
        exclude(subject, task, shared.fault, offloads, faults);
        offloads.unknown_times[task] = true;
      }
    }
  }
  return gpus;
}

}  // namespace amalthea::engine::bounds
