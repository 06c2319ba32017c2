// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/shared_sms.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/core.h>

#include "engine/bounds/detail/step_times.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/nvidia/sm_mask.hpp"
#include "engine/program/kernel_instructions.hpp"

namespace amalthea::engine::bounds {
namespace {

/// A kernel whose blocks are placed on SMs.
struct PlacedKernel {
  TaskIndex task = 0;
  const Kernel* kernel = nullptr;
  BlocksOnSm blocks;
};

class SharedSms {
 public:
  SharedSms(const AnalyzedSystem& subject, const Offloads& offloads) : subject_(subject), offloads_(offloads) {}

  std::string fault(const std::vector<std::vector<PlacedKernel>>& streams) const {
    for (std::size_t own = 0; own < streams.size(); ++own)
      for (const PlacedKernel& kernel : streams[own]) {
        if (!kernel.kernel->instructions) continue;
        if (kernel.blocks.in_rounds && kernel.blocks.together > 1)
          return fmt::format(
              "blocks of {} start on an SM while others execute; no bound is known for the time of their instructions "
              "then",
              name(kernel));
        for (std::size_t stream = 0; stream < streams.size(); ++stream)
          for (const PlacedKernel& other : streams[stream])
            if (stream != own && may_meet(kernel, other))
              return fmt::format(
                  "blocks of {} may share an SM with blocks of {}; no bound is known for the time of their "
                  "instructions then",
                  name(kernel), name(other));
      }
    return {};
  }

 private:
  const std::string& name(const PlacedKernel& kernel) const { return subject_.name(kernel.task); }

  bool may_meet(const PlacedKernel& kernel, const PlacedKernel& other) const {
    const auto& host = offloads_.driver[kernel.task];
    if (host && host == offloads_.driver[other.task] && !offloads_.beside[kernel.task] && !offloads_.beside[other.task])
      return false;
    if (kernel.kernel->launch->cache_config != other.kernel->launch->cache_config) return false;
    const DeviceProfile& profile = *subject_.devices[subject_.task(kernel.task).unit];
    const auto mask = [&](const PlacedKernel& one) {
      return nvidia::mask_of(subject_.task(one.task), *one.kernel->launch);
    };
    if (have_separate_sms(mask(kernel), mask(other), profile)) return false;
    // Even then, the other kernel may delay some blocks of this one, so that they do not start together.
    return gpu::fits(*profile.multiprocessors, other.blocks.block, kernel.blocks.block) ||
           std::min(kernel.blocks.fit, kernel.kernel->launch->blocks) > 1;
  }

  static bool have_separate_sms(const std::string& a, const std::string& b, const DeviceProfile& profile) {
    if (a.empty() || b.empty()) return false;
    const auto first = nvidia::parse_tpc_mask(a, *profile.multiprocessors),
               second = nvidia::parse_tpc_mask(b, *profile.multiprocessors);
    if (!first || !second) return false;
    for (std::size_t sm = 0; sm < first->bits.size(); ++sm)
      if (first->bits[sm] && second->bits[sm]) return false;
    return true;
  }

  const AnalyzedSystem& subject_;
  const Offloads& offloads_;
};

}  // namespace

std::string fault_of_shared_sms(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                                const Offloads& offloads, const GpuContext& context) {
  std::vector<std::vector<PlacedKernel>> streams;
  for (const GpuStream& stream : context.streams) {
    auto& kernels = streams.emplace_back();
    for (const TaskIndex task : stream.tasks) {
      const auto& steps = subject.steps(task);
      for (std::size_t step = 0; activations[task].any() && step < steps.size(); ++step) {
        if (steps[step].kind != StepKind::kernel) continue;
        const auto& kernel = subject.activity<Kernel>({task, step});
        if (!kernel.launch) continue;
        const auto blocks = blocks_on_sm(subject.task(task), *kernel.launch, *subject.devices[subject.task(task).unit]);
        if (blocks) kernels.push_back({task, &kernel, *blocks});
      }
    }
  }
  return SharedSms(subject, offloads).fault(streams);
}

}  // namespace amalthea::engine::bounds
