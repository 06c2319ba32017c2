// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/contributions.hpp"

#include <algorithm>

#include "engine/bounds/detail/step_times.hpp"

namespace amalthea::engine::bounds {
namespace {

using nvidia::BoundPart;

void add_contribution(std::vector<Contribution>& parts, ContributionKind kind, std::optional<TaskIndex> by,
                      Duration time, TrafficKind traffic = TrafficKind::none, std::uint32_t others = 0) {
  if (time.is_zero()) return;
  const auto same = std::find_if(parts.begin(), parts.end(), [&](const Contribution& part) {
    return part.kind == kind && part.by == by && part.traffic == traffic && (part.others > 0) == (others > 0);
  });
  if (same == parts.end()) {
    parts.push_back({kind, by, time, traffic, others});
  } else {
    same->time += time;
    same->others += others;
  }
}

ContributionKind contribution_of(cpu::CpuPart part) {
  switch (part) {
    case cpu::CpuPart::execution:
      return ContributionKind::execution;
    case cpu::CpuPart::backlog:
      return ContributionKind::backlog;
    case cpu::CpuPart::preemption:
      return ContributionKind::preemption;
    case cpu::CpuPart::blocking:
      return ContributionKind::blocking;
    case cpu::CpuPart::supply:
      return ContributionKind::budget;
    case cpu::CpuPart::waiting:
      return ContributionKind::kernel;
  }
  return ContributionKind::execution;
}

/// The maximum time of a job's label accesses within its own execution.
Duration memory_time(const AnalyzedSystem& subject, TaskIndex task) {
  Duration time;
  for (std::size_t step = 0; step < subject.steps(task).size(); ++step)
    if (accesses_memory(subject.system, subject.step({task, step}))) time += span_of(subject, {task, step}).worst;
  return time;
}

void add_own_time(std::vector<Contribution>& parts, const AnalyzedSystem& subject, TaskIndex task, Duration time) {
  const Duration memory = std::min(memory_time(subject, task), time);
  add_contribution(parts, ContributionKind::execution, std::nullopt, time - memory);
  add_contribution(parts, ContributionKind::memory, std::nullopt, memory);
}

/// For all parts except BoundPart::gpu.
ContributionKind contribution_of(BoundPart part) {
  switch (part) {
    case BoundPart::execution:
    case BoundPart::gpu:
      return ContributionKind::execution;
    case BoundPart::slowed_by_copies:
    case BoundPart::slowed_by_kernels:
    case BoundPart::slowed_by_cpu:
      return ContributionKind::interference;
    case BoundPart::own_switches:
    case BoundPart::switches:
      return ContributionKind::context_switch;
    case BoundPart::preemption:
      return ContributionKind::preemption;
    case BoundPart::blocking:
      return ContributionKind::blocking;
    case BoundPart::slices:
    case BoundPart::overruns:
      return ContributionKind::engine_slice;
    case BoundPart::streams:
      return ContributionKind::engine_queue;
  }
  return ContributionKind::execution;
}

TrafficKind traffic_of(BoundPart part) {
  switch (part) {
    case BoundPart::slowed_by_copies:
      return TrafficKind::copies;
    case BoundPart::slowed_by_kernels:
      return TrafficKind::kernels;
    case BoundPart::slowed_by_cpu:
      return TrafficKind::cpu;
    default:
      return TrafficKind::none;
  }
}

}  // namespace

std::vector<Contribution> contributions_on_core(const AnalyzedSystem& subject, const CoreProblem& problem,
                                                TaskIndex task, const std::vector<cpu::CpuShare>& shares,
                                                const std::vector<Contribution>& waiting) {
  std::vector<Contribution> parts;
  for (const cpu::CpuShare& share : shares) {
    if (share.part == cpu::CpuPart::waiting) {
      for (const Contribution& part : waiting)
        add_contribution(parts, part.kind, part.by, part.time, part.traffic, part.others);
      continue;
    }
    if (share.part == cpu::CpuPart::execution && !share.by) {
      add_own_time(parts, subject, task, share.time);
      continue;
    }
    ContributionKind kind = contribution_of(share.part);
    std::optional<TaskIndex> by;
    if (share.by) by = problem.members[*share.by].task;
    if (by == task) kind = ContributionKind::backlog;
    if (kind == ContributionKind::backlog) by = task;
    add_contribution(parts, kind, by, share.time, TrafficKind::none, share.others);
  }
  return parts;
}

std::vector<Contribution> contributions_with_gpu(const AnalyzedSystem& subject, const Problems& problems,
                                                 TaskIndex task, const std::vector<nvidia::BoundShare>& shares,
                                                 const std::vector<TaskIndex>& segments) {
  const GpuProblem& gpu = problems.gpu;
  Duration copies;
  for (const TaskIndex device : segments)
    for (std::size_t step = 0; step < subject.steps(device).size(); ++step)
      if (subject.step({device, step}).kind == StepKind::copy) copies += span_of(subject, {device, step}).worst;
  std::vector<Contribution> parts;
  for (const nvidia::BoundShare& share : shares) {
    if (share.part == BoundPart::gpu) {
      add_contribution(parts, ContributionKind::copy, std::nullopt, std::min(copies, share.time));
      add_contribution(parts, ContributionKind::kernel, std::nullopt, share.time - std::min(copies, share.time));
      continue;
    }
    if (share.part == BoundPart::execution) {
      add_own_time(parts, subject, task, share.time);
      continue;
    }
    ContributionKind kind = contribution_of(share.part);
    std::optional<TaskIndex> by;
    if (share.by && *share.by >= gpu.members.size())
      by = problems.problem_tasks[gpu.other_accesses[*share.by - gpu.members.size()].problem_task].task;
    else if (share.by)
      by = gpu.members[*share.by].task;
    if (share.stream) {
      const auto& devices = gpu.members[*share.by].segments;
      const auto device = std::find_if(devices.begin(), devices.end(),
                                       [&](TaskIndex each) { return gpu.streams[each] == share.stream; });
      by = device != devices.end() ? *device : gpu.device_of_stream[*share.stream];
    }
    if (share.part == BoundPart::preemption && by == task) kind = ContributionKind::backlog;
    add_contribution(parts, kind, by, share.time, traffic_of(share.part));
  }
  return parts;
}

}  // namespace amalthea::engine::bounds
