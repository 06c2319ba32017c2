// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How tasks of a System ask to share an NVIDIA GPU: masks of SMs (gpu.smMask), MPS (gpu.mpsShare), and contexts served
/// by priority (gpu.contextScheduling).

#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine::nvidia {

/// Reports what is invalid or has no effect. False on an error. `devices`: by unit; null for others.
bool check_sharing(const System& system, const std::vector<const DeviceProfile*>& devices, Diagnostics& diagnostics);

}  // namespace amalthea::engine::nvidia
