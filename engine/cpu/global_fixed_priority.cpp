// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/global_fixed_priority.hpp"

#include <algorithm>
#include <functional>

namespace amalthea::engine::cpu {
namespace {

using Wide = detail::Int128;

class GlobalAnalysis {
 public:
  GlobalAnalysis(const std::vector<GlobalTask>& tasks, const Limits& limits, bool any_order)
      : tasks_(tasks),
        limits_(limits),
        bounds_(tasks.size()),
        ends_(tasks.size()),
        rivals_(tasks.size()),
        siblings_(tasks.size()) {
    for (std::size_t index = 0; index < tasks_.size(); ++index)
      for (std::size_t other = 0; other < tasks_.size(); ++other)
        if (other != index && share_core(index, other) &&
            (any_order || task(other).priority >= task(index).priority || task(other).has_sections()))
          (are_one(index, other) ? siblings_ : rivals_)[index].push_back(other);
    any_order_ = any_order;
  }

  /// With `beyond`, bounds may exceed the minimum distance of two releases.
  std::vector<CpuBound> run(bool beyond) {
    beyond_ = beyond;
    for (std::size_t index = 0; index < tasks_.size(); ++index) {
      bounds_[index].response = own_time(index);
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
  /// Of a job of the task that nothing delays.
  Duration own_time(std::size_t index) const { return task(index).worst + task(index).waiting; }
  /// The core that it needs once more before it ends.
  Wide moment(std::size_t index) const { return task(index).preemptible_at_end ? 1 : 0; }
  /// What it takes from a core.
  Duration core_time(std::size_t index) const { return task(index).worst + task(index).polled; }
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

  /// L + x for jobs that take this time each; L alone if none is pending at the start of the window.
  Wide reach(std::size_t index, Wide window, Duration each, bool carries) const {
    const Duration late = carries ? *bounds_[index].response - each : Duration{};
    return window + (late + task(index).arrivals.jitter).picoseconds();
  }
  /// W(window) of a task with a bound, with this time for each job.
  Wide workload(std::size_t index, Wide window, Duration each, bool carries = true) {
    ++steps_;
    limits_.taken.add();
    const Wide time = each.picoseconds(), period = task(index).arrivals.period.picoseconds();
    const Wide upto = reach(index, window, each, carries);
    return upto / period * time + std::min(time, upto % period);
  }
  /// Whether the rival executes whenever it is pending while some core of `index` does not execute a rival.
  bool never_waits_beside(std::size_t index, std::size_t rival) const {
    const CpuTask& other = task(rival);
    return !any_order_ && other.priority > task(index).priority && !task(index).has_sections() && !other.cooperative &&
           (other.waiting.is_zero() || other.polls) && siblings_[rival].empty() &&
           tasks_[rival].cores == tasks_[index].cores;
  }
  /// Whether one core may execute a cooperative task in place of another one that waits for it, whatever other cores do.
  bool waits_for_point(std::size_t index, std::size_t rival) const {
    return task(index).cooperative && task(rival).cooperative &&
           (any_order_ || task(rival).priority <= task(index).priority);
  }
  /// What a rival executes.
  struct Load {
    Wide work = 0;
    bool carries = true;
  };
  /// Parallel to the rivals. Of those that never wait beside a free core, as many carry work in as there are other cores.
  std::vector<Load> loads_of(std::size_t index, Wide window, Wide own) {
    const auto& rivals = rivals_[index];
    const Wide most = window - own + 1;
    std::vector<Load> loads;
    std::vector<std::pair<Wide, std::size_t>> gains;
    for (std::size_t at = 0; at < rivals.size(); ++at) {
      loads.push_back({workload(rivals[at], window, core_time(rivals[at]))});
      if (!never_waits_beside(index, rivals[at])) continue;
      const Wide without = workload(rivals[at], window, core_time(rivals[at]), false);
      gains.emplace_back(std::min(loads[at].work, most) - std::min(without, most), at);
    }
    std::sort(gains.begin(), gains.end(), std::greater<>());
    for (std::size_t gain = tasks_[index].cores.size() - 1; gain < gains.size(); ++gain) {
      const std::size_t at = gains[gain].second;
      loads[at] = {workload(rivals[at], window, core_time(rivals[at]), false), false};
    }
    return loads;
  }
  /// For how much longer W(window) of a task grows as fast as the window, with this time for each job.
  Wide unended(std::size_t index, Wide window, Duration each, bool carries = true) const {
    const Wide time = each.picoseconds(), period = task(index).arrivals.period.picoseconds();
    return time - std::min(time, reach(index, window, each, carries) % period);
  }
  /// For how much longer the part of a load that counts for jobs with `own` time grows as fast as the window.
  Wide growth(std::size_t rival, Wide window, Wide own, const Load& load) const {
    return std::max(load.work - (window - own + 1), unended(rival, window, core_time(rival), load.carries));
  }
  /// If a part that counts in full still grows with the window, or the parts of as many rivals as there are cores, the
  /// right side stays above it: nothing up to then is a solution.
  Wide right_side(std::size_t index, Wide window, Wide worst) {
    const std::size_t cores = tasks_[index].cores.size();
    Wide sum = 0, own = worst, grows = 0;
    for (const std::size_t sibling : siblings_[index]) {
      own += workload(sibling, window, own_time(sibling));
      grows = std::max(grows, unended(sibling, window, own_time(sibling)));
    }
    std::vector<Wide> growths;
    const std::vector<Load> loads = loads_of(index, window, worst);
    for (std::size_t at = 0; at < loads.size(); ++at) {
      const std::size_t rival = rivals_[index][at];
      if (waits_for_point(index, rival)) {
        own += loads[at].work;
        grows = std::max(grows, unended(rival, window, core_time(rival), loads[at].carries));
        continue;
      }
      growths.push_back(growth(rival, window, worst, loads[at]));
      sum += std::min(loads[at].work, window - worst + 1);
    }
    const Wide next = own + sum / static_cast<std::int64_t>(cores);
    if (next <= window) return next;
    if (growths.size() >= cores) {
      std::nth_element(growths.begin(), growths.begin() + static_cast<std::ptrdiff_t>(cores - 1), growths.end(),
                       std::greater<>());
      grows = std::max(grows, growths[cores - 1]);
    }
    return next + grows;
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
    const Wide period = task(index).arrivals.period.picoseconds(), jitter = task(index).arrivals.jitter.picoseconds();
    const Wide limit =
        std::min<Wide>(limits_.window.picoseconds(), beyond_ ? period * most_pending_jobs + jitter : period - jitter);
    Wide longest = bounds_[index].response->picoseconds(), window = own_time(index).picoseconds();
    for (std::int64_t job = 0;; ++job) {
      const Wide own = Wide(own_time(index).picoseconds()) * (job + 1) + moment(index);
      window = std::max(window, own);
      for (;;) {
        if (window > limit) {
          drop(index, NoBound::overload, index);
          return true;
        }
        if (steps_ > limits_.steps) {
          drop(index, NoBound::too_long, index);
          return true;
        }
        const Wide next = right_side(index, window, own);
        if (next <= window) break;
        window = next;
      }
      const Wide before = least_distance(task(index).arrivals, job).picoseconds() + moment(index);
      if (window - before >= longest) {
        longest = window - before;
        ends_[index] = {job, window};
      }
      if (window <= least_distance(task(index).arrivals, job + 1).picoseconds()) break;
    }
    const Duration found = Duration::picoseconds(static_cast<std::int64_t>(longest));
    const bool grew = found > *bounds_[index].response;
    bounds_[index].response = found;
    return grew;
  }

  /// Each rival's share of the sum, rounded down like the sum; the first rivals with any get the rest. The time before the
  /// release does not count: first of the backlog, then of the rivals.
  void describe(std::size_t index) {
    CpuBound& bound = bounds_[index];
    if (!bound.response) return;
    const auto [jobs, window] = ends_[index];
    const Wide cores = static_cast<std::int64_t>(tasks_[index].cores.size());
    Wide before = least_distance(task(index).arrivals, jobs).picoseconds();
    const auto add = [&](CpuPart part, std::optional<std::size_t> by, Wide time) {
      const Wide taken = std::min(before, time);
      before -= taken;
      if (time > taken)
        bound.parts.push_back({part, by, Duration::picoseconds(static_cast<std::int64_t>(time - taken))});
    };
    if (!task(index).worst.is_zero()) bound.parts.push_back({CpuPart::execution, std::nullopt, task(index).worst});
    if (!task(index).waiting.is_zero()) bound.parts.push_back({CpuPart::waiting, std::nullopt, task(index).waiting});
    const Wide backlog = Wide(own_time(index).picoseconds()) * jobs, own = own_time(index).picoseconds() + backlog;
    add(CpuPart::backlog, std::nullopt, backlog);
    for (const std::size_t sibling : siblings_[index])
      add(CpuPart::backlog, sibling, workload(sibling, window, own_time(sibling)));
    Wide sum = 0, given = 0;
    const std::vector<Load> loads = loads_of(index, window, own + moment(index));
    for (std::size_t at = 0; at < loads.size(); ++at) {
      const std::size_t rival = rivals_[index][at];
      const bool above = task(rival).priority >= task(index).priority;
      if (waits_for_point(index, rival)) {
        add(CpuPart::blocking, rival, loads[at].work);
        continue;
      }
      sum += std::min(loads[at].work, window - own - moment(index) + 1);
      const Wide upto = sum / cores;
      add(above ? CpuPart::preemption : CpuPart::blocking, rival, upto - given);
      given = upto;
    }
    keep_largest(bound.parts, limits_.parts);
  }

  const std::vector<GlobalTask>& tasks_;
  Limits limits_;
  std::vector<CpuBound> bounds_;
  std::vector<std::pair<std::int64_t, Wide>> ends_;  ///< of the bounds: how many jobs precede, and the window
  std::vector<std::vector<std::size_t>> rivals_;
  /// tasks whose jobs run before or after it, never concurrently
  std::vector<std::vector<std::size_t>> siblings_;
  bool any_order_ = false, beyond_ = false;
  std::int64_t steps_ = 0;
};

}  // namespace

std::vector<CpuBound> global_fixed_priority_bounds(const std::vector<GlobalTask>& tasks, const Limits& limits,
                                                   bool any_order) {
  std::vector<CpuBound> bounds = GlobalAnalysis(tasks, limits, any_order).run(false);
  if (std::all_of(bounds.begin(), bounds.end(), [](const CpuBound& bound) { return !!bound.response; })) return bounds;
  std::vector<CpuBound> beyond = GlobalAnalysis(tasks, limits, any_order).run(true);
  for (std::size_t index = 0; index < bounds.size(); ++index)
    if (!bounds[index].response || (beyond[index].response && *beyond[index].response < *bounds[index].response))
      bounds[index] = std::move(beyond[index]);
  return bounds;
}

}  // namespace amalthea::engine::cpu
