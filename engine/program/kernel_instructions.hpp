// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// From the instructions of kernels (gpu.instructions) to their ticks: System → System, before it is analysed.

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine {

/// Gives every kernel that has instructions the ticks of a block on the GPU it runs on (nvidia/block_time.hpp), as many
/// blocks on an SM as the launch and the SM allow. Beside it are the warps of one kernel of every other stream of its
/// context, the one with most to execute, as far as there is room: so budgets (gpu.budget) count.
/// `profile` is that of every GPU; where it is null, profile_for chooses. False, with diagnostics, where instructions,
/// the GPU's warp policy (gpu.warpPolicy, by default gto) or pipelines (gpu.warpPipelines, by default free) are wrong,
/// or where the GPU is not known well enough.
bool resolve_instructions(System& system, const DeviceProfile* profile, Diagnostics& diagnostics);

}  // namespace amalthea::engine
