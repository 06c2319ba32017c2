// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/gpu_problem.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/bounds/detail/amd_kernels.hpp"
#include "engine/bounds/detail/places.hpp"
#include "engine/bounds/detail/shared_sms.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/nvidia/contention.hpp"
#include "engine/nvidia/sm_mask.hpp"

namespace amalthea::engine::bounds {
namespace {

/// `optional`: a job may leave it out.
nvidia::GpuSegment segment_of(const AnalyzedSystem& subject, const GpuProblem& gpu, TaskIndex device, bool optional) {
  const DeviceProfile& profile = *subject.devices[subject.task(device).unit];
  const nvidia::ContentionLaw law = profile.amd ? nvidia::ContentionLaw() : nvidia::ContentionLaw(profile);
  nvidia::GpuSegment segment;
  segment.stream = gpu.streams[device];
  for (std::size_t step = 0; step < subject.steps(device).size(); ++step) {
    const TaskStep task_step{device, step};
    if (!is_operation(subject.step(task_step))) continue;
    const Activity& activity = subject.activity(task_step);
    const Span span = span_of(subject, task_step);
    nvidia::GpuOperation& operation = segment.operations.emplace_back();
    operation.kind = gpu::kind_of(activity);
    operation.best = optional ? Duration{} : span.best;
    operation.worst = std::max(span.worst, Duration::picoseconds(1));
    operation.rounding = rounding_of(subject, task_step);
    const auto* kernel = std::get_if<Kernel>(&activity);
    operation.by_cpu = law.worst_of_copy_by_cpu();
    operation.always = law.always_on_copy();
    if (kernel == nullptr) continue;
    if (const auto at = gpu.overtaking.find({device, step}); at != gpu.overtaking.end()) operation.kernel = at->second;
    if (const auto at = gpu.alone.find({device, step}); at != gpu.alone.end()) operation.worst = at->second;
    const auto& context = gpu.problem.contexts[gpu.problem.streams[*segment.stream].context];
    if (!context.sharing.empty()) operation.worst = context.sharing.front().own[operation.kernel];
    operation.memory_share = kernel->memory_intensity;
    operation.memory = &*subject.step(task_step).memory;
    operation.has_warps = has_latencies(*kernel);
    operation.by_cpu = law.worst_by_cpu(*operation.memory, operation.memory_share).slowdown;
    operation.always = law.always_on_kernel(operation.memory_share);
    if (!subject.step(task_step).block) continue;
    operation.longest_block = std::clamp(longest_block(subject, task_step), Duration::picoseconds(1), operation.worst);
    operation.blocks = subject.step(task_step).blocks;
    operation.use = *subject.step(task_step).block;
    operation.cache_config = kernel->launch->cache_config;
    operation.sms = nvidia::enabled_sms(nvidia::mask_of(subject.task(device), *kernel->launch), profile);
  }
  return segment;
}

bool triggers_awaited(const ProblemInput& input, TaskStep task_step) {
  const auto& activates = input.subject.system.stimuli[input.subject.activity<Trigger>(task_step).stimulus].activates;
  return std::any_of(activates.begin(), activates.end(), [&](TaskIndex device) {
    return !input.offloads.beside[device] && input.offloads.waits_for(task_step.task, device);
  });
}

nvidia::GpuTask task_named(const std::string& name) {
  nvidia::GpuTask task;
  task.name = name;
  task.wait = nvidia::WaitMode::suspend;
  return task;
}

/// The last step before `to` that triggers the device task.
std::size_t trigger_before(const AnalyzedSystem& subject, TaskIndex host, std::size_t to, TaskIndex device) {
  for (std::size_t step = to; step-- > 0;) {
    if (subject.step({host, step}).kind != StepKind::trigger) continue;
    const auto& activates = subject.system.stimuli[subject.activity<Trigger>({host, step}).stimulus].activates;
    if (std::find(activates.begin(), activates.end(), device) != activates.end()) return step;
  }
  return 0;
}

/// A wait for a device task that may be active beside others.
void add_wait(const AnalyzedSystem& subject, const GpuProblem& gpu, TaskStep wait, TaskIndex device, bool optional,
              GpuEntry& entry) {
  auto& beside = entry.beside;
  auto at =
      std::find_if(beside.begin(), beside.end(), [&](const GpuEntry& each) { return each.member.task == device; });
  if (at == beside.end()) at = beside.insert(at, {task_named(subject.name(device)), {device, {}}});
  const std::size_t trigger = trigger_before(subject, wait.task, wait.step, device);
  entry.task.segments.emplace_back(
      nvidia::WaitSegment{static_cast<std::size_t>(at - beside.begin()), at->member.segments.size(), trigger, wait.step,
                          execution_of(subject, wait.task, 0, trigger).best,
                          execution_of(subject, wait.task, wait.step, subject.steps(wait.task).size()).best});
  at->task.segments.emplace_back(segment_of(subject, gpu, device, optional));
  at->member.segments.push_back(device);
}

void add_segments(const ProblemInput& input, const GpuProblem& gpu, TaskIndex host, GpuEntry& entry) {
  const AnalyzedSystem& subject = input.subject;
  const auto& waits = input.offloads.waits[host];
  const auto in_branch = in_branches(subject.steps(host));
  nvidia::CpuSegment before, beside;
  bool at_work = false;
  std::size_t triggered = 0;
  for (const UnitIndex unit : gpu.units)
    entry.task.accesses.push_back(accesses_of(subject, host, unit, 0, subject.steps(host).size()));
  entry.task.accesses_beside.resize(gpu.units.size());
  for (std::size_t step = 0; step < subject.steps(host).size(); ++step) {
    const TaskStep task_step{host, step};
    const StepKind kind = subject.step(task_step).kind;
    if (kind == StepKind::execute) {
      const Span span = span_of(subject, task_step);
      (at_work ? beside : before).worst += span.worst;
      (at_work ? beside : before).best += span.best;
    } else if (kind == StepKind::trigger && !at_work && triggers_awaited(input, task_step)) {
      at_work = true;
      triggered = step;
      entry.task.segments.emplace_back(before);
      before = {};
    } else if (kind == StepKind::wait && step < waits.size() && !waits[step].empty()) {
      const bool polls = subject.activity<WaitEvents>(task_step).active;
      if (polls) entry.task.wait = nvidia::WaitMode::busy;
      if (!polls) entry.task.also_suspends = true;
      if (input.offloads.beside[waits[step].front()]) {
        entry.task.segments.emplace_back(std::exchange(before, {}));
        for (const TaskIndex device : waits[step]) add_wait(subject, gpu, task_step, device, in_branch[step], entry);
        continue;
      }
      for (std::size_t unit = 0; unit < gpu.units.size(); ++unit)
        entry.task.accesses_beside[unit] += accesses_of(subject, host, gpu.units[unit], triggered, step);
      if (!beside.worst.is_zero()) entry.task.segments.emplace_back(nvidia::CpuSegment{{}, beside.worst, true});
      entry.task.segments.emplace_back(segment_of(subject, gpu, waits[step].front(), in_branch[step]));
      entry.member.segments.push_back(waits[step].front());
      at_work = false;
      beside = {};
    }
  }
  if (input.cores.shapes[host].preemptible_at_end) before.worst += Duration::picoseconds(1);
  entry.task.segments.emplace_back(before);
}

/// Maximum time of a job without interference.
Duration longest_job(const GpuEntry& entry) {
  Duration longest;
  for (const nvidia::Segment& segment : entry.task.segments) {
    if (const auto* cpu = std::get_if<nvidia::CpuSegment>(&segment)) longest += cpu->worst;
    if (const auto* gpu = std::get_if<nvidia::GpuSegment>(&segment))
      for (const nvidia::GpuOperation& operation : gpu->operations) longest += operation.worst;
  }
  for (const GpuEntry& beside : entry.beside) longest += longest_job(beside);
  return longest;
}

nvidia::SharedGpu shared_gpu(const DeviceProfile& profile) {
  return {profile.preemption,
          profile.context_switch,
          profile.interference,
          profile.copy_engines,
          profile.multiprocessors.value_or(gpu::SmLimits{}),
          nvidia::ContentionLaw(profile)};
}

/// Only active device tasks count. A NULL stream makes one stream of all streams of its process. `added`: the problem
/// has the context already.
bool add_context(const ProblemInput& input, const GpuContext& context, std::size_t gpu, GpuProblem& problem,
                 bool added = false) {
  const bool overlapping = context.has_barriers();
  std::optional<std::size_t> index;
  for (const GpuStream& stream : context.streams) {
    if (!overlapping) index.reset();
    for (const TaskIndex task : stream.tasks) {
      if (!input.activations[task].any()) continue;
      if (!added)
        problem.problem.contexts.push_back(
            {gpu, context.slice, static_cast<gpu::ContextPriority>(context.runlist_slots), context.urgency});
      added = true;
      if (!index) {
        index = problem.problem.streams.size();
        problem.problem.streams.push_back({problem.problem.contexts.size() - 1,
                                           stream.high_priority ? gpu::StreamPriority::high : gpu::StreamPriority::low,
                                           overlapping});
        problem.device_of_stream.push_back(task);
      }
      problem.streams[task] = index;
    }
  }
  return added;
}

/// What kernels of the context that was added last cost each other, if they share SMs.
void add_sharing(const ProblemInput& input, const GpuContext& context, GpuProblem& problem) {
  SharedSms shared = shared_sms(input.subject, input.activations, input.offloads, context);
  if (!shared.fault.empty() || shared.delays.empty()) return;
  for (std::size_t kernel = 0; kernel < shared.kernels.size(); ++kernel)
    problem.overtaking[{shared.kernels[kernel].task, shared.kernels[kernel].step}] = kernel;
  problem.problem.contexts.back().sharing = std::move(shared.delays);
}

/// The streams of all processes in one context, because their kernels run concurrently.
void add_amd_gpu(const ProblemInput& input, UnitIndex unit, GpuProblem& problem) {
  const DeviceProfile& profile = *input.subject.devices[unit];
  const AmdKernels kernels = amd_kernels(input.subject, input.activations, input.offloads, unit);
  bool added = false;
  for (const GpuContext& context : contexts_on(input.subject.system, unit, profile))
    added = add_context(input, context, problem.problem.gpus.size(), problem, added);
  for (std::size_t kernel = 0; kernel < kernels.steps.size(); ++kernel) {
    const std::pair step(kernels.steps[kernel].task, kernels.steps[kernel].step);
    problem.overtaking[step] = kernel;
    if (kernels.alone[kernel]) problem.alone[step] = *kernels.alone[kernel];
  }
  nvidia::SharedGpu& gpu = problem.problem.gpus.emplace_back();
  gpu.copy_engines = profile.copy_engines;
  gpu.limits = profile.multiprocessors.value();
  gpu.overtaking =
      amd::kernel_delays(amd::device_settings(profile), kernels.kernels, kernels.queues, kernels.shares_aces);
}

}  // namespace

GpuProblem empty_gpu_problem(const ProblemInput& input, const std::vector<UnitIndex>& gpus) {
  GpuProblem empty;
  for (const CoreModel& core : input.cores.cores)
    empty.problem.cores.push_back(input.subject.system.platform.units[core.units.front()].name);
  empty.streams.resize(input.subject.tasks());
  empty.units = gpus;
  if (!gpus.empty()) empty.problem.gpus.clear();
  for (const UnitIndex unit : gpus) {
    const DeviceProfile& profile = *input.subject.devices[unit];
    if (profile.amd) {
      add_amd_gpu(input, unit, empty);
      continue;
    }
    for (const GpuContext& context : contexts_on(input.subject.system, unit, profile))
      if (add_context(input, context, empty.problem.gpus.size(), empty)) add_sharing(input, context, empty);
    empty.problem.gpus.push_back(shared_gpu(profile));
    empty.problem.gpus.back().by_priority = schedules_by_urgency(input.subject.system, unit);
  }
  return empty;
}

GpuEntry host_entry(const ProblemInput& input, const GpuProblem& gpu, TaskIndex host, Faults& faults) {
  const Activations& activations = input.activations[host];
  add_fault(faults, host, activations.fault);
  GpuEntry entry{task_named(input.subject.name(host)), {host, {}}};
  entry.task.core = *input.cores.core_of[host];
  entry.task.priority = input.cores.ranks.rank[host];
  add_segments(input, gpu, host, entry);
  if (longest_job(entry) >= nvidia::longest_analyzed) {
    add_fault(faults, host, fmt::format("a job may take {} or more", format_duration(nvidia::longest_analyzed)));
    auto& segments = entry.task.segments;
    segments.erase(
        std::remove_if(segments.begin(), segments.end(),
                       [](const auto& segment) { return std::holds_alternative<nvidia::CpuSegment>(segment); }),
        segments.end());
  }
  entry.task.unlimited = !faults[host].empty();
  return entry;
}

GpuEntry device_entry(const ProblemInput& input, const GpuProblem& gpu, TaskIndex device, Faults& faults) {
  const auto& steps = input.subject.steps(device);
  if (std::any_of(steps.begin(), steps.end(), [](const Step& step) { return step.kind == StepKind::wait; }))
    add_fault(faults, device, "it waits for an event on the GPU");
  const Activations& activations = input.activations[device];
  add_fault(faults, device, activations.fault);
  GpuEntry entry{task_named(input.subject.name(device)), {device, {}}};
  entry.task.unlimited = !faults[device].empty();
  nvidia::GpuSegment segment = segment_of(input.subject, gpu, device, false);
  if (segment.operations.empty()) return entry;
  entry.member.segments.push_back(device);
  entry.task.segments.emplace_back(std::move(segment));
  return entry;
}

}  // namespace amalthea::engine::bounds
