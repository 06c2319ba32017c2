// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/contention.hpp"

#include <algorithm>
#include <cmath>

namespace amalthea::engine::nvidia {
namespace {

/// Of bounds over the largest measured value: the errors of the memory model stay below it for kernels beside CPUs.
constexpr double margin = 1.1;

Slowdown slowdown_of(double factor) { return {std::max<std::int64_t>(1'000'000, std::llround(factor * 1e6))}; }

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

double part_of(std::int64_t count, std::int64_t full) {
  return std::min(1.0, static_cast<double>(count) / static_cast<double>(full));
}

bool covers(const MeasuredCase& measured, const MemoryKernel& kernel) {
  return kernel.pattern == measured.pattern && kernel.location == measured.location &&
         kernel.footprint <= measured.footprint && kernel.threads <= measured.threads &&
         kernel.blocks <= measured.blocks;
}

}  // namespace

ContentionLaw::ContentionLaw(const DeviceProfile& profile)
    : table_(profile.interference), cases_(profile.measured_cases), constant_traffic_(profile.cpu_traffic) {
  if (!profile.multiprocessors) return;
  limits_ = *profile.multiprocessors;
  parameters_ = profile.measured_memory;
}

// ---- now

double ContentionLaw::cpu_share(const Neighbourhood& beside) const {
  const std::int64_t cores = beside.cpu.kind == CpuTrafficKind::none ? 0 : beside.cpu.cores;
  return std::max(constant_traffic_, part_of(cores, table_.accessing_cores));
}

/// The share of the footprint that cannot be in the L2.
double ContentionLaw::beyond_l2(const KernelMemory* memory) const {
  const double capacity = parameters_ ? parameters_->l2_capacity * 1024 : static_cast<double>(table_.l2_cache);
  if (memory == nullptr || memory->footprint == 0 || capacity == 0) return 1;
  if (memory->described && memory->described->location == MemoryLocation::zero_copy) return 1;
  return std::max(0.0, 1 - capacity / static_cast<double>(memory->footprint));
}

bool ContentionLaw::can_predict(const std::vector<RunningKernel>& kernels) const {
  return parameters_ && std::all_of(kernels.begin(), kernels.end(), [](const RunningKernel& kernel) {
           return kernel.memory != nullptr && kernel.memory->described;
         });
}

Interference ContentionLaw::predicted(const Neighbourhood& beside, std::size_t victim) const {
  const auto resident = [&](std::size_t index) {
    return ResidentKernel{&*beside.kernels[index].memory->described, beside.kernels[index].blocks_on_sm};
  };
  std::vector<ResidentKernel> others;
  std::vector<std::size_t> index_of;
  for (std::size_t index = 0; index < beside.kernels.size(); ++index) {
    if (index == victim) continue;
    others.push_back(resident(index));
    index_of.push_back(index);
  }
  CpuTraffic cpu = beside.cpu;
  cpu.cores = std::min(cpu.cores, static_cast<std::int64_t>(parameters_->cpu_cores));
  const InterferencePrediction prediction = predict_interference(*parameters_, resident(victim), others, cpu);
  Interference found;
  found.slowdown = slowdown_of(prediction.memory_slowdown);
  std::vector<double> by_kernel(others.size());
  double largest = 0;
  for (const InterferencePart& part : prediction.parts) {
    const bool cpus = part.cause == InterferenceCause::cpu_traffic;
    if (!part.other && !cpus) continue;
    const double sum = cpus ? part.cycles : by_kernel[*part.other] += part.cycles;
    if (sum <= largest) continue;
    largest = sum;
    found.by = cpus ? Aggressor::cpu : Aggressor::kernel;
    found.index = cpus ? 0 : index_of[*part.other];
  }
  return found.by == Aggressor::none ? Interference{} : found;
}

Interference ContentionLaw::on_kernel(const Neighbourhood& beside, std::size_t victim, std::size_t gpc) const {
  const RunningKernel& kernel = beside.kernels[victim];
  Interference worst;
  const double copies = part_of(beside.copying_processes, table_.copying_processes) * beyond_l2(kernel.memory);
  if (beside.memset) worsen(worst, weigh(table_.kernel_by_memset, copies), Aggressor::copy, *beside.memset);
  if (beside.memcpy) worsen(worst, weigh(table_.kernel_by_memcpy, copies), Aggressor::copy, *beside.memcpy);
  if (can_predict(beside.kernels)) {
    const Interference found = predicted(beside, victim);
    worsen(worst, found.slowdown, found.by, found.index);
    worsen(worst, weigh(table_.kernel_by_cpu, constant_traffic_), Aggressor::cpu, 0);
  } else {
    Crowd same, other;
    for (std::size_t index = 0; index < beside.kernels.size(); ++index) {
      const RunningKernel& aggressor = beside.kernels[index];
      if (index == victim) continue;
      if (aggressor.blocks[gpc] > 0)
        same.add(index, aggressor.memory_share);
      else if (std::any_of(aggressor.blocks.begin(), aggressor.blocks.end(),
                           [](std::int64_t blocks) { return blocks > 0; }))
        other.add(index, aggressor.memory_share);
    }
    // A measured profile's factors of kernels are those of its measured footprint; others grow with it (Figure 9).
    const double part = parameters_ ? 1 : beyond_l2(kernel.memory);
    worsen(worst, weigh(table_.kernel_by_same_gpc, same.share * part), Aggressor::kernel, same.heaviest);
    worsen(worst, weigh(table_.kernel_by_other_gpc, other.share * part), Aggressor::kernel, other.heaviest);
    worsen(worst, weigh(table_.kernel_by_cpu, cpu_share(beside)), Aggressor::cpu, 0);
  }
  worst.slowdown = weigh(worst.slowdown, kernel.memory_share);
  return worst.slowdown == Slowdown{} ? Interference{} : worst;
}

Interference ContentionLaw::on_copy(const Neighbourhood& beside) const {
  Crowd kernels;
  for (std::size_t index = 0; index < beside.kernels.size(); ++index)
    kernels.add(index, beside.kernels[index].memory_share);
  Interference worst;
  worsen(worst, weigh(table_.copy_by_kernel, kernels.share), Aggressor::kernel, kernels.heaviest);
  worsen(worst, weigh(table_.copy_by_cpu, cpu_share(beside)), Aggressor::cpu, 0);
  return worst;
}

// ---- at worst

ContentionBasis ContentionLaw::basis_of(const KernelMemory& kernel) const {
  return parameters_ && kernel.described ? ContentionBasis::measured : ContentionBasis::table;
}

double ContentionLaw::largest_prediction(const MemoryKernel& kernel) const {
  double largest = 1;
  const auto cores = static_cast<std::int64_t>(parameters_->cpu_cores);
  for (const CpuTrafficKind kind : {CpuTrafficKind::random, CpuTrafficKind::sequential})
    if (const auto found = predict_interference(*parameters_, limits_, kernel, {}, {kind, cores}))
      largest = std::max(largest, found->memory_slowdown);
  return largest;
}

/// Including the rounding of slowdowns in the simulation.
double ContentionLaw::worst_prediction(const MemoryKernel& kernel, const std::vector<const MemoryKernel*>& others,
                                       bool cpu_traffic) const {
  constexpr double rounding = 1e-6;
  double largest = largest_slowdown(*parameters_, limits_, kernel, others, {});
  const auto cores = static_cast<std::int64_t>(parameters_->cpu_cores);
  if (cpu_traffic)
    for (const CpuTrafficKind kind : {CpuTrafficKind::random, CpuTrafficKind::sequential})
      largest = std::max(largest, largest_slowdown(*parameters_, limits_, kernel, others, {kind, cores}));
  return largest > 1 ? largest + rounding : largest;
}

/// With too many choices of one kernel from each stream, all kernels count together, which is worse than any choice.
double ContentionLaw::worst_prediction(const MemoryKernel& kernel,
                                       const std::vector<std::vector<const MemoryKernel*>>& streams,
                                       bool cpu_traffic) const {
  constexpr std::size_t most_choices = 32;
  std::size_t choices = 1;
  std::vector<const MemoryKernel*> all;
  for (const auto& stream : streams) {
    choices = std::min(most_choices + 1, choices * stream.size());
    all.insert(all.end(), stream.begin(), stream.end());
  }
  if (choices > most_choices) return worst_prediction(kernel, all, cpu_traffic);
  double worst = 1;
  for (std::size_t choice = 0; choice < choices; ++choice) {
    std::vector<const MemoryKernel*> others;
    std::size_t rest = choice;
    for (const auto& stream : streams) {
      others.push_back(stream[rest % stream.size()]);
      rest /= stream.size();
    }
    worst = std::max(worst, worst_prediction(kernel, others, cpu_traffic));
  }
  return worst;
}

WorstSlowdown ContentionLaw::worst_by_cpu(const KernelMemory& kernel, double memory_share) const {
  WorstSlowdown worst{table_.kernel_by_cpu, ContentionBasis::table};
  if (basis_of(kernel) == ContentionBasis::measured) {
    std::optional<Slowdown> largest;
    for (const MeasuredCase& measured : cases_)
      if (covers(measured, *kernel.described) && (!largest || measured.by_cpu < *largest)) largest = measured.by_cpu;
    if (largest) worst = {slowdown_of(static_cast<double>(largest->ppm) * margin / 1e6), ContentionBasis::measured};
    worst.slowdown =
        std::max({worst.slowdown, slowdown_of(margin * largest_prediction(*kernel.described)),
                  slowdown_of(worst_prediction(*kernel.described, std::vector<const MemoryKernel*>{}, true))});
  }
  worst.slowdown = weigh(worst.slowdown, memory_share);
  return worst;
}

WorstSlowdown ContentionLaw::worst_by_kernels(const KernelMemory& kernel, double memory_share,
                                              const std::vector<std::vector<KernelInUse>>& streams,
                                              bool cpu_traffic) const {
  double shares = 0;
  std::vector<std::vector<const MemoryKernel*>> described;
  for (const auto& stream : streams) {
    double largest = 0;
    std::vector<const MemoryKernel*> kernels;
    for (const KernelInUse& other : stream) {
      if (other.memory_share <= 0) continue;
      largest = std::max(largest, other.memory_share);
      if (other.memory != nullptr && other.memory->described) kernels.push_back(&*other.memory->described);
    }
    shares = std::min(1.0, shares + largest);
    if (!kernels.empty()) described.push_back(std::move(kernels));
  }
  // No measured case covers several kernels; the table and the predictions do.
  WorstSlowdown worst{weigh(std::max(table_.kernel_by_same_gpc, table_.kernel_by_other_gpc), shares),
                      ContentionBasis::table};
  if (cpu_traffic) worst.slowdown = std::max(worst.slowdown, table_.kernel_by_cpu);
  if (basis_of(kernel) == ContentionBasis::measured)
    worst.slowdown = std::max(worst.slowdown, slowdown_of(worst_prediction(*kernel.described, described, cpu_traffic)));
  worst.slowdown = weigh(worst.slowdown, memory_share);
  return worst;
}

}  // namespace amalthea::engine::nvidia
