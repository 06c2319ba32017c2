// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/chosen_devices.hpp"

#include <fmt/core.h>

namespace amalthea::engine {

ChosenDevices choose_devices(const System& system, const DeviceProfile* for_all, Diagnostics* diagnostics) {
  ChosenDevices chosen;
  for (const ProcessingUnit& unit : system.platform.units) {
    const DeviceProfile*& device = chosen.profiles.emplace_back(nullptr);
    if (unit.type != PuType::gpu) continue;
    device = for_all;
    if (device != nullptr) continue;
    const bool tells = diagnostics != nullptr && chosen.all_known;
    const auto profile = profile_for(unit);
    if (!profile) {
      if (tells) diagnostics->add("AM0502", Severity::error, profile.error(), unit.location);
      chosen.all_known = false;
      continue;
    }
    device = *profile;
    if (tells && unit.device_profile.empty())
      diagnostics->add(
          "AM0503", Severity::note,
          fmt::format("GPU \"{}\" states no gpu.platform; the profile \"{}\" is used; state another one, or use "
                      "--platform",
                      unit.name, device->name),
          unit.location);
  }
  return chosen;
}

std::vector<const DeviceProfile*> default_devices(const System& system) {
  std::vector<const DeviceProfile*> devices = choose_devices(system).profiles;
  for (UnitIndex unit = 0; unit < devices.size(); ++unit)
    if (system.platform.units[unit].type == PuType::gpu && devices[unit] == nullptr)
      devices[unit] = find_profile("generic");
  return devices;
}

}  // namespace amalthea::engine
