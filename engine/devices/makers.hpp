// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The GPU vendors, and devices for their profiles.

#include <memory>
#include <vector>

#include "engine/gpu/device.hpp"
#include "engine/gpu/device_maker.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine::gpu {

/// All vendors. The first one that accepts a profile is used.
const std::vector<DeviceMaker>& makers();
const DeviceMaker& maker_of(const DeviceProfile& profile);

std::unique_ptr<Device> make_device(const DeviceProfile& profile);

/// The settings of a stream for a System's tasks. Settings that the vendor's GPUs lack, or that are invalid, are
/// omitted.
StreamSettings stream_settings(const GpuStream& stream, const DeviceProfile& profile);

}  // namespace amalthea::engine::gpu
