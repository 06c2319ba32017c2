// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether GPUs can execute the work that a system gives them: launches of kernels, masks of streams, own figures.

#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine {

/// False, with errors, if a GPU cannot execute something. Without a file: their locations name the element only.
/// `devices`: parallel to Platform::units; null for CPUs. Needs resolved instructions.
bool check_devices(const System& system, const std::vector<const DeviceProfile*>& devices, Diagnostics& diagnostics);
/// With `profile` for every GPU, by default as profile_for selects it. True if there is none.
bool check_devices(const System& system, const DeviceProfile* profile, Diagnostics& diagnostics);

}  // namespace amalthea::engine
