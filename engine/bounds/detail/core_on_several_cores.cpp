// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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

/// All cores must be identical.
std::string fault_on_several_cores(const CoreView& view) {
  const auto& units = view.system.platform.units;
  const ProcessingUnit& first = units[view.core.units.front()];
  for (const UnitIndex unit : view.core.units)
    if (!alike(first, units[unit]))
      return fmt::format("tasks migrate between {} and {}, which are different", first.name, units[unit].name);
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
  return cpu::global_fixed_priority_bounds(tasks, {}, problem.by_deadline);
}

}  // namespace

/// Tasks that migrate between cores. Under deadlines, their bounds hold for any order.
const CoreAnalysis on_several_cores{are_several, fault_on_several_cores, bounds_on_several_cores};

}  // namespace amalthea::engine::bounds
