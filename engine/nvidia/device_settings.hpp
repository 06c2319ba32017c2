// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Settings for a device of device.hpp, taken from a profile.

#include "amalthea/time.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/sharing.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/contention.hpp"

namespace amalthea::engine::nvidia {

struct DeviceSettings {
  SmLimits limits;
  /// With two, copies from the device have their own engine.
  int copy_engines = 1;
  ScanOrder scan = ScanOrder::even_odd;
  TiePolicy ties = TiePolicy::stream;
  Preemption preemption = Preemption::instruction;
  Duration context_switch;  ///< lost whenever an engine switches to another context
  /// from when a kernel of high priority takes the place of blocks of low priority to its first block
  Duration stream_preemption;
  ContentionLaw contention;
};

/// The settings of a profile. If its SMs are unknown, the defaults of SmLimits apply.
DeviceSettings device_settings(const DeviceProfile& profile);

}  // namespace amalthea::engine::nvidia
