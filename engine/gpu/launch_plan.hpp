// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Plans a kernel launch on a GPU: the resources of its blocks, and how many of them are resident at once.

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

#include "amalthea/graph/activity.hpp"
#include "engine/gpu/device_profile.hpp"
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

}  // namespace amalthea::engine::gpu
