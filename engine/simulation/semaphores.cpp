// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/semaphores.hpp"

#include <algorithm>

namespace amalthea::engine {

Semaphores::Semaphores(const System& system, const Urgency& urgency) : urgency_(urgency) {
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
  const Waiting wanted{task, use.operation == UseSemaphore::Operation::exclusive ? state.capacity : 1};
  if (state.free < wanted.amount) {
    state.waiting.push_back(wanted);
    return false;
  }
  state.free -= wanted.amount;
  state.held.push_back(wanted);
  return true;
}

void Semaphores::release(TaskIndex task, SemaphoreIndex semaphore, std::vector<TaskIndex>& granted) {
  State& state = states_[semaphore];
  const auto last =
      std::find_if(state.held.rbegin(), state.held.rend(), [task](const Waiting& one) { return one.task == task; });
  if (last != state.held.rend()) {
    state.free += last->amount;
    state.held.erase(std::next(last).base());
  } else {
    state.free = std::min(state.free + 1, state.capacity);  // a signal: who gives need not have taken
  }
  grant(state, granted);
}

void Semaphores::grant(State& state, std::vector<TaskIndex>& granted) {
  while (!state.waiting.empty()) {
    const auto first =
        std::max_element(state.waiting.begin(), state.waiting.end(), [this](const Waiting& a, const Waiting& b) {
          return urgency_.own_urgency(a.task) < urgency_.own_urgency(b.task);
        });
    if (state.free < first->amount) return;
    state.free -= first->amount;
    state.held.push_back(*first);
    granted.push_back(first->task);
    state.waiting.erase(first);
  }
}

std::optional<std::int64_t> Semaphores::ceiling(TaskIndex task) const {
  std::optional<std::int64_t> largest;
  for (const State& state : states_) {
    const bool holds = state.ceiling && std::any_of(state.held.begin(), state.held.end(),
                                                    [task](const Waiting& one) { return one.task == task; });
    if (holds) largest = std::max(largest.value_or(*state.ceiling), *state.ceiling);
  }
  return largest;
}

std::optional<TaskIndex> Semaphores::holder(SemaphoreIndex semaphore) const {
  const auto& held = states_[semaphore].held;
  return held.empty() ? std::nullopt : std::optional(held.front().task);
}

}  // namespace amalthea::engine
