// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/chosen_devices.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include "amalthea/diagnostic.hpp"

namespace amalthea::engine {
namespace {

void report_unknown(const ProcessingUnit& unit, const DeviceProfile& profile, Diagnostics& diagnostics) {
  if (profile.unknown.empty()) return;
  diagnostics.add("AM0590", Severity::warning,
                  fmt::format("the profile \"{}\" of GPU \"{}\" has no published values for {}; placeholders are used; "
                              "measure them and use a profile of your own (--platform)",
                              profile.name, unit.name, fmt::join(profile.unknown, ", ")),
                  unit.location);
}

}  // namespace

ChosenDevices choose_devices(const System& system, const DeviceProfile* for_all, Diagnostics* diagnostics) {
  ChosenDevices chosen;
  for (const ProcessingUnit& unit : system.platform.units) {
    const DeviceProfile*& device = chosen.profiles.emplace_back(nullptr);
    if (unit.type != PuType::gpu) continue;
    if (!unit.profile_is_asked) device = for_all;
    const bool tells = diagnostics != nullptr && chosen.all_known;
    if (device != nullptr) {
      if (tells) report_unknown(unit, *device, *diagnostics);
      continue;
    }
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
          fmt::format("GPU \"{}\" has no custom property gpu.platform, so it is assumed to behave as the profile "
                      "\"{}\" does; state the GPU that it is, such as gpu.platform=\"xavier\", or use --platform",
                      unit.name, device->name),
          unit.location);
    if (tells) report_unknown(unit, *device, *diagnostics);
  }
  return chosen;
}

std::vector<const DeviceProfile*> default_devices(const System& system, const DeviceProfile* for_all) {
  std::vector<const DeviceProfile*> devices = choose_devices(system, for_all).profiles;
  for (UnitIndex unit = 0; unit < devices.size(); ++unit)
    if (system.platform.units[unit].type == PuType::gpu && devices[unit] == nullptr)
      devices[unit] = find_profile("generic");
  return devices;
}

}  // namespace amalthea::engine
