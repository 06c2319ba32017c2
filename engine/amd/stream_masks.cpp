// SPDX-License-Identifier: Apache-2.0
#include "engine/amd/stream_masks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/amd/device_settings.hpp"
#include "engine/amd/partition.hpp"
#include "engine/gpu/contexts.hpp"

namespace amalthea::engine::amd {

std::optional<CuMask> cu_mask_of(const System& system, TaskIndex task, const DeviceProfile& profile) {
  for (const GpuContext& context : contexts_on(system, system.tasks[task].unit, profile))
    for (const GpuStream& stream : context.streams) {
      if (std::find(stream.tasks.begin(), stream.tasks.end(), task) == stream.tasks.end()) continue;
      auto mask = parse_cu_mask(stream.cu_mask, device_settings(profile).layout());
      return mask ? std::optional(std::move(*mask)) : std::nullopt;
    }
  return std::nullopt;
}

bool check_cu_masks(const System& system, const std::vector<const DeviceProfile*>& devices, Diagnostics& diagnostics) {
  bool all_well = true;
  for (UnitIndex unit = 0; unit < devices.size(); ++unit) {
    if (devices[unit] == nullptr) continue;
    const DeviceProfile& profile = *devices[unit];
    std::int64_t queues = 0;
    for (const GpuContext& context : contexts_on(system, unit, profile)) {
      std::int64_t unmasked = 0;
      for (const GpuStream& stream : context.streams) {
        ++(stream.cu_mask.empty() ? unmasked : queues);
        for (const TaskIndex task : stream.tasks) {
          const std::string& mask = system.tasks[task].gpu.cu_mask;
          if (mask.empty()) continue;
          if (!profile.amd) {
            diagnostics.add("AM0583", Severity::warning,
                            fmt::format("gpu.cuMask of task \"{}\" has no effect, because the profile \"{}\" is not an "
                                        "AMD GPU; remove it, or choose an AMD profile",
                                        system.tasks[task].name, profile.name),
                            system.platform.units[unit].location);
            continue;
          }
          if (const auto parsed = parse_cu_mask(mask, device_settings(profile).layout()); !parsed) {
            diagnostics.add("AM0584", Severity::error,
                            fmt::format("gpu.cuMask \"{}\" of task \"{}\" is not a valid mask of \"{}\": {}", mask,
                                        system.tasks[task].name, profile.name, parsed.error()),
                            Location{{}, 0, 0, system.tasks[task].origin});
            all_well = false;
          } else if (mask != stream.cu_mask) {
            diagnostics.add("AM0585", Severity::error,
                            fmt::format("tasks of the stream \"{}\" have the CU masks \"{}\" and \"{}\"; a mask "
                                        "applies to a whole stream; use the same mask, or different streams",
                                        stream.name, stream.cu_mask, mask),
                            Location{{}, 0, 0, system.tasks[task].origin});
            all_well = false;
          }
        }
      }
      if (profile.amd) queues += std::min(unmasked, profile.amd->pool_queues);
    }
    if (profile.amd) report_queues(device_settings(profile), queues, diagnostics);
  }
  return all_well;
}

}  // namespace amalthea::engine::amd
