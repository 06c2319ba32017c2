// SPDX-License-Identifier: Apache-2.0
#include "explore/detail/impossible.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/bounds/bounds.hpp"
#include "engine/program/program.hpp"
#include "engine/small_changes.hpp"

namespace amalthea::explore::detail {
namespace {

/// Releases so rare that jobs never overlap.
constexpr Duration rare = Duration::seconds(500);

bool is_in(const std::vector<TaskIndex>& tasks, TaskIndex task) {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

/// The task and the device tasks that it triggers.
std::vector<TaskIndex> alone_with(const System& system, TaskIndex task) {
  std::vector<TaskIndex> kept = {task};
  if (system.tasks[task].side == Side::device) return kept;
  for (const NodeIndex node : system.tasks[task].body)
    if (const auto* trigger = std::get_if<Trigger>(&system.graph[node].activity))
      for (const TaskIndex other : system.stimuli[trigger->stimulus].activates)
        if (system.tasks[other].side == Side::device && !is_in(kept, other)) kept.push_back(other);
  return kept;
}

/// The system without all other tasks; the task is released by a stimulus of its own.
System alone(const Placement& placement, TaskIndex task, const std::vector<TaskIndex>& kept) {
  System system = placement.system;
  for (Stimulus& stimulus : system.stimuli) {
    auto& activates = stimulus.activates;
    activates.erase(std::remove_if(activates.begin(), activates.end(),
                                   [&](TaskIndex other) { return other == task || !is_in(kept, other); }),
                    activates.end());
  }
  Stimulus release;
  release.name = system.tasks[task].name;
  release.occurrence = Periodic{rare, {}};
  release.activates = {task};
  system.stimuli.push_back(std::move(release));
  for (TaskIndex other = 0; other < system.tasks.size(); ++other)
    if (!is_in(kept, other)) {
      system.tasks[other].folded_into = task;
      system.tasks[other].body.clear();
    }
  return system;
}

/// Whether the unit has ticks for all computations of the task.
bool executes(const System& system, const Task& task, UnitIndex unit) {
  return std::all_of(task.body.begin(), task.body.end(), [&](NodeIndex node) {
    const Activity& activity = system.graph[node].activity;
    const auto* compute = std::get_if<Compute>(&activity);
    const auto* kernel = std::get_if<Kernel>(&activity);
    const Ticks* ticks = compute != nullptr ? &compute->ticks : kernel != nullptr ? &*kernel->ticks : nullptr;
    return ticks == nullptr || ticks->on(system.platform.units[unit].definition) != nullptr;
  });
}

struct Least {
  Duration time = Duration::max();
  UnitIndex unit = 0;
};

class LeastSearch {
 public:
  explicit LeastSearch(const Space& space) : space_(space), options_(space.options.analysis.compile) {
    options_.flatten_branches = true;
  }

  std::vector<Impossible> run() {
    std::vector<Impossible> found;
    const std::size_t count = space_.problem.system.tasks.size();
    for (TaskIndex owner = 0; owner < count; ++owner)
      if (const auto impossible = of_owner(owner)) found.push_back(*impossible);
    return found;
  }

 private:
  /// Nothing if some placement meets the deadline, or there is none.
  std::optional<Impossible> of_owner(TaskIndex owner) {
    std::optional<Impossible> closest;
    for (std::size_t index = 0; index < space_.placements.size(); ++index) {
      const Placement& placement = space_.placements[index];
      std::optional<Impossible> here;
      for (TaskIndex task = 0; task < placement.system.tasks.size(); ++task) {
        const auto& deadline = placement.system.tasks[task].deadline;
        if (!placement.active[task] || placement.owner[task] != owner || !deadline || !is_activated(placement, task))
          continue;
        const Least least = least_of(placement, task);
        if (least.time > *deadline) here = Impossible{owner, least.time, least.unit, *deadline};
      }
      if (!here) return std::nullopt;
      if (!closest || here->least - here->deadline < closest->least - closest->deadline) closest = here;
    }
    if (closest) closest->confined = is_confined(owner);
    return closest;
  }

  /// Whether the task with the deadline, or what it offloads, could run elsewhere if allowed.
  bool is_confined(TaskIndex owner) const {
    for (const Placement& placement : space_.placements)
      for (TaskIndex task = 0; task < placement.system.tasks.size(); ++task) {
        if (!placement.active[task] || placement.owner[task] != owner) continue;
        for (const TaskIndex each : alone_with(placement.system, task))
          if (could_run_elsewhere(placement, each)) return true;
      }
    return false;
  }

  bool could_run_elsewhere(const Placement& placement, TaskIndex index) const {
    const System& system = placement.system;
    const Task& task = system.tasks[index];
    if (task.kind != ProcessKind::task) return false;
    const auto& tasks = space_.problem.system.tasks;
    const bool is_function =
        tasks[index].side == Side::device ||
        std::any_of(tasks.begin(), tasks.end(), [index](const Task& other) { return other.folded_into == index; });
    for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit) {
      const bool changes_side = (system.platform.units[unit].type == PuType::gpu) == placement.host[index];
      if ((changes_side && !is_function) || system.platform.units[unit].frequency.is_zero() ||
          !engine::scheduler_on(system.platform, task.scheduler, unit) || !executes(system, task, unit))
        continue;
      if (!is_allowed(space_.problem, index, unit) || (changes_side && !space_.options.freedom.offloading)) return true;
    }
    return false;
  }

  static bool is_activated(const Placement& placement, TaskIndex task) {
    return std::any_of(placement.system.stimuli.begin(), placement.system.stimuli.end(),
                       [&](const Stimulus& stimulus) { return is_in(stimulus.activates, task); });
  }

  /// Placements that differ only in other tasks have the same result.
  Least least_of(const Placement& placement, TaskIndex task) {
    const auto kept = alone_with(placement.system, task);
    const auto key = std::tuple(task, placement.host[task], placement.system.tasks[task].body.size(), kept);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    System system = alone(placement, task, kept);
    std::vector<UnitIndex> units = {system.tasks[task].unit};
    if (placement.host[task] && !space_.cpus[task].empty()) units = space_.cpus[task];
    Least least;
    for (const UnitIndex unit : units) {
      system.tasks[task].units.clear();
      system.tasks[task].unit = unit;
      if (const auto scheduler = engine::scheduler_on(system.platform, placement.system.tasks[task].scheduler, unit);
          scheduler && placement.host[task] && system.tasks[task].kind == ProcessKind::task)
        system.tasks[task].scheduler = *scheduler;
      const Duration time = response(system, task, kept);
      if (time < least.time) least = {time, unit};
    }
    known_.emplace(key, least);
    return least;
  }

  /// Its bound; without one, the sum of its own time and that of its offloads.
  Duration response(const System& system, TaskIndex task, const std::vector<TaskIndex>& kept) const {
    engine::CompileOptions options = options_;
    options.all_units = true;
    const auto worst = engine::compile_programs(system, engine::Execution::worst, space_.devices, options);
    const auto best = engine::compile_programs(system, engine::Execution::best, space_.devices, options);
    const auto bounds = engine::system_bounds(system, best, worst, space_.devices);
    if (bounds.tasks[task].worst) return *bounds.tasks[task].worst;
    Duration sum;
    for (const TaskIndex each : kept) sum += worst[each].execution + worst[each].copies + worst[each].kernels;
    return sum;
  }

  const Space& space_;
  engine::CompileOptions options_;
  std::map<std::tuple<TaskIndex, bool, std::size_t, std::vector<TaskIndex>>, Least> known_;
};

}  // namespace

std::vector<Impossible> impossible_deadlines(const Space& space) { return LeastSearch(space).run(); }

std::vector<bool> counted_tasks(const Space& space, const std::vector<Impossible>& impossible) {
  std::vector<bool> counted(space.problem.system.tasks.size(), true);
  for (const Impossible& one : impossible) counted[one.task] = false;
  return counted;
}

}  // namespace amalthea::explore::detail
