// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/global_fixed_priority.hpp"

#include <algorithm>
#include <functional>

namespace amalthea::engine::cpu {
namespace {

using Wide = detail::Int128;

class GlobalAnalysis {
 public:
  GlobalAnalysis(const std::vector<GlobalTask>& tasks, const Limits& limits)
      : tasks_(tasks), limits_(limits), bounds_(tasks.size()), rivals_(tasks.size()), siblings_(tasks.size()) {}

  std::vector<CpuBound> run() {
    for (std::size_t index = 0; index < tasks_.size(); ++index) {
      for (std::size_t other = 0; other < tasks_.size(); ++other)
        if (other != index && task(other).priority >= task(index).priority && share_core(index, other))
          (are_one(index, other) ? siblings_ : rivals_)[index].push_back(other);
      bounds_[index].response = task(index).worst;
      if (task(index).unlimited) drop(index, NoBound::unlimited, index);
    }
    for (bool again = true; again;) {
      again = false;
      for (std::size_t index = 0; index < tasks_.size(); ++index) again = improve(index) || again;
    }
    for (std::size_t index = 0; index < tasks_.size(); ++index) describe(index);
    return std::move(bounds_);
  }

 private:
  const CpuTask& task(std::size_t index) const { return tasks_[index].task; }
  Wide limit_of(std::size_t index) const {
    return std::min<Wide>(limits_.window.picoseconds(),
                          Wide(task(index).arrivals.period.picoseconds()) - task(index).arrivals.jitter.picoseconds());
  }
  bool share_core(std::size_t a, std::size_t b) const {
    return std::any_of(tasks_[a].cores.begin(), tasks_[a].cores.end(), [&](std::size_t core) {
      return std::find(tasks_[b].cores.begin(), tasks_[b].cores.end(), core) != tasks_[b].cores.end();
    });
  }
  bool are_one(std::size_t a, std::size_t b) const { return tasks_[a].one && tasks_[a].one == tasks_[b].one; }
  void drop(std::size_t index, NoBound reason, std::size_t obstacle) {
    bounds_[index].response.reset();
    bounds_[index].reason = reason;
    bounds_[index].obstacle = obstacle;
  }

  /// W(window) of a task with a bound.
  Wide workload(std::size_t index, Wide window) {
    ++steps_;
    const Wide worst = task(index).worst.picoseconds(), period = task(index).arrivals.period.picoseconds();
    const Wide reach =
        window + bounds_[index].response->picoseconds() - worst + task(index).arrivals.jitter.picoseconds();
    return reach / period * worst + std::min(worst, reach % period);
  }
  /// The part of it that counts against a response of `window`.
  Wide interference(std::size_t index, std::size_t rival, Wide window) {
    return std::min(workload(rival, window), window - task(index).worst.picoseconds() + 1);
  }
  /// If as many rivals as there are cores have a workload of at least w, nothing up to C + w - 1 is a solution: up to
  /// there they all count in full.
  Wide right_side(std::size_t index, Wide window) {
    const std::size_t cores = tasks_[index].cores.size();
    const Wide worst = task(index).worst.picoseconds();
    Wide sum = 0, own = worst;
    for (const std::size_t sibling : siblings_[index]) own += workload(sibling, window);
    std::vector<Wide> workloads;
    for (const std::size_t rival : rivals_[index]) {
      workloads.push_back(workload(rival, window));
      sum += std::min(workloads.back(), window - worst + 1);
    }
    const Wide next = own + sum / static_cast<std::int64_t>(cores);
    if (workloads.size() < cores) return next;
    std::nth_element(workloads.begin(), workloads.begin() + static_cast<std::ptrdiff_t>(cores - 1), workloads.end(),
                     std::greater<>());
    const Wide jump = worst + workloads[cores - 1];
    return next > window ? std::max(next, jump) : next;
  }

  /// Returns whether the bound grew or was lost.
  bool improve(std::size_t index) {
    if (!bounds_[index].response) return false;
    for (const auto* others : {&rivals_[index], &siblings_[index]})
      for (const std::size_t other : *others)
        if (!bounds_[other].response) {
          drop(index, NoBound::unlimited, other);
          return true;
        }
    Wide window = bounds_[index].response->picoseconds();
    for (;;) {
      if (window > limit_of(index)) {
        drop(index, NoBound::overload, index);
        return true;
      }
      if (steps_ > limits_.steps) {
        drop(index, NoBound::too_long, index);
        return true;
      }
      const Wide next = right_side(index, window);
      if (next <= window) break;
      window = next;
    }
    const Duration found = Duration::picoseconds(static_cast<std::int64_t>(window));
    const bool grew = found > *bounds_[index].response;
    bounds_[index].response = found;
    return grew;
  }

  /// Each rival's share of the sum, rounded down like the sum; the first rivals with any get the rest.
  void describe(std::size_t index) {
    CpuBound& bound = bounds_[index];
    if (!bound.response) return;
    const Wide window = bound.response->picoseconds(), cores = static_cast<std::int64_t>(tasks_[index].cores.size());
    if (!task(index).worst.is_zero()) bound.parts.push_back({CpuPart::execution, std::nullopt, task(index).worst});
    for (const std::size_t sibling : siblings_[index])
      if (const Wide before = workload(sibling, window); before > 0)
        bound.parts.push_back({CpuPart::backlog, sibling, Duration::picoseconds(static_cast<std::int64_t>(before))});
    Wide sum = 0, given = 0;
    for (const std::size_t rival : rivals_[index]) {
      sum += interference(index, rival, window);
      const Wide upto = sum / cores;
      if (upto > given)
        bound.parts.push_back(
            {CpuPart::preemption, rival, Duration::picoseconds(static_cast<std::int64_t>(upto - given))});
      given = upto;
    }
  }

  const std::vector<GlobalTask>& tasks_;
  Limits limits_;
  std::vector<CpuBound> bounds_;
  std::vector<std::vector<std::size_t>> rivals_;
  /// tasks whose jobs run before or after it, never concurrently
  std::vector<std::vector<std::size_t>> siblings_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::vector<CpuBound> global_fixed_priority_bounds(const std::vector<GlobalTask>& tasks, const Limits& limits) {
  return GlobalAnalysis(tasks, limits).run();
}

}  // namespace amalthea::engine::cpu
