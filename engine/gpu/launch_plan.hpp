// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Plans a kernel launch on a GPU: the resources of its blocks, how many of them are resident at once, and what they do
/// to the memory.

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

#include "amalthea/graph/activity.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/memory_use.hpp"
#include "engine/gpu/occupancy.hpp"

namespace amalthea::engine::gpu {

struct LaunchPlan {
  BlockShape shape;
  SmUse block;                ///< resources of each block
  std::int64_t per_sm = 1;    ///< blocks that fit on an idle SM
  std::int64_t resident = 1;  ///< blocks that fit on the idle GPU
  std::int64_t rounds = 1;    ///< rounds of `resident` blocks to run all blocks
};

/// `sms`: the number of SMs that the kernel may use; 0: all. The error states why the kernel cannot be launched: the
/// limit that a block violates (use_of_block), or that the profile does not define the limits of an SM.
tl::expected<LaunchPlan, std::string> plan_launch(const Launch& launch, const DeviceProfile& profile,
                                                  std::int64_t sms = 0);

/// What is known about a kernel's use of the memory. Its pattern counts only together with its launch and, unless it is
/// bulk, its footprint.
KernelMemory memory_of(const Kernel& kernel, const DeviceProfile& profile);

}  // namespace amalthea::engine::gpu
