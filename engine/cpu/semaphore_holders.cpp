// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/semaphore_holders.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "engine/cpu/fixed_priority.hpp"

namespace amalthea::engine::cpu {
namespace {

constexpr Duration shortest = Duration::picoseconds(1);

class HolderAnalysis {
 public:
  HolderAnalysis(const std::vector<CpuTask>& tasks, const std::vector<std::vector<SemaphoreSection>>& uses,
                 const std::vector<std::size_t>& owners, const Limits& limits, std::vector<CpuBound>& bounds)
      : tasks_(tasks), uses_(uses), owners_(owners), limits_(limits), bounds_(bounds), level_(tasks) {}

  void run() {
    if (!applies()) return;
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return tasks_[a].priority > tasks_[b].priority; });
    for (const std::size_t index : order)
      for (const auto& [semaphore, range] : ranges_)
        if (tasks_[index].priority > range.first && tasks_[index].priority <= range.second) improve(index, semaphore);
  }

 private:
  /// The priorities of the least and the most urgent user.
  using Range = std::pair<std::int64_t, std::int64_t>;

  bool applies() {
    for (std::size_t index = 0; index < tasks_.size(); ++index) {
      const CpuTask& task = tasks_[index];
      if (task.has_sections() || task.turn || !task.waiting.is_zero() || task.waits > 0 || !task.granted.empty())
        return false;
      for (const SemaphoreSection& use : uses_[index]) {
        Range& range = ranges_.try_emplace(use.semaphore, task.priority, task.priority).first->second;
        range = {std::min(range.first, task.priority), std::max(range.second, task.priority)};
      }
    }
    for (const auto& [semaphore, range] : ranges_)
      for (const auto& [other, of_other] : ranges_)
        if (semaphore != other && range.first <= of_other.second && of_other.first <= range.second) return false;
    for (std::size_t index = 0; index < tasks_.size(); ++index)
      for (std::size_t other = 0; other < tasks_.size(); ++other)
        if (!uses_[index].empty() && owners_[other] != owners_[index] &&
            tasks_[other].priority == tasks_[index].priority)
          return false;
    return true;
  }

  bool is_between(std::size_t task, std::size_t holder, std::size_t index) const {
    return tasks_[task].priority > tasks_[holder].priority && tasks_[task].priority < tasks_[index].priority;
  }

  void improve(std::size_t index, std::size_t semaphore) {
    std::optional<CpuBound> longest;
    for (std::size_t holder = 0; holder < tasks_.size(); ++holder) {
      if (tasks_[holder].priority >= tasks_[index].priority) continue;
      for (const SemaphoreSection& use : uses_[holder]) {
        if (use.semaphore != semaphore) continue;
        CpuBound bound = bound_with(index, holder, use);
        if (!bound.response) {
          longest.reset();
          holder = tasks_.size();
          break;
        }
        if (!longest || *bound.response > *longest->response) longest = std::move(bound);
      }
    }
    if (longest) replace(index, std::move(*longest));
    if (uses_[index].empty()) replace(index, bound_with_jitter(index));
  }

  /// While this task holds the semaphore.
  CpuBound bound_with(std::size_t index, std::size_t holder, const SemaphoreSection& use) {
    bool users_between = false;
    for (std::size_t other = 0; other < tasks_.size(); ++other)
      users_between = users_between || (is_between(other, holder, index) && !uses_[other].empty());
    Duration blocking = use.length;
    if (!users_between) {
      const auto released = release_of(holder, use);
      if (!released) return {};
      for (std::size_t other = 0; other < tasks_.size(); ++other)
        if (is_between(other, holder, index))
          blocking = std::min(limits_.window, blocking + time_before(other, *released));
    }
    for (std::size_t other = 0; other < tasks_.size(); ++other)
      if (users_between && is_between(other, holder, index)) level_[other].priority = tasks_[index].priority;
    level_[holder].sections.push_back({blocking, std::numeric_limits<std::int64_t>::max()});
    CpuBound bound = fixed_priority_bound(level_, index, std::nullopt, limits_);
    level_ = tasks_;
    return bound;
  }

  /// What the jobs execute that are released less than this time after the start of a window.
  Duration time_before(std::size_t task, Duration end) const {
    if (tasks_[task].unlimited) return limits_.window;
    const detail::Int128 time = detail::Int128(tasks_[task].worst.picoseconds()) *
                                max_arrivals(tasks_[task].arrivals, end - std::min(end, shortest));
    return Duration::picoseconds(
        static_cast<std::int64_t>(std::min<detail::Int128>(time, limits_.window.picoseconds())));
  }

  /// P above; nothing: its jobs count in full.
  std::optional<Duration> before_request(std::size_t task, std::size_t semaphore) const {
    std::optional<Duration> least;
    for (const SemaphoreSection& use : uses_[task])
      if (use.semaphore == semaphore && use.before) least = std::min(*use.before, least.value_or(*use.before));
    return least;
  }

  /// e above: when a section that begins at 0 has ended.
  std::optional<Duration> release_of(std::size_t holder, const SemaphoreSection& use) const {
    Duration end = std::max(use.length, shortest);
    for (std::int64_t step = 0; step < limits_.steps && end < limits_.window; ++step) {
      Duration next = use.length;
      for (std::size_t other = 0; other < tasks_.size(); ++other) {
        if (tasks_[other].priority <= tasks_[holder].priority) continue;
        const auto once = before_request(other, use.semaphore);
        next = std::min(limits_.window, next + (once ? *once : time_before(other, end)));
      }
      limits_.taken.add(tasks_.size());
      if (next <= end) return end;
      end = next;
    }
    return std::nullopt;
  }

  CpuBound bound_with_jitter(std::size_t index) {
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      CpuTask& task = level_[other];
      if (task.priority < tasks_[index].priority || uses_[other].empty()) continue;
      const auto& response = bounds_[other].response;
      if (!response) task.unlimited = true;
      task.arrivals.jitter += response.value_or(task.worst) - std::min(task.worst, response.value_or(task.worst));
      task.arrivals.minimum_distance = {};
    }
    CpuBound bound = fixed_priority_bound(level_, index, std::nullopt, limits_);
    level_ = tasks_;
    return bound;
  }

  void replace(std::size_t index, CpuBound bound) {
    if (!bound.response || (bounds_[index].response && *bounds_[index].response <= *bound.response)) return;
    bound.end_jitter.reset();  // it counts releases from the start of another window
    if (bounds_[index].response) bound.end_jitter = bounds_[index].end_jitter;
    bound.trigger_jitters = std::move(bounds_[index].trigger_jitters);
    bounds_[index] = std::move(bound);
  }

  const std::vector<CpuTask>& tasks_;
  const std::vector<std::vector<SemaphoreSection>>& uses_;
  const std::vector<std::size_t>& owners_;
  const Limits& limits_;
  std::vector<CpuBound>& bounds_;
  std::vector<CpuTask> level_;  ///< as the task of the moment meets them
  std::map<std::size_t, Range> ranges_;
};

}  // namespace

void improve_by_holders(const std::vector<CpuTask>& tasks, const std::vector<std::vector<SemaphoreSection>>& uses,
                        const std::vector<std::size_t>& owners, const Limits& limits, std::vector<CpuBound>& bounds) {
  HolderAnalysis(tasks, uses, owners, limits, bounds).run();
}

}  // namespace amalthea::engine::cpu
