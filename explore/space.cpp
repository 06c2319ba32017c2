// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "amalthea/distribution.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/program/program.hpp"
#include "engine/program/releases.hpp"
#include "engine/small_changes.hpp"
#include "explore/combinations.hpp"
#include "explore/detail/space.hpp"

namespace amalthea::explore::detail {
namespace {

/// On a GPU already, or a function with a removed wrapper, or with ticks for a GPU.
bool could_be_on_gpu(const System& system, TaskIndex task) {
  if (system.tasks[task].side == Side::device) return true;
  if (std::any_of(system.tasks.begin(), system.tasks.end(),
                  [task](const Task& other) { return other.folded_into == task; }))
    return true;
  const auto& body = system.tasks[task].body;
  return std::any_of(body.begin(), body.end(), [&](NodeIndex node) {
    const auto* compute = std::get_if<Compute>(&system.graph[node].activity);
    return compute != nullptr &&
           std::any_of(compute->ticks.extended.begin(), compute->ticks.extended.end(),
                       [&](const auto& entry) { return system.platform.definitions[entry.first].type == PuType::gpu; });
  });
}

/// Device tasks stay where `place` puts them, so this must be allowed.
bool is_usable(const Problem& problem, const Placement& placement) {
  for (TaskIndex task = 0; task < placement.system.tasks.size(); ++task)
    if (placement.active[task] && !placement.host[task] &&
        !is_allowed(problem, task, placement.system.tasks[task].unit))
      return false;
  return true;
}

/// The combinations to try, the model's own first: all of few functions; for many those one change away from it, all on
/// one side, and random ones.
std::vector<std::vector<bool>> combinations(const System& system, const std::vector<TaskIndex>& functions,
                                            const Options& options) {
  std::vector<bool> own(system.tasks.size(), false);
  for (const TaskIndex task : functions) own[task] = system.tasks[task].side == Side::host;
  std::vector<std::vector<bool>> all = {own};
  if (!options.freedom.offloading) return all;
  const auto add = [&all](const std::vector<bool>& one) {
    if (all.size() < max_placements && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  };
  if (functions.size() <= 6) {
    for (std::uint32_t bits = 0; bits < (1u << functions.size()); ++bits) {
      std::vector<bool> one(own.size(), false);
      for (std::size_t i = 0; i < functions.size(); ++i) one[functions[i]] = ((bits >> i) & 1u) != 0;
      add(one);
    }
    return all;
  }
  for (const bool on_cpu : {false, true}) {
    std::vector<bool> one(own.size(), false);
    for (const TaskIndex task : functions) one[task] = on_cpu;
    add(one);
  }
  for (const TaskIndex task : functions) {
    std::vector<bool> one = own;
    one[task] = !one[task];
    if (all.size() < max_placements / 2) add(one);
  }
  RandomStream random(options.seed, walk_purpose, ~std::uint64_t{0}, 0);
  for (std::size_t tries = 0; tries < 4 * max_placements; ++tries) {
    std::vector<bool> one(own.size(), false);
    for (const TaskIndex task : functions) one[task] = random.uniform() < 0.5;
    add(one);
  }
  return all;
}

std::vector<Duration> slices_of(const System& system, const Task& task) {
  const Scheduler& scheduler = system.platform.schedulers[task.scheduler];
  std::vector<Duration> slices = usual_time_slices(scheduler.minimum_time_slice, scheduler.maximum_time_slice);
  if (task.time_slice) slices.push_back(*task.time_slice);
  std::sort(slices.begin(), slices.end());
  slices.erase(std::unique(slices.begin(), slices.end()), slices.end());
  return slices;
}

std::vector<UnitIndex> cpus_of(const Problem& problem, const std::vector<Placement>& placements, TaskIndex task) {
  const Platform& platform = problem.system.platform;
  std::vector<UnitIndex> units;
  if (problem.system.tasks[task].kind != ProcessKind::task) return units;
  for (UnitIndex unit = 0; unit < platform.units.size(); ++unit) {
    if (!is_cpu(platform, unit) || platform.units[unit].frequency.is_zero() || !is_allowed(problem, task, unit) ||
        !engine::scheduler_on(platform, problem.system.tasks[task].scheduler, unit))
      continue;
    if (std::all_of(placements.begin(), placements.end(), [&](const Placement& placement) {
          return !placement.host[task] || has_ticks(placement.system, task, unit);
        }))
      units.push_back(unit);
  }
  return units;
}

/// Whether constraints hold for the task on each of its units.
bool may_migrate(const Problem& problem, TaskIndex index, const Task& task) {
  if (task.units.size() < 2) return false;
  const auto in_group = [index](const std::vector<TaskIndex>& group) {
    return group.size() > 1 && std::find(group.begin(), group.end(), index) != group.end();
  };
  const Constraints& constraints = problem.constraints;
  return std::none_of(constraints.together.begin(), constraints.together.end(), in_group) &&
         std::none_of(constraints.apart.begin(), constraints.apart.end(), in_group) &&
         std::all_of(task.units.begin(), task.units.end(),
                     [&](UnitIndex unit) { return is_allowed(problem, index, unit); });
}

/// The tasks that must be together; overlapping groups are merged.
std::vector<std::vector<TaskIndex>> groups_of(const Problem& problem) {
  const std::size_t count = problem.system.tasks.size();
  std::vector<TaskIndex> leader(count);
  for (TaskIndex task = 0; task < count; ++task) leader[task] = task;
  for (const auto& group : problem.constraints.together)
    for (const TaskIndex task : group) {
      const TaskIndex from = leader[task], to = leader[group.front()];
      std::replace(leader.begin(), leader.end(), from, to);
    }
  std::vector<std::vector<TaskIndex>> groups(count);
  for (TaskIndex task = 0; task < count; ++task)
    for (TaskIndex other = 0; other < count; ++other)
      if (leader[other] == leader[task]) groups[task].push_back(other);
  return groups;
}

/// Members of a group may have ticks for different units: they move to common ones.
void find_common_units(const Space& space, Placement& placement) {
  placement.groups = space.groups;
  placement.units = space.cpus;
  for (TaskIndex task = 0; task < space.groups.size(); ++task) {
    if (!placement.movable[task]) continue;
    auto& units = placement.units[task];
    for (const TaskIndex member : space.groups[task])
      if (placement.movable[member])
        units.erase(std::remove_if(units.begin(), units.end(),
                                   [&](UnitIndex unit) {
                                     const auto& others = space.cpus[member];
                                     return std::find(others.begin(), others.end(), unit) == others.end();
                                   }),
                    units.end());
    if (!units.empty()) continue;
    placement.groups[task] = {task};
    units = space.cpus[task];
  }
}

}  // namespace

bool has_ticks(const System& system, TaskIndex task, UnitIndex unit) {
  const auto& body = system.tasks[task].body;
  return std::all_of(body.begin(), body.end(), [&](NodeIndex node) {
    const auto* compute = std::get_if<Compute>(&system.graph[node].activity);
    return compute == nullptr || compute->ticks.on(system.platform.units[unit].definition) != nullptr;
  });
}

bool is_allowed(const Problem& problem, TaskIndex task, UnitIndex unit) {
  if (task >= problem.constraints.allowed.size()) return true;
  const auto& allowed = problem.constraints.allowed[task];
  return std::find(allowed.begin(), allowed.end(), unit) != allowed.end();
}

std::vector<TaskIndex> functions_of(const Problem& problem) {
  const Platform& platform = problem.system.platform;
  std::vector<TaskIndex> functions;
  if (!problem.place) return functions;
  for (TaskIndex task = 0; task < problem.constraints.allowed.size() && task < problem.system.tasks.size(); ++task) {
    const auto& allowed = problem.constraints.allowed[task];
    const auto on_cpu = [&](UnitIndex unit) { return is_cpu(platform, unit); };
    const bool is_on_cpu = problem.system.tasks[task].side == Side::host;  // constraints may forbid it
    if (!problem.system.tasks[task].folded_into && could_be_on_gpu(problem.system, task) &&
        (is_on_cpu || std::any_of(allowed.begin(), allowed.end(), on_cpu)) &&
        (!is_on_cpu || !std::all_of(allowed.begin(), allowed.end(), on_cpu)))
      functions.push_back(task);
  }
  return functions;
}

std::vector<bool> functions_on_cpu(const System& system, const std::vector<TaskIndex>& functions,
                                   const Candidate& candidate) {
  std::vector<bool> on_cpu(system.tasks.size(), false);
  for (const TaskIndex task : functions) on_cpu[task] = is_cpu(system.platform, candidate[task].unit);
  return on_cpu;
}

Placement describe_placement(System system, std::vector<bool> on_cpu, const Problem& problem, const Options& options) {
  Placement placement;
  const std::size_t count = system.tasks.size();
  placement.periods = engine::periods_of(system);
  placement.waits.resize(count);
  placement.owner.resize(count);
  for (TaskIndex task = 0; task < count; ++task) placement.owner[task] = task;
  for (TaskIndex task = 0; task < count; ++task) {
    const Task& stated = system.tasks[task];
    const bool active = !stated.folded_into, host = active && stated.side == Side::host;
    if (stated.folded_into && stated.deadline) placement.owner[*stated.folded_into] = task;
    if (host)
      for (const NodeIndex node : stated.body)
        if (std::holds_alternative<WaitEvents>(system.graph[node].activity)) placement.waits[task].push_back(node);
    const bool process = stated.kind == ProcessKind::task;
    // A function moved from the GPU needs a core, even if no other task moves.
    const bool came = on_cpu[task] && problem.system.tasks[task].side == Side::device;
    placement.active.push_back(active);
    placement.host.push_back(host);
    placement.movable.push_back(host && process && (options.freedom.mapping || came));
    placement.ranked.push_back(host && process && options.freedom.priorities &&
                               has_fixed_priorities(system.platform.schedulers[stated.scheduler].kind));
    placement.waiting.push_back(options.freedom.waiting && !placement.waits[task].empty());
    placement.sliced.push_back(active && !host && options.freedom.slices);
    placement.may_migrate.push_back(host && may_migrate(problem, task, stated));
  }
  placement.own = original_candidate(system);
  placement.stated = original_candidate(problem.system);
  for (TaskIndex task = 0; task < count; ++task)
    if (problem.system.tasks[task].folded_into || problem.system.tasks[task].side != system.tasks[task].side)
      placement.stated[task] = placement.own[task];
  placement.system = std::move(system);
  placement.on_cpu = std::move(on_cpu);
  return placement;
}

Space space_of(const Problem& problem, const Options& options) {
  Space space{problem, options, {}, functions_of(problem), {}, {}, {}, groups_of(problem)};
  space.devices = engine::default_devices(problem.system, options.analysis.profile);
  for (const auto& on_cpu : combinations(problem.system, space.functions, options)) {
    const bool own = space.placements.empty();
    auto system = own ? std::optional(problem.system) : problem.place(on_cpu);
    if (!system || system->tasks.size() != problem.system.tasks.size()) continue;
    Placement placement = describe_placement(std::move(*system), on_cpu, problem, options);
    if (own || is_usable(problem, placement)) space.placements.push_back(std::move(placement));
  }
  for (TaskIndex task = 0; task < problem.system.tasks.size(); ++task) {
    space.cpus.push_back(cpus_of(problem, space.placements, task));
    std::vector<Duration> slices;
    for (const Placement& placement : space.placements)
      if (slices.empty() && placement.active[task] && !placement.host[task])
        slices = slices_of(placement.system, placement.system.tasks[task]);
    space.slices.push_back(std::move(slices));
  }
  // A function cannot move to CPUs without a core for it.
  space.placements.erase(std::remove_if(space.placements.begin() + 1, space.placements.end(),
                                        [&](const Placement& placement) {
                                          return std::any_of(
                                              space.functions.begin(), space.functions.end(), [&](TaskIndex task) {
                                                return placement.on_cpu[task] && space.cpus[task].empty();
                                              });
                                        }),
                         space.placements.end());
  for (Placement& placement : space.placements) find_common_units(space, placement);
  return space;
}

std::optional<std::size_t> placement_of(const Space& space, const Candidate& candidate) {
  const auto on_cpu = functions_on_cpu(space.problem.system, space.functions, candidate);
  for (std::size_t index = 0; index < space.placements.size(); ++index)
    if (space.placements[index].on_cpu == on_cpu) return index;
  return std::nullopt;
}

}  // namespace amalthea::explore::detail
