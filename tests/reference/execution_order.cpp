// SPDX-License-Identifier: Apache-2.0
/// Who is more urgent, and which task gets the next core.
#include "reference/executor.hpp"

#include <algorithm>
#include <iterator>

namespace reference {

namespace {

Time or_never(Time time) { return time >= 0 ? time : never; }

/// The list holds the most urgent ones.
void keep_best(std::vector<Entity>& list, const Entity& one) {
  if (!list.empty() && one.order > list.front().order) return;
  if (!list.empty() && one.order < list.front().order) list.clear();
  list.push_back(one);
}

}  // namespace

/// Larger is more urgent; for orders by fixed numbers (S-cores-2).
std::int64_t Executor::urgency(Index task) const {
  const auto& one = model_.tasks[task];
  const auto by = algorithm(paths_[task].front());
  if (by == Algorithm::rate) return -or_never(one.period);
  if (by == Algorithm::deadline) return -or_never(one.deadline >= 0 ? one.deadline : one.period);
  return one.priority;
}

/// S-semaphore-3: the holder of a semaphore with a ceiling is above everything at the ceiling.
std::int64_t Executor::level(Index task) const {
  auto out = 2 * urgency(task);
  for (const auto& [semaphore, amount] : active_[task].held) {
    if (model_.semaphores[semaphore].ceiling) out = std::max(out, 2 * ceilings_[semaphore] + 1);
  }
  return out;
}

std::int64_t Executor::level(Index child, Algorithm in) const {
  const auto& scheduler = model_.schedulers[child];
  const bool by_period = in == Algorithm::rate || in == Algorithm::deadline;
  return 2 * (by_period ? -or_never(scheduler.period > 0 ? scheduler.period : -1) : scheduler.priority);
}

/// S-cores-4: the deadline of a child under a scheduler by deadlines.
Time Executor::deadline(Index child) const {
  if (algorithm(child) == Algorithm::bandwidth) return servers_[child].deadline;
  if (is_server(algorithm(child))) return servers_[child].replenished;
  Time first = never;
  for (const auto other : cpu_tasks_) {
    if (below(other, child) && runnable(other)) first = std::min(first, active_[other].deadline);
  }
  return first;
}

bool Executor::wants(Index scheduler) const {
  const auto& level = levels_[scheduler];
  return std::any_of(level.tasks.begin(), level.tasks.end(), [&](Index task) { return wanting_[task] != 0; }) ||
         std::any_of(level.children.begin(), level.children.end(), [&](Index child) { return wants(child); });
}

/// The default order of what is equally urgent: what runs, then what became ready first, then the order of the model.
std::tuple<bool, Time, Index> Executor::earliness(Index scheduler) const {
  std::tuple<bool, Time, Index> first{true, never, none};
  for (const auto task : levels_[scheduler].tasks) {
    if (wanting_[task] != 0) first = std::min(first, earliness_of(task));
  }
  for (const auto child : levels_[scheduler].children) first = std::min(first, earliness(child));
  return first;
}

std::tuple<bool, Time, Index> Executor::earliness_of(Index task) const {
  return {active_[task].unit == none, active_[task].ready_since, task};
}

/// The most urgent task that wants a core, below this scheduler (S-cores-3).
/// `merged`: further schedulers whose tasks compete with its own.
Index Executor::select(Index number, const std::vector<Index>& merged) {
  const auto& scheduler = model_.schedulers[number];
  std::vector<Entity> best;
  for (const auto each : merged) {
    for (const auto task : levels_[each].tasks) {
      if (wanting_[task] == 0) continue;
      Entity one{-level(task), 0, task, none, earliness_of(task)};
      if (scheduler.algorithm == Algorithm::edf) one.order = active_[task].deadline;
      if (scheduler.algorithm == Algorithm::bandwidth) one.order = 0;
      if (scheduler.algorithm == Algorithm::turns) one.second = active_[task].turn;
      if (scheduler.osek) one.second = job(task).release;
      keep_best(best, one);
    }
    for (const auto child : levels_[each].children) {
      if (!wants(child)) continue;
      Entity one{-level(child, scheduler.algorithm), 0, none, child, earliness(child)};
      if (scheduler.algorithm == Algorithm::edf) one.order = deadline(child);
      if (scheduler.algorithm == Algorithm::bandwidth) one.order = 0;
      keep_best(best, one);
    }
  }
  auto second = never;  // turns and activations decide among tasks only
  for (const auto& one : best) second = one.task != none ? std::min(second, one.second) : second;
  best.erase(
      std::remove_if(best.begin(), best.end(), [&](const Entity& e) { return e.task != none && e.second > second; }),
      best.end());
  const auto& chosen = best[choose(best, number)];
  return chosen.task != none ? chosen.task : select(chosen.child, {chosen.child});
}

/// One of several, in the order of `earliness`, by a question.
std::size_t Executor::choose(std::vector<Entity>& list, Index scheduler) {
  if (list.size() == 1) return 0;
  std::sort(list.begin(), list.end(), [](const Entity& a, const Entity& b) { return a.earliness < b.earliness; });
  return pick(Kind::ready_tie, scheduler, list.size());
}

Index Executor::next_task(Index cluster) {
  std::vector<Entity> interrupts;
  for (const int first : {0, 1, 2}) {
    for (const auto task : cpu_tasks_) {
      if (wanting_[task] == 0 || rank(task) != first) continue;
      if (first != 1) return task;
      keep_best(interrupts, {-level(task), 0, task, none, earliness_of(task)});
    }
    if (!interrupts.empty()) return interrupts[choose(interrupts, model_.tasks[interrupts[0].task].scheduler)].task;
  }
  const auto& roots = roots_[cluster];
  const bool plain = std::all_of(roots.begin(), roots.end(), [&](Index root) {
    return levels_[root].children.empty() && algorithm(root) == Algorithm::fixed;
  });
  if (plain) return select(roots.front(), roots);
  std::vector<Index> open;  // S-cores-4
  std::copy_if(roots.begin(), roots.end(), std::back_inserter(open), [&](Index root) { return wants(root); });
  if (open.empty()) return none;
  const auto root = open[pick(Kind::ready_tie, roots.front(), open.size())];
  return select(root, {root});
}

bool Executor::unpreemptible(Index task) const {
  const auto& a = active_[task];
  return a.holding && (a.locks > 0 || model_.tasks[task].preemption == Task::Preemption::none);
}

/// 0 uninterruptible, 1 interrupts, 2 non-preemptive tasks that have begun, 3 others (S-cores-5).
int Executor::rank(Index task) const {
  if (active_[task].locks > 0 && active_[task].holding) return 0;
  if (model_.tasks[task].isr) return 1;
  return unpreemptible(task) ? 2 : 3;
}

int Executor::more_urgent(Index a, Index b) const {
  const auto scheduler = paths_[a].front();
  if (scheduler == paths_[b].front() && model_.schedulers[scheduler].algorithm == Algorithm::edf)
    return active_[a].deadline < active_[b].deadline ? -1 : active_[a].deadline > active_[b].deadline ? 1 : 0;
  return urgency(a) > urgency(b) ? -1 : urgency(a) < urgency(b) ? 1 : 0;
}

}  // namespace reference
