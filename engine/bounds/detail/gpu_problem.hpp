// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Device tasks and hosts as tasks of a TimeSliceProblem (nvidia/time_slice_analysis.hpp).
///
/// An offload is a GPU segment of the host task. What the host executes between trigger and wait counts before the
/// segment, without overlap; in the best case it takes no time. A device task for which no host waits is a task without
/// CPU segments, alone on a core. A device task that may be active beside another one of its host is a task of its own,
/// whose GPU segments the host awaits.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/bounds/detail/core_models.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"

namespace amalthea::engine::bounds {

/// The system tasks that a task of the problem stands for.
struct GpuMember {
  TaskIndex task = 0;               ///< the task that owns its CPU segments; a device task alone is itself
  std::vector<TaskIndex> segments;  ///< the device task of every GPU segment
};

struct GpuProblem {
  nvidia::TimeSliceProblem problem;                 ///< its first cores are those of CoreModels
  std::vector<UnitIndex> units;                     ///< parallel to its GPUs; empty if there are none
  std::vector<GpuMember> members;                   ///< parallel to its tasks
  std::vector<TaskIndex> device_of_stream;          ///< parallel to its streams: the first device task
  std::vector<std::optional<std::size_t>> streams;  ///< for every active device task of its GPUs
  /// for kernels by task and step: index into SharedGpu::overtaking or SharedContext::sharing
  std::map<std::pair<TaskIndex, std::size_t>, std::size_t> overtaking;
  /// for kernels on AMD GPUs by task and step: the longest time of one that nothing delays, if it has costs
  std::map<std::pair<TaskIndex, std::size_t>, Duration> alone;
  /// for each of its other accesses: index into Problems::problem_tasks, and the shortest time of a job
  struct OtherAccesses {
    std::size_t problem_task = 0;
    Duration shortest_job;
  };
  std::vector<OtherAccesses> other_accesses;
};

/// The GPUs with the contexts and streams of their active device tasks, and cores without tasks.
GpuProblem empty_gpu_problem(const ProblemInput& input, const std::vector<UnitIndex>& gpus);

struct GpuEntry {
  nvidia::GpuTask task;  ///< the caller sets its deadline
  GpuMember member;
  std::vector<GpuEntry> beside = {};  ///< device tasks that a host awaits: they follow it in the problem
};

/// A host task. The caller sets the period. A WaitSegment has the index of its task in `beside`.
GpuEntry host_entry(const ProblemInput& input, const GpuProblem& gpu, TaskIndex host, Faults& faults);

/// A device task for which no host waits. The caller sets the core and the period.
GpuEntry device_entry(const ProblemInput& input, const GpuProblem& gpu, TaskIndex device, Faults& faults);

}  // namespace amalthea::engine::bounds
