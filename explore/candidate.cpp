// SPDX-License-Identifier: Apache-2.0
#include "explore/detail/candidate.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/small_changes.hpp"

namespace amalthea::explore {
namespace detail {
namespace {

bool polls(const System& system, const std::vector<NodeIndex>& waits) {
  return std::any_of(waits.begin(), waits.end(),
                     [&](NodeIndex node) { return std::get<WaitEvents>(system.graph[node].activity).active; });
}

bool migrates(const Placement& placement, const Candidate& candidate, TaskIndex task) {
  return candidate[task].migrates && placement.host[task] && placement.system.tasks[task].units.size() > 1;
}

}  // namespace

void apply(const Placement& placement, const Candidate& candidate, System& system) {
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    if (!placement.active[index]) continue;
    const Task& base = placement.system.tasks[index];
    const Choice& choice = candidate[index];
    Task& task = system.tasks[index];
    if (!placement.host[index]) {
      task.time_slice = choice.slice;
      continue;
    }
    const auto scheduler = engine::scheduler_on(system.platform, base.scheduler, choice.unit);
    const bool stays_on_all = migrates(placement, candidate, index);
    const bool moves = !stays_on_all && choice.unit != base.unit && is_cpu(system.platform, choice.unit) && scheduler;
    task.unit = moves ? choice.unit : base.unit;
    task.scheduler = moves ? *scheduler : base.scheduler;
    if (moves || (!stays_on_all && base.units.size() > 1))
      task.units.clear();
    else if (task.units != base.units)
      task.units = base.units;
    task.priority = choice.priority;
    const auto& waits = placement.waits[index];
    // A task that waits in both ways keeps them as long as nothing changes.
    const bool as_stated = waits.empty() || choice.waits_actively == polls(placement.system, waits);
    for (const NodeIndex node : waits)
      std::get<WaitEvents>(system.graph[node].activity).active =
          as_stated ? std::get<WaitEvents>(placement.system.graph[node].activity).active : choice.waits_actively;
  }
}

Candidate canonical(const Placement& placement, const Candidate& candidate) {
  Candidate result = placement.own;
  for (TaskIndex task = 0; task < result.size(); ++task) {
    if (!placement.active[task]) continue;
    if (!placement.host[task]) {
      result[task].slice = candidate[task].slice;
      continue;
    }
    result[task].migrates = migrates(placement, candidate, task);
    if (!result[task].migrates) result[task].unit = candidate[task].unit;
    result[task].priority = candidate[task].priority;
    if (!placement.waits[task].empty()) result[task].waits_actively = candidate[task].waits_actively;
  }
  return result;
}

std::size_t broken_constraints(const Constraints& constraints, const Placement& placement, const Candidate& candidate) {
  std::size_t broken = 0;
  const auto counts = [&](TaskIndex task) { return task < candidate.size() && placement.active[task]; };
  // A migrating task is on all its units.
  const auto is_on = [&](TaskIndex task, UnitIndex unit) {
    if (!migrates(placement, candidate, task)) return candidate[task].unit == unit;
    const auto& units = placement.system.tasks[task].units;
    return std::find(units.begin(), units.end(), unit) != units.end();
  };
  const auto each_unit = [&](TaskIndex task, const auto& visit) {
    if (!migrates(placement, candidate, task)) return visit(candidate[task].unit);
    for (const UnitIndex unit : placement.system.tasks[task].units) visit(unit);
  };
  for (TaskIndex task = 0; task < candidate.size() && task < constraints.allowed.size(); ++task) {
    if (!counts(task)) continue;
    const auto& allowed = constraints.allowed[task];
    bool outside = false;
    each_unit(task, [&](UnitIndex unit) {
      outside = outside || std::find(allowed.begin(), allowed.end(), unit) == allowed.end();
    });
    if (outside) ++broken;
  }
  for (const auto& group : constraints.together) {
    std::set<UnitIndex> units;
    for (const TaskIndex task : group)
      if (counts(task)) each_unit(task, [&](UnitIndex unit) { units.insert(unit); });
    if (units.size() > 1) broken += units.size() - 1;
  }
  for (const auto& group : constraints.apart)
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = i + 1; j < group.size(); ++j) {
        if (!counts(group[i]) || !counts(group[j])) continue;
        bool meet = false;
        each_unit(group[i], [&](UnitIndex unit) { meet = meet || is_on(group[j], unit); });
        if (meet) ++broken;
      }
  return broken;
}

std::size_t count_changes(const Problem& problem, const Placement& placement, const Candidate& candidate) {
  std::size_t changes = 0;
  for (TaskIndex task = 0; task < candidate.size(); ++task) {
    if (!placement.active[task]) continue;
    const Choice &now = candidate[task], &before = placement.stated[task];
    const Task& stated = problem.system.tasks[task];
    if (!stated.folded_into && stated.side != placement.system.tasks[task].side) {
      ++changes;  // with whatever priority it needs there
    } else {
      if (now.unit != before.unit || now.migrates != before.migrates) ++changes;
      if (placement.host[task] && now.priority != before.priority) ++changes;
    }
    if (!placement.waits[task].empty() && now.waits_actively != before.waits_actively) ++changes;
    if (!placement.host[task] && now.slice != before.slice) ++changes;
  }
  return changes;
}

Candidate with_few_priorities(const Placement& placement, Candidate candidate) {
  const auto stated = [&](TaskIndex task) { return placement.stated[task].priority; };
  std::map<UnitIndex, std::vector<TaskIndex>> orders;
  for (TaskIndex task = 0; task < candidate.size(); ++task)
    if (placement.ranked[task]) orders[candidate[task].unit].push_back(task);
  for (auto& [unit, order] : orders) {
    if (std::all_of(order.begin(), order.end(),
                    [&](TaskIndex task) { return candidate[task].priority == stated(task); }))
      continue;  // equal priorities stay equal
    std::stable_sort(order.begin(), order.end(), [&](TaskIndex a, TaskIndex b) {
      return std::tuple(candidate[a].priority, stated(a)) < std::tuple(candidate[b].priority, stated(b));
    });
    std::vector<std::int64_t> present;
    for (const TaskIndex task : order) present.push_back(stated(task));
    const std::vector<std::int64_t> values = engine::ascending_priorities(present);
    for (std::size_t i = 0; i < order.size(); ++i) candidate[order[i]].priority = values[i];
  }
  return candidate;
}

std::uint64_t hash_of(const Candidate& candidate) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  const auto add = [&hash](std::uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  };
  for (const Choice& choice : candidate) {
    add(choice.unit);
    add(static_cast<std::uint64_t>(choice.priority));
    add((choice.waits_actively ? 1u : 0u) + (choice.migrates ? 2u : 0u));
    add(choice.slice ? static_cast<std::uint64_t>(choice.slice->picoseconds()) + 1 : 0);
  }
  return hash;
}

}  // namespace detail

Candidate original_candidate(const System& system) {
  Candidate candidate(system.tasks.size());
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    Choice& choice = candidate[index];
    choice.unit = task.unit;
    choice.priority = task.priority;
    if (task.folded_into) continue;
    if (task.side == Side::device) {
      choice.slice = task.time_slice;
      continue;
    }
    choice.migrates = task.units.size() > 1;
    for (const NodeIndex node : task.body)
      if (const auto* wait = std::get_if<WaitEvents>(&system.graph[node].activity))
        choice.waits_actively = choice.waits_actively || wait->active;
  }
  return candidate;
}

std::optional<System> applied(const Problem& problem, const Candidate& candidate) {
  using namespace detail;
  const auto functions = functions_of(problem);
  std::vector<bool> own(problem.system.tasks.size(), false);
  for (const TaskIndex task : functions) own[task] = problem.system.tasks[task].side == Side::host;
  std::vector<bool> on_cpu = functions_on_cpu(problem.system, functions, candidate);
  auto system = on_cpu == own ? std::optional(problem.system) : problem.place(on_cpu);
  if (!system) return std::nullopt;
  const Placement placement = describe_placement(std::move(*system), std::move(on_cpu), problem, Options{});
  System result = placement.system;
  apply(placement, candidate, result);
  return result;
}

}  // namespace amalthea::explore
