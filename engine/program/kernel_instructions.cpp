// SPDX-License-Identifier: Apache-2.0
#include "engine/program/kernel_instructions.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/near_miss.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/gpu/launch_plan.hpp"
#include "engine/nvidia/block_time.hpp"
#include "engine/nvidia/sm_mask.hpp"

namespace amalthea::engine {
namespace {

/// A kernel with instructions, as far as they are valid.
struct KernelWork {
  NodeIndex node = 0;
  nvidia::BlockInstructions instructions;
  std::int64_t budget = 1;
  gpu::SmUse block;
  std::int64_t warps = 1;   ///< per block
  std::int64_t blocks = 1;  ///< resident on an SM
  bool even = true;
  bool in_rounds = false;
  std::int64_t issues() const {
    const nvidia::WarpKernel kernel = nvidia::warps_of(instructions, warps * blocks, budget);
    return kernel.warps * static_cast<std::int64_t>(kernel.program.size());
  }
};

/// The kernels of one GPU.
class Resolver {
 public:
  Resolver(System& system, UnitIndex unit, const DeviceProfile& profile, Diagnostics& diagnostics)
      : system_(system), unit_(unit), profile_(profile), diagnostics_(diagnostics) {}

  bool run(const std::vector<NodeIndex>& nodes) {
    if (!profile_.multiprocessors) {
      error(nodes.front(), fmt::format("the profile \"{}\" of \"{}\" has no SM limits", profile_.name,
                                       system_.platform.units[unit_].name));
      return false;
    }
    if (profile_.amd) {
      error(nodes.front(), fmt::format("\"{}\" is an AMD GPU; what its wavefronts execute is not modeled",
                                       system_.platform.units[unit_].name));
      return false;
    }
    if (!choose_scheduler()) return false;
    bool all_understood = true;
    for (const NodeIndex node : nodes) all_understood = understand(node) && all_understood;
    if (!all_understood) return false;
    const std::vector<GpuContext> contexts = contexts_on(system_, unit_, profile_);
    for (const KernelWork& kernel : kernels_)
      all_understood = resolve(kernel, company_of(kernel, contexts)) && all_understood;
    return all_understood;
  }

 private:
  const KernelInstructions& written(NodeIndex node) const {
    return *std::get<Kernel>(system_.graph[node].activity).instructions;
  }

  void error(NodeIndex node, const std::string& what) {
    diagnostics_.add("AM0508", Severity::error,
                     fmt::format("gpu.instructions of kernel \"{}\": {}", system_.graph[node].name, what),
                     written(node).location);
  }

  bool choose_scheduler() {
    const ProcessingUnit& unit = system_.platform.units[unit_];
    policy_ = nvidia::find_warp_policy(unit.warp_policy.empty() ? "gto" : unit.warp_policy);
    pipelines_ = nvidia::find_warp_pipelines(unit.warp_pipelines.empty() ? "free" : unit.warp_pipelines);
    const auto complain = [&](std::string_view key, const std::string& value, const auto& known) {
      std::string names;
      for (const auto& entry : known) names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
      diagnostics_.add(
          "AM0509", Severity::error,
          fmt::format("custom property {} of \"{}\" is \"{}\"; there are {}{}", key, unit.name, value, names,
                      did_you_mean(value, known, [](const auto& entry) { return std::string_view(entry.name); })),
          unit.location);
    };
    if (policy_ == nullptr) complain("gpu.warpPolicy", unit.warp_policy, nvidia::warp_policies());
    if (pipelines_ == nullptr) complain("gpu.warpPipelines", unit.warp_pipelines, nvidia::warp_pipelines());
    return policy_ != nullptr && pipelines_ != nullptr;
  }

  bool understand(NodeIndex node) {
    const Kernel& kernel = std::get<Kernel>(system_.graph[node].activity);
    auto instructions = nvidia::parse_block_instructions(kernel.instructions->text);
    if (!instructions) {
      error(node, instructions.error());
      return false;
    }
    if (!kernel.launch) {
      error(node, "they need the threads of a block (gpu.block)");
      return false;
    }
    const auto blocks = blocks_on_sm(system_.tasks[system_.graph[node].task], *kernel.launch, profile_);
    if (!blocks) {
      error(node, blocks.error());
      return false;
    }
    KernelWork work;
    work.node = node;
    work.instructions = std::move(*instructions);
    work.budget = kernel.instructions->budget;
    work.block = blocks->block;
    work.warps = blocks->block.warps;
    work.blocks = blocks->together;
    work.even = blocks->even;
    work.in_rounds = blocks->in_rounds;
    kernels_.push_back(std::move(work));
    return true;
  }

  struct Company {
    bool any = false;  ///< another stream of the context has a kernel with instructions
    std::vector<nvidia::WarpKernel> resident;
  };

  /// For every other stream of its context, the kernel with the most work of those that fit on an SM beside this one;
  /// as many of its blocks as fit.
  Company company_of(const KernelWork& kernel, const std::vector<GpuContext>& contexts) const {
    Company company;
    std::int64_t room = nvidia::max_warps - kernel.warps * kernel.blocks;
    const TaskIndex own = system_.graph[kernel.node].task;
    const auto has = [](const std::vector<TaskIndex>& tasks, TaskIndex task) {
      return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
    };
    for (const GpuContext& context : contexts) {
      if (!has(context.tasks, own)) continue;
      for (const GpuStream& stream : context.streams) {
        if (has(stream.tasks, own)) continue;
        const KernelWork* most = nullptr;
        for (const KernelWork& other : kernels_)
          if (has(stream.tasks, system_.graph[other.node].task)) {
            company.any = true;
            if (gpu::fits(*profile_.multiprocessors, other.block, kernel.block) &&
                (most == nullptr || other.issues() > most->issues()))
              most = &other;
          }
        const std::int64_t blocks = most == nullptr ? 0 : std::min(most->blocks, room / most->warps);
        if (blocks == 0) continue;
        company.resident.push_back(nvidia::warps_of(most->instructions, most->warps * blocks, most->budget));
        room -= most->warps * blocks;
      }
    }
    return company;
  }

  bool resolve(const KernelWork& kernel, Company company) {
    nvidia::BlockPlace place;
    place.limits = *profile_.multiprocessors;
    place.warps = kernel.warps;
    place.blocks = kernel.blocks;
    place.even = kernel.even;
    place.in_rounds = kernel.in_rounds;
    place.policy = policy_;
    place.pipelines = pipelines_;
    place.budget = kernel.budget;
    place.by_policy = company.any;
    const char* const longer = !company.resident.empty() ? "; beside kernels of other streams it may take longer"
                               : kernel.in_rounds && kernel.blocks > 1
                                   ? "; beside blocks that start at another time it may take longer"
                                   : "";
    place.company = std::move(company.resident);
    const auto cycles = nvidia::block_cycles(kernel.instructions, place);
    if (!cycles) {
      error(kernel.node, cycles.error());
      return false;
    }
    Ticks ticks;
    ticks.extended.push_back(
        {system_.platform.units[unit_].definition, Cycles{cycles->best, cycles->average, cycles->worst}});
    std::get<Kernel>(system_.graph[kernel.node].activity).ticks = std::move(ticks);
    diagnostics_.add(
        "AM0510", Severity::note,
        fmt::format("a block of kernel \"{}\" takes {} to {} cycles, {} of them on an SM at a time{}{}",
                    system_.graph[kernel.node].name, cycles->best, cycles->worst, kernel.blocks,
                    cycles->seen < cycles->worst
                        ? fmt::format("; the longest is not known exactly, it is at least {}", cycles->seen)
                        : "",
                    longer),
        written(kernel.node).location);
    return true;
  }

  System& system_;
  UnitIndex unit_;
  const DeviceProfile& profile_;
  Diagnostics& diagnostics_;
  const nvidia::WarpPolicy* policy_ = nullptr;
  const nvidia::WarpPipelines* pipelines_ = nullptr;
  std::vector<KernelWork> kernels_;
};

}  // namespace

std::map<NodeIndex, nvidia::BlockWarps> simulated_warps(const System& system, UnitIndex unit,
                                                        const DeviceProfile& profile) {
  std::map<NodeIndex, nvidia::BlockWarps> found;
  const ProcessingUnit& gpu = system.platform.units[unit];
  if (!profile.multiprocessors || profile.amd || gpu.frequency.is_zero()) return found;
  const auto instructions_of = [&](NodeIndex node) -> const KernelInstructions* {
    const auto* kernel = std::get_if<Kernel>(&system.graph[node].activity);
    return kernel != nullptr && kernel->launch && kernel->instructions ? &*kernel->instructions : nullptr;
  };
  for (const GpuContext& context : contexts_on(system, unit, profile)) {
    std::map<TaskIndex, std::size_t> stream_of;
    for (std::size_t stream = 0; stream < context.streams.size(); ++stream)
      for (const TaskIndex task : context.streams[stream].tasks) stream_of[task] = stream;
    std::vector<std::pair<std::size_t, NodeIndex>> kernels;  // and their streams
    for (NodeIndex node = 0; node < system.graph.size(); ++node) {
      const auto stream = stream_of.find(system.graph[node].task);
      if (stream != stream_of.end() && instructions_of(node) != nullptr) kernels.emplace_back(stream->second, node);
    }
    for (const auto& [stream, node] : kernels) {
      const auto instructions = nvidia::parse_block_instructions(instructions_of(node)->text);
      const auto plan = gpu::plan_launch(*std::get<Kernel>(system.graph[node].activity).launch, profile);
      const bool is_shared =
          std::any_of(kernels.begin(), kernels.end(), [own = stream](const auto& other) { return other.first != own; });
      if (!instructions || !plan || (std::holds_alternative<nvidia::makespan::Kernel>(*instructions) && !is_shared))
        continue;
      found[node] = {nvidia::warps_of(*instructions, plan->block.warps, instructions_of(node)->budget),
                     nvidia::find_warp_policy(gpu.warp_policy.empty() ? "gto" : gpu.warp_policy),
                     nvidia::find_warp_pipelines(gpu.warp_pipelines.empty() ? "free" : gpu.warp_pipelines),
                     profile.multiprocessors->warp_schedulers,
                     gpu.frequency.millihertz(),
                     1'000'000'000'000'000};  // 1000 s
    }
  }
  return found;
}

tl::expected<BlocksOnSm, std::string> blocks_on_sm(const Task& task, const Launch& launch,
                                                   const DeviceProfile& profile) {
  const auto plan = gpu::plan_launch(launch, profile);
  if (!plan) return tl::unexpected(plan.error());
  const std::int64_t enabled = nvidia::enabled_sms(nvidia::mask_of(task, launch), profile);
  const std::int64_t sms = enabled > 0 ? enabled : profile.multiprocessors->sms;
  const std::int64_t per_sm = detail::divide(launch.blocks, sms, Rounding::up);
  BlocksOnSm blocks{plan->block, plan->per_sm};
  blocks.together = std::min({plan->per_sm, per_sm, std::max<std::int64_t>(1, nvidia::max_warps / plan->block.warps)});
  blocks.even = launch.blocks % sms == 0;
  blocks.in_rounds = per_sm > blocks.together;
  return blocks;
}

bool resolve_instructions(System& system, const DeviceProfile* profile, Diagnostics& diagnostics) {
  bool all_resolved = true;
  const std::vector<const DeviceProfile*> devices = choose_devices(system, profile).profiles;
  for (UnitIndex unit = 0; unit < devices.size(); ++unit) {
    std::vector<NodeIndex> nodes;
    for (NodeIndex node = 0; node < system.graph.size(); ++node) {
      const auto* kernel = std::get_if<Kernel>(&system.graph[node].activity);
      if (kernel != nullptr && kernel->instructions && system.tasks[system.graph[node].task].unit == unit)
        nodes.push_back(node);
    }
    if (nodes.empty()) continue;
    if (devices[unit] == nullptr) return true;  // the analysis reports it
    all_resolved = Resolver(system, unit, *devices[unit], diagnostics).run(nodes) && all_resolved;
  }
  return all_resolved;
}

}  // namespace amalthea::engine
