// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/makers.hpp"

#include <algorithm>

#include "engine/amd/maker.hpp"
#include "engine/nvidia/maker.hpp"

namespace amalthea::engine::gpu {

const std::vector<DeviceMaker>& makers() {
  static const std::vector<DeviceMaker> all = {amd::maker(), nvidia::maker()};
  return all;
}

const DeviceMaker& maker_of(const DeviceProfile& profile) {
  return *std::find_if(makers().begin(), makers().end(), [&](const DeviceMaker& maker) { return maker.made(profile); });
}

std::unique_ptr<Device> make_device(const DeviceProfile& profile) { return maker_of(profile).make(profile); }

StreamSettings stream_settings(const GpuStream& stream, const DeviceProfile& profile) {
  return maker_of(profile).stream_settings(stream, profile);
}

}  // namespace amalthea::engine::gpu
