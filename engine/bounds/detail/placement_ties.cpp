// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/placement_ties.hpp"

#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/sm_mask.hpp"
#include "engine/program/kernel_instructions.hpp"

namespace amalthea::engine::bounds {

PlacementTies::PlacementTies(const AnalyzedSystem& subject, const std::vector<TaskIndex>& part) : subject_(subject) {
  std::map<UnitIndex, gpu::SmUse> needs;
  for (const TaskIndex task : part)
    for (std::size_t step = 0; !subject.is_host(task) && step < subject.steps(task).size(); ++step) {
      if (subject.step({task, step}).kind != StepKind::kernel) continue;
      const Kernel& kernel = subject.activity<Kernel>({task, step});
      const UnitIndex unit = subject.task(task).unit;
      const DeviceProfile& profile = *subject.devices[unit];
      if (!kernel.launch || !profile.multiprocessors) continue;
      const auto blocks = blocks_on_sm(subject.task(task), *kernel.launch, profile);
      if (!blocks) continue;
      auto& [limits, sms, matters] = gpus_[unit];
      if (sms.empty()) {
        limits = *profile.multiprocessors;
        sms.resize(static_cast<std::size_t>(limits.sms));
      }
      if (kernel.memory_intensity > 0 &&
          profile.interference.kernel_by_same_gpc != profile.interference.kernel_by_other_gpc) {
        matters = true;
        for (std::size_t sm = 0; sm < sms.size(); ++sm)
          sms[sm].cluster = nvidia::gpc_of(limits, static_cast<gpu::SmIndex>(sm));
      }
      matters = matters || needs.emplace(unit, blocks->block).first->second != blocks->block;
      Blocks& added = kernels_[{task, step}];
      added.use = blocks->block;
      const auto mask = nvidia::parse_tpc_mask(nvidia::mask_of(subject.task(task), *kernel.launch), limits);
      if (!mask) continue;
      added.mask = mask->bits;
      matters = true;
      for (std::size_t sm = 0; sm < sms.size(); ++sm) sms[sm].masks.push_back(mask->bits[sm]);
    }
}

void PlacementTies::block(const BlockChange& change) {
  const auto kernel = kernels_.find({change.task, change.step});
  if (kernel == kernels_.end() || found_) return;
  Gpu& gpu = gpus_.at(subject_.task(change.task).unit);
  if (!gpu.matters) return;
  Sm& sm = gpu.sms[change.sm];
  if (!change.begins) {
    sm.use -= kernel->second.use;
    sm.blocks.erase(sm.blocks.lower_bound({change.task, change.step, Instant{}}));  // all take as long: the earliest
    return;
  }
  found_ = may_choose_another(gpu, sm, kernel->second);
  sm.use += kernel->second.use;
  sm.blocks.emplace(change.task, change.step, change.now);
}

bool PlacementTies::are_alike(const Gpu& gpu, const Sm& a, const Sm& b) {
  if (a.blocks != b.blocks || a.masks != b.masks) return false;
  if (a.cluster == b.cluster) return true;
  const auto of_cluster = [&](std::int64_t cluster) {
    std::multiset<std::pair<decltype(a.blocks), std::vector<bool>>> sms;
    for (const Sm& sm : gpu.sms)
      if (sm.cluster == cluster) sms.emplace(sm.blocks, sm.masks);
    return sms;
  };
  return of_cluster(a.cluster) == of_cluster(b.cluster);
}

bool PlacementTies::may_choose_another(const Gpu& gpu, const Sm& chosen, const Blocks& kernel) const {
  const auto room = [&](const Sm& sm) { return (gpu.limits.max_warps() - sm.use.warps) / kernel.use.warps; };
  for (std::size_t index = 0; index < gpu.sms.size(); ++index) {
    const Sm& other = gpu.sms[index];
    if (!kernel.mask.empty() && !kernel.mask[index]) continue;
    if (room(other) != room(chosen) || !gpu::fits(gpu.limits, other.use, kernel.use)) continue;
    if (!are_alike(gpu, other, chosen)) return true;
  }
  return false;
}

}  // namespace amalthea::engine::bounds
