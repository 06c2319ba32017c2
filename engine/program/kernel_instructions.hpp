// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Converts the instructions of kernels (gpu.instructions) into ticks: System → System, before the analysis.

#include <cstdint>
#include <map>
#include <string>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/nvidia/sm_warps.hpp"

namespace amalthea::engine {

/// Gives every kernel with instructions the ticks of a block on its GPU (nvidia/block_time.hpp), with as many blocks on
/// an SM as the launch and the SM allow. Of every other stream of its context, the warps of the kernel with the most
/// work are also resident as far as there is room; budgets (gpu.budget) apply to this. `profile` applies to every GPU;
/// if null, profile_for selects one. False, with diagnostics, if instructions, the GPU's warp policy (gpu.warpPolicy,
/// default gto) or pipelines (gpu.warpPipelines, default free) are invalid, or the profile lacks data.
/// The longest time is one only for a kernel whose blocks have their SMs to themselves and start together
/// (bounds/detail/shared_sms.hpp).
bool resolve_instructions(System& system, const DeviceProfile* profile, Diagnostics& diagnostics);

/// What the warps of kernels with latencies execute on this GPU, by node, for the simulation. Letters leave the order of
/// instructions to the SM, so their time is that of the ticks, unless another stream of the context has a kernel with
/// instructions: then the warp policy decides for them, too.
std::map<NodeIndex, nvidia::BlockWarps> simulated_warps(const System& system, UnitIndex unit,
                                                        const DeviceProfile& profile);

/// The blocks of a kernel with a launch configuration on an SM, if nothing else uses those SMs that it may use. The
/// placement rule (nvidia/block_placement.hpp) spreads them evenly.
struct BlocksOnSm {
  gpu::SmUse block;
  std::int64_t fit = 1;       ///< that an idle SM holds
  std::int64_t together = 1;  ///< that are resident together, at most
  bool even = true;           ///< as many on every SM; otherwise one less on some
  bool in_rounds = false;     ///< further ones follow, whenever a block ends
};
/// The error is that of gpu::plan_launch.
tl::expected<BlocksOnSm, std::string> blocks_on_sm(const Task& task, const Launch& launch,
                                                   const DeviceProfile& profile);

}  // namespace amalthea::engine
