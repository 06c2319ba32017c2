// SPDX-License-Identifier: Apache-2.0
#include "explore/first_mapping.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/program/program.hpp"
#include "engine/program/releases.hpp"
#include "engine/small_changes.hpp"
#include "explore/detail/space.hpp"

namespace amalthea::explore {
namespace {

using Periods = std::vector<std::optional<Duration>>;

/// Without a period it counts as nothing.
double utilization(const System& system, const Periods& periods, TaskIndex task, UnitIndex unit) {
  if (!periods[task] || periods[task]->is_zero() || system.platform.units[unit].frequency.is_zero()) return 0;
  engine::CompileOptions options;
  options.flatten_branches = true;
  options.memory.source = engine::MemoryModel::Source::uncontended;
  const engine::Program program =
      engine::compile_program(system, task, unit, engine::Execution::worst, nullptr, options);
  return static_cast<double>(program.execution.picoseconds()) / static_cast<double>(periods[task]->picoseconds());
}

void spread(System& system, const Periods& periods, const std::vector<TaskIndex>& tasks) {
  const Platform& platform = system.platform;
  std::vector<double> load(platform.units.size(), 0), weight(system.tasks.size(), 0);
  std::vector<bool> moves(system.tasks.size(), false);
  for (const TaskIndex task : tasks) moves[task] = true;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const Task& one = system.tasks[task];
    if (one.side != Side::host || one.folded_into) continue;
    weight[task] = utilization(system, periods, task, one.unit);
    if (!moves[task]) load[one.unit] += weight[task];
  }
  std::vector<TaskIndex> order = tasks;
  std::stable_sort(order.begin(), order.end(), [&](TaskIndex a, TaskIndex b) { return weight[a] > weight[b]; });
  for (const TaskIndex index : order) {
    Task& task = system.tasks[index];
    std::optional<std::pair<UnitIndex, double>> least;
    for (UnitIndex unit = 0; unit < platform.units.size(); ++unit) {
      if (!detail::is_cpu(platform, unit) || platform.units[unit].frequency.is_zero() ||
          !engine::scheduler_on(platform, task.scheduler, unit) || !detail::has_ticks(system, index, unit))
        continue;
      const double left = load[unit] + utilization(system, periods, index, unit);
      if (!least || left < least->second) least = {unit, left};
    }
    if (!least) continue;
    task.scheduler = *engine::scheduler_on(platform, task.scheduler, least->first);
    task.unit = least->first;
    task.units.clear();
    load[least->first] = least->second;
  }
}

/// Those on CPUs; removed wrappers are on none.
std::vector<TaskIndex> on_cpus(const System& system, std::vector<TaskIndex> tasks) {
  const auto is_elsewhere = [&](TaskIndex task) {
    return system.tasks[task].side != Side::host || system.tasks[task].folded_into;
  };
  tasks.erase(std::remove_if(tasks.begin(), tasks.end(), is_elsewhere), tasks.end());
  return tasks;
}

}  // namespace

System distributed(System system, const std::vector<TaskIndex>& tasks) {
  spread(system, engine::periods_of(system), on_cpus(system, tasks));
  return system;
}

System ranked(System system, std::vector<TaskIndex> tasks) {
  tasks = on_cpus(system, std::move(tasks));
  const Periods periods = engine::periods_of(system);
  const auto limit = [&](TaskIndex task) {
    return system.tasks[task].deadline.value_or(periods[task].value_or(Duration::max()));
  };
  std::stable_sort(tasks.begin(), tasks.end(), [&](TaskIndex a, TaskIndex b) { return limit(a) < limit(b); });
  for (std::size_t i = 0; i < tasks.size(); ++i)
    system.tasks[tasks[i]].priority = static_cast<std::int64_t>(tasks.size() - i);
  return system;
}

}  // namespace amalthea::explore
