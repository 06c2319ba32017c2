// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a device of device.hpp is made with, from a profile.

#include "amalthea/time.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/interference.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/sharing.hpp"
#include "engine/nvidia/block_placement.hpp"

namespace amalthea::engine::nvidia {

struct DeviceSettings {
  SmLimits limits;
  /// With two, copies from the device have an engine of their own.
  int copy_engines = 1;
  ScanOrder scan = ScanOrder::even_odd;
  TiePolicy ties = TiePolicy::scan;
  Preemption preemption = Preemption::instruction;
  Duration context_switch;  ///< lost whenever an engine turns to another context
  InterferenceTable interference;
  double cpu_traffic = 0;  ///< 0 … 1: how much of the worst memory traffic the CPUs make
};

/// What the profile says. Where its SMs are not known, those of SmLimits stand in.
DeviceSettings device_settings(const DeviceProfile& profile);

}  // namespace amalthea::engine::nvidia
