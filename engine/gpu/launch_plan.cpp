// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/launch_plan.hpp"

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

}  // namespace amalthea::engine::gpu
