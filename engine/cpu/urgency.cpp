// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/urgency.hpp"

#include <algorithm>
#include <limits>

namespace amalthea::engine {
namespace {

constexpr std::int64_t least_urgent = std::numeric_limits<std::int64_t>::min();

bool is_interrupt(const Task& task) { return task.kind != ProcessKind::task; }

}  // namespace

std::optional<Duration> scheduling_deadline(const System& system, TaskIndex task,
                                            const std::vector<std::optional<Duration>>& periods) {
  return system.tasks[task].deadline ? system.tasks[task].deadline : periods[task];
}

Urgency::Urgency(const System& system, const std::vector<std::optional<Duration>>& periods)
    : system_(system),
      periods_(periods),
      states_(system.tasks.size()),
      server_deadline_(system.platform.schedulers.size(), Instant::never()) {
  const auto& schedulers = system.platform.schedulers;
  for (TaskIndex task = 0; task < states_.size(); ++task) {
    State& state = states_[task];
    state.own = system.tasks[task].priority;
    if (system.tasks[task].side == Side::device) continue;
    state.scheduler_path.push_back(system.tasks[task].scheduler);
    // A grouping scheduler passes its tasks on: they count as its parent's own.
    while (traits_of(algorithm(state.scheduler_path.front())).passes_tasks_on &&
           schedulers[state.scheduler_path.front()].parent)
      state.scheduler_path.front() = *schedulers[state.scheduler_path.front()].parent;
    for (std::size_t level = 0; level < schedulers.size() && schedulers[state.scheduler_path.back()].parent; ++level)
      state.scheduler_path.push_back(*schedulers[state.scheduler_path.back()].parent);
    state.relative_deadline = scheduling_deadline(system, task, periods);
    state.key.interrupt = is_interrupt(system.tasks[task]);
    if (state.scheduler_path.size() > 1 || !has_fixed_priorities(algorithm(state.scheduler_path.front())))
      roots_by_priority_[state.key.interrupt ? 1 : 0] = false;
    state.scheduler = state.scheduler_path.front();
    state.by = algorithm(state.scheduler);
    state.own = own_urgency(state.by, task);
    update(task);
  }
}

SchedulingAlgorithm Urgency::algorithm(SchedulerIndex scheduler) const {
  return system_.platform.schedulers[scheduler].kind;
}

void Urgency::released(TaskIndex task, Instant release) {
  State& state = states_[task];
  state.deadline = state.relative_deadline ? release + *state.relative_deadline : Instant::never();
  update(task);
}

void Urgency::raise(TaskIndex task, std::optional<std::int64_t> ceiling) {
  states_[task].ceiling = ceiling;
  update(task);
}

std::int64_t Urgency::own_urgency(SchedulingAlgorithm algorithm, TaskIndex task) const {
  switch (traits_of(algorithm).order) {
    case UrgencyOrder::period:
      return periods_[task] ? -periods_[task]->picoseconds() : least_urgent;
    case UrgencyOrder::relative_deadline:
      return states_[task].relative_deadline ? -states_[task].relative_deadline->picoseconds() : least_urgent;
    default:
      return system_.tasks[task].priority;
  }
}

std::int64_t Urgency::of_task(SchedulingAlgorithm algorithm, TaskIndex task) const {
  if (uses_deadlines(algorithm)) return -states_[task].deadline.picoseconds();
  return std::max(own_urgency(algorithm, task), states_[task].ceiling.value_or(least_urgent));
}

std::int64_t Urgency::of_child(SchedulingAlgorithm algorithm, SchedulerIndex child) const {
  const SchedulerShare& share = system_.platform.schedulers[child].share;
  switch (traits_of(algorithm).order) {
    case UrgencyOrder::period:
    case UrgencyOrder::relative_deadline:
      return share.period ? -share.period->picoseconds() : least_urgent;
    case UrgencyOrder::absolute_deadline:
      return -server_deadline_[child].picoseconds();
    default:
      return share.priority;
  }
}

bool Urgency::before(TaskIndex a, TaskIndex b) const {
  const State& first = states_[a];
  const State& second = states_[b];
  if (first.scheduler == second.scheduler) return before(first.key, a, second.key, b);
  if (first.key.interrupt != second.key.interrupt) return first.key.interrupt;
  const auto meet = std::find_first_of(first.scheduler_path.begin(), first.scheduler_path.end(),
                                       second.scheduler_path.begin(), second.scheduler_path.end());
  if (meet == first.scheduler_path.end()) {
    if (!roots_by_priority_[first.key.interrupt ? 1 : 0])
      return first.scheduler_path.back() < second.scheduler_path.back();
    const std::int64_t of_a = of_task(algorithm(first.scheduler_path.back()), a),
                       of_b = of_task(algorithm(second.scheduler_path.back()), b);
    if (of_a != of_b) return of_a > of_b;
    return first.key.since != second.key.since ? first.key.since < second.key.since : a < b;
  }
  // The child through which the path reaches the common scheduler; nothing: directly.
  const auto child = [&](const State& state) {
    const auto at = std::find(state.scheduler_path.begin(), state.scheduler_path.end(), *meet);
    return at == state.scheduler_path.begin() ? std::nullopt : std::optional(*(at - 1));
  };
  const SchedulingAlgorithm by = algorithm(*meet);
  const auto child_a = child(first), child_b = child(second);
  const std::int64_t of_a = child_a ? of_child(by, *child_a) : of_task(by, a);
  const std::int64_t of_b = child_b ? of_child(by, *child_b) : of_task(by, b);
  if (of_a != of_b) return of_a > of_b;
  return child_a && child_b ? *child_a < *child_b : child_a.has_value();
}

bool Urgency::comparable(const std::vector<TaskIndex>& tasks) const {
  const auto of_one = [&](TaskIndex task) {
    return states_[task].scheduler_path.front() == states_[tasks.front()].scheduler_path.front();
  };
  const auto by_priority = [&](TaskIndex task) { return roots_by_priority_[states_[task].key.interrupt ? 1 : 0]; };
  return std::all_of(tasks.begin(), tasks.end(), of_one) || std::all_of(tasks.begin(), tasks.end(), by_priority);
}

}  // namespace amalthea::engine
