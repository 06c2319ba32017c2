// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The makers of GPUs, and a device of the one whose profile it is.

#include <memory>
#include <vector>

#include "engine/gpu/device.hpp"
#include "engine/gpu/device_maker.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine::gpu {

/// All there are. The first that made what a profile describes is the one.
const std::vector<DeviceMaker>& makers();
const DeviceMaker& maker_of(const DeviceProfile& profile);

/// `cpu_traffic`, 0 … 1: how much of the worst memory traffic the CPUs make.
std::unique_ptr<Device> make_device(const DeviceProfile& profile, double cpu_traffic = 0);

/// What a stream of a System's tasks is created with. What the maker's GPUs do not have, or cannot be read, is left
/// out.
StreamSettings stream_settings(const GpuStream& stream, const DeviceProfile& profile);

}  // namespace amalthea::engine::gpu
