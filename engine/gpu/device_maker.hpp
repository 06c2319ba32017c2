// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a maker's room offers to all others; devices/makers.cpp has the list of them.

#include <memory>

#include "engine/gpu/contexts.hpp"
#include "engine/gpu/device.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine::gpu {

struct DeviceMaker {
  /// Whether the profile is one of the maker's.
  bool (*made)(const DeviceProfile& profile) = nullptr;
  /// `cpu_traffic`, 0 … 1: how much of the worst memory traffic the CPUs make.
  std::unique_ptr<Device> (*make)(const DeviceProfile& profile, double cpu_traffic) = nullptr;
  /// What a stream of a System's tasks is created with.
  StreamSettings (*stream_settings)(const GpuStream& stream, const DeviceProfile& profile) = nullptr;
  /// Contexts have the execution engine in turns; otherwise their kernels run beside each other.
  bool takes_turns = true;
};

}  // namespace amalthea::engine::gpu
