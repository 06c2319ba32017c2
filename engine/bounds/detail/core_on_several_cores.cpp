// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/cpu/global_fixed_priority.hpp"

namespace amalthea::engine::bounds {
namespace {

bool are_several(const CoreView& view) { return view.core.several(); }

std::vector<cpu::CpuBound> bounds_on_several_cores(const CoreProblem& problem) {
  std::vector<cpu::GlobalTask> tasks;
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    cpu::GlobalTask task{problem.tasks[i], problem.members[i].cores, problem.members[i].task};
    // a task without execution time also needs a core
    task.task.worst = std::max(task.task.worst, Duration::picoseconds(1));
    tasks.push_back(std::move(task));
  }
  return cpu::global_fixed_priority_bounds(tasks, problem.limits, problem.by_deadline);
}

}  // namespace

/// Tasks that migrate between cores. Under deadlines, their bounds hold for any order. Where the cores differ, the
/// times of each task are the longest on any of its cores.
const CoreAnalysis on_several_cores{are_several, bounds_on_several_cores};

}  // namespace amalthea::engine::bounds
