// SPDX-License-Identifier: Apache-2.0
#include "analysis/facts.hpp"

#include "engine/verdict.hpp"

namespace amalthea::analysis {

std::vector<TaskIndex> late_tasks(const System& system, const engine::Results& results) {
  std::vector<TaskIndex> late;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (!system.tasks[task].folded_into && engine::verdict_on(results.tasks[task]) >= engine::OverallVerdict::unbounded)
      late.push_back(task);
  return late;
}

}  // namespace amalthea::analysis
