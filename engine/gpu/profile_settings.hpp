// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Figures of a profile that a scenario, or a GPU of a model, replaces with its own.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/platform.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::engine::gpu {

struct ProfileSetting {
  std::string_view property;  ///< custom property of the GPU in a model
  std::string_view key;       ///< of a scenario; that of interference stands in its object "interference"
  std::string_view figure;    ///< its name in a profile's lists of figures that are not published
  bool of_interference = false;
  bool on_amd = false;  ///< has an effect on AMD GPUs, too
  std::optional<TextError> (*read)(const JsonValue& value, DeviceProfile& profile) = nullptr;
  std::string (*text)(const DeviceProfile& profile) = nullptr;  ///< as the property states it
};

const std::vector<ProfileSetting>& profile_settings();

/// With this key of a scenario; null if there is none.
const ProfileSetting* find_setting(std::string_view key, bool of_interference);

/// With this property; null if there is none.
const ProfileSetting* setting_of(std::string_view property);

/// What is wrong with the value of the property; "": nothing.
std::string fault_of(const UnitSetting& setting);

/// The profile with what the unit states instead; values with a fault have no effect. The result exists until the
/// program ends.
const DeviceProfile* with_settings(const DeviceProfile& profile, const ProcessingUnit& unit);

}  // namespace amalthea::engine::gpu
