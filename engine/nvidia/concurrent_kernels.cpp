// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/concurrent_kernels.hpp"

#include <algorithm>
#include <map>

namespace amalthea::engine::nvidia {
namespace {

/// Cycles after which the warps have ended, whatever the policy does: some warp always makes progress.
std::int64_t most_cycles(const WarpKernel& kernel, const WarpPipelines& pipelines) {
  std::int64_t cycles = 0;
  for (const WarpInstruction& instruction : kernel.program)
    cycles += std::max(
        {std::int64_t{1}, instruction.latency, pipelines.uses[static_cast<std::size_t>(instruction.unit)].cycles});
  return cycles * kernel.warps;
}

}  // namespace

tl::expected<std::int64_t, std::string> cycles_beside_others(const std::vector<ConcurrentKernel>& kernels,
                                                             std::size_t of, const WarpScheduling& scheduling) {
  struct Resident {
    std::size_t index = 0;
    WarpKernel warps;
  };
  const auto resident = [&](std::size_t index, std::int64_t room) {
    const ConcurrentKernel& kernel = kernels[index];
    const std::int64_t blocks = std::min(kernel.blocks, room / kernel.warps);
    return Resident{index, warps_of(kernel.instructions, blocks * kernel.warps, kernel.budget)};
  };
  const auto instructions = [](const Resident& kernel) {
    return kernel.warps.warps * static_cast<std::int64_t>(kernel.warps.program.size());
  };
  std::int64_t room = std::min(scheduling.warps, max_warps);
  std::vector<Resident> chosen = {resident(of, room)};
  room -= chosen.front().warps.warps;

  std::map<std::size_t, Resident> most;  // by stream
  for (std::size_t index = 0; index < kernels.size(); ++index) {
    const ConcurrentKernel& kernel = kernels[index];
    if (kernel.context != kernels[of].context || kernel.stream == kernels[of].stream) continue;
    Resident other = resident(index, max_warps);
    const auto [at, is_new] = most.try_emplace(kernel.stream, other);
    if (!is_new && instructions(other) > instructions(at->second)) at->second = std::move(other);
  }
  std::int64_t longest = most_cycles(chosen.front().warps, *scheduling.pipelines);
  for (const auto& [stream, other] : most) longest += most_cycles(other.warps, *scheduling.pipelines);
  std::int64_t occupied = kernels[of].sms;
  for (const auto& [stream, other] : most) {
    const std::int64_t apart = kernels[other.index].start - kernels[of].start;
    if (apart > longest || -apart > longest) continue;
    occupied += kernels[other.index].sms;
    if (occupied <= scheduling.sms || room < kernels[other.index].warps) continue;
    chosen.push_back(resident(other.index, room));
    room -= chosen.back().warps.warps;
  }

  // Warps are numbered by the age of their kernels, whichever kernel the question is about.
  const auto age = [&](const Resident& kernel) { return std::pair(kernels[kernel.index].start, kernel.index); };
  std::sort(chosen.begin(), chosen.end(), [&](const Resident& a, const Resident& b) { return age(a) < age(b); });
  WarpScenario scenario;
  scenario.policy = scheduling.policy;
  scenario.pipelines = scheduling.pipelines;
  scenario.sub_cores = scheduling.sub_cores;
  std::size_t own = 0;
  for (Resident& kernel : chosen) {
    if (kernel.index == of) own = scenario.kernels.size();
    kernel.warps.release = kernels[kernel.index].start - kernels[chosen.front().index].start;
    scenario.kernels.push_back(std::move(kernel.warps));
  }
  const auto run = run_warps(scenario);
  if (!run) return tl::unexpected(run.error());
  return run->kernels[own].response;
}

}  // namespace amalthea::engine::nvidia
