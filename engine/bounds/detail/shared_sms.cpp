// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/shared_sms.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <variant>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/nvidia/block_time.hpp"
#include "engine/nvidia/shared_warps.hpp"
#include "engine/nvidia/sm_mask.hpp"
#include "engine/program/kernel_instructions.hpp"

namespace amalthea::engine::bounds {
namespace {

/// Above this, pairs of kernels would take too long.
constexpr std::size_t most_kernels = 500;

struct ContextKernel {
  TaskStep step;
  std::size_t stream = 0;
  const Kernel* kernel = nullptr;
  std::optional<BlocksOnSm> blocks = {};  ///< nothing: its blocks are not placed on SMs
};

class KernelsOfContext {
 public:
  KernelsOfContext(const AnalyzedSystem& subject, const std::vector<Activations>& activations, const Offloads& offloads,
                   const GpuContext& context)
      : subject_(subject), activations_(activations), offloads_(offloads), context_(context) {
    for (std::size_t stream = 0; stream < context.streams.size(); ++stream)
      for (const TaskIndex task : context.streams[stream].tasks)
        for (std::size_t step = 0; activations[task].any() && step < subject.steps(task).size(); ++step)
          if (subject.step({task, step}).kind == StepKind::kernel) add({task, step}, stream);
  }

  SharedSms run() {
    SharedSms found;
    const std::string meeting = first_meeting();
    if (meeting.empty()) return found;
    found.compete = true;
    const std::string obstacle = first_obstacle();
    if (!obstacle.empty()) {
      found.fault =
          fmt::format("{}, and {}; no bound is known for the time of their instructions then", meeting, obstacle);
      return found;
    }
    subject_.taken.add(kernels_.size() * kernels_.size());
    found.delays = delays();
    for (const ContextKernel& kernel : kernels_) found.kernels.push_back(kernel.step);
    found.fault = too_long(found.delays.front());
    return found;
  }

 private:
  const std::string& name(const ContextKernel& kernel) const { return subject_.name(kernel.step.task); }
  const DeviceProfile& profile() const { return *subject_.devices[unit()]; }
  UnitIndex unit() const { return subject_.task(context_.tasks.front()).unit; }
  /// Of a kernel with a launch configuration.
  const std::string& mask_of(const ContextKernel& kernel) const {
    return nvidia::mask_of(subject_.task(kernel.step.task), *kernel.kernel->launch);
  }

  void add(TaskStep step, std::size_t stream) {
    ContextKernel& added = kernels_.emplace_back(ContextKernel{step, stream, &subject_.activity<Kernel>(step)});
    if (!added.kernel->launch) return;
    if (auto blocks = blocks_on_sm(subject_.task(step.task), *added.kernel->launch, profile())) added.blocks = *blocks;
  }

  /// The blocks of a kernel with instructions that share an SM with others; "" if there are none.
  std::string first_meeting() const {
    for (const ContextKernel& kernel : kernels_) {
      if (!kernel.blocks || !kernel.kernel->instructions) continue;
      if (kernel.blocks->in_rounds && kernel.blocks->together > 1)
        return fmt::format("blocks of {} start on an SM while others execute", name(kernel));
      for (const ContextKernel& other : kernels_)
        if (other.blocks && other.stream != kernel.stream && may_meet(kernel, other))
          return fmt::format("blocks of {} may share an SM with blocks of {}", name(kernel), name(other));
    }
    return {};
  }

  /// Why shared_warps.hpp does not apply; "" if it does.
  std::string first_obstacle() const {
    const std::string& gpu = subject_.system.platform.units[unit()].name;
    if (profile().preemption != gpu::Preemption::instruction)
      return fmt::format("slices on {} end only after blocks or kernels", gpu);
    if (context_.has_barriers())
      return fmt::format("their process on {} has a NULL stream, or copies pageable memory, beside other streams", gpu);
    if (kernels_.size() > most_kernels) return fmt::format("their process has more than {} kernels", most_kernels);
    for (const ContextKernel& kernel : kernels_) {
      if (!kernel.blocks) return fmt::format("{}, in the same process, has a kernel without gpu.block", name(kernel));
      if (kernel.kernel->launch->cache_config != kernels_.front().kernel->launch->cache_config)
        return fmt::format("{} and {}, in the same process, have different cache configurations",
                           name(kernels_.front()), name(kernel));
    }
    return {};
  }

  std::vector<gpu::KernelDelays> delays() const {
    const ProcessingUnit& gpu = subject_.system.platform.units[unit()];
    nvidia::SharedSm sm{*profile().multiprocessors,
                        nvidia::find_warp_pipelines(gpu.warp_pipelines.empty() ? "free" : gpu.warp_pipelines),
                        gpu.frequency,
                        gpu.warp_policy.empty() || gpu.warp_policy == "gto",
                        {}};
    std::vector<nvidia::SharingKernel> sharing;
    for (const ContextKernel& kernel : kernels_) sharing.push_back(sharing_kernel(kernel));
    std::vector<gpu::KernelDelays> found = nvidia::shared_warp_delays(sm, sharing);
    if (serves_other_processes()) count_whole_jobs(found);
    if (!use_letters(sm, sharing)) return found;
    // The SM chooses among their instructions. A simulation lets the warp policy do so, or takes their ticks. Each delay
    // is one between two kernels, so the largest covers all mixtures.
    found.resize(1);
    found.front().forget_ends();
    raise(found.front(), nvidia::shared_warp_delays(sm, sharing).front());
    if (has_several_streams_with_instructions()) return found;
    for (nvidia::SharingKernel& kernel : sharing) kernel.letters = {};
    raise(found.front(), nvidia::shared_warp_delays(sm, sharing).front());
    return found;
  }

  bool serves_other_processes() const {
    for (TaskIndex task = 0; task < subject_.tasks(); ++task)
      if (!subject_.is_host(task) && subject_.task(task).unit == unit() && activations_[task].any() &&
          std::find(context_.tasks.begin(), context_.tasks.end(), task) == context_.tasks.end())
        return true;
    return false;
  }

  /// What counts a part of a job, or the wait once, is proven for a process that has the GPU to itself.
  static void count_whole_jobs(std::vector<gpu::KernelDelays>& ways) {
    ways.erase(
        std::remove_if(ways.begin(), ways.end(), [](const auto& way) { return way.single || !way.front.empty(); }),
        ways.end());
    for (gpu::KernelDelays& way : ways) way.forget_ends();
  }

  static void raise(gpu::KernelDelays& delays, const gpu::KernelDelays& other) {
    for (std::size_t kernel = 0; kernel < delays.own.size(); ++kernel) {
      delays.own[kernel] = std::max(delays.own[kernel], other.own[kernel]);
      for (std::size_t by = 0; by < delays.own.size(); ++by)
        delays.by[kernel][by] = std::max(delays.by[kernel][by], other.by[kernel][by]);
    }
  }

  bool has_several_streams_with_instructions() const {
    std::set<std::size_t> streams;
    for (const ContextKernel& kernel : kernels_)
      if (kernel.kernel->instructions) streams.insert(kernel.stream);
    return streams.size() > 1;
  }

  nvidia::SharingKernel sharing_kernel(const ContextKernel& kernel) const {
    const TaskIndex task = kernel.step.task;
    nvidia::SharingKernel added;
    added.task = offloads_.beside[task] ? task : offloads_.driver[task].value_or(task);
    added.stream = kernel.stream;
    added.host = offloads_.driver[task].value_or(task);
    added.block = kernel.blocks->block;
    added.blocks = kernel.kernel->launch->blocks;
    added.time = std::max(longest_block(subject_, kernel.step), Duration::picoseconds(1));
    if (const auto mask = nvidia::parse_tpc_mask(mask_of(kernel), *profile().multiprocessors)) added.mask = mask->bits;
    if (const auto& stated = kernel.kernel->instructions)
      if (const auto parsed = nvidia::parse_block_instructions(stated->text))
        added.instructions = nvidia::warps_of(*parsed, 1, 1).program;
    return added;
  }

  /// Lets the SM choose among the instructions of kernels with letters; false if there are none.
  bool use_letters(nvidia::SharedSm& sm, std::vector<nvidia::SharingKernel>& sharing) const {
    for (std::size_t index = 0; index < sharing.size(); ++index) {
      const auto& instructions = kernels_[index].kernel->instructions;
      if (!instructions || has_latencies(*kernels_[index].kernel)) continue;
      const auto letters = std::get<nvidia::makespan::Kernel>(*nvidia::parse_block_instructions(instructions->text));
      const auto problem = nvidia::problem_of(letters, *profile().multiprocessors, 1).value();
      // A unit that other kernels lack does not limit them.
      nvidia::LetterUnits& units = sm.units ? *sm.units : sm.units.emplace();
      units.schedulers = problem.schedulers;
      for (const nvidia::makespan::Unit unit : problem.kernel) {
        ++sharing[index].letters[static_cast<std::size_t>(unit)];
        units.capacity[static_cast<std::size_t>(unit)] = problem.capacity_of(unit);
      }
    }
    return sm.units.has_value();
  }

  /// Whether all operations of a task take longer than the analysis can count.
  std::string too_long(const gpu::KernelDelays& delays) const {
    for (const TaskIndex task : context_.tasks) {
      detail::Int128 total = operations_of(subject_, task).worst.picoseconds();
      for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel)
        if (kernels_[kernel].step.task == task) total += delays.own[kernel].picoseconds();
      if (total >= nvidia::longest_analyzed.picoseconds())
        return fmt::format("{} may take {} or more", subject_.name(task), format_duration(nvidia::longest_analyzed));
    }
    return {};
  }

  bool may_meet(const ContextKernel& kernel, const ContextKernel& other) const {
    const auto& host = offloads_.driver[kernel.step.task];
    if (host && host == offloads_.driver[other.step.task] && !offloads_.beside[kernel.step.task] &&
        !offloads_.beside[other.step.task])
      return false;
    if (kernel.kernel->launch->cache_config != other.kernel->launch->cache_config) return false;
    if (have_separate_sms(mask_of(kernel), mask_of(other), profile())) return false;
    // Even then, the other kernel may delay some blocks of this one, so that they do not start together.
    return gpu::fits(*profile().multiprocessors, other.blocks->block, kernel.blocks->block) ||
           std::min(kernel.blocks->fit, kernel.kernel->launch->blocks) > 1;
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
  const std::vector<Activations>& activations_;
  const Offloads& offloads_;
  const GpuContext& context_;
  std::vector<ContextKernel> kernels_;
};

}  // namespace

bool has_latencies(const Kernel& kernel) {
  if (!kernel.instructions) return false;
  const auto parsed = nvidia::parse_block_instructions(kernel.instructions->text);
  return parsed && std::holds_alternative<std::vector<nvidia::WarpInstruction>>(*parsed);
}

SharedSms shared_sms(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                     const Offloads& offloads, const GpuContext& context) {
  return KernelsOfContext(subject, activations, offloads, context).run();
}

}  // namespace amalthea::engine::bounds
