// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a System states for AMD GPUs beside masks: the costs of kernels (gpu.like, gpu.fullSpeedThreads, gpu.weight,
/// gpu.dispatch) and the queues of streams (gpu.hsaQueue, gpu.ace).

#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/amd/names.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/kernel_cost.hpp"

namespace amalthea::engine::amd {

/// The cost of a kernel like the named one of the profile, with what is stated in place of it. None without such a
/// kernel, and without a launch configuration.
gpu::KernelCost cost_of(const Kernel& kernel, const DeviceProfile& profile);

/// Whether all named kernels, queues and ACEs exist, and tasks of one stream agree (AM0513). Also reports what has no
/// effect because the GPU is not from AMD (AM0514), and the first kernel with fitted costs (AM0515).
bool check_properties(const System& system, const std::vector<const DeviceProfile*>& devices, Diagnostics& diagnostics);

}  // namespace amalthea::engine::amd
