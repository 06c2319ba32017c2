// SPDX-License-Identifier: Apache-2.0
#include "engine/device_checks.hpp"

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/amd/stated_properties.hpp"
#include "engine/amd/stream_masks.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/gpu/launch_plan.hpp"
#include "engine/gpu/profile_settings.hpp"
#include "engine/nvidia/sharing_checks.hpp"

namespace amalthea::engine {
namespace {

/// Whether every block fits the GPU it is launched on. Missing data about a GPU is reported once.
bool check_launches(const System& system, const std::vector<const DeviceProfile*>& devices, Diagnostics& diagnostics) {
  bool all_fit = true;
  std::vector<bool> reported(devices.size(), false);
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const auto* kernel = std::get_if<Kernel>(&system.graph[node].activity);
    if (kernel == nullptr) continue;
    if (kernel->instructions && kernel->ticks == Ticks{}) {
      diagnostics.add(
          "AM0511", Severity::error,
          fmt::format("the instructions of kernel \"{}\" have not been converted to ticks (resolve_instructions)",
                      system.graph[node].name));
      all_fit = false;
    }
    if (!kernel->launch) continue;
    const UnitIndex unit = system.tasks[system.graph[node].task].unit;
    if (!devices[unit]->multiprocessors) {
      if (!reported[unit])
        diagnostics.add(
            "AM0506", Severity::warning,
            fmt::format("kernel \"{}\" has launch properties, but the profile \"{}\" has no SM limits; kernels occupy "
                        "all of \"{}\" for the time of one block; choose a profile with SM limits (--platform)",
                        system.graph[node].name, devices[unit]->name, system.platform.units[unit].name));
      reported[unit] = true;
      continue;
    }
    const auto plan = gpu::plan_launch(*kernel->launch, *devices[unit]);
    if (plan) continue;
    diagnostics.add(
        "AM0507", Severity::error,
        fmt::format("kernel \"{}\" cannot be launched on \"{}\" ({}): {}; change gpu.block or another property of its "
                    "launch, or choose another profile (--platform)",
                    system.graph[node].name, system.platform.units[unit].name, devices[unit]->name, plan.error()),
        Location{{}, 0, 0, system.graph[node].origin});
    all_fit = false;
  }
  return all_fit;
}

/// Whether what GPUs state in place of figures of their profiles can be read.
bool check_settings(const System& system, Diagnostics& diagnostics) {
  bool all_well = true;
  for (const ProcessingUnit& unit : system.platform.units)
    for (const UnitSetting& setting : unit.settings)
      if (const std::string fault = gpu::fault_of(setting); !fault.empty()) {
        diagnostics.add("AM0598", Severity::error,
                        fmt::format("custom property {} of GPU \"{}\" is \"{}\"; {}", setting.property, unit.name,
                                    setting.value, fault),
                        Location{{}, 0, 0, unit.origin});
        all_well = false;
      }
  return all_well;
}

}  // namespace

bool check_devices(const System& system, const std::vector<const DeviceProfile*>& devices, Diagnostics& diagnostics) {
  return check_settings(system, diagnostics) && check_launches(system, devices, diagnostics) &&
         amd::check_cu_masks(system, devices, diagnostics) && amd::check_properties(system, devices, diagnostics) &&
         nvidia::check_sharing(system, devices, diagnostics);
}

bool check_devices(const System& system, const DeviceProfile* profile, Diagnostics& diagnostics) {
  const ChosenDevices chosen = choose_devices(system, profile);
  return !chosen.all_known || check_devices(system, chosen.profiles, diagnostics);
}

}  // namespace amalthea::engine
