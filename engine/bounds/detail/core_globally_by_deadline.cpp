// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/cpu/global_earliest_deadline.hpp"

namespace amalthea::engine::bounds {
namespace {

/// All tasks are directly below one scheduler with global earliest deadline first.
bool are_under_one_deadline_scheduler(const CoreView& view) {
  return view.core.several() && std::all_of(view.core.tasks.begin(), view.core.tasks.end(), [&](TaskIndex task) {
           const auto& schedulers = view.ranks.schedulers[task];
           return !is_interrupt(view.system.tasks[task]) && schedulers.size() == 1 &&
                  schedulers == view.ranks.schedulers[view.core.tasks.front()] &&
                  uses_only_deadlines(view.system.platform.schedulers[schedulers.front()].kind);
         });
}

/// The smaller bound of each task: for any order, or for this one if it has one.
std::vector<cpu::CpuBound> bounds_under_one_deadline_scheduler(const CoreProblem& problem) {
  std::vector<cpu::CpuBound> bounds = on_several_cores.bounds(problem);
  const auto& cores = problem.members.front().cores;
  std::vector<cpu::CpuTask> tasks;
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    if (problem.members[i].cores != cores || problem.members[i].non_preemptive) return bounds;
    if (i > 0 && problem.members[i].task == problem.members[i - 1].task) return bounds;
    tasks.push_back(problem.tasks[i]);
    tasks.back().worst = std::max(tasks.back().worst, Duration::picoseconds(1));
  }
  auto by_deadline = cpu::global_earliest_deadline_bounds(tasks, cores.size(), problem.limits);
  if (!by_deadline) return bounds;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (!bounds[i].response || *(*by_deadline)[i].response < *bounds[i].response)
      bounds[i] = std::move((*by_deadline)[i]);
  return bounds;
}

}  // namespace

/// Tasks that migrate between cores under one scheduler by deadlines.
const CoreAnalysis globally_by_deadline{are_under_one_deadline_scheduler, bounds_under_one_deadline_scheduler};

}  // namespace amalthea::engine::bounds
