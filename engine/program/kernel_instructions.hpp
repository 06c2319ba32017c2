// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Converts the instructions of kernels (gpu.instructions) into ticks: System → System, before the analysis.

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine {

/// Gives every kernel with instructions the ticks of a block on its GPU (nvidia/block_time.hpp), with as many blocks on
/// an SM as the launch and the SM allow. Of every other stream of its context, the warps of the kernel with the most
/// work are also resident as far as there is room; budgets (gpu.budget) apply to this. `profile` applies to every GPU;
/// if null, profile_for selects one. False, with diagnostics, if instructions, the GPU's warp policy (gpu.warpPolicy,
/// default gto) or pipelines (gpu.warpPipelines, default free) are invalid, or the profile lacks data.
bool resolve_instructions(System& system, const DeviceProfile* profile, Diagnostics& diagnostics);

}  // namespace amalthea::engine
