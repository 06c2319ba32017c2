// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Figures of a profile that a scenario, or a GPU of a model, replaces with its own.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/platform.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::engine::gpu {

struct ProfileSetting {
  enum class On : std::uint8_t { nvidia, amd, all };

  std::string_view property;  ///< custom property of the GPU in a model
  std::string_view key;       ///< of a scenario
  std::string_view object;    ///< of the scenario, in which the key stands: "interference", "amd"; "": in none
  std::string_view figure;    ///< its name in a profile's lists of figures that are not published
  On on = On::nvidia;         ///< the GPUs on which it has an effect
  // Those of AMD GPUs are called only for profiles of such.
  std::optional<TextError> (*read)(const JsonValue& value, DeviceProfile& profile) = nullptr;
  std::string (*text)(const DeviceProfile& profile) = nullptr;  ///< as the property states it
};

bool has_effect(const ProfileSetting& setting, const DeviceProfile& profile);

/// An integer in [least, most].
std::optional<TextError> read_limited(const JsonValue& value, std::int64_t least, std::int64_t most,
                                      std::int64_t& target);

const std::vector<ProfileSetting>& profile_settings();

/// With this key in this object of a scenario; null if there is none.
const ProfileSetting* find_setting(std::string_view key, std::string_view object);

/// The profile no longer lists the figure among those that are not published.
void is_stated(DeviceProfile& profile, std::string_view figure);

/// With this property; null if there is none.
const ProfileSetting* setting_of(std::string_view property);

/// What is wrong with the value of the property; "": nothing.
std::string fault_of(const UnitSetting& setting);

/// The profile with what the unit states instead; values with a fault have no effect. The result exists until the
/// program ends.
const DeviceProfile* with_settings(const DeviceProfile& profile, const ProcessingUnit& unit);

}  // namespace amalthea::engine::gpu
