// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/global_earliest_deadline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace amalthea::engine::cpu {
namespace {

using Wide = detail::Int128;

/// More than the rounding errors of sums of thousands of quotients.
constexpr double margin = 1e-9;

class GlobalDeadlines {
 public:
  GlobalDeadlines(const std::vector<CpuTask>& tasks, std::size_t cores, const Limits& limits)
      : cores_(static_cast<std::int64_t>(cores)), limits_(limits) {
    for (const CpuTask& task : tasks)
      tasks_.push_back({task.worst.picoseconds(), task.deadline.picoseconds(),
                        least_distance(task.arrivals, 1).picoseconds(), task.deadline.picoseconds()});
  }

  /// Whether no job misses its deadline. The responses are bounds then.
  bool holds() {
    for (bool again = true; again;) {
      again = false;
      bool all = true;
      for (std::size_t index = 0; index < tasks_.size(); ++index) {
        const std::optional<Wide> found = response(index);
        all = all && found;
        if (!found || *found >= tasks_[index].response) continue;
        tasks_[index].response = *found;
        again = true;
      }
      proven_ = proven_ || all;
      if (steps_ > limits_.steps) break;
    }
    return proven_;
  }
  /// By another test: every job ends by its deadline.
  void meets_deadlines() { proven_ = true; }

  bool by_density() const {
    double sum = 0, most = 0;
    for (const Task& task : tasks_) {
      sum += quotient(task.worst, task.deadline);
      most = std::max(most, quotient(task.worst, task.deadline));
    }
    return sum <= limit(most);
  }
  bool by_demand() const {
    return std::all_of(tasks_.begin(), tasks_.end(), [&](const Task& task) {
      const double density = quotient(task.worst, task.deadline), deadline = static_cast<double>(task.deadline);
      double sum = 0;
      for (const Task& other : tasks_) {
        const double worst = static_cast<double>(other.worst), period = static_cast<double>(other.period);
        const double demand = worst / period * (1 + quotient(other.period - other.deadline, task.deadline)) +
                              std::max(0.0, worst - density * period) / deadline;
        sum += std::min(1.0, demand);
      }
      return sum <= limit(density);
    });
  }

  CpuBound bound(std::size_t index) {
    const Task& task = tasks_[index];
    CpuBound bound;
    bound.response = duration(task.response);
    bound.parts.push_back({CpuPart::execution, std::nullopt, duration(task.worst)});
    // Each share is rounded down like their sum; the first ones with any get the rest.
    Wide sum = 0, given = 0;
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      if (other == index) continue;
      sum += std::min(load(index, other, task.response), task.response - task.worst + 1);
      const Wide upto = std::min(sum / cores_, task.response - task.worst);
      if (upto > given) bound.parts.push_back({CpuPart::preemption, other, duration(upto - given)});
      given = std::max(given, upto);
    }
    keep_largest(bound.parts, limits_.parts);
    return bound;
  }

 private:
  struct Task {
    Wide worst = 0, deadline = 0, period = 0;
    Wide response = 0;  ///< R
  };

  static Duration duration(Wide time) { return Duration::picoseconds(static_cast<std::int64_t>(time)); }
  static double quotient(Wide above, Wide below) { return static_cast<double>(above) / static_cast<double>(below); }
  double limit(double density) const {
    return static_cast<double>(cores_) - static_cast<double>(cores_ - 1) * density - margin;
  }

  /// What a rival executes at most while a job of the task that has taken this long is ready: min(W, E).
  Wide load(std::size_t index, std::size_t other, Wide window) {
    ++steps_;
    limits_.taken.add();
    const Task& task = tasks_[index];
    const Task& rival = tasks_[other];
    const Wide upto = window + rival.response - rival.worst;
    const Wide work = upto / rival.period * rival.worst + std::min(rival.worst, upto % rival.period);
    const Wide last = task.deadline % rival.period - (rival.deadline - rival.response);
    const Wide demand = task.deadline / rival.period * rival.worst + std::min(rival.worst, std::max<Wide>(0, last));
    return std::min(work, demand);
  }
  /// The least fixed point, unless it exceeds the deadline.
  std::optional<Wide> response(std::size_t index) {
    const Task& task = tasks_[index];
    const auto cores = static_cast<std::size_t>(cores_);
    for (Wide window = task.worst; window <= task.deadline && steps_ <= limits_.steps;) {
      std::vector<Wide> loads;
      Wide sum = 0;
      for (std::size_t other = 0; other < tasks_.size(); ++other) {
        if (other == index) continue;
        loads.push_back(load(index, other, window));
        sum += std::min(loads.back(), window - task.worst + 1);
      }
      const Wide next = task.worst + sum / cores_;
      if (next <= window) return window;
      window = next;
      if (loads.size() < cores) continue;
      // As long as so many loads fill the window, all cores execute them, and it is too short.
      std::nth_element(loads.begin(), loads.begin() + static_cast<std::ptrdiff_t>(cores - 1), loads.end(),
                       std::greater<>());
      window = std::max(window, task.worst + loads[cores - 1]);
    }
    return std::nullopt;
  }

  std::vector<Task> tasks_;
  std::int64_t cores_;
  Limits limits_;
  bool proven_ = false;
  std::int64_t steps_ = 0;
};

bool is_covered(const CpuTask& task) {
  return !task.unlimited && !task.has_sections() && task.waits == 0 && task.waiting.is_zero() && task.pause.is_zero() &&
         task.granted.empty() && !task.preemptible_at_end && !task.turn && !task.worst.is_zero() &&
         task.worst <= task.deadline && task.deadline <= least_distance(task.arrivals, 1);
}

}  // namespace

std::optional<std::vector<CpuBound>> global_earliest_deadline_bounds(const std::vector<CpuTask>& tasks,
                                                                     std::size_t cores, const Limits& limits) {
  if (!std::all_of(tasks.begin(), tasks.end(), is_covered)) return std::nullopt;
  GlobalDeadlines analysis(tasks, cores, limits);
  if (analysis.by_density() || analysis.by_demand()) analysis.meets_deadlines();
  if (!analysis.holds()) return std::nullopt;
  std::vector<CpuBound> bounds;
  for (std::size_t index = 0; index < tasks.size(); ++index) bounds.push_back(analysis.bound(index));
  return bounds;
}

}  // namespace amalthea::engine::cpu
