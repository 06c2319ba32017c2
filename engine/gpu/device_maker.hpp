// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The interface of a GPU vendor's folder; devices/makers.cpp lists the vendors.

#include <memory>

#include "engine/gpu/contexts.hpp"
#include "engine/gpu/device.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine::gpu {

struct DeviceMaker {
  /// Whether the profile belongs to this vendor.
  bool (*made)(const DeviceProfile& profile) = nullptr;
  std::unique_ptr<Device> (*make)(const DeviceProfile& profile) = nullptr;
  /// The settings of a stream for a System's tasks.
  StreamSettings (*stream_settings)(const GpuStream& stream, const DeviceProfile& profile) = nullptr;
  /// Contexts share the execution engine by time slices; otherwise their kernels run concurrently.
  bool takes_turns = true;
  /// engine/bounds has rules for its GPUs; otherwise nothing on them has a bound.
  bool analyzed = false;
};

}  // namespace amalthea::engine::gpu
