// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/launch_plan.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace amalthea::engine::gpu {

tl::expected<LaunchPlan, std::string> plan_launch(const Launch& launch, const DeviceProfile& profile,
                                                  std::int64_t sms) {
  if (!profile.multiprocessors) return tl::unexpected(fmt::format("the profile \"{}\" has no SM limits", profile.name));
  const SmLimits& limits = *profile.multiprocessors;
  LaunchPlan plan;
  plan.shape = {launch.threads, launch.registers, launch.shared_memory};
  const auto block = use_of_block(limits, plan.shape);
  if (!block) return tl::unexpected(block.error());
  plan.block = *block;
  plan.per_sm = resident_blocks(limits, plan.block);
  plan.resident = plan.per_sm * (sms > 0 ? sms : limits.sms);
  plan.rounds = detail::divide(launch.blocks, plan.resident, Rounding::up);
  return plan;
}

KernelMemory memory_of(const Kernel& kernel, const DeviceProfile& profile) {
  KernelMemory memory;
  memory.footprint = kernel.footprint.bytes;
  if (!kernel.access || !kernel.launch || !profile.measured_memory) return memory;
  const auto plan = plan_launch(*kernel.launch, profile);
  const KernelAccess& access = *kernel.access;
  constexpr std::int64_t least_footprint = 4, largest_footprint = std::int64_t{1} << 50;
  const bool bulk = access.pattern == KernelAccess::Pattern::bulk;
  if (!plan || (!bulk && (memory.footprint < least_footprint || memory.footprint > largest_footprint))) return memory;
  const auto cycles = [&](Duration time) {
    return static_cast<double>(time.picoseconds()) * profile.measured_memory->clock_mhz / 1e6;
  };
  MemoryKernel& described = memory.described.emplace();
  described.pattern = bulk                                              ? AccessPattern::bulk
                      : access.pattern == KernelAccess::Pattern::random ? AccessPattern::random
                                                                        : AccessPattern::sequential;
  described.location = access.zero_copy ? MemoryLocation::zero_copy : MemoryLocation::device;
  described.lanes_differ = !access.same_element;
  described.footprint = bulk ? 0 : memory.footprint;
  described.threads = kernel.launch->threads;
  described.blocks = std::min(kernel.launch->blocks, plan->resident);
  if (access.fetched_bytes > 0) described.fetched_bytes = static_cast<double>(access.fetched_bytes);
  described.own_cycles = cycles(access.own);
  described.load_path_cycles = cycles(access.load_path);
  described.memory_path_cycles = cycles(access.memory_path);
  return memory;
}

}  // namespace amalthea::engine::gpu
