// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/amd_kernels.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/amd/block_times.hpp"
#include "engine/amd/stated_properties.hpp"
#include "engine/amd/stream_masks.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"

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

bool share_units(const std::optional<amd::CuMask>& a, const std::optional<amd::CuMask>& b) {
  if (!a || !b) return true;
  for (std::size_t bit = 0; bit < std::min(a->bits.size(), b->bits.size()); ++bit)
    if (a->bits[bit] && b->bits[bit]) return true;
  return false;
}

/// Blocks take longer by what kernels cost, and ACEs need time to dispatch them.
void count_costs(const AnalyzedSystem& subject, const DeviceProfile& profile, AmdKernels& found) {
  const gpu::SmLimits& limits = profile.multiprocessors.value();
  std::vector<amd::CostlyBlock> blocks;
  std::vector<Duration> briefest;
  std::optional<std::size_t> costly, whole;
  for (std::size_t kernel = 0; kernel < found.kernels.size(); ++kernel) {
    const TaskStep step = found.steps[kernel];
    const auto& use = found.kernels[kernel].use;
    blocks.push_back({amd::cost_of(subject.activity<Kernel>(step), profile), use ? use->warps * limits.warp_size : 0,
                      shortest_block(subject, step), found.kernels[kernel].block});
    briefest.push_back(amd::shortest_time(blocks.back()));
    if (!use) whole = kernel;
    if (blocks.back().cost != gpu::KernelCost{}) costly = kernel;
  }
  found.alone.resize(blocks.size());
  if (!costly) return;
  const auto name = [&](std::size_t kernel) { return subject.name(found.steps[kernel].task); };
  if (whole)
    found.fault = fmt::format(
        "a kernel of {} costs more than the time of its blocks, and one of {} occupies the whole GPU; the analysis "
        "does not cover both",
        name(*costly), name(*whole));
  Duration dispatching;
  for (std::size_t kernel = 0; kernel < blocks.size(); ++kernel) {
    const gpu::KernelCost& cost = blocks[kernel].cost;
    found.kernels[kernel].dispatch = std::max(cost.dispatch, cost.dispatch_beside);
    dispatching = std::max(dispatching, found.kernels[kernel].dispatch);
    amd::Company company{cost.weight_ppm, briefest[kernel], *std::min_element(briefest.begin(), briefest.end())};
    for (std::size_t other = 0; other < blocks.size(); ++other) {
      if (!share_units(found.kernels[kernel].mask, found.kernels[other].mask)) continue;
      company.heaviest_ppm = std::max(company.heaviest_ppm, blocks[other].cost.weight_ppm);
      company.briefest_on_unit = std::min(company.briefest_on_unit, briefest[other]);
    }
    found.kernels[kernel].block = amd::longest_time(blocks[kernel], company, limits);
    if (found.kernels[kernel].block >= amd::endless_block && found.fault.empty())
      found.fault = fmt::format(
          "blocks beside those of {} may be so short that no bound is known for what they slow it down", name(kernel));
  }
  for (std::size_t kernel = 0; kernel < blocks.size(); ++kernel) {
    if (blocks[kernel].cost == gpu::KernelCost{} && dispatching.is_zero()) continue;
    found.alone[kernel] = amd::time_alone(amd::device_settings(profile), found.kernels[kernel], dispatching);
    if (*found.alone[kernel] >= nvidia::longest_analyzed && found.fault.empty())
      found.fault = fmt::format("{} may take {} or more", name(kernel), format_duration(nvidia::longest_analyzed));
  }
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
    std::vector<std::optional<std::int64_t>> stated;  // queues of unmasked streams
    for (const GpuStream& stream : context.streams)
      if (add_kernels(subject, activations, offloads, stream, streams++, found)) {
        if (found.kernels.back().mask)
          ++found.queues;
        else
          stated.push_back(stream.hsa_queue);
        found.shares_aces |= found.kernels.back().mask && stream.ace;
      }
    const auto unmasked = static_cast<std::int64_t>(stated.size());
    found.queues += std::min(unmasked, pool_queues);
    // The queue of a stream that states none may be any.
    if (unmasked > pool_queues ||
        std::any_of(stated.begin(), stated.end(), [](const auto& queue) { return queue.has_value(); })) {
      for (std::size_t kernel = first; kernel < found.kernels.size(); ++kernel)
        if (!found.kernels[kernel].mask) found.kernels[kernel].pool = pool;
      ++pool;
    }
  }
  count_costs(subject, profile, found);
  return found;
}

}  // namespace amalthea::engine::bounds
