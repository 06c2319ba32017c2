// SPDX-License-Identifier: Apache-2.0
#include "engine/amd/maker.hpp"

#include <algorithm>
#include <utility>

#include "engine/amd/device.hpp"
#include "engine/amd/device_settings.hpp"

namespace amalthea::engine::amd {
namespace {

bool has_queues(const DeviceProfile& profile) { return profile.amd.has_value(); }

/// CPUs do not slow down kernels in this model.
std::unique_ptr<gpu::Device> make(const DeviceProfile& profile) {
  return std::make_unique<Device>(device_settings(profile));
}

StreamSettings settings_of(const GpuStream& stream, const DeviceProfile& profile) {
  StreamSettings settings;
  settings.is_null = stream.is_null;
  settings.has_barriers = stream.has_pageable;
  settings.queue = stream.hsa_queue;
  settings.on_ace = stream.ace;
  if (stream.cu_mask.empty()) return settings;
  if (auto mask = parse_cu_mask(stream.cu_mask, device_settings(profile).layout())) settings.mask = std::move(*mask);
  return settings;
}

}  // namespace

DeviceSettings device_settings(const DeviceProfile& profile) {
  DeviceSettings settings;
  settings.limits = profile.multiprocessors.value();
  settings.aces = profile.amd.value().aces;
  settings.slots_per_ace = profile.amd->slots_per_ace;
  settings.pool_queues = profile.amd->pool_queues;
  settings.quantum = profile.amd->quantum;
  settings.ace_slice = std::min(profile.amd->ace_slice, longest_simulation);
  settings.turns = profile.amd->turns;
  settings.copy_engines = profile.copy_engines;
  return settings;
}

const gpu::DeviceMaker& maker() {
  static constexpr gpu::DeviceMaker amd = {has_queues, make, settings_of, false, true};
  return amd;
}

}  // namespace amalthea::engine::amd
