// SPDX-License-Identifier: Apache-2.0
/// What a job does, one operation after the other.
#include "reference/executor.hpp"

#include <algorithm>

namespace reference {

/// Executes what takes no time, up to the next operation that does.
void Executor::progress(Index task) {
  auto& a = active_[task];
  while (a.unit != none && a.job >= 0) {
    if (++steps_ > 1'000'000) throw Refused(model_.tasks[task].name, "a circle that takes no time");
    const auto before = static_cast<std::ptrdiff_t>(dirty_.size());
    const auto then = perform(task, programs_[task].ops[a.pc]);
    if (then == Then::stop) return;
    if (then == Then::jumped) continue;
    ++a.pc;
    if (then == Then::yield) return yield(task);
    const auto cluster = cluster_[a.unit];
    const bool calls = std::find(dirty_.begin() + before, dirty_.end(), cluster) != dirty_.end();
    if (then == Then::decide || (calls && ask(Kind::preemption, task, 0, 1) == 0)) decide(cluster);
  }
}

/// S-cores-8: the scheduler decides at once.
void Executor::decide(Index cluster) {
  dirty_.erase(std::remove(dirty_.begin(), dirty_.end(), cluster), dirty_.end());
  schedule(cluster);
}

Executor::Then Executor::perform(Index task, const Op& op) {
  auto& a = active_[task];
  switch (op.kind) {
    case Op::Kind::execute:
    case Op::Kind::access:
      return execute(task, op) ? Then::follow : Then::stop;
    case Op::Kind::wait:
      if (!satisfied(task)) return suspend(task, op.item->active), Then::stop;
      resume_from_poll(task);
      return Then::follow;
    case Op::Kind::request:
      return request(task, op) ? Then::follow : Then::stop;
    case Op::Kind::boundary:  // S-cores-5
      if (!cooperates(task) || cores_[a.unit].cooperative != task) return Then::follow;
      free_section(task);
      return Then::yield;
    case Op::Kind::point:  // S-cores-5
      if (a.locks > 0 ||
          (model_.tasks[task].preemption == Task::Preemption::none && ask(Kind::schedule_point, task, 0, 1) == 0))
        return Then::follow;
      free_section(task);
      a.holding = false;
      return Then::yield;
    case Op::Kind::unlock:
      return --a.locks == 0 ? Then::decide : Then::follow;
    case Op::Kind::end:
      finish_job(task);
      return Then::stop;
    case Op::Kind::count:
    case Op::Kind::test:
    case Op::Kind::loop:
    case Op::Kind::choose:
    case Op::Kind::any_order:
    case Op::Kind::jump:
      return control(task, op);
    default:
      effect(task, op);
      return Then::follow;
  }
}

/// Whether the operation has ended.
bool Executor::execute(Index task, const Op& op) {
  auto& a = active_[task];
  const bool access = op.kind == Op::Kind::access;
  if (!a.executing) {
    if (access && !op.item->write) accessed(task, op);
    set_state(task, State::running);
    a.left = a.whole = cost_of(task, op);
    a.executing = true;
    if (cooperates(task)) cores_[a.unit].cooperative = task;
  }
  if (a.left > 0) return false;
  set_state(task, State::running);
  a.executing = false;
  if (access && op.item->write) accessed(task, op);
  return true;
}

void Executor::effect(Index task, const Op& op) {
  auto& a = active_[task];
  switch (op.kind) {
    case Op::Kind::set:
      return set_events(*op.item);
    case Op::Kind::clear:
      for (const auto event : op.item->events) a.flags &= ~(std::uint64_t{1} << event);
      return;
    case Op::Kind::trigger:
      return occur(op.target);
    case Op::Kind::release:
      return release(task, op.target);
    case Op::Kind::mode:
      return access_mode(task, op);
    case Op::Kind::custom:
      return emit(Event::Of::custom, "", op.target, task);
    case Op::Kind::call:
      if (!a.stack.empty()) emit(Event::Of::runnable, "suspend", a.stack.back(), task);
      a.stack.push_back(op.target);
      return emit(Event::Of::runnable, "start", op.target, task);
    case Op::Kind::leave:
      emit(Event::Of::runnable, "terminate", op.target, task);
      a.stack.pop_back();
      if (!a.stack.empty()) emit(Event::Of::runnable, "resume", a.stack.back(), task);
      return;
    case Op::Kind::lock:
      ++a.locks;
      return;
    default:
      return;
  }
}

Executor::Then Executor::control(Index task, const Op& op) {
  auto& a = active_[task];
  using K = Op::Kind;
  if (op.kind == K::count && hits(op.item->counter, a.counters[op.slot]++)) return Then::follow;
  if (op.kind == K::test && holds(*op.condition, task, Kind::alternative)) return Then::follow;
  if (op.kind == K::loop && holds(*op.condition, task, Kind::iterations)) return Then::follow;
  a.pc = op.kind == K::choose      ? op.targets[choice(task, *op.item)]
         : op.kind == K::any_order ? op.targets[unvisited(task, op)]
                                   : op.target;
  return Then::jumped;
}

Time Executor::cost_of(Index task, const Op& op) {
  const auto& cost = programs_[task].costs[op.cost + place_of(task, active_[task].unit)];
  const auto cycles = ask(Kind::execution_time, task, cost.cycles.least, cost.cycles.most);
  const auto time = duration(cycles, cost.hertz);
  if (cost.at_least.most == 0) return time;
  return std::max(time, cost.at_least.least == cost.at_least.most
                            ? cost.at_least.least
                            : ask(Kind::execution_time, task, cost.at_least.least, cost.at_least.most));
}

/// The job may lose its core here.
void Executor::yield(Index task) {
  dirty_.push_back(cluster_[active_[task].unit]);
  yielded_.push_back(task);
}

std::size_t Executor::choice(Index task, const Item& item) {
  if (item.kind == Item::Kind::probability) {
    auto& open = open_choices_;
    open.clear();
    for (std::size_t i = 0; i < item.items.size(); ++i) {
      if (item.items[i].probability > 0) open.push_back(i);
    }
    if (open.empty()) return item.items.size();
    return open[pick(Kind::alternative, task, open.size())];
  }
  for (std::size_t i = 0; i < item.items.size(); ++i) {
    if (item.items[i].otherwise || holds(item.items[i].condition, task, Kind::alternative)) return i;
  }
  return item.items.size();
}

std::size_t Executor::unvisited(Index task, const Op& op) {
  auto& visited = active_[task].visited[op.slot];
  auto& open = open_choices_;
  open.clear();
  for (std::size_t i = 0; i + 1 < op.targets.size(); ++i) {
    if ((visited >> i & 1) == 0) open.push_back(i);
  }
  if (open.empty()) {
    visited = 0;
    return op.targets.size() - 1;
  }
  const auto chosen = open[pick(Kind::access_position, task, open.size())];
  visited |= std::uint64_t{1} << chosen;
  return chosen;
}

void Executor::accessed(Index task, const Op& op) {
  data_.access(task, op.target, op.item->write, now_);
  emit(Event::Of::label, op.item->write ? "write" : "read", op.target, task);
}

/// How many users the semaphore that the task requests next has by that (S-semaphore-1).
std::int64_t Executor::amount(Index task) const {
  const auto& op = programs_[task].ops[active_[task].pc];
  return op.item->exclusive ? model_.semaphores[op.target].most : 1;
}

void Executor::grant(Index task, Index semaphore) {
  users_[semaphore] += amount(task);
  active_[task].held.emplace_back(semaphore, amount(task));  // from now on, at the ceiling
}

/// Whether the semaphore is granted.
bool Executor::request(Index task, const Op& op) {
  auto& a = active_[task];
  auto& waiters = waiters_[op.target];
  if (!a.granted && users_[op.target] + amount(task) > model_.semaphores[op.target].most) {
    if (std::find(waiters.begin(), waiters.end(), task) == waiters.end()) waiters.push_back(task);
    suspend(task, op.item->active);
    return false;
  }
  if (!a.granted) grant(task, op.target);
  a.granted = false;
  resume_from_poll(task);
  emit(Event::Of::semaphore, "lock", op.target, task);
  return true;
}

void Executor::release(Index task, Index semaphore) {
  auto& held = active_[task].held;
  const auto found = std::find_if(held.rbegin(), held.rend(), [&](const auto& one) { return one.first == semaphore; });
  users_[semaphore] = std::max<std::int64_t>(0, users_[semaphore] - (found != held.rend() ? found->second : 1));
  if (found != held.rend()) held.erase(std::next(found).base());
  emit(Event::Of::semaphore, "unlock", semaphore, task);
  dirty_.push_back(cluster_[active_[task].unit]);
  auto& waiters = waiters_[semaphore];
  while (!waiters.empty()) {  // S-semaphore-2
    std::vector<Index> best;
    for (const auto waiter : waiters) {
      const auto order = best.empty() ? 0 : more_urgent(waiter, best.front());
      if (order < 0) best.clear();
      if (order <= 0) best.push_back(waiter);
    }
    const auto chosen = best[pick(Kind::semaphore_tie, semaphore, best.size())];
    if (users_[semaphore] + amount(chosen) > model_.semaphores[semaphore].most) return;
    waiters.erase(std::find(waiters.begin(), waiters.end(), chosen));
    active_[chosen].granted = true;
    grant(chosen, semaphore);
    wake(chosen);
  }
}

void Executor::access_mode(Index task, const Op& op) {
  const auto& item = *op.item;
  auto& mode = modes_[op.target];
  if (item.write) mode = item.step ? mode + item.value : item.value;
  const char* step = item.value > 0 ? "increment" : "decrement";
  emit(Event::Of::mode, !item.write ? "read" : !item.step ? "write" : step, op.target, task);
}

bool Executor::satisfied(Index task) const {
  const auto& a = active_[task];
  const auto& item = *programs_[task].ops[a.pc].item;
  std::uint64_t mask = 0;
  for (const auto event : item.events) mask |= std::uint64_t{1} << event;
  return item.all ? (a.flags & mask) == mask : (a.flags & mask) != 0;
}

/// The job waits: actively it keeps its core, passively it leaves it.
void Executor::suspend(Index task, bool active) {
  auto& a = active_[task];
  if (active) {
    if (a.phase == Phase::polling) return;
    a.phase = Phase::polling;
    emit(Event::Of::process, "poll", task, task);
    return set_state(task, State::polling);
  }
  a.phase = Phase::waiting;
  a.holding = false;
  free_section(task);
  emit(Event::Of::process, "wait", task, task);
  set_state(task, State::waiting);
  leave_core(task);
}

void Executor::resume_from_poll(Index task) {
  auto& a = active_[task];
  if (a.phase != Phase::polling) return;
  a.phase = Phase::ready;
  set_state(task, State::running);
  emit(Event::Of::process, "run", task, task);
}

/// What the job waits for has come.
void Executor::wake(Index task) {
  auto& a = active_[task];
  if (a.phase == Phase::waiting) {
    set_state(task, State::ready);
    emit(Event::Of::process, "release", task, task);
    ready(task);
  } else if (a.unit != none) {
    due_.push_back(task);
  } else {
    a.phase = Phase::ready;
    set_state(task, State::ready);
    emit(Event::Of::process, "release_parking", task, task);
  }
}

void Executor::set_events(const Item& item) {
  for (Index task = 0; task < active_.size(); ++task) {
    if (item.target != none && item.target != task) continue;  // S-event-1
    auto& a = active_[task];
    for (const auto event : item.events) a.flags |= std::uint64_t{1} << event;
    if (a.phase != Phase::waiting && a.phase != Phase::polling) continue;
    if (programs_[task].ops[a.pc].kind == Op::Kind::wait && satisfied(task)) wake(task);
  }
}

}  // namespace reference
