// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The profile of each GPU of a System.

#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine {

struct ChosenDevices {
  /// Parallel to Platform::units; null for CPUs, and for GPUs with an unknown gpu.platform.
  std::vector<const DeviceProfile*> profiles;
  bool all_known = true;
};

/// `for_all`, if given, is the profile of all GPUs for which no other one is asked; otherwise profile_for selects one for
/// each. What a GPU states itself precedes its profile. Reports to `diagnostics`, if given, GPUs without a platform
/// (AM0503) and then the first unknown one (AM0502).
ChosenDevices choose_devices(const System& system, const DeviceProfile* for_all = nullptr,
                             Diagnostics* diagnostics = nullptr);

/// The same, with "generic" for GPUs with an unknown gpu.platform; null for CPUs.
std::vector<const DeviceProfile*> default_devices(const System& system, const DeviceProfile* for_all = nullptr);

}  // namespace amalthea::engine
