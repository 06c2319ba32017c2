// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/chosen_devices.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include <fmt/core.h>
#include <fmt/format.h>

#include "amalthea/diagnostic.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/gpu/launch_plan.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/profile_settings.hpp"

namespace amalthea::engine {
namespace {

struct LaunchedKernel {
  std::size_t stream = 0;
  gpu::SmUse block;
  std::string cache_config;
  bool has_time = true;  ///< otherwise instructions
};

/// Those of a context whose blocks are placed on SMs.
std::vector<LaunchedKernel> launched_kernels(const System& system, const GpuContext& context,
                                             const DeviceProfile& profile) {
  std::map<TaskIndex, std::size_t> stream_of;
  for (std::size_t stream = 0; stream < context.streams.size(); ++stream)
    for (const TaskIndex task : context.streams[stream].tasks) stream_of[task] = stream;
  std::vector<LaunchedKernel> kernels;
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const auto stream = stream_of.find(system.graph[node].task);
    const auto* kernel = std::get_if<Kernel>(&system.graph[node].activity);
    if (stream == stream_of.end() || kernel == nullptr || !kernel->launch) continue;
    if (const auto plan = gpu::plan_launch(*kernel->launch, profile))
      kernels.push_back({stream->second, plan->block, kernel->launch->cache_config, !kernel->instructions});
  }
  return kernels;
}

/// Whether a block that has a time may be on an SM with a block of another kernel.
bool may_share_sms(const System& system, const GpuContext& context, const DeviceProfile& profile) {
  if (context.streams.size() < 2) return false;
  const auto kernels = launched_kernels(system, context, profile);
  constexpr std::size_t most_kernels = 1000;  // pairs of more would take too long
  if (kernels.size() > most_kernels) return true;
  for (const LaunchedKernel& kernel : kernels)
    for (const LaunchedKernel& other : kernels)
      if (kernel.has_time && kernel.stream != other.stream && kernel.cache_config == other.cache_config &&
          gpu::fits(*profile.multiprocessors, other.block, kernel.block))
        return true;
  return false;
}

/// Those of the figures on which the times of the GPU's tasks depend.
std::vector<std::string> that_matter(const System& system, UnitIndex unit, const DeviceProfile& profile,
                                     std::vector<std::string> figures) {
  if (figures.empty()) return figures;
  const auto contexts = contexts_on(system, unit, profile);
  const bool shared = contexts.size() > 1;
  bool several_streams = false, slices_stated = true;
  for (const GpuContext& context : contexts) {
    several_streams = several_streams || context.streams.size() > 1;
    for (const TaskIndex task : context.tasks) slices_stated = slices_stated && system.tasks[task].time_slice;
  }
  const bool stages = std::any_of(contexts.begin(), contexts.end(), [&](const GpuContext& context) {
    return std::any_of(context.tasks.begin(), context.tasks.end(), [&](TaskIndex task) {
      return std::any_of(system.tasks[task].body.begin(), system.tasks[task].body.end(), [&](NodeIndex node) {
        const auto* copy = std::get_if<Copy>(&system.graph[node].activity);
        return copy != nullptr && copy->pageable && !copy->time;
      });
    });
  });
  std::erase_if(figures, [&](const std::string& figure) {
    if (figure == "staging_gigabytes_per_second") return !stages;
    if (figure == "copy_gigabytes_per_second") return true;  // models state data rates
    if (figure == "context_switch_us") return !shared;
    if (figure == "time_slice_us") return !shared || slices_stated || schedules_by_urgency(system, unit);
    if (figure == "kernel_slowdown_by_same_sm")
      return std::none_of(contexts.begin(), contexts.end(),
                          [&](const GpuContext& context) { return may_share_sms(system, context, profile); });
    // Kernels of one stream run one after the other, and those of several contexts in turn.
    if (figure.starts_with("kernel_slowdown_by_") && figure.ends_with("_gpc")) return !several_streams;
    // With one stream, copies and kernels alternate, too. CPUs run beside them.
    return !figure.ends_with("_by_cpu") && !shared && !several_streams;
  });
  return figures;
}

void report_unpublished(const System& system, UnitIndex index, const DeviceProfile& profile, Diagnostics& diagnostics) {
  const ProcessingUnit& unit = system.platform.units[index];
  const auto report = [&](std::string_view id, Severity severity, const std::vector<std::string>& figures,
                          std::string_view lacking, std::string_view consequence) {
    if (const auto mattering = that_matter(system, index, profile, figures); !mattering.empty())
      diagnostics.add(id, severity,
                      fmt::format("the profile \"{}\" of GPU \"{}\" {} for {}; {}; measure them and use a profile of "
                                  "your own (--platform)",
                                  profile.name, unit.name, lacking, fmt::join(mattering, ", "), consequence),
                      unit.location);
  };
  report("AM0590", Severity::warning, profile.unknown, "has no published values", "placeholders are used");
  report("AM0595", Severity::note, profile.assumed, "has no published values", "pessimistic values are assumed");
  report("AM0579", Severity::note, profile.left_out, "has no values", "no slowdown is assumed");
}

/// The profile, or the one that it becomes by what the unit states.
const DeviceProfile* changed(const ProcessingUnit& unit, const DeviceProfile& profile) {
  return unit.settings.empty() ? &profile : gpu::with_settings(profile, unit);
}

}  // namespace

ChosenDevices choose_devices(const System& system, const DeviceProfile* for_all, Diagnostics* diagnostics) {
  ChosenDevices chosen;
  for (UnitIndex index = 0; index < system.platform.units.size(); ++index) {
    const ProcessingUnit& unit = system.platform.units[index];
    const DeviceProfile*& device = chosen.profiles.emplace_back(nullptr);
    if (unit.type != PuType::gpu) continue;
    if (!unit.profile_is_asked) device = for_all;
    const bool tells = diagnostics != nullptr && chosen.all_known;
    if (device != nullptr) {
      device = changed(unit, *device);
      if (tells) report_unpublished(system, index, *device, *diagnostics);
      continue;
    }
    const auto profile = profile_for(unit);
    if (!profile) {
      if (tells) diagnostics->add("AM0502", Severity::error, profile.error(), unit.location);
      chosen.all_known = false;
      continue;
    }
    device = changed(unit, **profile);
    if (tells && unit.device_profile.empty())
      diagnostics->add(
          "AM0503", Severity::note,
          fmt::format("GPU \"{}\" has no custom property gpu.platform, so it is assumed to behave as the profile "
                      "\"{}\" does; state the GPU that it is, such as gpu.platform=\"xavier\", or use --platform",
                      unit.name, device->name),
          unit.location);
    if (tells) report_unpublished(system, index, *device, *diagnostics);
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
