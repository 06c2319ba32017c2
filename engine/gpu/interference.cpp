// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/interference.hpp"

#include <algorithm>

namespace amalthea::engine::gpu {
namespace {

/// Several aggressors of one kind.
struct Crowd {
  double share = 0;
  std::size_t heaviest = 0;
  double heaviest_share = 0;

  void add(std::size_t index, double memory_share) {
    if (memory_share > heaviest_share) {
      heaviest = index;
      heaviest_share = memory_share;
    }
    share = std::min(1.0, share + memory_share);
  }
};

void worsen(Interference& worst, Slowdown slowdown, Aggressor by, std::size_t index) {
  if (slowdown > worst.slowdown) worst = {slowdown, by, index};
}

}  // namespace

Interference interference_on_kernel(const InterferenceTable& table, const Neighbourhood& beside, std::size_t victim,
                                    std::size_t gpc) {
  Crowd same, other;
  for (std::size_t index = 0; index < beside.kernels.size(); ++index) {
    const RunningKernel& kernel = beside.kernels[index];
    if (index == victim) continue;
    if (kernel.blocks[gpc] > 0)
      same.add(index, kernel.memory_share);
    else if (std::any_of(kernel.blocks.begin(), kernel.blocks.end(), [](std::int64_t blocks) { return blocks > 0; }))
      other.add(index, kernel.memory_share);
  }
  Interference worst;
  if (beside.memset) worsen(worst, table.kernel_by_memset, Aggressor::copy, *beside.memset);
  if (beside.memcpy) worsen(worst, table.kernel_by_memcpy, Aggressor::copy, *beside.memcpy);
  worsen(worst, weigh(table.kernel_by_same_gpc, same.share), Aggressor::kernel, same.heaviest);
  worsen(worst, weigh(table.kernel_by_other_gpc, other.share), Aggressor::kernel, other.heaviest);
  worsen(worst, weigh(table.kernel_by_cpu, beside.cpu_traffic), Aggressor::cpu, 0);
  worst.slowdown = weigh(worst.slowdown, beside.kernels[victim].memory_share);
  return worst.slowdown == Slowdown{} ? Interference{} : worst;
}

Interference interference_on_copy(const InterferenceTable& table, const Neighbourhood& beside) {
  Crowd kernels;
  for (std::size_t index = 0; index < beside.kernels.size(); ++index)
    kernels.add(index, beside.kernels[index].memory_share);
  Interference worst;
  worsen(worst, weigh(table.copy_by_kernel, kernels.share), Aggressor::kernel, kernels.heaviest);
  worsen(worst, weigh(table.copy_by_cpu, beside.cpu_traffic), Aggressor::cpu, 0);
  return worst;
}

}  // namespace amalthea::engine::gpu
