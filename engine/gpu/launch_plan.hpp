// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What becomes of a kernel's launch on a GPU: what its blocks occupy, and how many are there at once.

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

#include "amalthea/graph/activity.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/occupancy.hpp"

namespace amalthea::engine::gpu {

struct LaunchPlan {
  BlockShape shape;
  SmUse block;                ///< what each block occupies
  std::int64_t per_sm = 1;    ///< blocks that an idle SM takes
  std::int64_t resident = 1;  ///< blocks that the idle GPU takes
  std::int64_t rounds = 1;    ///< of `resident` blocks, until all have been there
};

/// The error says why the kernel cannot be launched: which limit a block breaks (use_of_block), or that the profile
/// does not say what an SM holds.
tl::expected<LaunchPlan, std::string> plan_launch(const Launch& launch, const DeviceProfile& profile);

}  // namespace amalthea::engine::gpu
