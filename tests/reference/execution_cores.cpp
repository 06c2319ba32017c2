// SPDX-License-Identifier: Apache-2.0
/// Which tasks have cores, the budgets of servers and the turns under round robin.
#include "reference/executor.hpp"

#include <algorithm>

namespace reference {

/// Whether the task wants a core and its servers have budget (S-server-4).
bool Executor::runnable(Index task) const {
  const auto& a = active_[task];
  if (a.job < 0 || a.phase == Phase::waiting || a.phase == Phase::idle) return false;
  if (unpreemptible(task)) return true;
  for (const auto scheduler : paths_[task]) {
    if (is_server(algorithm(scheduler)) && algorithm(scheduler) != Algorithm::bandwidth &&
        servers_[scheduler].budget <= 0)
      return false;
  }
  return true;
}

void Executor::schedule(Index cluster) {
  std::size_t wanting = 0, free = 0;
  for (const auto task : cpu_tasks_) {
    const bool wants = cluster_[model_.tasks[task].units[0]] == cluster && runnable(task);
    wanting_[task] = wants ? 1 : 0;
    wanting += wants ? 1u : 0u;
  }
  for (Index unit = 0; unit < cores_.size(); ++unit) {
    if (cluster_[unit] != cluster) continue;
    cores_[unit].taken = false;
    cores_[unit].next = none;
    ++free;
  }
  for (; wanting > 0 && free > 0; --wanting) {
    auto task = next_task(cluster);
    wanting_[task] = 0;
    auto unit = place(task);
    if (unit == none && cooperates(task)) {  // S-cores-5: who waits for the end
                                             // of a runnable lets it continue
      const auto owner = cooperative_before(task);
      if (owner == none || wanting_[owner] == 0) continue;
      if (wanting > 2 && ask(Kind::cooperation, model_.tasks[task].scheduler, 0, 1) == 1) continue;
      task = owner;
      wanting_[task] = 0;
      --wanting;
      unit = place(task);
    }
    if (unit == none) continue;
    cores_[unit].taken = true;
    cores_[unit].next = task;
    --free;
  }
  for (Index unit = 0; unit < cores_.size(); ++unit) {
    if (cluster_[unit] == cluster && cores_[unit].task != cores_[unit].next && cores_[unit].task != none)
      preempt(cores_[unit].task);
  }
  for (Index unit = 0; unit < cores_.size(); ++unit) {
    if (cluster_[unit] == cluster && cores_[unit].task != cores_[unit].next) dispatch(cores_[unit].next, unit);
  }
}

/// A free core for the task: the one that it has or had, else one that nobody wants, else any (S-cores-6).
Index Executor::place(Index task) {
  const auto& a = active_[task];
  const auto allowed = [&](Index unit) {
    const auto& core = cores_[unit];
    return !core.taken &&
           (core.cooperative == none || core.cooperative == task || !cooperates(task) || !runnable(core.cooperative));
  };
  if (unpreemptible(task)) return allowed(a.last) ? a.last : none;
  if (a.unit != none && allowed(a.unit)) return a.unit;
  auto& choices = choices_;
  choices.clear();
  for (const bool idle : {true, false}) {
    for (const auto unit : model_.tasks[task].units) {
      const bool unwanted = cores_[unit].task == none || !runnable(cores_[unit].task);
      if (unwanted != idle || !allowed(unit)) continue;
      choices.insert(unit == a.last && idle ? choices.begin() : choices.end(), unit);
    }
  }
  if (choices.empty()) return none;
  return choices[pick(Kind::core_choice, task, choices.size())];
}

/// The task within a runnable on the first core that this task may use.
Index Executor::cooperative_before(Index task) const {
  const auto& units = model_.tasks[task].units;
  for (Index unit = 0; unit < cores_.size(); ++unit) {
    if (cores_[unit].cooperative != none && !cores_[unit].taken &&
        std::find(units.begin(), units.end(), unit) != units.end())
      return cores_[unit].cooperative;
  }
  return none;
}

void Executor::count_running(Index task, int change) {
  for (const auto scheduler : paths_[task]) servers_[scheduler].running += change;
}

void Executor::leave_core(Index task) {
  auto& a = active_[task];
  if (a.unit == none) return;
  cores_[a.unit].task = none;
  a.last = a.unit;
  a.unit = none;
  count_running(task, -1);
  dirty_.push_back(cluster_[a.last]);
}

void Executor::preempt(Index task) {
  auto& a = active_[task];
  if (!a.stack.empty()) emit(Event::Of::runnable, "suspend", a.stack.back(), task);
  leave_core(task);
  dirty_.pop_back();
  ++job(task).preemptions;
  emit(Event::Of::process, a.phase == Phase::polling ? "park" : "preempt", task, task);
  set_state(task, a.phase == Phase::polling ? State::parking : State::ready);
}

void Executor::dispatch(Index task, Index unit) {
  auto& a = active_[task];
  cores_[unit].task = task;
  a.unit = unit;
  count_running(task, 1);
  if (a.started && a.last != unit && a.last != none) {
    ++job(task).migrations;
    if (cores_[a.last].cooperative == task) cores_[a.last].cooperative = none;
    if (a.executing) migrate(task, a.last, unit);
  }
  a.last = unit;
  a.holding = true;
  const bool first = !a.started;
  if (first) {
    a.started = true;
    job(task).start = now_;
    data_.start(task, now_, job(task).release);
  }
  set_state(task, a.phase == Phase::polling ? State::polling : State::running);
  emit(Event::Of::process, first ? "start" : a.phase == Phase::polling ? "poll_parking" : "resume", task, task);
  if (!first && !a.stack.empty()) emit(Event::Of::runnable, "resume", a.stack.back(), task);
  if (!a.executing) due_.push_back(task);
}

std::size_t Executor::place_of(Index task, Index unit) const {
  const auto& units = model_.tasks[task].units;
  return static_cast<std::size_t>(std::find(units.begin(), units.end(), unit) - units.begin());
}

/// S-cores-7: the rest of an operation takes the same share of the time on the other core.
void Executor::migrate(Index task, Index from, Index to) {
  auto& a = active_[task];
  const auto& program = programs_[task];
  const auto* costs = &program.costs[program.ops[a.pc].cost];
  const auto range = [&](Index unit) {
    const auto& cost = costs[place_of(task, unit)];
    return Range{std::max(duration(cost.cycles.least, cost.hertz), cost.at_least.least),
                 std::max(duration(cost.cycles.most, cost.hertz), cost.at_least.most)};
  };
  const auto p = range(from), q = range(to);
  const Time whole =
      p.most == p.least
          ? q.most
          : q.least + static_cast<Time>(static_cast<Wide>(q.most - q.least) * (a.whole - p.least) / (p.most - p.least));
  if (whole == a.whole || a.whole == 0) return;
  a.left = static_cast<Time>(static_cast<Wide>(a.left) * whole / a.whole);
  a.whole = whole;
}

void Executor::free_section(Index task) {
  for (auto& core : cores_) {
    if (core.cooperative == task) core.cooperative = none;
  }
}

void Executor::servers() {
  for (Index number = 0; number < servers_.size(); ++number) {
    const auto& scheduler = model_.schedulers[number];
    if (!is_server(scheduler.algorithm)) continue;
    auto& server = servers_[number];
    if (scheduler.algorithm == Algorithm::bandwidth) {
      if (server.budget > 0) continue;
      server.budget = scheduler.budget;  // S-server-5
      server.deadline += scheduler.period;
    } else if (server.replenished == now_) {
      server.budget = scheduler.budget;
      server.replenished += scheduler.period;
    } else if (server.budget > 0) {
      continue;
    }
    for (const auto unit : scheduler.units) dirty_.push_back(cluster_[unit]);
  }
  for (const auto& core : cores_) {
    if (core.task == none || !turns(core.task) || active_[core.task].slice_left > 0) continue;
    auto& a = active_[core.task];
    a.turn = now_;
    a.slice_left = model_.schedulers[model_.tasks[core.task].scheduler].slice;
    dirty_.push_back(cluster_[a.unit]);
  }
}

/// S-server-2: a polling server without a job that is ready loses its budget.
void Executor::idle_servers() {
  for (Index number = 0; number < servers_.size(); ++number) {
    if (algorithm(number) != Algorithm::polling || servers_[number].budget == 0) continue;
    if (!others_active(none, number)) servers_[number].budget = 0;
  }
}

bool Executor::others_active(Index task, Index scheduler) const {
  for (const auto other : cpu_tasks_) {
    if (other != task && active_[other].job >= 0 && active_[other].phase != Phase::waiting && below(other, scheduler))
      return true;
  }
  return false;
}

bool Executor::below(Index task, Index scheduler) const {
  return std::find(paths_[task].begin(), paths_[task].end(), scheduler) != paths_[task].end();
}

/// S-server-5: what happens when a job becomes ready while no other one of the server is.
void Executor::new_deadline(Index scheduler) {
  const auto& one = model_.schedulers[scheduler];
  auto& server = servers_[scheduler];
  if (server.deadline > now_ &&
      static_cast<Wide>(server.budget) * one.period < static_cast<Wide>(server.deadline - now_) * one.budget)
    return;
  server.deadline = now_ + one.period;
  server.budget = one.budget;
}

}  // namespace reference
