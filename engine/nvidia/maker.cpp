// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/maker.hpp"

#include "engine/nvidia/device.hpp"
#include "engine/nvidia/device_settings.hpp"
#include "engine/nvidia/sm_mask.hpp"

namespace amalthea::engine::nvidia {
namespace {

bool is_any(const DeviceProfile&) { return true; }

std::unique_ptr<gpu::Device> make(const DeviceProfile& profile) {
  return std::make_unique<Device>(device_settings(profile));
}

StreamSettings settings_of(const GpuStream& stream, const DeviceProfile& profile) {
  StreamSettings settings;
  settings.priority = stream.high_priority ? StreamPriority::high : StreamPriority::low;
  settings.is_null = stream.is_null;
  settings.has_barriers = stream.has_pageable;
  settings.process = static_cast<std::uint32_t>(stream.process);
  const SmLimits limits = device_settings(profile).limits;
  if (stream.mps_share > 0 && stream.mps_share < 100) settings.process_sms = sms_of_share(limits, stream.mps_share);
  if (!stream.sm_mask.empty())
    if (auto mask = parse_tpc_mask(stream.sm_mask, limits)) settings.mask = std::move(*mask);
  return settings;
}

}  // namespace

DeviceSettings device_settings(const DeviceProfile& profile) {
  DeviceSettings settings;
  if (profile.multiprocessors) settings.limits = *profile.multiprocessors;
  settings.copy_engines = profile.copy_engines;
  settings.preemption = profile.preemption;
  settings.context_switch = profile.context_switch;
  settings.stream_preemption = profile.stream_preemption;
  settings.contention = ContentionLaw(profile);
  return settings;
}

const gpu::DeviceMaker& maker() {
  static constexpr gpu::DeviceMaker nvidia = {is_any, make, settings_of, true, true};
  return nvidia;
}

}  // namespace amalthea::engine::nvidia
