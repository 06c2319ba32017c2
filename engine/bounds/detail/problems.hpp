// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Translates the tasks of a system into problems that are solved together: one for all GPUs, with the cores of their
/// host tasks and all plain cores, and one for each core that is analyzed separately.

#include <optional>
#include <vector>

#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/bounds/detail/gpu_problem.hpp"

namespace amalthea::engine::bounds {

/// One task of a problem: it stands for one activation pattern of a system task. Those of a task that uses the GPU share
/// one place, with the releases of all patterns (merged).
struct ProblemTask {
  TaskIndex task = 0;
  std::size_t activation = 0;
  std::optional<std::size_t> core;  ///< index into Problems::cores; nothing: in the problem of the GPUs
  std::size_t at = 0;               ///< index of the task within its problem
};

struct Problems {
  std::vector<ProblemTask> problem_tasks;
  /// For every active task, per activation: index into `problem_tasks`. A device task for which a host waits has those of the host.
  std::vector<std::vector<std::size_t>> of_task;
  GpuProblem gpu;
  /// parallel to CoreModels::cores; empty for cores that are not analyzed separately
  std::vector<CoreProblem> cores;

  Duration& jitter_of(const ProblemTask& problem_task);
  bool is_unlimited(const ProblemTask& problem_task) const;
  void set_unlimited(const ProblemTask& problem_task);
};

/// Tasks that the problems cannot express are unlimited there and get a fault.
Problems problems_of(const ProblemInput& input, const std::vector<UnitIndex>& gpus, Faults& faults);

}  // namespace amalthea::engine::bounds
