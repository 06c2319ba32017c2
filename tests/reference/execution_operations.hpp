// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a job does, one operation after the other.

#include "reference/execution_jobs.hpp"

namespace reference {

class ExecutionOperations : protected ExecutionJobs {
 protected:
  using ExecutionJobs::ExecutionJobs;

  /// Executes what takes no time, up to the next operation that does.
  void progress(Index task) {
    auto& a = active_[task];
    while (a.unit != none && a.job >= 0) {
      if (++steps_ > 1'000'000) throw Refused(model_.tasks[task].name, "a circle that takes no time");
      const auto before = static_cast<std::ptrdiff_t>(dirty_.size());
      const auto then = perform(task, programs_[task].ops[a.pc]);
      if (then == Then::stop) return;
      if (then == Then::jumped) continue;
      ++a.pc;
      const auto cluster = cluster_[a.unit];
      if (then == Then::yield) {  // the job may lose its core here
        dirty_.push_back(cluster);
        yielded_.push_back(task);
        return;
      }
      const bool calls = std::find(dirty_.begin() + before, dirty_.end(), cluster) != dirty_.end();
      if (then == Then::decide || (calls && ask(Kind::preemption, task, 0, 1) == 0)) {  // S-cores-8
        std::erase(dirty_, cluster);
        schedule(cluster);
      }
    }
  }

 private:
  enum class Then { follow, jumped, decide, yield, stop };
  using K = Item::Kind;

  Then perform(Index task, const Op& op) {
    auto& a = active_[task];
    switch (op.kind) {
      case K::ticks:
      case K::label:
        return execute(task, op) ? Then::follow : Then::stop;
      case K::wait:
        if (!satisfied(task)) return suspend(task, op.item->active), Then::stop;
        return resume_from_poll(task), Then::follow;
      case K::semaphore:
        if (op.item->release) return release(task, op.target), Then::follow;
        return request(task, op) ? Then::follow : Then::stop;
      case K::boundary:  // S-cores-5
        if (!cooperates(task) || cores_[a.unit].cooperative != task) return Then::follow;
        return free_section(task), Then::yield;
      case K::schedule_point:  // S-cores-5
        if (a.locks > 0 ||
            (model_.tasks[task].preemption == Task::Preemption::none && ask(Kind::schedule_point, task, 0, 1) == 0))
          return Then::follow;
        a.holding = false;
        return free_section(task), Then::yield;
      case K::unlock:
        return --a.locks == 0 ? Then::decide : Then::follow;
      case K::end:
        return finish_job(task), Then::stop;
      case K::count:
        return jump_unless(op.item->counter.hits(a.counters[op.slot]++), a.pc, op);
      case K::test:
        return jump_unless(holds(*op.condition, task, Kind::alternative), a.pc, op);
      case K::loop:
        return jump_unless(holds(*op.condition, task, Kind::iterations), a.pc, op);
      case K::jump:
        return jump_unless(false, a.pc, op);
      case K::switch_:
      case K::probability:
      case K::group:
        a.pc = op.targets[choice(task, op)];
        return Then::jumped;
      default:
        return effect(task, op), Then::follow;
    }
  }

  static Then jump_unless(bool follow, Index& pc, const Op& op) {
    if (!follow) pc = op.target;
    return follow ? Then::follow : Then::jumped;
  }

  /// What happens without conditions.
  void effect(Index task, const Op& op) {
    auto& a = active_[task];
    const auto top = [&](const char* type) {
      if (!a.stack.empty()) emit(Of::runnable, type, a.stack.back(), task);
    };
    if (op.kind == K::set) set_events(*op.item);
    if (op.kind == K::clear) a.flags &= ~bits(op.item->events);
    if (op.kind == K::trigger) occur(op.target);
    if (op.kind == K::mode) access_mode(task, op);
    if (op.kind == K::custom_event) emit(Of::custom, "", op.target, task);
    if (op.kind == K::lock) ++a.locks;
    if (op.kind == K::call) {
      top("suspend");
      a.stack.push_back(op.target);
      top("start");
    }
    if (op.kind == K::leave) {
      top("terminate");
      a.stack.pop_back();
      top("resume");
    }
  }

  /// Whether the operation has ended.
  bool execute(Index task, const Op& op) {
    auto& a = active_[task];
    const bool access = op.kind == K::label;
    const auto accessed = [&](const char* type) {
      data_.access(task, op.target, op.item->write, now_);
      emit(Of::label, type, op.target, task);
    };
    if (!a.executing) {
      if (access && !op.item->write) accessed("read");
      set_state(task, State::running);
      a.left = a.whole = time_of_step(task);
      a.executing = true;
      if (cooperates(task)) cores_[a.unit].cooperative = task;
    }
    if (a.left > 0) return false;
    set_state(task, State::running);
    a.executing = false;
    if (access && op.item->write) accessed("write");
    return true;
  }

  Time time_of_step(Index task) {
    const auto& cost = cost_on(task, active_[task].unit);
    const auto time = duration(ask(Kind::execution_time, task, cost.cycles.least, cost.cycles.most), cost.hertz);
    if (cost.at_least.most == 0) return time;
    return std::max(time, cost.at_least.least == cost.at_least.most
                              ? cost.at_least.least
                              : ask(Kind::execution_time, task, cost.at_least.least, cost.at_least.most));
  }

  /// Which of its targets an operation takes; the last one: none.
  std::size_t choice(Index task, const Op& op) {
    const auto& items = op.item->items;
    const bool any_order = op.kind == K::group;
    std::uint64_t nothing = 0, &visited = any_order ? active_[task].visited[op.slot] : nothing;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto& one = items[i];
      if (op.kind == K::switch_ && (one.otherwise || holds(one.condition, task, Kind::alternative))) return i;
      if (op.kind == K::switch_ || (any_order ? (visited >> i & 1) != 0 : one.probability <= 0)) continue;
      open.push_back(i);
    }
    if (open.empty()) {
      visited = 0;
      return items.size();
    }
    const auto chosen = open[pick(any_order ? Kind::access_position : Kind::alternative, task, open.size())];
    visited |= std::uint64_t{1} << chosen;
    return chosen;
  }

  /// How many users the semaphore that the task requests next has by that (S-semaphore-1).
  std::int64_t amount(Index task) const {
    const auto& op = programs_[task].ops[active_[task].pc];
    return op.item->exclusive ? model_.semaphores[op.target].most : 1;
  }
  bool has_room(Index task, Index semaphore) const {
    return users_[semaphore] + amount(task) <= model_.semaphores[semaphore].most;
  }
  void grant(Index task, Index semaphore) {
    users_[semaphore] += amount(task);
    active_[task].held.emplace_back(semaphore, amount(task));  // from now on, at the ceiling
  }

  /// Whether the semaphore is granted.
  bool request(Index task, const Op& op) {
    auto& a = active_[task];
    auto& waiters = waiters_[op.target];
    if (!a.granted && !has_room(task, op.target)) {
      if (!contains(waiters, task)) waiters.push_back(task);
      suspend(task, op.item->active);
      return false;
    }
    if (!a.granted) grant(task, op.target);
    a.granted = false;
    resume_from_poll(task);
    emit(Of::semaphore, "lock", op.target, task);
    return true;
  }

  void release(Index task, Index semaphore) {
    auto& held = active_[task].held;
    const auto found =
        std::find_if(held.rbegin(), held.rend(), [&](const auto& one) { return one.first == semaphore; });
    users_[semaphore] = std::max<std::int64_t>(0, users_[semaphore] - (found != held.rend() ? found->second : 1));
    if (found != held.rend()) held.erase(std::next(found).base());
    emit(Of::semaphore, "unlock", semaphore, task);
    dirty_.push_back(cluster_[active_[task].unit]);
    auto& waiters = waiters_[semaphore];
    while (!waiters.empty()) {  // S-semaphore-2
      std::vector<Index> best;
      for (const auto waiter : waiters) {
        const auto order = best.empty() ? 0 : compare(waiter, best.front());
        if (order < 0) best.clear();
        if (order <= 0) best.push_back(waiter);
      }
      const auto chosen = best[pick(Kind::semaphore_tie, semaphore, best.size())];
      if (!has_room(chosen, semaphore)) return;
      waiters.erase(std::find(waiters.begin(), waiters.end(), chosen));
      active_[chosen].granted = true;
      grant(chosen, semaphore);
      wake(chosen);
    }
  }

  void access_mode(Index task, const Op& op) {
    const auto& item = *op.item;
    auto& mode = modes_[op.target];
    if (item.write) mode = item.step ? mode + item.value : item.value;
    const char* step = item.value > 0 ? "increment" : "decrement";
    emit(Of::mode, !item.write ? "read" : !item.step ? "write" : step, op.target, task);
  }

  /// The job waits: actively it keeps its core, passively it leaves it.
  void suspend(Index task, bool active) {
    auto& a = active_[task];
    if (active && a.state == State::polling) return;
    emit(Of::process, active ? "poll" : "wait", task, task);
    if (active) return set_state(task, State::polling);
    a.holding = false;
    free_section(task);
    set_state(task, State::waiting);
    leave_core(task);
  }

  void resume_from_poll(Index task) {
    if (active_[task].state != State::polling) return;
    set_state(task, State::running);
    emit(Of::process, "run", task, task);
  }
};

}  // namespace reference
