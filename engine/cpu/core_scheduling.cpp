// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/core_scheduling.hpp"

#include <algorithm>
#include <numeric>

namespace amalthea::engine {
namespace {

bool is_server(SchedulingAlgorithm algorithm) {
  return algorithm == SchedulingAlgorithm::polling_periodic_server ||
         algorithm == SchedulingAlgorithm::deferrable_server ||
         algorithm == SchedulingAlgorithm::constant_bandwidth_server;
}

}  // namespace

CoreScheduling::CoreScheduling(const System& system, const std::vector<std::optional<Duration>>& periods)
    : system_(system), urgency_(system, periods), tasks_(system.tasks.size()) {
  build_tasks();
  build_servers();
  build_domains();
  running_.resize(cores());
  uninterruptible_.resize(cores());
  non_preemptive_.resize(cores());
  cooperative_.resize(cores());
  for (const Server& server : servers_)
    for (const TaskIndex task : server.tasks) call(tasks_[task].domain);  // polling servers lose what nobody asks for
}

void CoreScheduling::build_tasks() {
  std::vector<CoreIndex> core_of_unit(system_.platform.units.size());
  for (UnitIndex unit = 0; unit < core_of_unit.size(); ++unit)
    if (system_.platform.units[unit].type != PuType::gpu) {
      core_of_unit[unit] = units_.size();
      units_.push_back(unit);
    }
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    const Task& stated = system_.tasks[task];
    if (stated.side == Side::device) continue;
    TaskState& state = tasks_[task];
    for (const UnitIndex unit : stated.units)
      if (system_.platform.units[unit].type != PuType::gpu) state.cores.push_back(core_of_unit[unit]);
    if (state.cores.empty()) state.cores.push_back(core_of_unit[stated.unit]);
    const Scheduler& own = system_.platform.schedulers[urgency_.way(task).front()];
    if (own.kind != SchedulingAlgorithm::priority_based_round_robin || !own.time_slice) continue;
    state.slice = own.time_slice;
    has_turns_ = true;
  }
}

void CoreScheduling::build_servers() {
  const auto& schedulers = system_.platform.schedulers;
  server_of_scheduler_.resize(schedulers.size());
  for (SchedulerIndex scheduler = 0; scheduler < schedulers.size(); ++scheduler) {
    const SchedulerShare& share = schedulers[scheduler].share;
    if (!is_server(schedulers[scheduler].kind) || !share.budget || !share.period) continue;
    server_of_scheduler_[scheduler] = servers_.size();
    Server server;
    server.scheduler = scheduler;
    server.kind = schedulers[scheduler].kind;
    server.capacity = server.budget = *share.budget;
    server.period = *share.period;
    server.next_filling = Instant::at(server.period);
    servers_.push_back(std::move(server));
  }
  for (TaskIndex task = 0; task < tasks_.size(); ++task)
    for (const SchedulerIndex scheduler : urgency_.way(task))
      if (const auto server = server_of_scheduler_[scheduler]) {
        tasks_[task].servers.push_back(scheduler);
        servers_[*server].tasks.push_back(task);
      }
}

void CoreScheduling::build_domains() {
  std::vector<CoreIndex> leader(cores());
  std::iota(leader.begin(), leader.end(), CoreIndex{0});
  const auto find = [&](CoreIndex core) {
    while (leader[core] != core) core = leader[core];
    return core;
  };
  for (const TaskState& task : tasks_)
    for (const CoreIndex core : task.cores) {
      const CoreIndex a = find(task.cores.front()), b = find(core);
      leader[std::max(a, b)] = std::min(a, b);
    }
  domain_of_core_.resize(cores());
  for (CoreIndex core = 0; core < cores(); ++core) {
    if (find(core) == core) {
      domain_of_core_[core] = domains_.size();
      domains_.push_back({});
    } else {
      domain_of_core_[core] = domain_of_core_[find(core)];
    }
    Domain& domain = domains_[domain_of_core_[core]];
    domain.cores.push_back(core);
    if (domain.cores.size() > 1) domain.plain = false;
  }
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    TaskState& state = tasks_[task];
    if (state.cores.empty()) continue;
    state.domain = domain_of_core_[state.cores.front()];
    if (system_.tasks[task].preemption != Preemption::preemptive || !state.servers.empty())
      domains_[state.domain].plain = false;
  }
  // Sections may begin in any task.
  for (NodeIndex node = 0; node < system_.graph.size(); ++node)
    if (std::holds_alternative<Uninterruptible>(system_.graph[node].activity))
      domains_[tasks_[system_.graph[node].task].domain].plain = false;
}

// ---- what processes do

void CoreScheduling::make_ready(TaskIndex task, Instant now) {
  TaskState& state = tasks_[task];
  if (state.ready) return;
  for (const SchedulerIndex scheduler : state.servers) {
    Server& server = servers_[*server_of_scheduler_[scheduler]];
    if (server.kind != SchedulingAlgorithm::constant_bandwidth_server || users(server) > 0) continue;
    // It wakes up: what is left may be kept if it fits the bandwidth up to the deadline.
    const bool keeps =
        now < server.deadline &&
        static_cast<detail::Int128>(server.budget.picoseconds()) * server.period.picoseconds() <
            static_cast<detail::Int128>((server.deadline - now).picoseconds()) * server.capacity.picoseconds();
    if (!keeps) {
      server.deadline = now + server.period;
      server.budget = server.capacity;
    }
    urgency_.set_deadline(scheduler, server.deadline);
  }
  state.ready = true;
  if (state.slice) state.turn = *state.slice;
  urgency_.queued(task, now);
  domains_[state.domain].ready.push_back(task);
  call(state.domain);
}

void CoreScheduling::leave(TaskIndex task) {
  TaskState& state = tasks_[task];
  if (!state.ready) return;
  state.ready = false;
  Domain& domain = domains_[state.domain];
  domain.ready.erase(std::find(domain.ready.begin(), domain.ready.end(), task));
  for (const CoreIndex core : domain.cores)
    for (auto* holder : {&uninterruptible_[core], &non_preemptive_[core], &cooperative_[core]})
      if (*holder == task) holder->reset();
  for (const CoreIndex core : domain.cores)
    if (running_[core] == task) running_[core].reset();
  call(state.domain);
}

void CoreScheduling::pass_point(TaskIndex task) {
  for (const CoreIndex core : domains_[tasks_[task].domain].cores)
    if (cooperative_[core] == task) cooperative_[core].reset();
  call(tasks_[task].domain);
}

void CoreScheduling::set_uninterruptible(TaskIndex task, bool value) {
  TaskState& state = tasks_[task];
  if (value)
    ++state.uninterruptible;
  else if (state.uninterruptible > 0)
    --state.uninterruptible;
  for (const CoreIndex core : domains_[state.domain].cores) {
    if (state.uninterruptible == 0 && uninterruptible_[core] == task) uninterruptible_[core].reset();
    if (state.uninterruptible > 0 && running_[core] == task) uninterruptible_[core] = task;
  }
  call(state.domain);
}

void CoreScheduling::raise(TaskIndex task, std::optional<std::int64_t> ceiling) {
  urgency_.raise(task, ceiling);
  call(tasks_[task].domain);
}

// ---- time

bool CoreScheduling::has_budget(TaskIndex task) const {
  const auto& servers = tasks_[task].servers;
  return std::all_of(servers.begin(), servers.end(), [this](SchedulerIndex scheduler) {
    const Server& server = servers_[*server_of_scheduler_[scheduler]];
    return server.kind == SchedulingAlgorithm::constant_bandwidth_server || !server.budget.is_zero();
  });
}

std::size_t CoreScheduling::users(const Server& server) const {
  return static_cast<std::size_t>(
      std::count_if(server.tasks.begin(), server.tasks.end(), [this](TaskIndex task) { return tasks_[task].ready; }));
}

void CoreScheduling::advance(Instant now) {
  const Duration elapsed = now - now_;
  now_ = now;
  if (servers_.empty() && !has_turns_) return;
  for (CoreIndex core = 0; core < cores(); ++core) {
    if (!running_[core]) continue;
    TaskState& state = tasks_[*running_[core]];
    if (!state.ready) continue;
    for (const SchedulerIndex scheduler : state.servers) {
      Server& server = servers_[*server_of_scheduler_[scheduler]];
      server.budget -= std::min(elapsed, server.budget);
    }
    if (!state.slice) continue;
    state.turn -= std::min(elapsed, state.turn);
    if (!state.turn.is_zero()) continue;
    state.turn = *state.slice;
    urgency_.queued(*running_[core], now);
    call(state.domain);
  }
  settle_servers(now);
}

void CoreScheduling::settle_servers(Instant now) {
  for (Server& server : servers_) {
    const bool bandwidth = server.kind == SchedulingAlgorithm::constant_bandwidth_server;
    const Duration before = server.budget;
    bool changed = false;
    if (bandwidth && server.budget.is_zero()) {
      server.deadline = server.deadline + server.period;
      server.budget = server.capacity;
      urgency_.set_deadline(server.scheduler, server.deadline);
      changed = true;
    }
    if (!bandwidth && server.next_filling <= now) {
      while (server.next_filling <= now) server.next_filling = server.next_filling + server.period;
      server.budget = server.capacity;
      changed = true;
    }
    if (!changed && !(before.is_zero() && users(server) > 0)) continue;
    for (const TaskIndex task : server.tasks) call(tasks_[task].domain);
  }
}

Instant CoreScheduling::next_event() const {
  Instant next = Instant::never();
  if (has_turns_)
    for (CoreIndex core = 0; core < cores(); ++core) {
      if (!running_[core] || !tasks_[*running_[core]].slice) continue;
      const auto& ready = domains_[domain_of_core_[core]].ready;
      const bool others = std::any_of(ready.begin(), ready.end(), [&](TaskIndex task) {
        return task != *running_[core] && urgency_.take_turns(task, *running_[core]);
      });
      if (others) next = std::min(next, now_ + tasks_[*running_[core]].turn);
    }
  for (const Server& server : servers_) {
    std::int64_t at_work = 0;
    for (const TaskIndex task : server.tasks)
      at_work += std::count(running_.begin(), running_.end(), std::optional(task));
    if (at_work > 0 && !server.budget.is_zero())
      next = std::min(next, now_ + scale(server.budget, 1, at_work, Rounding::up));
    if (server.kind != SchedulingAlgorithm::constant_bandwidth_server) next = std::min(next, server.next_filling);
  }
  return next;
}

// ---- decisions

void CoreScheduling::decide(DomainIndex index, Instant now) {
  Domain& domain = domains_[index];
  domain.undecided = false;
  now_ = now;
  if (domain.plain)
    decide_plain(domain);
  else
    decide_all(domain);
  for (const CoreIndex core : domain.cores)
    if (running_[core]) tasks_[*running_[core]].last = core;
}

void CoreScheduling::decide_plain(Domain& domain) {
  const auto first = std::min_element(domain.ready.begin(), domain.ready.end(),
                                      [this](TaskIndex a, TaskIndex b) { return urgency_.before(a, b); });
  running_[domain.cores.front()] = first == domain.ready.end() ? std::nullopt : std::optional(*first);
}

void CoreScheduling::decide_all(Domain& domain) {
  order_.clear();
  for (const TaskIndex task : domain.ready)
    if (has_budget(task)) order_.push_back(task);
  std::sort(order_.begin(), order_.end(), [this](TaskIndex a, TaskIndex b) { return urgency_.before(a, b); });

  std::vector<bool> free(cores(), false);
  for (const CoreIndex core : domain.cores) free[core] = true;
  std::vector<std::pair<CoreIndex, TaskIndex>> given;
  const auto has_core = [&](TaskIndex task) {
    return std::any_of(given.begin(), given.end(), [task](const auto& pair) { return pair.second == task; });
  };
  const auto give = [&](CoreIndex core, TaskIndex task) {
    free[core] = false;
    given.emplace_back(core, task);
  };
  const auto place = [&](TaskIndex task) {
    if (has_core(task)) return;
    if (const auto core = choose_core(task, free)) {
      give(*core, task);
      return;
    }
    if (system_.tasks[task].preemption != Preemption::cooperative) return;
    for (const CoreIndex core : tasks_[task].cores)
      if (free[core] && cooperative_[core] && !has_core(*cooperative_[core])) {
        give(core, *cooperative_[core]);  // in the place of the one that waits for it
        return;
      }
  };
  for (const CoreIndex core : domain.cores)
    if (uninterruptible_[core]) give(core, *uninterruptible_[core]);
  const auto interrupts = std::find_if(
      order_.begin(), order_.end(), [this](TaskIndex task) { return system_.tasks[task].kind == ProcessKind::task; });
  std::for_each(order_.begin(), interrupts, place);
  for (const CoreIndex core : domain.cores)
    if (non_preemptive_[core] && free[core]) give(core, *non_preemptive_[core]);
  std::for_each(interrupts, order_.end(), place);

  for (const CoreIndex core : domain.cores) running_[core].reset();
  for (const auto& [core, task] : given) {
    running_[core] = task;
    hold(core);
  }
  // A polling server with nothing to do loses its budget.
  for (Server& server : servers_)
    if (server.kind == SchedulingAlgorithm::polling_periodic_server && users(server) == 0) server.budget = Duration{};
}

/// From now on the core's process cannot be left by whom it does not have to yield to.
void CoreScheduling::hold(CoreIndex core) {
  const TaskIndex task = *running_[core];
  for (const CoreIndex other : tasks_[task].cores)
    for (auto* holder : {&uninterruptible_[other], &non_preemptive_[other], &cooperative_[other]})
      if (other != core && *holder == task) holder->reset();
  if (tasks_[task].uninterruptible > 0) uninterruptible_[core] = task;
  if (system_.tasks[task].preemption == Preemption::non_preemptive) non_preemptive_[core] = task;
  if (system_.tasks[task].preemption == Preemption::cooperative) cooperative_[core] = task;
}

std::optional<CoreScheduling::CoreIndex> CoreScheduling::choose_core(TaskIndex task,
                                                                     const std::vector<bool>& free) const {
  const TaskState& state = tasks_[task];
  const bool cooperative = system_.tasks[task].preemption == Preemption::cooperative;
  const bool is_task = system_.tasks[task].kind == ProcessKind::task;
  const auto usable = [&](CoreIndex core) {
    if (!free[core]) return false;
    if (is_task && non_preemptive_[core] && non_preemptive_[core] != task) return false;
    return !cooperative || !cooperative_[core] || cooperative_[core] == task;
  };
  std::optional<CoreIndex> idle, least;
  for (const CoreIndex core : state.cores) {
    if (!usable(core)) continue;
    if (running_[core] == task) return core;
    if (!running_[core]) {
      if (!idle || state.last == core) idle = core;
    } else if (!least || urgency_.before(*running_[*least], *running_[core])) {
      least = core;
    }
  }
  return idle ? idle : least;
}

CoreScheduling::Obstacle CoreScheduling::obstacle(TaskIndex task) const {
  if (!has_budget(task)) return {Obstacle::Kind::budget, std::nullopt};
  std::optional<TaskIndex> least;
  for (const CoreIndex core : tasks_[task].cores)
    if (running_[core] && (!least || urgency_.before(*least, *running_[core]))) least = running_[core];
  const bool blocked = least && urgency_.before(task, *least);
  return {blocked ? Obstacle::Kind::blocking : Obstacle::Kind::preemption, least};
}

}  // namespace amalthea::engine
