// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/cpu/global_fixed_priority.hpp"

namespace amalthea::engine::bounds {
namespace {

bool are_several(const CoreView& view) { return view.core.several(); }

bool alike(const ProcessingUnit& a, const ProcessingUnit& b) {
  const auto same = [](const Cycles& x, const Cycles& y) {
    return x.lower == y.lower && x.average == y.average && x.upper == y.upper;
  };
  return a.definition == b.definition && a.frequency == b.frequency && a.cache_line.bytes == b.cache_line.bytes &&
         a.accesses.size() == b.accesses.size() &&
         std::equal(a.accesses.begin(), a.accesses.end(), b.accesses.begin(),
                    [&](const MemoryAccess& x, const MemoryAccess& y) {
                      return x.memory == y.memory && same(x.read, y.read) && same(x.write, y.write) &&
                             x.data_rate.bytes_per_second == y.data_rate.bytes_per_second;
                    });
}

/// All cores must be identical, all tasks under one priority-based scheduler and fully preemptive.
std::string fault_on_several_cores(const CoreView& view) {
  if (by_deadline.is_for(view))
    if (std::string fault = by_deadline.fault(view); !fault.empty()) return fault;
  const auto& units = view.system.platform.units;
  const ProcessingUnit& first = units[view.core.units.front()];
  for (const UnitIndex unit : view.core.units)
    if (!alike(first, units[unit]))
      return fmt::format("tasks migrate between {} and {}, which are different", first.name, units[unit].name);
  std::optional<SchedulerIndex> only;
  for (const TaskIndex task : view.core.tasks) {
    const Task& stated = view.system.tasks[task];
    if (!is_interrupt(stated)) {
      const auto& schedulers = view.ranks.schedulers[task];
      if (!only) only = schedulers.front();
      if (schedulers.size() > 1 || schedulers.front() != *only)
        return fmt::format("tasks of several schedulers share {} and the cores between which tasks migrate",
                           first.name);
      if (uses_deadlines(view.system.platform.schedulers[*only].kind))
        return fmt::format("{} on several cores", algorithm_of(view, *only));
    }
    if (view.shapes[task].has_sections())
      return fmt::format("tasks migrate between cores, and {} has non-preemptive parts", stated.name);
  }
  return {};
}

std::vector<cpu::CpuBound> bounds_on_several_cores(const CoreProblem& problem) {
  std::vector<cpu::GlobalTask> tasks;
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    cpu::GlobalTask task{problem.tasks[i], problem.members[i].cores, problem.members[i].task};
    // a task without execution time also needs a core
    task.task.worst = std::max(task.task.worst, Duration::picoseconds(1));
    tasks.push_back(std::move(task));
  }
  return cpu::global_fixed_priority_bounds(tasks);
}

}  // namespace

/// Fixed priorities, and tasks that migrate between cores.
const CoreAnalysis on_several_cores{are_several, fault_on_several_cores, bounds_on_several_cores};

}  // namespace amalthea::engine::bounds
