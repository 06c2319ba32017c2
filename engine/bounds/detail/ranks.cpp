// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/ranks.hpp"

#include <algorithm>
#include <utility>

#include "engine/bounds/detail/analyzed_system.hpp"
#include "engine/cpu/detail/urgency.hpp"
#include "engine/program/releases.hpp"

namespace amalthea::engine::bounds {
namespace {

bool uses_fixed_priorities(SchedulingAlgorithm algorithm) {
  return algorithm == SchedulingAlgorithm::fixed_priority_preemptive || algorithm == SchedulingAlgorithm::osek ||
         algorithm == SchedulingAlgorithm::priority_based_round_robin ||
         algorithm == SchedulingAlgorithm::priority_based;
}

class Ranking {
 public:
  explicit Ranking(const System& system) : system_(system), periods_(periods_of(system)) {}

  Ranks run() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      ranks_.relative_deadline.push_back(system_.tasks[task].deadline ? system_.tasks[task].deadline : periods_[task]);
    find_schedulers();
    find_ranks();
    const Urgency urgency(system_, periods_);
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) ranks_.urgency.push_back(urgency.own_urgency(task));
    ranks_.by_urgency = outermost_by_priority_;
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
      for (std::size_t depth = 0; depth < most && scheduler(front).kind == SchedulingAlgorithm::grouping; ++depth)
        if (const auto parent = scheduler(front).parent) front = *parent;
      path.push_back(front);
      for (std::size_t depth = 0; depth < most && scheduler(path.back()).parent; ++depth)
        path.push_back(*scheduler(path.back()).parent);
      if (!is_interrupt(system_.tasks[task]) &&
          (path.size() > 1 || !uses_fixed_priorities(scheduler(path.front()).kind)))
        outermost_by_priority_ = false;
    }
  }

  std::int64_t own_urgency(TaskIndex task) const {
    const SchedulingAlgorithm algorithm = scheduler(ranks_.schedulers[task].front()).kind;
    const auto& deadline = ranks_.relative_deadline[task];
    if (algorithm == SchedulingAlgorithm::rate_monotonic)
      return periods_[task] ? -periods_[task]->picoseconds() : least_urgent;
    if (uses_deadlines(algorithm)) return 0;
    if (algorithm == SchedulingAlgorithm::deadline_monotonic) return deadline ? -deadline->picoseconds() : least_urgent;
    return system_.tasks[task].priority;
  }
  std::int64_t urgency_of_child(SchedulingAlgorithm algorithm, SchedulerIndex child) const {
    const SchedulerShare& share = scheduler(child).share;
    if (algorithm == SchedulingAlgorithm::rate_monotonic || algorithm == SchedulingAlgorithm::deadline_monotonic)
      return share.period ? -share.period->picoseconds() : least_urgent;
    return share.priority;
  }

  Key key_of(TaskIndex task) const {
    Key key = {is_interrupt(system_.tasks[task]) ? 1 : 0};
    const auto& path = ranks_.schedulers[task];
    if (!outermost_by_priority_) key.push_back(-static_cast<std::int64_t>(path.back()));
    for (std::size_t level = path.size() - 1; level > 0; --level) {
      if (uses_deadlines(scheduler(path[level]).kind)) {
        key.insert(key.end(), {0, 0});  // like one of its own tasks
        return key;
      }
      key.push_back(urgency_of_child(scheduler(path[level]).kind, path[level - 1]));
      key.push_back(1);
      key.push_back(-static_cast<std::int64_t>(path[level - 1]));
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
  bool outermost_by_priority_ = true;  ///< all tasks are directly below fixed-priority schedulers
  Ranks ranks_;
};

}  // namespace

bool uses_deadlines(SchedulingAlgorithm algorithm) {
  return algorithm == SchedulingAlgorithm::earliest_deadline_first ||
         algorithm == SchedulingAlgorithm::constant_bandwidth_server;
}

Ranks ranks_of(const System& system) { return Ranking(system).run(); }

}  // namespace amalthea::engine::bounds
