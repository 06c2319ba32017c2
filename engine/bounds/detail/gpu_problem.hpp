// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Contexts and hosts as tasks of a TimeSliceProblem (nvidia/time_slice_analysis.hpp).
///
/// An offload is a GPU segment of the host task. What the host executes between trigger and wait counts before the
/// segment, without overlap; in the best case it takes no time. A device task for which no host waits is a task without
/// CPU segments, alone on a core.

#include <optional>
#include <vector>

#include "engine/bounds/detail/core_models.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"

namespace amalthea::engine::bounds {

/// The system tasks that a task of the problem stands for.
struct GpuMember {
  TaskIndex task = 0;               ///< the task that owns its CPU segments; for a context alone, the first device task
  TaskIndex context = 0;            ///< the first device task of the context that executes its GPU segments
  std::vector<TaskIndex> segments;  ///< the device task of every GPU segment
};

struct GpuProblem {
  nvidia::TimeSliceProblem problem;  ///< its first cores are those of CoreModels
  std::vector<GpuMember> members;    ///< parallel to its tasks
  /// for each of its other accesses: index into Problems::problem_tasks, and the shortest time of a job
  struct OtherAccesses {
    std::size_t problem_task = 0;
    Duration shortest_job;
  };
  std::vector<OtherAccesses> other_accesses;
};

/// An empty problem; `gpu` is nothing if there is no GPU.
GpuProblem empty_gpu_problem(const ProblemInput& input, std::optional<UnitIndex> gpu);

struct GpuEntry {
  nvidia::GpuTask task;  ///< the caller sets its deadline
  GpuMember member;
};

/// A host task; `context` is the one it offloads to. The caller sets the period. Its label accesses count if there is a
/// GPU.
GpuEntry host_entry(const ProblemInput& input, TaskIndex host, const GpuContext* context, std::optional<UnitIndex> gpu,
                    Faults& faults);

/// A context with these device tasks for which no host waits; the caller sets the core. Several device tasks have no
/// bound: only the engines they may use and the tasks they slow down count.
GpuEntry context_entry(const ProblemInput& input, const GpuContext& context, const std::vector<TaskIndex>& devices,
                       Faults& faults);

}  // namespace amalthea::engine::bounds
