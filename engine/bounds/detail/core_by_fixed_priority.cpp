// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/cpu/fixed_priority.hpp"

namespace amalthea::engine::bounds {
namespace {

/// Tasks of a core problem, or servers of it, with the places of what they stand for.
struct Level {
  std::vector<cpu::CpuTask> tasks;
  std::vector<std::size_t> places;

  void add(cpu::CpuTask task, std::size_t place) {
    tasks.push_back(std::move(task));
    places.push_back(place);
  }
  cpu::CpuBound placed(cpu::CpuBound bound) const {
    for (cpu::CpuShare& share : bound.parts)
      if (share.by) share.by = places[*share.by];
    if (bound.reason == cpu::NoBound::unlimited) bound.obstacle = places[bound.obstacle];
    return bound;
  }
};

/// What tasks outside of servers see: a server is a task with the ranks of its tasks, which are next to each other.
struct Outside : Level {
  std::vector<std::size_t> at;  ///< of every server
};

Outside outside_of(const CoreProblem& problem) {
  Outside outside;
  for (std::size_t i = 0; i < problem.tasks.size(); ++i)
    if (!problem.members[i].server) outside.add(problem.tasks[i], i);
  for (std::size_t server = 0; server < problem.servers.size(); ++server) {
    cpu::CpuTask task = cpu::as_task(problem.servers[server]);
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      if (problem.members[i].server != server) continue;
      if (!first) first = i;
      task.priority = *first == i ? problem.tasks[i].priority : std::min(task.priority, problem.tasks[i].priority);
    }
    outside.at.push_back(outside.tasks.size());
    outside.add(std::move(task), first.value_or(0));
  }
  return outside;
}

/// Whether the server can use its whole budget in every period: its response as a task that is released with each
/// filling.
bool is_supplied(const Outside& outside, const CoreProblem& problem, std::size_t server) {
  std::vector<cpu::CpuTask> tasks = outside.tasks;
  tasks[outside.at[server]].arrivals.jitter = {};
  const auto bound = std::move(cpu::fixed_priority_bounds(tasks)[outside.at[server]]);
  return bound.response && *bound.response <= problem.servers[server].period;
}

std::vector<cpu::CpuBound> bounds_by_fixed_priority(const CoreProblem& problem) {
  if (problem.servers.empty()) return cpu::fixed_priority_bounds(problem.tasks);
  std::vector<cpu::CpuBound> bounds(problem.tasks.size());
  const Outside outside = outside_of(problem);
  const auto found_outside = cpu::fixed_priority_bounds(outside.tasks);
  for (std::size_t i = 0; i < outside.at.front(); ++i) bounds[outside.places[i]] = outside.placed(found_outside[i]);
  for (std::size_t server = 0; server < problem.servers.size(); ++server) {
    Level inside;
    for (std::size_t i = 0; i < problem.tasks.size(); ++i)
      if (problem.members[i].server == server) inside.add(problem.tasks[i], i);
    const bool supplied = is_supplied(outside, problem, server);
    const auto found = cpu::fixed_priority_bounds(inside.tasks, problem.servers[server]);
    for (std::size_t i = 0; i < inside.tasks.size(); ++i)
      bounds[inside.places[i]] =
          supplied ? inside.placed(found[i]) : cpu::CpuBound{{}, {}, cpu::NoBound::no_supply, inside.places[i]};
  }
  return bounds;
}

}  // namespace

/// Every core whose order is defined by ranks.
const CoreAnalysis by_fixed_priority{[](const CoreView&) { return true; },
                                     [](const CoreView&) { return std::string(); }, bounds_by_fixed_priority, true,
                                     true};

}  // namespace amalthea::engine::bounds
