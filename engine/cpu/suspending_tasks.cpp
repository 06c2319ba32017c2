// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/suspending_tasks.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/cpu/fixed_priority.hpp"

namespace amalthea::engine::cpu {
namespace {

/// More rounds over all tasks are not worth their time: what still grows has no bound.
constexpr int most_rounds = 500;

/// The longest section of the task that other cores may let begin, and that tasks of this priority cannot preempt. If it is
/// cooperative, it first waits for a point of another cooperative task.
Duration longest_granted(const std::vector<CpuTask>& tasks, std::size_t index, std::int64_t priority) {
  const CpuTask& task = tasks[index];
  if (task.priority >= priority) return {};
  Duration longest, point;
  bool any = false;
  for (const Section& section : task.granted)
    if (section.threshold >= priority) {
      longest = std::max(longest, section.length);
      any = true;
    }
  for (std::size_t other = 0; any && task.cooperative && other < tasks.size(); ++other)
    if (other != index && tasks[other].priority < priority)
      point = std::max(point, tasks[other].cooperative.value_or(Duration{}));
  return longest + point;
}

class SuspendingAnalysis {
 public:
  SuspendingAnalysis(const std::vector<CpuTask>& tasks, const std::vector<std::size_t>& owners,
                     const std::optional<PeriodicResource>& resource, const Limits& limits)
      : tasks_(tasks), owners_(owners), resource_(resource), limits_(limits), bounds_(tasks.size()) {
    for (std::size_t index = 0; index < tasks.size(); ++index) {
      granted_.push_back(std::min(limits.window, granted_blocking(tasks, tasks[index].priority)));
      take_granted_off(index);
      const CpuBound sections = blocking_bound(level_, index);
      blocking_.push_back(std::min(limits.window, granted_.back() + sections.response.value_or(limits.window)));
    }
  }

  std::vector<CpuBound> run() {
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return tasks_[a].priority > tasks_[b].priority; });
    for (const std::size_t index : order) {
      bounds_[index].response = tasks_[index].worst + tasks_[index].waiting;
      if (tasks_[index].unlimited) bounds_[index] = {{}, {}, NoBound::unlimited, index};
    }
    bool again = true;
    for (int round = 0; again; ++round) {
      again = false;
      for (const std::size_t index : order) again = improve(index, round < most_rounds) || again;
    }
    return std::move(bounds_);
  }

 private:
  /// A task of lower priority has begun a section, or it gets a semaphore: not both. G counts the latter.
  void take_granted_off(std::size_t index) {
    level_ = tasks_;  // the same memory each time
    for (std::size_t other = 0; other < level_.size(); ++other) {
      if (tasks_[other].granted.empty()) continue;
      const Duration granted = longest_granted(tasks_, other, tasks_[index].priority);
      for (Section& section : level_[other].sections) section.length -= std::min(section.length, granted);
    }
  }

  static std::int64_t suspensions(const CpuTask& task) { return suspends(task) ? task.waits : 0; }

  /// What a job takes for itself, with what may block `blocked` after each wait.
  Duration own_time(std::size_t index, std::size_t blocked) const {
    const CpuTask& task = tasks_[index];
    return task.worst + task.waiting + blocking_[blocked] * suspensions(task) + granted_[blocked];
  }
  /// The part of it that needs no supply of a server, and the time for which the job waits for supply after its waits.
  Duration pause(std::size_t index) const {
    if (!resource_) return {};
    const CpuTask& task = tasks_[index];
    return std::min(limits_.window, task.waiting - task.polled + pauses_for_supply(index));
  }
  Duration pauses_for_supply(std::size_t index) const {
    if (!resource_) return {};
    const detail::Int128 all = detail::Int128(longest_pause(*resource_).picoseconds()) * suspensions(tasks_[index]);
    return Duration::picoseconds(
        static_cast<std::int64_t>(std::min<detail::Int128>(all, limits_.window.picoseconds())));
  }
  void take_own_time(std::size_t index, std::size_t blocked, CpuTask& task) const {
    task.worst = own_time(index, blocked);
    task.pause = pause(index);
    if (resource_) task.worst = task.worst - (tasks_[index].waiting - tasks_[index].polled);
  }

  /// Returns whether the bound changed.
  bool improve(std::size_t index, bool may_grow) {
    const auto before = bounds_[index].response;
    if (!before) return false;
    CpuBound bound = bound_of(index, false);
    // In a server, each release of such a task could end a pause of supply.
    if (CpuBound other = resource_ ? CpuBound{} : bound_of(index, true);
        other.response && (!bound.response || *other.response < *bound.response))
      bound = std::move(other);
    const bool grows = !bound.response || *bound.response > *before;
    if (grows && !may_grow) bound = {{}, {}, NoBound::too_long, 0};
    if (bound.response) part(index, bound);
    keep_largest(bound.parts, limits_.parts);
    bounds_[index] = std::move(bound);
    return grows;
  }

  /// `as_execution`: the waiting of other tasks counts as their execution.
  CpuBound bound_of(std::size_t index, bool as_execution) {
    take_granted_off(index);
    for (std::size_t other = 0; other < level_.size(); ++other) {
      CpuTask& task = level_[other];
      task.turn.reset();
      if (task.priority < tasks_[index].priority) continue;
      if (owners_[other] == owners_[index] || (as_execution && suspends(task))) {
        take_own_time(other, index, task);
        continue;
      }
      task.worst += task.polled;
      if (!suspends(task)) continue;
      const auto& response = bounds_[other].response;
      if (!response) task.unlimited = true;
      task.arrivals.jitter += response.value_or(task.worst) - std::min(task.worst, response.value_or(task.worst));
      task.arrivals.minimum_distance = {};
    }
    return fixed_priority_bound(level_, index, resource_, limits_);
  }

  /// Splits the time of the job into execution, blocking and waiting.
  void part(std::size_t index, CpuBound& bound) const {
    const CpuTask& task = tasks_[index];
    const Duration whole = own_time(index, index);
    if (whole == task.worst && pause(index).is_zero()) return;
    std::erase_if(bound.parts, [](const CpuShare& share) { return share.part == CpuPart::waiting; });
    if (bound.parts.empty() || bound.parts.front().part != CpuPart::execution)
      bound.parts.insert(bound.parts.begin(), {CpuPart::execution, std::nullopt, {}});
    bound.parts.front().time = task.worst;
    if (const Duration supply = pauses_for_supply(index); !supply.is_zero())
      bound.parts.push_back({CpuPart::supply, std::nullopt, supply});
    const std::int64_t times = suspensions(task);
    const Duration sections = (blocking_[index] - granted_[index]) * times;
    if (!sections.is_zero()) bound.parts.push_back({CpuPart::blocking, std::nullopt, sections});
    for (std::size_t other = 0; other < tasks_.size(); ++other)
      if (const Duration granted = longest_granted(tasks_, other, task.priority); !granted.is_zero())
        bound.parts.push_back({CpuPart::blocking, other, granted * (times + 1)});
    if (!task.waiting.is_zero()) bound.parts.push_back({CpuPart::waiting, std::nullopt, task.waiting});
    if (task.worst.is_zero()) bound.parts.erase(bound.parts.begin());
  }

  const std::vector<CpuTask>& tasks_;
  const std::vector<std::size_t>& owners_;
  std::optional<PeriodicResource> resource_;
  Limits limits_;
  std::vector<CpuBound> bounds_;
  std::vector<CpuTask> level_;      ///< as the task of the moment meets them
  std::vector<Duration> blocking_;  ///< after each wait: B + G
  std::vector<Duration> granted_;   ///< G
};

}  // namespace

Duration granted_blocking(const std::vector<CpuTask>& tasks, std::int64_t priority) {
  Duration sum;
  for (std::size_t index = 0; index < tasks.size(); ++index) sum += longest_granted(tasks, index, priority);
  return sum;
}

std::vector<CpuBound> suspending_task_bounds(const std::vector<CpuTask>& tasks, const std::vector<std::size_t>& owners,
                                             const std::optional<PeriodicResource>& resource, const Limits& limits) {
  return SuspendingAnalysis(tasks, owners, resource, limits).run();
}

}  // namespace amalthea::engine::cpu
