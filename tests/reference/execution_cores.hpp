// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which tasks have cores, the budgets of servers and the turns under round robin.

#include "reference/execution_order.hpp"

namespace reference {

class ExecutionCores : protected ExecutionOrder {
 protected:
  using ExecutionOrder::ExecutionOrder;

  void schedule(Index cluster) {
    std::size_t wanting = 0, free = 0;
    for (const auto task : cpu_tasks_) {
      const bool wants = cluster_[model_.tasks[task].units[0]] == cluster && runnable(task);
      wanting_[task] = wants ? 1 : 0;
      wanting += wants ? 1u : 0u;
    }
    for (Index unit = 0; unit < cores_.size(); ++unit) {
      if (cluster_[unit] != cluster) continue;
      cores_[unit].next = none;
      ++free;
    }
    for (; wanting > 0 && free > 0; --wanting) {
      auto task = next_task(cluster);
      wanting_[task] = 0;
      auto unit = place(task);
      if (unit == none && cooperates(task)) {  // S-cores-5: who waits for the end of a runnable lets it continue
        const auto owner = cooperative_before(task);
        if (owner == none || wanting_[owner] == 0) continue;
        if (wanting > 2 && ask(Kind::cooperation, model_.tasks[task].scheduler, 0, 1) == 1) continue;
        task = owner;
        wanting_[task] = 0;
        --wanting;
        unit = place(task);
      }
      if (unit == none) continue;
      cores_[unit].next = task;
      --free;
    }
    for (Index unit = 0; unit < cores_.size(); ++unit) {
      const auto& core = cores_[unit];
      if (cluster_[unit] == cluster && core.task != core.next && core.task != none) preempt(core.task);
    }
    for (Index unit = 0; unit < cores_.size(); ++unit)
      if (cluster_[unit] == cluster && cores_[unit].task != cores_[unit].next) dispatch(cores_[unit].next, unit);
  }

  void leave_core(Index task) {
    auto& a = active_[task];
    if (a.unit == none) return;
    cores_[a.unit].task = none;
    a.last = a.unit;
    a.unit = none;
    for (const auto scheduler : paths_[task]) --servers_[scheduler].running;
    dirty_.push_back(cluster_[a.last]);
  }

  void free_section(Index task) {
    for (auto& core : cores_)
      if (core.cooperative == task) core.cooperative = none;
  }

  /// The costs of the operation that the task executes, on this unit.
  const Cost& cost_on(Index task, Index unit) const {
    const auto& units = model_.tasks[task].units;
    const auto& program = programs_[task];
    const auto place = std::find(units.begin(), units.end(), unit) - units.begin();
    return program.costs[program.ops[active_[task].pc].cost + static_cast<std::size_t>(place)];
  }

  /// S-server-1
  void prepare_servers() {
    for (Index number = 0; number < model_.schedulers.size(); ++number) {
      const auto& scheduler = model_.schedulers[number];
      auto& server = servers_.emplace_back();
      if (!is_server(scheduler.algorithm)) continue;
      has_servers_ = true;
      if (scheduler.algorithm != Algorithm::polling) server.budget = scheduler.budget;
      if (options_.any_offsets && scheduler.algorithm != Algorithm::bandwidth)
        server.replenished = ask(Kind::server_phase, number, 0, scheduler.period - 1);
    }
  }

  void renew_budgets_and_slices() {
    for (Index number = 0; number < servers_.size(); ++number) {
      const auto& scheduler = model_.schedulers[number];
      auto& server = servers_[number];
      const bool bandwidth = scheduler.algorithm == Algorithm::bandwidth;
      if (!is_server(scheduler.algorithm)) continue;
      if (bandwidth ? server.budget <= 0 : server.replenished == now_) {
        server.budget = scheduler.budget;
        (bandwidth ? server.deadline : server.replenished) += scheduler.period;  // S-server-5
      } else if (server.budget > 0) {
        continue;
      }
      for (const auto unit : scheduler.units) dirty_.push_back(cluster_[unit]);
    }
    for (const auto& core : cores_) {
      if (core.task == none || !turns(core.task) || active_[core.task].slice_left > 0) continue;
      new_turn(core.task);
      dirty_.push_back(cluster_[active_[core.task].unit]);
    }
  }

  void new_turn(Index task) {
    active_[task].turn = now_;
    active_[task].slice_left = model_.schedulers[model_.tasks[task].scheduler].slice;
  }

  /// S-server-2: a polling server without a job that is ready loses its budget.
  void idle_servers() {
    for (Index number = 0; number < servers_.size(); ++number)
      if (algorithm(number) == Algorithm::polling && !others_active(none, number)) servers_[number].budget = 0;
  }

  /// S-server-5: what happens when a job becomes ready while no other one of the server is.
  void join_servers(Index task) {
    for (const auto scheduler : paths_[task]) {
      const auto& one = model_.schedulers[scheduler];
      auto& server = servers_[scheduler];
      if (one.algorithm != Algorithm::bandwidth || others_active(task, scheduler)) continue;
      if (server.deadline > now_ &&
          static_cast<Wide>(server.budget) * one.period < static_cast<Wide>(server.deadline - now_) * one.budget)
        continue;
      server.deadline = now_ + one.period;
      server.budget = one.budget;
    }
  }

 private:
  bool others_active(Index task, Index scheduler) const {
    const auto& all = levels_[scheduler].all;
    return std::any_of(all.begin(), all.end(), [&](Index other) {
      return other != task && active_[other].job >= 0 && active_[other].state != State::waiting;
    });
  }

  /// A free core for the task: the one that it has or had, else one that nobody wants, else any (S-cores-6).
  Index place(Index task) {
    const auto& a = active_[task];
    const auto allowed = [&](Index unit) {
      const auto owner = cores_[unit].cooperative;
      return cores_[unit].next == none && (owner == none || owner == task || !cooperates(task) || !runnable(owner));
    };
    if (unpreemptible(task)) return allowed(a.last) ? a.last : none;
    if (a.unit != none && allowed(a.unit)) return a.unit;
    std::vector<Index> choices;
    for (const bool idle : {true, false}) {
      for (const auto unit : model_.tasks[task].units) {
        const bool unwanted = cores_[unit].task == none || !runnable(cores_[unit].task);
        if (unwanted != idle || !allowed(unit)) continue;
        choices.insert(unit == a.last && idle ? choices.begin() : choices.end(), unit);
      }
    }
    return choices.empty() ? none : choices[pick(Kind::core_choice, task, choices.size())];
  }

  /// The task within a runnable on the first core that this task may use.
  Index cooperative_before(Index task) const {
    for (Index unit = 0; unit < cores_.size(); ++unit) {
      const auto& core = cores_[unit];
      if (core.cooperative != none && core.next == none && contains(model_.tasks[task].units, unit))
        return core.cooperative;
    }
    return none;
  }

  void preempt(Index task) {
    const bool polls = active_[task].state == State::polling;
    const auto& stack = active_[task].stack;
    if (!stack.empty()) emit(Of::runnable, "suspend", stack.back(), task);
    leave_core(task);
    dirty_.pop_back();
    ++job(task).preemptions;
    emit(Of::process, polls ? "park" : "preempt", task, task);
    set_state(task, polls ? State::parking : State::ready);
  }

  void dispatch(Index task, Index unit) {
    auto& a = active_[task];
    const bool first = job(task).start < 0, polls = a.state == State::parking;
    cores_[unit].task = task;
    a.unit = unit;
    for (const auto scheduler : paths_[task]) ++servers_[scheduler].running;
    if (!first && a.last != unit && a.last != none) {
      ++job(task).migrations;
      if (cores_[a.last].cooperative == task) cores_[a.last].cooperative = none;
      if (a.executing) migrate(task, a.last, unit);
    }
    a.last = unit;
    a.holding = true;
    if (first) {
      job(task).start = now_;
      data_.start(task, now_, job(task).release);
    }
    set_state(task, polls ? State::polling : State::running);
    emit(Of::process, first ? "start" : polls ? "poll_parking" : "resume", task, task);
    if (!first && !a.stack.empty()) emit(Of::runnable, "resume", a.stack.back(), task);
    if (!a.executing) due_.push_back(task);
  }

  /// S-cores-7: the rest of an operation takes the same share of the time on the other core.
  void migrate(Index task, Index from, Index to) {
    auto& a = active_[task];
    const auto p = cost_on(task, from).time(), q = cost_on(task, to).time();
    const Time whole = p.most == p.least ? q.most
                                         : q.least + static_cast<Time>(static_cast<Wide>(q.most - q.least) *
                                                                       (a.whole - p.least) / (p.most - p.least));
    if (whole == a.whole || a.whole == 0) return;
    a.left = static_cast<Time>(static_cast<Wide>(a.left) * whole / a.whole);
    a.whole = whole;
  }
};

}  // namespace reference
