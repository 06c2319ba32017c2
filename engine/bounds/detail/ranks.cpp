// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/ranks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "engine/bounds/detail/analyzed_system.hpp"
#include "engine/cpu/urgency.hpp"
#include "engine/program/releases.hpp"

namespace amalthea::engine::bounds {
namespace {

class Ranking {
 public:
  explicit Ranking(const System& system) : system_(system), periods_(periods_of(system)) {}

  Ranks run() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      ranks_.relative_deadline.push_back(system_.tasks[task].deadline ? system_.tasks[task].deadline : periods_[task]);
    find_schedulers();
    find_ties();
    find_ranks();
    const Urgency urgency(system_, periods_);
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) ranks_.urgency.push_back(urgency.own_urgency(task));
    ranks_.by_urgency = outermost_by_priority_[0] && outermost_by_priority_[1];
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (is_host(task) && in_any_order(task)) ranks_.by_urgency = false;
    return std::move(ranks_);
  }

 private:
  /// Lexicographically larger is more urgent.
  using Key = std::vector<std::int64_t>;

  const Scheduler& scheduler(SchedulerIndex index) const { return system_.platform.schedulers[index]; }
  bool is_host(TaskIndex task) const { return system_.tasks[task].side == Side::host; }

  void find_schedulers() {
    ranks_.schedulers.resize(system_.tasks.size());
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!is_host(task)) continue;
      auto& path = ranks_.schedulers[task];
      SchedulerIndex front = system_.tasks[task].scheduler;
      const std::size_t most = system_.platform.schedulers.size();
      for (std::size_t depth = 0; depth < most && traits_of(scheduler(front).kind).passes_tasks_on; ++depth)
        if (const auto parent = scheduler(front).parent) front = *parent;
      path.push_back(front);
      for (std::size_t depth = 0; depth < most && scheduler(path.back()).parent; ++depth)
        path.push_back(*scheduler(path.back()).parent);
      if (path.size() > 1 || !has_fixed_priorities(scheduler(path.front()).kind))
        outermost_by_priority_[is_interrupt(system_.tasks[task]) ? 1 : 0] = false;
    }
  }

  std::int64_t own_urgency(TaskIndex task) const {
    const auto& deadline = ranks_.relative_deadline[task];
    switch (traits_of(scheduler(ranks_.schedulers[task].front()).kind).order) {
      case UrgencyOrder::period:
        return periods_[task] ? -periods_[task]->picoseconds() : least_urgent;
      case UrgencyOrder::relative_deadline:
        return deadline ? -deadline->picoseconds() : least_urgent;
      case UrgencyOrder::absolute_deadline:
        return 0;
      case UrgencyOrder::priority:
        break;
    }
    return system_.tasks[task].priority;
  }
  std::int64_t urgency_of_child(SchedulingAlgorithm algorithm, SchedulerIndex child) const {
    const SchedulerShare& share = scheduler(child).share;
    const UrgencyOrder order = traits_of(algorithm).order;
    if (order == UrgencyOrder::period || order == UrgencyOrder::relative_deadline)
      return share.period ? -share.period->picoseconds() : least_urgent;
    return share.priority;
  }

  /// What a scheduler orders on a core: children and, as itself, tasks of its own.
  void find_ties() {
    const std::vector<UnitIndex> leader = joined_cores(system_);
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      const Task& stated = system_.tasks[task];
      core_.push_back(leader[stated.units.empty() ? stated.unit : stated.units.front()]);
      if (!is_host(task)) continue;
      const auto& path = ranks_.schedulers[task];
      roots_[{core_[task], is_interrupt(stated)}].insert(path.back());
      for (std::size_t level = 0; level < path.size(); ++level)
        ordered_[{core_[task], path[level], urgency_at(task, level)}].insert(path[level - (level > 0 ? 1 : 0)]);
    }
  }

  /// Of the task, or of the child through which its scheduler at this level reaches it.
  std::int64_t urgency_at(TaskIndex task, std::size_t level) const {
    const auto& path = ranks_.schedulers[task];
    return level == 0 ? own_urgency(task) : urgency_of_child(scheduler(path[level]).kind, path[level - 1]);
  }

  /// Whether its core has several outermost schedulers, and not the priorities of all tasks decide: one takes turns, or
  /// has children, or no priorities.
  bool in_any_order(TaskIndex task) const {
    const bool interrupt = is_interrupt(system_.tasks[task]);
    const auto& roots = roots_.at({core_[task], interrupt});
    return roots.size() > 1 && (!outermost_by_priority_[interrupt ? 1 : 0] ||
                                std::any_of(roots.begin(), roots.end(), [&](SchedulerIndex root) {
                                  return traits_of(scheduler(root).kind).takes_turns;
                                }));
  }

  /// Equally urgent children, and tasks beside equally urgent children, have one key: no standard orders them. The same
  /// goes for everything on a core with several outermost schedulers, unless the priorities of tasks decide.
  Key key_of(TaskIndex task) const {
    const bool interrupt = is_interrupt(system_.tasks[task]);
    Key key = {interrupt ? 1 : 0};
    if (in_any_order(task)) return key;
    const auto& path = ranks_.schedulers[task];
    if (!outermost_by_priority_[interrupt ? 1 : 0]) key.push_back(-static_cast<std::int64_t>(path.back()));
    for (std::size_t level = path.size() - 1; level > 0; --level) {
      if (uses_deadlines(scheduler(path[level]).kind)) {
        key.insert(key.end(), {0, 0});  // like one of its own tasks
        return key;
      }
      const std::int64_t urgency = urgency_at(task, level);
      key.push_back(urgency);
      if (ordered_.at({core_[task], path[level], urgency}).size() > 1) {
        key.push_back(0);  // like one of its own tasks
        return key;
      }
      key.push_back(1);
    }
    key.push_back(own_urgency(task));
    key.push_back(0);
    return key;
  }

  void find_ranks() {
    std::vector<Key> keys;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (is_host(task)) keys.push_back(key_of(task));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    ranks_.rank.resize(system_.tasks.size());
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!is_host(task)) continue;
      std::int64_t& rank = ranks_.rank[task];
      rank = std::lower_bound(keys.begin(), keys.end(), key_of(task)) - keys.begin();
      if (!is_interrupt(system_.tasks[task])) ranks_.most_urgent_task = std::max(ranks_.most_urgent_task, rank);
    }
  }

  const System& system_;
  std::vector<std::optional<Duration>> periods_;
  std::vector<UnitIndex> core_;                                           ///< of every task
  std::map<std::pair<UnitIndex, bool>, std::set<SchedulerIndex>> roots_;  ///< of tasks or interrupts, by core
  /// By core, scheduler and urgency.
  std::map<std::tuple<UnitIndex, SchedulerIndex, std::int64_t>, std::set<SchedulerIndex>> ordered_;
  /// All tasks, and all interrupts, are directly below fixed-priority schedulers.
  std::array<bool, 2> outermost_by_priority_{true, true};
  Ranks ranks_;
};

}  // namespace

std::vector<UnitIndex> joined_cores(const System& system, const std::vector<bool>* marked) {
  std::vector<UnitIndex> leader(system.platform.units.size());
  std::iota(leader.begin(), leader.end(), UnitIndex{0});
  const auto find = [&](UnitIndex unit) {
    while (leader[unit] != unit) unit = leader[unit];
    return unit;
  };
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    for (const UnitIndex unit : system.tasks[task].units)
      if (system.tasks[task].side == Side::host && (marked == nullptr || (*marked)[task]))
        leader[find(unit)] = find(system.tasks[task].units.front());
  for (UnitIndex unit = 0; unit < leader.size(); ++unit) leader[unit] = find(unit);
  return leader;
}

Ranks ranks_of(const System& system) { return Ranking(system).run(); }

}  // namespace amalthea::engine::bounds
