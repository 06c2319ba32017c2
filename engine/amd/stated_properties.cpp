// SPDX-License-Identifier: Apache-2.0
#include "engine/amd/stated_properties.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/gpu/profile_settings.hpp"

namespace amalthea::engine::amd {
namespace {

class Checker {
 public:
  Checker(const System& system, const DeviceProfile& profile, Diagnostics& diagnostics)
      : system_(system), profile_(profile), diagnostics_(diagnostics) {}

  bool check(UnitIndex unit) {
    const ProcessingUnit& gpu = system_.platform.units[unit];
    place_ = gpu.location;
    for (const UnitSetting& stated : gpu.settings)
      if (const auto* setting = gpu::setting_of(stated.property);
          !profile_.amd && setting != nullptr && setting->on == gpu::ProfileSetting::On::amd)
        report_without_effect(fmt::format("{} of GPU \"{}\"", stated.property, gpu.name));
    for (const GpuContext& context : contexts_on(system_, unit, profile_))
      for (const GpuStream& stream : context.streams)
        for (const TaskIndex task : stream.tasks) {
          check_stream(system_.tasks[task], stream);
          for (const NodeIndex node : system_.tasks[task].body)
            if (const auto* kernel = std::get_if<Kernel>(&system_.graph[node].activity);
                kernel && kernel->costs && kernel->launch)
              check_costs(system_.graph[node], *kernel->costs);
        }
    if (like_ != nullptr)
      diagnostics_.add(
          "AM0515", Severity::note,
          fmt::format("the costs of kernel \"{}\" are those of \"{}\" in the profile \"{}\", which are fitted "
                      "to measurements; its own may be larger; measure them and use a profile of your own "
                      "(--platform)",
                      like_->name, std::get<Kernel>(like_->activity).costs->like, profile_.name),
          place_);
    return all_well_;
  }

 private:
  void refuse(Origin origin, std::string message) {
    diagnostics_.add("AM0513", Severity::error, std::move(message), Location{{}, 0, 0, origin});
    all_well_ = false;
  }
  /// `what`: the property, and of what.
  void report_without_effect(const std::string& what) {
    diagnostics_.add("AM0514", Severity::warning,
                     fmt::format("{} has no effect, because the profile \"{}\" is not an AMD GPU; remove it, or choose "
                                 "an AMD profile",
                                 what, profile_.name),
                     place_);
  }

  void check_stream(const Task& task, const GpuStream& stream) {
    const auto &queue = task.gpu.hsa_queue, &ace = task.gpu.ace;
    const std::string of_queue = fmt::format("gpu.hsaQueue of task \"{}\"", task.name),
                      of_ace = fmt::format("gpu.ace of task \"{}\"", task.name);
    if (!profile_.amd) {
      if (queue) report_without_effect(of_queue);
      if (ace) report_without_effect(of_ace);
      return;
    }
    const auto differs = [&](const std::string& what) {
      refuse(task.origin, fmt::format("{} is not that of the other tasks of its stream \"{}\"; use the same for all of "
                                      "them, or different streams",
                                      what, stream.name));
    };
    if (queue && *queue >= profile_.amd->pool_queues)
      refuse(task.origin, fmt::format("{} is {}; the queues of a process on \"{}\" are 0 to {}", of_queue, *queue,
                                      profile_.name, profile_.amd->pool_queues - 1));
    else if (ace && *ace >= profile_.amd->aces)
      refuse(task.origin, fmt::format("{} is {}; the ACEs of \"{}\" are 0 to {}", of_ace, *ace, profile_.name,
                                      profile_.amd->aces - 1));
    else if (queue && !stream.cu_mask.empty())
      refuse(task.origin, of_queue +
                              " is stated beside gpu.cuMask, but a stream with a mask has a queue of its own; remove "
                              "one of the two");
    else if (ace && stream.cu_mask.empty())
      refuse(task.origin, of_ace + " needs gpu.cuMask, because only streams with a mask have a queue of their own");
    else if (queue && queue != stream.hsa_queue)
      differs(of_queue);
    else if (ace && ace != stream.ace)
      differs(of_ace);
  }

  void check_costs(const GraphNode& node, const KernelCosts& costs) {
    if (!profile_.amd) {
      const auto report = [&](bool states, std::string_view property) {
        if (states) report_without_effect(fmt::format("gpu.{} of kernel \"{}\"", property, node.name));
      };
      report(!costs.like.empty(), "like");
      report(costs.full_speed_threads.has_value(), "fullSpeedThreads");
      report(costs.weight.has_value(), "weight");
      report(costs.dispatch.has_value(), "dispatch");
    } else if (!costs.like.empty() && find_kernel(profile_, costs.like) == nullptr) {
      refuse(node.origin, fmt::format("gpu.like of kernel \"{}\" is \"{}\"; the profile \"{}\" has no such kernel",
                                      node.name, costs.like, profile_.name));
    } else if (!costs.like.empty() && like_ == nullptr) {
      like_ = &node;
    }
  }

  const System& system_;
  const DeviceProfile& profile_;
  Diagnostics& diagnostics_;
  Location place_;  ///< of the GPU
  bool all_well_ = true;
  const GraphNode* like_ = nullptr;  ///< the first kernel that is like one of the profile
};

}  // namespace

gpu::KernelCost cost_of(const Kernel& kernel, const DeviceProfile& profile) {
  if (!kernel.costs || !kernel.launch || !profile.amd) return {};
  const KernelCosts& costs = *kernel.costs;
  const gpu::NamedKernel* like = costs.like.empty() ? nullptr : find_kernel(profile, costs.like);
  gpu::KernelCost cost = like != nullptr ? like->cost : gpu::KernelCost{};
  if (costs.full_speed_threads) cost.full_speed_threads = *costs.full_speed_threads;
  if (costs.weight) cost.weight_ppm = std::llround(*costs.weight * 1e6);
  if (costs.dispatch) cost.dispatch = cost.dispatch_beside = *costs.dispatch;
  return cost;
}

bool check_properties(const System& system, const std::vector<const DeviceProfile*>& devices,
                      Diagnostics& diagnostics) {
  bool all_well = true;
  for (UnitIndex unit = 0; unit < devices.size(); ++unit)
    if (devices[unit] != nullptr) all_well &= Checker(system, *devices[unit], diagnostics).check(unit);
  return all_well;
}

}  // namespace amalthea::engine::amd
