// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/sharing_checks.hpp"

#include <optional>
#include <string>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/gpu/profile_settings.hpp"
#include "engine/nvidia/sm_mask.hpp"

namespace amalthea::engine::nvidia {
namespace {

class Checker {
 public:
  Checker(const System& system, const DeviceProfile& profile, Diagnostics& diagnostics)
      : system_(system), profile_(profile), diagnostics_(diagnostics) {}

  bool check(UnitIndex unit) {
    const ProcessingUnit& gpu = system_.platform.units[unit];
    if (profile_.amd && gpu.context_scheduling == "priority") ignored("gpu.contextScheduling", "unit", gpu.name);
    for (const UnitSetting& stated : gpu.settings)
      if (const auto* setting = gpu::setting_of(stated.property);
          profile_.amd && setting != nullptr && setting->on == gpu::ProfileSetting::On::nvidia)
        ignored(stated.property, "unit", gpu.name);
    for (const GpuContext& context : contexts_on(system_, unit, profile_))
      for (const GpuStream& stream : context.streams)
        for (const TaskIndex task : stream.tasks) check_task(system_.tasks[task], stream);
    return all_well_;
  }

 private:
  void error(std::string_view id, Origin origin, std::string message) {
    diagnostics_.add(id, Severity::error, std::move(message), Location{{}, 0, 0, origin});
    all_well_ = false;
  }

  void no_mask(const std::string& mask, std::string_view kind, const std::string& name, const std::string& wrong,
               Origin origin) {
    error("AM0587", origin,
          fmt::format("gpu.smMask \"{}\" of {} \"{}\" is not a valid mask of \"{}\": {}", mask, kind, name,
                      profile_.name, wrong));
  }

  void ignored(std::string_view property, std::string_view kind, const std::string& name) {
    diagnostics_.add(
        "AM0586", Severity::warning,
        fmt::format("{} of {} \"{}\" has no effect, because the profile \"{}\" is an AMD GPU; remove it, or "
                    "choose an NVIDIA profile",
                    property, kind, name, profile_.name));
  }

  std::optional<std::string> mask_error(const std::string& mask) const {
    if (!profile_.multiprocessors) return "the profile lacks SM limits; choose another one (--platform)";
    const auto parsed = parse_tpc_mask(mask, *profile_.multiprocessors);
    return parsed ? std::nullopt : std::optional<std::string>(parsed.error());
  }

  /// The masks of its kernels.
  void check_kernels(const Task& task) {
    for (const NodeIndex node : task.body) {
      const auto* kernel = std::get_if<Kernel>(&system_.graph[node].activity);
      if (kernel == nullptr || !kernel->launch || kernel->launch->sm_mask.empty()) continue;
      const std::string& mask = kernel->launch->sm_mask;
      if (profile_.amd) {
        ignored("gpu.smMask", "kernel", system_.graph[node].name);
      } else if (const auto wrong = mask_error(mask)) {
        no_mask(mask, "kernel", system_.graph[node].name, *wrong, system_.graph[node].origin);
      }
    }
  }

  void check_task(const Task& task, const GpuStream& stream) {
    check_kernels(task);
    const std::string& mask = task.gpu.sm_mask;
    if (profile_.amd) {
      if (!mask.empty()) ignored("gpu.smMask", "task", task.name);
      if (task.gpu.mps_share > 0) ignored("gpu.mpsShare", "task", task.name);
      if (task.gpu.high_priority) ignored("gpu.priority", "task", task.name);
      if (task.gpu.runlist_slots != GpuShare{}.runlist_slots) ignored("gpu.contextPriority", "task", task.name);
      return;
    }
    if (mask.empty()) return;
    if (const auto wrong = mask_error(mask)) {
      no_mask(mask, "task", task.name, *wrong, task.origin);
    } else if (mask != stream.sm_mask) {
      error("AM0588", task.origin,
            fmt::format("tasks of the stream \"{}\" have the SM masks \"{}\" and \"{}\"; a mask applies to a "
                        "whole stream; use the same mask, or different streams",
                        stream.name, stream.sm_mask, mask));
    }
  }

  const System& system_;
  const DeviceProfile& profile_;
  Diagnostics& diagnostics_;
  bool all_well_ = true;
};

}  // namespace

bool check_sharing(const System& system, const std::vector<const DeviceProfile*>& devices, Diagnostics& diagnostics) {
  bool all_well = true;
  for (UnitIndex unit = 0; unit < devices.size(); ++unit)
    if (devices[unit] != nullptr) all_well = Checker(system, *devices[unit], diagnostics).check(unit) && all_well;
  return all_well;
}

}  // namespace amalthea::engine::nvidia
