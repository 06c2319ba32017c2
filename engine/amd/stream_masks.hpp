// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The CU masks that tasks of a System request (gpu.cuMask).

#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/amd/names.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/sharing.hpp"

namespace amalthea::engine::amd {

/// The mask of the stream of a device task, which is that of the first task of the stream that requests one; nothing if
/// none does, or if it is invalid.
std::optional<CuMask> cu_mask_of(const System& system, TaskIndex task, const DeviceProfile& profile);

/// Whether every mask is valid (AM0584) and each stream has only one (AM0585). Also reports masks without effect
/// (AM0583) and too many HSA queues (AM0582).
bool check_cu_masks(const System& system, const std::vector<const DeviceProfile*>& devices, Diagnostics& diagnostics);

}  // namespace amalthea::engine::amd
