// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/amd_kernels.hpp"

#include <algorithm>

#include "engine/amd/stream_masks.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/gpu/contexts.hpp"

namespace amalthea::engine::bounds {
namespace {

/// Adds the kernels of a stream with this index; returns whether it has any.
bool add_kernels(const AnalyzedSystem& subject, const std::vector<Activations>& activations, const Offloads& offloads,
                 const GpuStream& stream, std::size_t index, AmdKernels& found) {
  const std::size_t before = found.kernels.size();
  for (const TaskIndex task : stream.tasks) {
    if (!activations[task].any()) continue;
    const TaskIndex owner = offloads.beside[task] ? task : offloads.driver[task].value_or(task);
    const auto mask = amd::cu_mask_of(subject.system, task, *subject.devices[subject.task(task).unit]);
    for (std::size_t step = 0; step < subject.steps(task).size(); ++step) {
      const TaskStep task_step{task, step};
      if (subject.step(task_step).kind != StepKind::kernel) continue;
      const Duration block = std::max(longest_block(subject, task_step), Duration::picoseconds(1));
      const auto& use = subject.step(task_step).block;
      found.kernels.push_back(
          {owner, index, block, subject.step(task_step).blocks, use ? std::optional(*use) : std::nullopt, mask, {}});
      found.steps.push_back(task_step);
    }
  }
  return found.kernels.size() > before;
}

}  // namespace

AmdKernels amd_kernels(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                       const Offloads& offloads, UnitIndex unit) {
  const DeviceProfile& profile = *subject.devices[unit];
  const std::int64_t pool_queues = profile.amd.value().pool_queues;
  AmdKernels found;
  std::size_t pool = 0, streams = 0;
  for (const GpuContext& context : contexts_on(subject.system, unit, profile)) {
    const std::size_t first = found.kernels.size();
    std::int64_t unmasked = 0;
    for (const GpuStream& stream : context.streams)
      if (add_kernels(subject, activations, offloads, stream, streams++, found))
        ++(found.kernels.back().mask ? found.queues : unmasked);
    found.queues += std::min(unmasked, pool_queues);
    if (unmasked <= pool_queues) continue;
    for (std::size_t kernel = first; kernel < found.kernels.size(); ++kernel)
      if (!found.kernels[kernel].mask) found.kernels[kernel].pool = pool;
    ++pool;
  }
  return found;
}

}  // namespace amalthea::engine::bounds
