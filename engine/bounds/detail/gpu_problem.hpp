// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Contexts and hosts as tasks of a TimeSliceProblem (nvidia/time_slice_analysis.hpp).
///
/// An offload is a GPU segment of the host task. What the host executes between trigger and wait counts before the
/// segment, as if nothing overlapped; at best it takes no time. A device task that no host waits for is a task without
/// CPU segments, alone on a core.

#include <optional>
#include <vector>

#include "engine/bounds/detail/core_models.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"

namespace amalthea::engine::bounds {

/// Whom a task of the problem stands for.
struct GpuMember {
  TaskIndex task = 0;               ///< whose CPU segments it has; of a context alone, the first device task
  TaskIndex context = 0;            ///< for whom its GPU segments work: the first device task of its context
  std::vector<TaskIndex> segments;  ///< the device task of every GPU segment
};

struct GpuProblem {
  nvidia::TimeSliceProblem problem;  ///< its first cores are those of CoreModels
  std::vector<GpuMember> members;    ///< parallel to its tasks
};

/// Without tasks; `gpu`: nothing when there is none.
GpuProblem empty_gpu_problem(const ProblemInput& input, std::optional<UnitIndex> gpu);

struct GpuEntry {
  nvidia::GpuTask task;  ///< its deadline is missing
  GpuMember member;
};

/// A host task; `context` is that in which it offloads. Its period is missing.
GpuEntry host_entry(const ProblemInput& input, TaskIndex host, const GpuContext* context, Faults& faults);

/// A context that no host waits for, with these device tasks; its core is missing. Several of them have no bound: all
/// that counts is which engines they may use and whom they slow.
GpuEntry context_entry(const ProblemInput& input, const GpuContext& context, const std::vector<TaskIndex>& devices,
                       Faults& faults);

}  // namespace amalthea::engine::bounds
