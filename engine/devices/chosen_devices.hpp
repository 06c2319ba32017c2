// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which profile each GPU of a System has.

#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine {

struct ChosenDevices {
  /// Parallel to Platform::units; null for CPUs, and for GPUs whose gpu.platform is not known.
  std::vector<const DeviceProfile*> profiles;
  bool all_known = true;
};

/// `for_all`, where given, is the profile of all GPUs; else each has that of profile_for. Told to `diagnostics`, where
/// given: the first that is not known (AM0502), and before it those that state none (AM0503).
ChosenDevices choose_devices(const System& system, const DeviceProfile* for_all = nullptr,
                             Diagnostics* diagnostics = nullptr);

/// The profile of every GPU as profile_for chooses it, "generic" where it cannot; null for CPUs.
std::vector<const DeviceProfile*> default_devices(const System& system);

}  // namespace amalthea::engine
