// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/gpu_problem.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/bounds/detail/analyzed_gpu.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/nvidia/contention.hpp"

namespace amalthea::engine::bounds {
namespace {

nvidia::GpuSegment segment_of(const AnalyzedSystem& subject, TaskIndex device) {
  const nvidia::ContentionLaw law(*subject.devices[subject.task(device).unit]);
  nvidia::GpuSegment segment;
  for (std::size_t step = 0; step < subject.steps(device).size(); ++step) {
    const TaskStep task_step{device, step};
    if (!is_operation(subject.step(task_step))) continue;
    const Activity& activity = subject.activity(task_step);
    const Span span = span_of(subject, task_step);
    const auto* kernel = std::get_if<Kernel>(&activity);
    const double share = kernel != nullptr ? kernel->memory_intensity : 1;
    segment.operations.push_back({gpu::kind_of(activity),
                                  span.best,
                                  std::max(span.worst, Duration::picoseconds(1)),
                                  {},
                                  share,
                                  kernel != nullptr ? law.worst_by_cpu(subject.step(task_step).memory, share).slowdown
                                                    : law.worst_of_copy_by_cpu()});
  }
  return segment;
}

/// A segment that only states which engines these tasks may use.
nvidia::GpuSegment common_segment(const AnalyzedSystem& subject, const std::vector<TaskIndex>& devices) {
  nvidia::GpuSegment segment;
  for (const TaskIndex device : devices)
    for (const nvidia::GpuOperation& operation : segment_of(subject, device).operations)
      segment.operations.push_back({operation.kind, {}, Duration::picoseconds(1), {}, 1});
  return segment;
}

bool triggers_awaited(const ProblemInput& input, TaskStep task_step) {
  const auto& activates = input.subject.system.stimuli[input.subject.activity<Trigger>(task_step).stimulus].activates;
  return std::any_of(activates.begin(), activates.end(),
                     [&](TaskIndex device) { return input.offloads.waits_for(task_step.task, device); });
}

void add_segments(const ProblemInput& input, TaskIndex host, std::optional<UnitIndex> gpu, GpuEntry& entry) {
  const AnalyzedSystem& subject = input.subject;
  const auto& waits = input.offloads.waits[host];
  nvidia::CpuSegment before, beside;
  bool at_work = false;
  std::size_t triggered = 0;
  if (gpu) entry.task.accesses = accesses_of(subject, host, *gpu, 0, subject.steps(host).size());
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
    } else if (kind == StepKind::wait && step < waits.size() && waits[step]) {
      if (subject.activity<WaitEvents>(task_step).active) entry.task.wait = nvidia::WaitMode::busy;
      if (gpu) entry.task.accesses_beside += accesses_of(subject, host, *gpu, triggered, step);
      if (!beside.worst.is_zero()) entry.task.segments.emplace_back(nvidia::CpuSegment{{}, beside.worst});
      entry.task.segments.emplace_back(segment_of(subject, *waits[step]));
      entry.member.segments.push_back(*waits[step]);
      entry.member.context = entry.member.segments.front();
      at_work = false;
      beside = {};
    }
  }
  if (input.cores.shapes[host].preemptible_at_end) before.worst += Duration::picoseconds(1);
  entry.task.segments.emplace_back(before);
}

/// Maximum time of a job without interference.
Duration longest_job(const AnalyzedSystem& subject, const GpuEntry& entry) {
  Duration longest;
  for (const nvidia::Segment& segment : entry.task.segments)
    if (const auto* cpu = std::get_if<nvidia::CpuSegment>(&segment)) longest += cpu->worst;
  for (const TaskIndex device : entry.member.segments) longest += operations_of(subject, device).worst;
  return longest;
}

nvidia::GpuTask task_in(const ProblemInput& input, TaskIndex named, const GpuContext* context) {
  nvidia::GpuTask task;
  task.name = input.subject.name(named);
  task.wait = nvidia::WaitMode::suspend;
  if (context == nullptr) return task;
  task.slice = context->slice;
  task.gpu_priority = static_cast<gpu::ContextPriority>(context->runlist_slots);
  return task;
}

}  // namespace

GpuProblem empty_gpu_problem(const ProblemInput& input, std::optional<UnitIndex> gpu) {
  GpuProblem empty;
  for (const CoreModel& core : input.cores.cores)
    empty.problem.cores.push_back(input.subject.system.platform.units[core.units.front()].name);
  if (!gpu) return empty;
  const DeviceProfile& profile = *input.subject.devices[*gpu];
  empty.problem.context_switch = profile.context_switch;
  empty.problem.kernel_by_memcpy = profile.interference.kernel_by_memcpy;
  empty.problem.kernel_by_memset = profile.interference.kernel_by_memset;
  empty.problem.copy_by_kernel = profile.interference.copy_by_kernel;
  return empty;
}

GpuEntry host_entry(const ProblemInput& input, TaskIndex host, const GpuContext* context, std::optional<UnitIndex> gpu,
                    Faults& faults) {
  const Activations& activations = input.activations[host];
  add_fault(faults, host, activations.fault);
  if (input.offloads.waits_for_any(host) && activations.all.size() > 1)
    add_fault(faults, host, "it has several activation sources, so its jobs may queue while it waits for the GPU");
  GpuEntry entry{task_in(input, host, context), {host, host, {}}};
  entry.task.core = *input.cores.core_of[host];
  entry.task.priority = input.cores.ranks.rank[host];
  add_segments(input, host, gpu, entry);
  if (longest_job(input.subject, entry) >= nvidia::longest_analyzed) {
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

GpuEntry context_entry(const ProblemInput& input, const GpuContext& context, const std::vector<TaskIndex>& devices,
                       Faults& faults) {
  const TaskIndex first = devices.front();
  const bool common = devices.size() > 1;
  for (std::size_t i = 0; common && i < devices.size(); ++i)
    add_fault(faults, devices[i],
              fmt::format("it shares its GPU context with {}; the analysis covers several device tasks of a context "
                          "only if one host task waits for each in turn",
                          input.subject.name(devices[i == 0 ? 1 : 0])));
  const auto& steps = input.subject.steps(first);
  if (std::any_of(steps.begin(), steps.end(), [](const Step& step) { return step.kind == StepKind::wait; }))
    add_fault(faults, first, "it waits for an event on the GPU");
  const Activations& activations = input.activations[first];
  add_fault(faults, first, activations.fault);
  if (activations.all.size() > 1) add_fault(faults, first, "it has several activation sources, so its jobs may queue");
  GpuEntry entry{task_in(input, first, &context), {first, first, {}}};
  entry.task.period = activations.all.empty() ? longest_period : activations.all.front().period;
  entry.task.unlimited = !faults[first].empty();
  nvidia::GpuSegment segment = common ? common_segment(input.subject, devices) : segment_of(input.subject, first);
  if (segment.operations.empty()) return entry;
  if (!common) entry.member.segments.push_back(first);
  entry.task.segments.emplace_back(std::move(segment));
  return entry;
}

}  // namespace amalthea::engine::bounds
