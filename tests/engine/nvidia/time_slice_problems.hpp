// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Small problems for the analysis of time slices.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/nvidia/time_slice_analysis.hpp"
#include "tests/support/system_maker.hpp"

namespace nvidia_time_slice_test {

using namespace test;
namespace gpu = engine::gpu;
namespace nvidia = engine::nvidia;
using engine::Results;
using gpu::ContextPriority;
using gpu::StreamOperationKind;
using nvidia::BoundPart;
using nvidia::CpuSegment;
using nvidia::GpuOperation;
using nvidia::GpuSegment;
using nvidia::GpuTask;
using nvidia::TaskBound;
using nvidia::TimeSliceBounds;
using nvidia::TimeSliceProblem;
using nvidia::WaitMode;

inline CpuSegment cpu(std::int64_t worst) { return {us(worst), us(worst)}; }
inline GpuOperation kernel(std::int64_t worst, std::int64_t block = 0) {
  return {StreamOperationKind::kernel, us(worst), us(worst), us(block), 1};
}
inline GpuOperation copy(std::int64_t worst, StreamOperationKind kind = StreamOperationKind::host_to_device) {
  return {kind, us(worst), us(worst), {}, 1};
}

inline GpuTask task(std::string name, std::size_t core, std::int64_t priority, std::int64_t period, WaitMode wait,
                    std::int64_t slice, std::vector<nvidia::Segment> segments) {
  GpuTask task;
  task.name = std::move(name);
  task.core = core;
  task.priority = priority;
  task.period = task.deadline = us(period);
  task.wait = wait;
  task.slice = us(slice);
  task.segments = std::move(segments);
  return task;
}

inline TimeSliceProblem problem_of(std::vector<GpuTask> tasks, std::int64_t context_switch = 0) {
  TimeSliceProblem problem;
  problem.gpus.front().context_switch = us(context_switch);
  for (const GpuTask& task : tasks)
    while (problem.cores.size() <= task.core) problem.cores.push_back(std::to_string(problem.cores.size()));
  problem.tasks = std::move(tasks);
  return problem;
}

inline TimeSliceBounds bounds_of(const TimeSliceProblem& problem) { return time_slice_bounds(problem).value(); }

inline Duration sum_of_parts(const TaskBound& bound) {
  Duration sum;
  for (const auto& part : bound.parts) sum += part.time;
  return sum;
}
inline Duration part(const TaskBound& bound, BoundPart kind, std::optional<std::size_t> by = std::nullopt) {
  for (const auto& share : bound.parts)
    if (share.part == kind && share.by == by) return share.time;
  return {};
}

/// The problem as a system that is simulated; host task i is task i. All GPU segments of a task must be alike.
inline Results simulated(const TimeSliceProblem& problem, const std::vector<std::int64_t>& offsets, Duration until) {
  SystemMaker maker;
  std::vector<UnitIndex> cores;
  for (const std::string& name : problem.cores) cores.push_back(maker.core(name));
  const UnitIndex gpu = maker.gpu("GPU");
  std::vector<TaskIndex> hosts;
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    const GpuTask& task = problem.tasks[i];
    hosts.push_back(maker.task(task.name, cores[task.core], task.priority,
                               maker.periodic(task.period.picoseconds() / 1'000'000, offsets[i])));
    maker[hosts.back()].deadline = task.deadline;
  }
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    const GpuTask& task = problem.tasks[i];
    std::optional<TaskIndex> device;
    StimulusIndex request = 0;
    EventIndex done = 0;
    for (const nvidia::Segment& segment : task.segments) {
      if (const auto* own = std::get_if<CpuSegment>(&segment)) {
        maker.compute(hosts[i], own->worst.picoseconds() / 1'000'000);
        continue;
      }
      if (!device) {
        request = maker.inter_process();
        done = maker.event("done" + std::to_string(i));
        device = maker.task("GPU part of " + task.name, gpu, 0, request);
        maker[*device].time_slice = task.slice;
        for (const GpuOperation& operation : std::get<GpuSegment>(segment).operations) {
          const std::int64_t length = operation.worst.picoseconds() / 1'000'000;
          if (operation.kind == StreamOperationKind::kernel)
            maker.kernel(*device, length, operation.memory_share);
          else
            maker.copy(*device, length,
                       operation.kind == StreamOperationKind::memset ? CopyKind::memset : CopyKind::host_to_device);
        }
        maker.set(*device, done, hosts[i]);
      }
      maker.trigger(hosts[i], request);
      maker.wait(hosts[i], done, task.wait == WaitMode::busy);
      maker.clear(hosts[i], done);
    }
  }
  engine::DeviceProfile profile = plain_profile(us(1000));
  profile.context_switch = problem.gpus.front().context_switch;
  profile.interference.kernel_by_memcpy = problem.gpus.front().interference.kernel_by_memcpy;
  profile.interference.kernel_by_memset = problem.gpus.front().interference.kernel_by_memset;
  profile.interference.copy_by_kernel = problem.gpus.front().interference.copy_by_kernel;
  return analyzed(maker.build(), until, profile);
}

}  // namespace nvidia_time_slice_test
