// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The CU masks that tasks of a System ask for (gpu.cuMask).

#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine::amd {

/// Whether every mask can be read (AM0584) and streams have one alone (AM0585); what has no effect (AM0583) and whether
/// there are enough HSA queues (AM0582) is told too.
bool check_cu_masks(const System& system, const std::vector<const DeviceProfile*>& devices, Diagnostics& diagnostics);

}  // namespace amalthea::engine::amd
