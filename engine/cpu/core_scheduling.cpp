// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/core_scheduling.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace amalthea::engine {
CoreScheduling::CoreScheduling(const System& system, const std::vector<std::optional<Duration>>& periods)
    : system_(system), urgency_(system, periods), tasks_(system.tasks.size()) {
  build_tasks();
  build_servers();
  build_domains();
  build_core_sets();
  running_.resize(cores());
  uninterruptible_.resize(cores());
  non_preemptive_.resize(cores());
  cooperative_.resize(cores());
  free_.resize(cores());
  undecided_ = IndexSet(domains());
  for (const Server& server : servers_)
    if (server.kind == ServerKind::polling)
      for (const DomainIndex domain : server.domains) call(domain);  // idle ones lose their budget, at time 0 too
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
    const Scheduler& own = system_.platform.schedulers[urgency_.scheduler_path(task).front()];
    if (!traits_of(own.kind).takes_turns || !own.time_slice) continue;
    state.slice = own.time_slice;
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
    server.kind = traits_of(schedulers[scheduler].kind).server;
    server.capacity = server.budget = *share.budget;
    server.period = *share.period;
    server.next_filling = Instant::at(server.period);
    servers_.push_back(std::move(server));
  }
  for (TaskIndex task = 0; task < tasks_.size(); ++task)
    for (const SchedulerIndex scheduler : urgency_.scheduler_path(task))
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
      domains_.emplace_back();
      domains_.back().ready = std::set<TaskIndex, Before>(Before{&urgency_});
    } else {
      domain_of_core_[core] = domain_of_core_[find(core)];
    }
    Domain& domain = domains_[domain_of_core_[core]];
    domain.cores.push_back(core);
  }
  std::vector<std::vector<TaskIndex>> tasks(domains());
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    TaskState& state = tasks_[task];
    if (state.cores.empty()) continue;
    state.domain = domain_of_core_[state.cores.front()];
    tasks[state.domain].push_back(task);
    Domain& domain = domains_[state.domain];
    if (!state.servers.empty()) domain.simple = false;
    if (system_.tasks[task].preemption != Preemption::preemptive || !state.servers.empty()) domain.holds = true;
    for (const SchedulerIndex scheduler : state.servers) {
      auto& of_server = servers_[*server_of_scheduler_[scheduler]].domains;
      if (std::find(of_server.begin(), of_server.end(), state.domain) == of_server.end())
        of_server.push_back(state.domain);
    }
  }
  // Any task may contain uninterruptible sections.
  for (NodeIndex node = 0; node < system_.graph.size(); ++node)
    if (std::holds_alternative<Uninterruptible>(system_.graph[node].activity))
      domains_[tasks_[system_.graph[node].task].domain].holds = true;
  for (DomainIndex index = 0; index < domains(); ++index) {
    Domain& domain = domains_[index];
    domain.plain = domain.cores.size() == 1 && !domain.holds;
    if (domain.holds && !urgency_.comparable(tasks[index])) domain.simple = false;
  }
}

void CoreScheduling::build_core_sets() {
  std::map<std::vector<CoreIndex>, CoreSetIndex> known;
  for (TaskState& task : tasks_) {
    if (task.cores.empty()) continue;
    const auto [at, is_new] = known.emplace(task.cores, core_sets_.size());
    task.core_set = at->second;
    if (!is_new) continue;
    domains_[task.domain].core_sets.push_back(core_sets_.size());
    core_sets_.push_back(task.cores);
  }
}

// ---- process events

void CoreScheduling::make_ready(TaskIndex task, Instant now) {
  TaskState& state = tasks_[task];
  if (state.ready) return;
  for (const SchedulerIndex scheduler : state.servers) {
    Server& server = servers_[*server_of_scheduler_[scheduler]];
    if (server.kind != ServerKind::constant_bandwidth || server.users > 0) continue;
    // The server wakes up: the remaining budget is kept if it fits the bandwidth up to the deadline.
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
  for (const SchedulerIndex scheduler : state.servers) ++servers_[*server_of_scheduler_[scheduler]].users;
  if (state.slice) state.slice_left = *state.slice;
  urgency_.queued(task, now);
  enqueue(task);
  call(state.domain);
}

void CoreScheduling::enqueue(TaskIndex task) {
  TaskState& state = tasks_[task];
  state.ready = true;
  state.place = domains_[state.domain].ready.insert(task).first;
  if (state.slice) ++round_robin_peers(task);
}

void CoreScheduling::dequeue(TaskIndex task) {
  TaskState& state = tasks_[task];
  state.ready = false;
  domains_[state.domain].ready.erase(state.place);
  if (state.slice) --round_robin_peers(task);
}

std::size_t& CoreScheduling::round_robin_peers(TaskIndex task) {
  return round_robin_peers_[{tasks_[task].domain, urgency_.scheduler_path(task).front(),
                             urgency_.round_robin_level(task)}];
}

template <typename Change>
void CoreScheduling::requeue(TaskIndex task, Change change) {
  const bool ready = tasks_[task].ready;
  if (ready) dequeue(task);
  change();
  if (ready) enqueue(task);
}

void CoreScheduling::set_running(CoreIndex core, std::optional<TaskIndex> task) {
  if (running_[core] == task) return;
  const auto change = [&](TaskIndex of, std::int64_t by) {
    TaskState& state = tasks_[of];
    for (const SchedulerIndex scheduler : state.servers) servers_[*server_of_scheduler_[scheduler]].at_work += by;
    if (state.servers.empty() && !state.slice) return;
    if (by > 0)
      metered_.push_back(core);
    else
      metered_.erase(std::find(metered_.begin(), metered_.end(), core));
  };
  if (running_[core]) {
    change(*running_[core], -1);
    tasks_[*running_[core]].on.reset();
  }
  running_[core] = task;
  if (!task) return;
  change(*task, 1);
  tasks_[*task].on = core;
}

void CoreScheduling::leave(TaskIndex task) {
  TaskState& state = tasks_[task];
  if (!state.ready) return;
  dequeue(task);
  for (const SchedulerIndex scheduler : state.servers) --servers_[*server_of_scheduler_[scheduler]].users;
  for (const CoreIndex core : state.cores)
    for (auto* holder : {&uninterruptible_[core], &non_preemptive_[core], &cooperative_[core]})
      if (*holder == task) holder->reset();
  if (state.on) set_running(*state.on, std::nullopt);
  call(state.domain);
}

void CoreScheduling::pass_point(TaskIndex task) {
  for (const CoreIndex core : tasks_[task].cores)
    if (cooperative_[core] == task) cooperative_[core].reset();
  call(tasks_[task].domain);
}

void CoreScheduling::set_uninterruptible(TaskIndex task, bool value) {
  TaskState& state = tasks_[task];
  if (value)
    ++state.uninterruptible;
  else if (state.uninterruptible > 0)
    --state.uninterruptible;
  for (const CoreIndex core : state.cores) {
    if (state.uninterruptible == 0 && uninterruptible_[core] == task) uninterruptible_[core].reset();
    if (state.uninterruptible > 0 && running_[core] == task) uninterruptible_[core] = task;
  }
  call(state.domain);
}

void CoreScheduling::raise(TaskIndex task, std::optional<std::int64_t> ceiling) {
  if (urgency_.ceiling(task) != ceiling) requeue(task, [&] { urgency_.raise(task, ceiling); });
  call(tasks_[task].domain);
}

// ---- time

bool CoreScheduling::has_budget(TaskIndex task) const {
  const auto& servers = tasks_[task].servers;
  return std::all_of(servers.begin(), servers.end(), [this](SchedulerIndex scheduler) {
    const Server& server = servers_[*server_of_scheduler_[scheduler]];
    return server.kind == ServerKind::constant_bandwidth || !server.budget.is_zero();
  });
}

void CoreScheduling::advance(Instant now) {
  const Duration elapsed = now - now_;
  now_ = now;
  for (const CoreIndex core : metered_) {
    const TaskIndex task = *running_[core];
    TaskState& state = tasks_[task];
    for (const SchedulerIndex scheduler : state.servers) {
      Server& server = servers_[*server_of_scheduler_[scheduler]];
      server.budget -= std::min(elapsed, server.budget);
    }
    if (!state.slice) continue;
    state.slice_left -= std::min(elapsed, state.slice_left);
    if (!state.slice_left.is_zero()) continue;
    state.slice_left = *state.slice;
    requeue(task, [&] { urgency_.queued(task, now); });
    call(state.domain);
  }
  settle_servers(now);
}

/// Its ready tasks are requeued.
void CoreScheduling::move_deadline(const Server& server) {
  std::vector<TaskIndex> ready;
  std::copy_if(server.tasks.begin(), server.tasks.end(), std::back_inserter(ready),
               [this](TaskIndex task) { return tasks_[task].ready; });
  for (const TaskIndex task : ready) dequeue(task);
  urgency_.set_deadline(server.scheduler, server.deadline);
  for (const TaskIndex task : ready) enqueue(task);
}

void CoreScheduling::settle_servers(Instant now) {
  for (Server& server : servers_) {
    const bool bandwidth = server.kind == ServerKind::constant_bandwidth;
    const Duration before = server.budget;
    bool changed = false;
    if (bandwidth && server.budget.is_zero()) {
      server.deadline = server.deadline + server.period;
      server.budget = server.capacity;
      move_deadline(server);
      changed = true;
    }
    if (!bandwidth && server.next_filling <= now) {
      while (server.next_filling <= now) server.next_filling = server.next_filling + server.period;
      server.budget = server.capacity;
      changed = true;
    }
    if (!changed && !(before.is_zero() && server.users > 0)) continue;
    for (const DomainIndex domain : server.domains) call(domain);
  }
}

Instant CoreScheduling::next_event() const {
  if (next_undecided(0)) return now_;
  Instant next = Instant::never();
  for (const CoreIndex core : metered_) {
    const TaskIndex task = *running_[core];
    if (!tasks_[task].slice) continue;
    const auto round_robin_peers = round_robin_peers_.find(
        {tasks_[task].domain, urgency_.scheduler_path(task).front(), urgency_.round_robin_level(task)});
    if (round_robin_peers->second > 1) next = std::min(next, now_ + tasks_[task].slice_left);
  }
  for (const Server& server : servers_) {
    if (server.at_work > 0 && !server.budget.is_zero())
      next = std::min(next, now_ + scale(server.budget, 1, server.at_work, Rounding::up));
    if (server.kind != ServerKind::constant_bandwidth) next = std::min(next, server.next_filling);
  }
  return next;
}

// ---- decisions

void CoreScheduling::decide(DomainIndex index, Instant now) {
  Domain& domain = domains_[index];
  undecided_.erase(index);
  now_ = now;
  if (domain.plain)
    set_running(domain.cores.front(), domain.ready.empty() ? std::nullopt : std::optional(*domain.ready.begin()));
  else
    decide_all(domain);
  for (const CoreIndex core : domain.cores)
    if (running_[core]) tasks_[*running_[core]].last = core;
}

void CoreScheduling::decide_all(Domain& domain) {
  given_.clear();
  for (const CoreIndex core : domain.cores) free_[core] = true;
  free_cores_ = domain.cores.size();
  for (const CoreIndex core : domain.cores)
    if (uninterruptible_[core]) give(core, *uninterruptible_[core]);
  auto next = domain.ready.begin();
  for (; next != domain.ready.end() && system_.tasks[*next].kind != ProcessKind::task; ++next) place(*next);
  for (const CoreIndex core : domain.cores)
    if (non_preemptive_[core] && free_[core]) give(core, *non_preemptive_[core]);
  for (; next != domain.ready.end() && free_cores_ > 0; ++next) place(*next);

  for (const CoreIndex core : domain.cores) set_running(core, std::nullopt);
  for (const auto& [core, task] : given_) {
    set_running(core, task);
    hold(core);
    tasks_[task].given = false;
  }
  for (const CoreIndex core : domain.cores) free_[core] = false;
  // An idle polling server loses its budget.
  for (Server& server : servers_)
    if (server.kind == ServerKind::polling && server.users == 0) server.budget = Duration{};
}

void CoreScheduling::give(CoreIndex core, TaskIndex task) {
  free_[core] = false;
  --free_cores_;
  tasks_[task].given = true;
  given_.emplace_back(core, task);
}

void CoreScheduling::place(TaskIndex task) {
  if (tasks_[task].given || free_cores_ == 0 || !has_budget(task)) return;
  if (const auto core = choose_core(task)) {
    give(*core, task);
    return;
  }
  if (system_.tasks[task].preemption != Preemption::cooperative) return;
  for (const CoreIndex core : tasks_[task].cores)
    if (free_[core] && cooperative_[core] && !tasks_[*cooperative_[core]].given) {
      give(core, *cooperative_[core]);  // instead of the task that waits for it
      return;
    }
}

/// From now on, only processes that may preempt it can take the core from its process.
void CoreScheduling::hold(CoreIndex core) {
  const TaskIndex task = *running_[core];
  for (const CoreIndex other : tasks_[task].cores)
    for (auto* holder : {&uninterruptible_[other], &non_preemptive_[other], &cooperative_[other]})
      if (other != core && *holder == task) holder->reset();
  if (tasks_[task].uninterruptible > 0) uninterruptible_[core] = task;
  if (system_.tasks[task].preemption == Preemption::non_preemptive) non_preemptive_[core] = task;
  if (system_.tasks[task].preemption == Preemption::cooperative) cooperative_[core] = task;
}

std::optional<CoreScheduling::CoreIndex> CoreScheduling::choose_core(TaskIndex task) const {
  const TaskState& state = tasks_[task];
  const bool cooperative = system_.tasks[task].preemption == Preemption::cooperative;
  const bool is_task = system_.tasks[task].kind == ProcessKind::task;
  const auto usable = [&](CoreIndex core) {
    if (!free_[core]) return false;
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

std::optional<TaskIndex> CoreScheduling::least_urgent(CoreSetIndex set) const {
  std::optional<TaskIndex> least;
  for (const CoreIndex core : core_sets_[set])
    if (running_[core] && (!least || urgency_.before(*least, *running_[core]))) least = running_[core];
  return least;
}

CoreScheduling::Obstacle CoreScheduling::obstacle(TaskIndex task) const {
  if (!has_budget(task)) return {Obstacle::Kind::budget, std::nullopt};
  const auto least = least_urgent(tasks_[task].core_set);
  const bool blocked = least && urgency_.before(task, *least);
  return {blocked ? Obstacle::Kind::blocking : Obstacle::Kind::preemption, least};
}

}  // namespace amalthea::engine
