// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Settings for a device of device.hpp, taken from the profile of an AMD GPU.

#include <cstdint>

#include "engine/amd/cu_mask.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/queue_architecture.hpp"

namespace amalthea::engine::amd {

struct DeviceSettings {
  SmLimits limits;  ///< of a CU; sms = all CUs, sms_per_gpc = those of a shader engine
  std::int64_t aces = 4;
  std::int64_t slots_per_ace = 8;
  std::int64_t pool_queues = 4;
  Duration quantum = QueueArchitecture{}.quantum;  ///< of the slots, with more queues than slots
  Duration ace_slice;                              ///< zero: an ACE dispatches kernel by kernel
  TurnRule turns = TurnRule::round_robin;
  int copy_engines = 1;

  Layout layout() const { return {limits.sms / limits.sms_per_gpc, limits.sms_per_gpc}; }
  std::int64_t queues() const { return aces * slots_per_ace; }
};

/// The settings of a profile, which must be one of an AMD GPU (DeviceProfile::amd).
DeviceSettings device_settings(const DeviceProfile& profile);

}  // namespace amalthea::engine::amd
