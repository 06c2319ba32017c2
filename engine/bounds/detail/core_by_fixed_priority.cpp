// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/cpu/fixed_priority.hpp"
#include "engine/cpu/server_windows.hpp"
#include "engine/cpu/suspending_tasks.hpp"

namespace amalthea::engine::bounds {
namespace {

bool waits(const cpu::CpuTask& task) { return !task.waiting.is_zero() || task.waits > 0 || !task.granted.empty(); }

/// `owners`: jobs of tasks with the same one run one after the other.
std::vector<cpu::CpuBound> bounds_of(const std::vector<cpu::CpuTask>& tasks, const std::vector<std::size_t>& owners,
                                     const cpu::Limits& limits,
                                     const std::optional<cpu::PeriodicResource>& resource = std::nullopt) {
  return std::any_of(tasks.begin(), tasks.end(), waits) ? cpu::suspending_task_bounds(tasks, owners, resource, limits)
                                                        : cpu::fixed_priority_bounds(tasks, resource, limits);
}

/// Tasks of a core problem, and servers of it, with the places of what they stand for.
struct Level {
  std::vector<cpu::CpuTask> tasks;
  std::vector<std::size_t> places, owners;

  void add(cpu::CpuTask task, std::size_t place, std::size_t owner) {
    tasks.push_back(std::move(task));
    places.push_back(place);
    owners.push_back(owner);
  }
  cpu::CpuBound placed(cpu::CpuBound bound) const {
    for (cpu::CpuShare& share : bound.parts)
      if (share.by) share.by = places[*share.by];
    if (bound.reason == cpu::NoBound::unlimited) bound.obstacle = places[bound.obstacle];
    return bound;
  }
};

/// The bounds of a core with servers, level by level: the core, then the inside of each server.
class ServerBounds {
 public:
  explicit ServerBounds(const CoreProblem& problem) : problem_(problem), bounds_(problem.tasks.size()) {}

  std::vector<cpu::CpuBound> run() {
    find(std::nullopt, Duration{});
    return std::move(bounds_);
  }

 private:
  bool is_within(std::size_t task, std::size_t server) const {
    auto at = problem_.members[task].server;
    while (at && *at != server) at = problem_.servers[*at].parent;
    return at.has_value();
  }
  /// Beside the tasks of the system.
  static std::size_t of_server(std::size_t server) { return std::numeric_limits<std::size_t>::max() - server; }
  bool has_servers(std::size_t server) const {
    return std::any_of(problem_.servers.begin(), problem_.servers.end(),
                       [&](const CoreProblem::Server& other) { return other.parent == server; });
  }

  static bool has_equal(const Level& level, std::size_t task) {
    return std::count_if(level.tasks.begin(), level.tasks.end(),
                         [&](const cpu::CpuTask& other) { return other.priority == level.tasks[task].priority; }) > 1;
  }

  /// The sections of a task that continue when its server has no budget. The holder of a semaphore with a ceiling stops
  /// with its server, and the ceiling raises it only among the tasks of its own scheduler.
  std::vector<cpu::Section> overruns(std::size_t task) const {
    std::vector<cpu::Section> sections;
    for (const cpu::Section& section : problem_.tasks[task].sections)
      if (problem_.members[task].non_preemptive || section.threshold == nobody) sections.push_back(section);
    return sections;
  }

  /// The server as a task, with the lowest rank of its tasks: those are next to each other. While the tasks of a
  /// polling server wait for servers within it, it keeps its budget. So it is deferrable for tasks outside. At the end
  /// of a budget, it may continue for one section.
  void add_server(std::size_t server, Level& level) const {
    cpu::PeriodicResource resource = problem_.servers[server].resource;
    resource.polling = resource.polling && !has_servers(server);
    cpu::CpuTask task = cpu::as_task(resource);
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < problem_.tasks.size(); ++i) {
      if (!is_within(i, server)) continue;
      task.priority = first ? std::min(task.priority, problem_.tasks[i].priority) : problem_.tasks[i].priority;
      if (!first) first = i;
      for (const cpu::Section& section : overruns(i)) task.sections.push_back(section);
    }
    task.worst += cpu::longest_section(task);
    level.add(std::move(task), first.value_or(0), of_server(server));
  }

  /// Bounds the tasks that run directly in this server, or in none, and what runs in the servers within it. `supplied`:
  /// the maximum time from the start of a period in which its tasks need its budget until it has supplied all of it;
  /// nothing: it may not get its budget in every period.
  void find(std::optional<std::size_t> server, std::optional<Duration> supplied) {
    Level level;
    for (std::size_t i = 0; i < problem_.tasks.size(); ++i)
      if (problem_.members[i].server == server) level.add(problem_.tasks[i], i, problem_.members[i].task);
    const std::size_t tasks = level.tasks.size();
    std::vector<std::size_t> within;
    for (std::size_t other = 0; other < problem_.servers.size(); ++other)
      if (problem_.servers[other].parent == server) {
        within.push_back(other);
        add_server(other, level);
      }
    std::optional<cpu::PeriodicResource> resource;
    if (server) {
      resource = problem_.servers[*server].resource;
      resource->response = supplied;
    }
    const auto found = bounds_of(level.tasks, level.owners, problem_.limits, resource);
    for (std::size_t i = 0; i < tasks; ++i)
      bounds_[level.places[i]] =
          supplied ? level.placed(found[i]) : cpu::CpuBound{{}, {}, cpu::NoBound::no_supply, level.places[i]};
    for (std::size_t i = 0; i < within.size(); ++i) {
      // Whether it can use its whole budget in every period: its response as a task that is released with each filling.
      // By deadlines, and beside tasks of the same rank, it may also have used an earlier budget late while they were
      // pending.
      std::vector<cpu::CpuTask> filled = level.tasks;
      if (!problem_.servers[within[i]].by_deadline && !has_equal(level, tasks + i))
        filled[tasks + i].arrivals.jitter = {};
      const auto response = bounds_of(filled, level.owners, problem_.limits, resource)[tasks + i].response;
      const bool in_time = supplied && response && *response <= problem_.servers[within[i]].resource.period;
      find(within[i], in_time ? response : std::nullopt);
    }
  }

  const CoreProblem& problem_;
  std::vector<cpu::CpuBound> bounds_;
};

/// Counts how often the tasks of servers use up budgets.
std::vector<cpu::CpuBound> bounds_in_servers(const CoreProblem& problem) {
  std::vector<cpu::CpuBound> bounds = ServerBounds(problem).run();
  const bool is_plain = std::none_of(problem.members.begin(), problem.members.end(),
                                     [](const auto& member) { return member.non_preemptive || !member.held.empty(); });
  if (!is_plain || problem.waits_for_semaphores) return bounds;
  std::vector<std::optional<std::size_t>> server_of;
  for (const CoreProblem::Member& member : problem.members) server_of.push_back(member.server);
  std::vector<cpu::NestedServer> servers;
  for (const CoreProblem::Server& server : problem.servers) servers.push_back({server.resource, server.parent});
  cpu::improve_in_servers(problem.tasks, server_of, servers, problem.limits, bounds);
  return bounds;
}

/// Semaphores of the core without a priority ceiling: bounds with the tasks' own ranks.
void improve_by_holders(const CoreProblem& problem, const std::vector<std::size_t>& owners,
                        std::vector<cpu::CpuBound>& bounds) {
  std::vector<cpu::CpuTask> tasks = problem.tasks;
  std::vector<std::vector<cpu::SemaphoreSection>> held;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].priority = problem.members[i].own_rank;
    held.push_back(problem.members[i].held);
  }
  cpu::improve_by_holders(tasks, held, owners, problem.limits, bounds);
}

std::vector<cpu::CpuBound> bounds_by_fixed_priority(const CoreProblem& problem) {
  if (!problem.servers.empty()) return bounds_in_servers(problem);
  std::vector<std::size_t> owners;
  for (const CoreProblem::Member& member : problem.members) owners.push_back(member.task);
  auto bounds = bounds_of(problem.tasks, owners, problem.limits);
  if (problem.waits_for_semaphores && problem.one_holder && !problem.by_deadline)
    improve_by_holders(problem, owners, bounds);
  if (!problem.rows.empty() && problem.uses_rows && std::none_of(problem.tasks.begin(), problem.tasks.end(), waits))
    cpu::improve_by_rows(problem.tasks, problem.rows, problem.limits, bounds);
  if (!problem.rows.empty() && !problem.waits_for_semaphores && !problem.by_deadline &&
      std::none_of(problem.tasks.begin(), problem.tasks.end(), waits))
    cpu::improve_after_triggers(problem.tasks, problem.rows, problem.limits, bounds);
  return bounds;
}

}  // namespace

/// Every other core. Tasks whose order depends on their deadlines have the same rank, and bounds hold for any order of
/// them.
const CoreAnalysis by_fixed_priority{[](const CoreView&) { return true; }, bounds_by_fixed_priority, true, true};

}  // namespace amalthea::engine::bounds
