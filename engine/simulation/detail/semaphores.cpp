// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/semaphores.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace amalthea::engine {

Semaphores::Semaphores(const System& system, const Urgency& urgency)
    : urgency_(urgency), held_by_(system.tasks.size()) {
  for (const Semaphore& semaphore : system.semaphores) {
    State state;
    state.free = semaphore.free;
    state.capacity = semaphore.capacity;
    states_.push_back(std::move(state));
  }
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const auto* use = std::get_if<UseSemaphore>(&system.graph[node].activity);
    const TaskIndex task = system.graph[node].task;
    if (use == nullptr || !system.semaphores[use->semaphore].priority_ceiling ||
        system.tasks[task].side == Side::device)
      continue;
    auto& ceiling = states_[use->semaphore].ceiling;
    ceiling = std::max(ceiling.value_or(urgency.own_urgency(task)), urgency.own_urgency(task));
  }
}

bool Semaphores::request(TaskIndex task, const UseSemaphore& use) {
  State& state = states_[use.semaphore];
  const std::int64_t amount = use.operation == UseSemaphore::Operation::exclusive ? state.capacity : 1;
  if (state.free < amount) {
    state.waiting.insert({urgency_.own_urgency(task), requests_++, task, amount});
    return false;
  }
  hold(use.semaphore, task, amount);
  return true;
}

void Semaphores::hold(SemaphoreIndex semaphore, TaskIndex task, std::int64_t amount) {
  State& state = states_[semaphore];
  state.free -= amount;
  state.held.push_back({task, amount});
  if (state.ceiling) held_by_[task].push_back(semaphore);
}

void Semaphores::release(TaskIndex task, SemaphoreIndex semaphore, std::vector<TaskIndex>& granted) {
  State& state = states_[semaphore];
  const auto last =
      std::find_if(state.held.rbegin(), state.held.rend(), [task](const Holding& one) { return one.task == task; });
  if (last != state.held.rend()) {
    state.free += last->amount;
    state.held.erase(std::next(last).base());
    auto& held = held_by_[task];
    if (state.ceiling) held.erase(std::find(held.begin(), held.end(), semaphore));
  } else {
    state.free = std::min(state.free + 1, state.capacity);  // a signal: the releasing task need not hold it
  }
  grant(semaphore, granted);
}

void Semaphores::grant(SemaphoreIndex semaphore, std::vector<TaskIndex>& granted) {
  State& state = states_[semaphore];
  while (!state.waiting.empty() && state.free >= state.waiting.begin()->amount) {
    const Waiting first = *state.waiting.begin();
    state.waiting.erase(state.waiting.begin());
    hold(semaphore, first.task, first.amount);
    granted.push_back(first.task);
  }
}

std::optional<std::int64_t> Semaphores::ceiling(TaskIndex task) const {
  std::optional<std::int64_t> largest;
  for (const SemaphoreIndex semaphore : held_by_[task]) {
    const std::int64_t ceiling = *states_[semaphore].ceiling;
    largest = std::max(largest.value_or(ceiling), ceiling);
  }
  return largest;
}

std::optional<TaskIndex> Semaphores::holder(SemaphoreIndex semaphore) const {
  const auto& held = states_[semaphore].held;
  return held.empty() ? std::nullopt : std::optional(held.front().task);
}

}  // namespace amalthea::engine
