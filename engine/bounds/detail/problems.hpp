// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The tasks of a system as problems that are solved together: one of a GPU with the cores of those who wait for it and
/// of all plain ones, and one of each core that is analysed apart.

#include <optional>
#include <vector>

#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/bounds/detail/gpu_problem.hpp"

namespace amalthea::engine::bounds {

/// One way in which jobs of a task come, and where it is analysed.
struct ProblemTask {
  TaskIndex task = 0;
  std::size_t activation = 0;
  std::optional<std::size_t> core;  ///< index into Problems::cores; nothing: in the GPU's problem
  std::size_t at = 0;               ///< which task of that problem it is
};

struct Problems {
  std::vector<ProblemTask> problem_tasks;
  /// Of every active task, per activation: index into the entities. A device task has those of its context.
  std::vector<std::vector<std::size_t>> of_task;
  GpuProblem gpu;
  std::vector<CoreProblem> cores;  ///< parallel to CoreModels::cores; empty where that is not analysed apart

  Duration& jitter_of(const ProblemTask& problem_task);
  bool is_unlimited(const ProblemTask& problem_task) const;
  void set_unlimited(const ProblemTask& problem_task);
};

/// Tasks that are no part of what the problems can express are unlimited there and have a fault.
Problems problems_of(const ProblemInput& input, std::optional<UnitIndex> gpu, Faults& faults);

}  // namespace amalthea::engine::bounds
