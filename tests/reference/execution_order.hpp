// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Who is more urgent, and which task gets the next core.

#include <algorithm>
#include <iterator>
#include <tuple>

#include "reference/execution_state.hpp"

namespace reference {

/// What a scheduler decides about: its tasks and its child schedulers. `all`: also the tasks of the children.
struct Level {
  std::vector<Index> tasks, children, all;
};

/// A task or a child scheduler, with its place in the order: smaller is more urgent.
struct Entity {
  std::int64_t order = 0, second = 0;
  Index task = none, child = none;
  std::tuple<bool, Time, Index> earliness;
};

class ExecutionOrder : protected ExecutionState {
 protected:
  using ExecutionState::ExecutionState;

  void prepare_order() {
    paths_.resize(model_.tasks.size());
    wanting_.resize(model_.tasks.size());
    levels_.resize(model_.schedulers.size());
    cores_.resize(model_.units.size());
    roots_.resize(model_.units.size());
    for (Index unit = 0; unit < model_.units.size(); ++unit) cluster_.push_back(unit);
    const auto add = [](std::vector<Index>& list, Index one) {
      if (!contains(list, one)) list.push_back(one);
    };
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      const auto& one = model_.tasks[task];
      if (one.device || one.scheduler == none || one.stimuli.empty()) continue;
      cpu_tasks_.push_back(task);
      auto& path = paths_[task];
      for (auto at = one.scheduler; at != none; at = model_.schedulers[at].parent) {  // S-cores-1
        if (algorithm(at) == Algorithm::turns && model_.schedulers[at].slice <= 0)
          throw Refused(model_.schedulers[at].name, "no time slice");
        if (algorithm(at) != Algorithm::grouping) path.push_back(at);
        if (path.size() > model_.schedulers.size()) throw Refused(model_.schedulers[at].name, "its own parent");
      }
      levels_[path.front()].tasks.push_back(task);
      for (std::size_t i = 0; i < path.size(); ++i) {
        levels_[path[i]].all.push_back(task);
        if (i > 0) add(levels_[path[i]].children, path[i - 1]);
      }
      for (const auto unit : one.units)
        std::replace(cluster_.begin(), cluster_.end(), Index{cluster_[unit]}, Index{cluster_[one.units[0]]});
    }
    for (const auto task : cpu_tasks_) {
      auto& roots = roots_[cluster_[model_.tasks[task].units[0]]];
      if (!model_.tasks[task].isr) add(roots, paths_[task].back());
      std::sort(roots.begin(), roots.end());
    }
    ceilings_.assign(model_.semaphores.size(), -never);
    for (const auto task : cpu_tasks_) {
      for (const auto& op : programs_[task].ops)
        if (op.kind == Item::Kind::semaphore && !op.item->release)
          ceilings_[op.target] = std::max(ceilings_[op.target], urgency(task));
    }
  }

  /// Whether the task wants a core and its servers have budget (S-server-4).
  bool runnable(Index task) const {
    const auto& a = active_[task];
    if (a.job < 0 || a.state == State::waiting) return false;
    return unpreemptible(task) || std::none_of(paths_[task].begin(), paths_[task].end(), [&](Index scheduler) {
             return is_server(algorithm(scheduler)) && algorithm(scheduler) != Algorithm::bandwidth &&
                    servers_[scheduler].budget <= 0;
           });
  }

  bool unpreemptible(Index task) const {
    const auto& a = active_[task];
    return a.holding && (a.locks > 0 || model_.tasks[task].preemption == Task::Preemption::none);
  }

  /// The task that gets the next core of these.
  Index next_task(Index cluster) {
    std::vector<Entity> interrupts;
    for (const int first : {0, 1, 2}) {
      for (const auto task : cpu_tasks_) {
        if (wanting_[task] == 0 || rank(task) != first) continue;
        if (first != 1) return task;
        keep_best(interrupts, {-level(task), 0, task, none, earliness(task)});
      }
      if (!interrupts.empty()) return choose(interrupts, model_.tasks[interrupts[0].task].scheduler).task;
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

  /// Whether a waiting task is more urgent than another one: negative; equally urgent: 0.
  int compare(Index a, Index b) const {
    const auto scheduler = paths_[a].front();
    const bool edf = scheduler == paths_[b].front() && algorithm(scheduler) == Algorithm::edf;
    const auto x = edf ? active_[a].deadline : -urgency(a), y = edf ? active_[b].deadline : -urgency(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }

  std::vector<Level> levels_;
  std::vector<char> wanting_;  ///< tasks that want a core and have none yet

 private:
  static Time or_never(Time time) { return time >= 0 ? time : never; }

  /// Larger is more urgent; for orders by fixed numbers (S-cores-2).
  std::int64_t urgency(Index task) const {
    const auto& one = model_.tasks[task];
    const auto by = algorithm(paths_[task].front());
    if (by == Algorithm::rate) return -or_never(one.period);
    if (by == Algorithm::deadline) return -or_never(one.deadline >= 0 ? one.deadline : one.period);
    return one.priority;
  }

  /// S-semaphore-3: the holder of a semaphore with a ceiling is above everything at the ceiling.
  std::int64_t level(Index task) const {
    auto out = 2 * urgency(task);
    for (const auto& [semaphore, amount] : active_[task].held)
      if (model_.semaphores[semaphore].ceiling) out = std::max(out, 2 * ceilings_[semaphore] + 1);
    return out;
  }

  /// S-cores-4: the place of a child among the tasks of its parent.
  std::int64_t order(Index child, Algorithm in) const {
    const auto& scheduler = model_.schedulers[child];
    if (in == Algorithm::bandwidth) return 0;
    if (in == Algorithm::rate || in == Algorithm::deadline)
      return 2 * or_never(scheduler.period > 0 ? scheduler.period : -1);
    if (in != Algorithm::edf) return -2 * scheduler.priority;
    if (scheduler.algorithm == Algorithm::bandwidth) return servers_[child].deadline;
    if (is_server(scheduler.algorithm)) return servers_[child].replenished;
    Time first = never;
    for (const auto task : levels_[child].all)
      if (runnable(task)) first = std::min(first, active_[task].deadline);
    return first;
  }

  bool wants(Index scheduler) const {
    const auto& all = levels_[scheduler].all;
    return std::any_of(all.begin(), all.end(), [&](Index task) { return wanting_[task] != 0; });
  }

  /// The default order of what is equally urgent: what runs, then what became ready first, then the order of the model.
  std::tuple<bool, Time, Index> earliness(Index task) const {
    return {active_[task].unit == none, active_[task].ready_since, task};
  }

  /// The list holds the most urgent ones.
  static void keep_best(std::vector<Entity>& list, const Entity& one) {
    if (!list.empty() && one.order > list.front().order) return;
    if (!list.empty() && one.order < list.front().order) list.clear();
    list.push_back(one);
  }

  /// The most urgent task that wants a core, below this scheduler (S-cores-3).
  /// `merged`: further schedulers whose tasks compete with its own.
  Index select(Index number, const std::vector<Index>& merged) {
    const auto& scheduler = model_.schedulers[number];
    std::vector<Entity> best;
    for (const auto each : merged) {
      for (const auto task : levels_[each].tasks) {
        if (wanting_[task] == 0) continue;
        Entity one{-level(task), 0, task, none, earliness(task)};
        if (scheduler.algorithm == Algorithm::edf) one.order = active_[task].deadline;
        if (scheduler.algorithm == Algorithm::bandwidth) one.order = 0;
        if (scheduler.algorithm == Algorithm::turns) one.second = active_[task].turn;
        if (scheduler.osek) one.second = job(task).release;
        keep_best(best, one);
      }
      for (const auto child : levels_[each].children) {
        if (!wants(child)) continue;
        Entity one{order(child, scheduler.algorithm), 0, none, child, {true, never, none}};
        for (const auto task : levels_[child].all)
          if (wanting_[task] != 0) one.earliness = std::min(one.earliness, earliness(task));
        keep_best(best, one);
      }
    }
    auto second = never;  // turns and activations decide among tasks only
    for (const auto& one : best) second = one.task != none ? std::min(second, one.second) : second;
    std::erase_if(best, [&](const Entity& e) { return e.task != none && e.second > second; });
    const auto& chosen = choose(best, number);
    return chosen.task != none ? chosen.task : select(chosen.child, {chosen.child});
  }

  /// One of several, in the order of `earliness`, by a question.
  const Entity& choose(std::vector<Entity>& list, Index scheduler) {
    if (list.size() == 1) return list[0];
    std::sort(list.begin(), list.end(), [](const Entity& a, const Entity& b) { return a.earliness < b.earliness; });
    return list[pick(Kind::ready_tie, scheduler, list.size())];
  }

  /// 0 uninterruptible, 1 interrupts, 2 non-preemptive tasks that have begun, 3 others (S-cores-5).
  int rank(Index task) const {
    if (active_[task].locks > 0 && active_[task].holding) return 0;
    if (model_.tasks[task].isr) return 1;
    return unpreemptible(task) ? 2 : 3;
  }

  std::vector<std::vector<Index>> roots_;  ///< by cluster
  std::vector<std::int64_t> ceilings_;     ///< by semaphore
};

}  // namespace reference
