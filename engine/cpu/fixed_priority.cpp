// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/fixed_priority.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace amalthea::engine::cpu {
namespace {

using Wide = detail::Int128;
constexpr Wide moment = 1;  ///< the shortest time that counts
constexpr double full = 1 + 1e-9;

class FixedPriorityAnalysis {
 public:
  FixedPriorityAnalysis(const std::vector<CpuTask>& tasks, const std::optional<PeriodicResource>& resource,
                        const Limits& limits)
      : tasks_(tasks), resource_(resource), limits_(limits) {}

  std::vector<CpuBound> bounds() {
    std::vector<CpuBound> bounds;
    for (std::size_t task = 0; task < tasks_.size(); ++task) bounds.push_back(bound(task));
    return bounds;
  }

  CpuBound bound(std::size_t index) {
    CpuBound bound = bound_of(index);
    auto by_turns = bound_by_turns(index);
    if (by_turns && (!bound.response || *by_turns->response < *bound.response)) return std::move(*by_turns);
    return bound;
  }

  /// The blocking in `response`, with `parts`.
  CpuBound blocking_of(std::size_t index) const {
    const std::int64_t priority = task(index).priority;
    // The longest section of at least this threshold, by cooperative or by other tasks.
    const auto section_from = [&](std::int64_t least, bool by_cooperative) {
      CpuShare longest{CpuPart::blocking, std::nullopt, {}};
      for (std::size_t other = 0; other < tasks_.size(); ++other) {
        if (task(other).priority >= priority || task(other).priority < least) continue;
        if (task(other).cooperative && !by_cooperative) continue;
        for (const Section& section : task(other).sections)
          if (section.threshold >= priority && section.length > longest.time)
            longest = {CpuPart::blocking, other, section.length};
      }
      return longest;
    };
    std::vector<CpuShare> most = {section_from(std::numeric_limits<std::int64_t>::min(), true)};
    const bool waits = std::any_of(tasks_.begin(), tasks_.end(), [priority](const CpuTask& other) {
      return other.cooperative && other.priority >= priority;
    });
    for (std::size_t other = 0; waits && other < tasks_.size(); ++other) {
      if (!task(other).cooperative || task(other).priority >= priority) continue;
      std::vector<CpuShare> found = {{CpuPart::blocking, other, *task(other).cooperative},
                                     section_from(task(other).priority, false)};
      if (total(found) > total(most)) most = std::move(found);
    }
    CpuBound bound;
    bound.response = total(most);
    for (const CpuShare& share : most)
      if (!share.time.is_zero()) bound.parts.push_back(share);
    return bound;
  }

 private:
  const CpuTask& task(std::size_t index) const { return tasks_[index]; }
  static Duration total(const std::vector<CpuShare>& shares) {
    Duration sum;
    for (const CpuShare& share : shares) sum += share.time;
    return sum;
  }
  static double part_of_period(const CpuTask& task, Duration time) {
    return static_cast<double>(time.picoseconds()) / static_cast<double>(task.arrivals.period.picoseconds());
  }
  Wide limit() const { return limits_.window.picoseconds(); }

  /// Execution of the jobs released in the closed window.
  Wide load(std::size_t index, Wide window) {
    ++steps_;
    limits_.taken.add();
    return Wide(task(index).worst.picoseconds()) * arrivals(index, window);
  }
  Wide pauses(std::size_t index, Wide window) const {
    return Wide(task(index).pause.picoseconds()) * arrivals(index, window);
  }
  std::int64_t arrivals(std::size_t index, Wide window) const {
    return max_arrivals(task(index).arrivals, Duration::picoseconds(static_cast<std::int64_t>(window)));
  }
  /// The window in which this much work is supplied.
  Wide supplied(Wide work) const {
    if (!resource_ || work <= 0 || work > limit()) return work;
    return longest_wait_for(*resource_, Duration::picoseconds(static_cast<std::int64_t>(work))).picoseconds();
  }

  /// The smallest x > 0 with x >= supplied(own + sum over `others` of load(x - 1)) + pause + sum of pauses(x - 1); nothing
  /// beyond the limits.
  std::optional<Wide> solve(Wide own, const std::vector<std::size_t>& others, Wide pause = 0) {
    Wide window = std::max(moment, own + pause);
    while (window <= limit() && steps_ <= limits_.steps) {
      Wide next = own, paused = pause;
      for (const std::size_t other : others) {
        next += load(other, window - moment);
        if (!task(other).pause.is_zero()) paused += pauses(other, window - moment);
      }
      next = supplied(next) + paused;
      if (next <= window) return window;
      window = next;
    }
    return std::nullopt;
  }

  /// The last section of a job (at least one moment) and the tasks that may preempt it.
  std::pair<Wide, std::vector<std::size_t>> last_section(std::size_t index) const {
    const CpuTask& own = task(index);
    const Duration cooperative = own.cooperative ? own.last_cooperative : Duration{};
    const bool by_threshold = own.last.length >= cooperative;
    const Duration length = by_threshold ? own.last.length : cooperative;
    if (resource_ || length <= Duration::picoseconds(1)) return {moment, {}};
    std::vector<std::size_t> between;
    for (std::size_t other = 0; other < tasks_.size(); ++other)
      if (other != index && (by_threshold ? task(other).priority > own.last.threshold
                                          : !task(other).cooperative && task(other).priority >= own.priority))
        between.push_back(other);
    return {length.picoseconds(), between};
  }

  CpuBound bound_of(std::size_t index) {
    steps_ = 0;
    const CpuTask& own = task(index);
    if (own.unlimited) return {{}, {}, NoBound::unlimited, index};
    std::vector<std::size_t> others;
    double share = 1, used = 0, paused = 0;
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      if (other != index && task(other).priority < own.priority) continue;
      if (task(other).unlimited) return {{}, {}, NoBound::unlimited, other};
      if (other != index) others.push_back(other);
      used += part_of_period(task(other), task(other).worst);
      paused += part_of_period(task(other), task(other).pause);
    }
    if (resource_)
      share =
          static_cast<double>(resource_->budget.picoseconds()) / static_cast<double>(resource_->period.picoseconds());
    if (used > (full - paused) * share) return {{}, {}, NoBound::overload, 0};
    const CpuBound blocking = blocking_of(index);
    if (*blocking.response >= limits_.window) return {{}, {}, NoBound::too_long, 0};

    const Wide blocked = blocking.response->picoseconds();
    // A preemptible job without execution time counts as one moment.
    const Wide worst = own.worst.picoseconds() + (own.preemptible_at_end || own.worst.is_zero() ? moment : Wide(0));
    auto [last, between] = last_section(index);
    last = std::min(last, worst);

    // The busy period ends at the first job that ends before the next release.
    std::optional<Wide> longest;
    std::int64_t longest_job = 0;
    Wide longest_start = 0, longest_end = 0, end_jitter = 0;
    for (std::int64_t job = 0;; ++job) {
      const Wide before = blocked + Wide(own.worst.picoseconds()) * job + worst - last;
      const auto begun = solve(before + moment, others, Wide(own.pause.picoseconds()) * (job + 1));
      if (!begun) return {{}, {}, NoBound::too_long, 0};
      const Wide start = *begun - moment;
      const auto end = last == moment ? begun : end_of(start, last, between);
      if (!end) return {{}, {}, NoBound::too_long, 0};
      const Wide released = least_distance(own.arrivals, job).picoseconds();
      const Wide in_step = *end - Wide(own.arrivals.period.picoseconds()) * job;
      end_jitter = job == 0 ? in_step : std::max(end_jitter, in_step);
      if (!longest || *end - released > *longest) {
        longest = *end - released;
        longest_job = job;
        longest_start = start;
        longest_end = *end;
      }
      if (busy_ends_before(least_distance(own.arrivals, job + 1).picoseconds(), blocked, index, others)) break;
      if (steps_ > limits_.steps) return {{}, {}, NoBound::too_long, 0};
    }

    CpuBound bound;
    const Wide after = worst - own.worst.picoseconds();
    bound.response = Duration::picoseconds(static_cast<std::int64_t>(*longest - after));
    bound.end_jitter = own.arrivals.jitter + Duration::picoseconds(static_cast<std::int64_t>(end_jitter - after));
    add(bound, CpuPart::execution, std::nullopt, own.worst.picoseconds());
    add(bound, CpuPart::waiting, std::nullopt, own.pause.picoseconds());
    add(bound, CpuPart::backlog, std::nullopt, Wide((own.worst + own.pause).picoseconds()) * longest_job);
    for (const CpuShare& share_of_blocking : blocking.parts) bound.parts.push_back(share_of_blocking);
    for (const std::size_t other : others) {
      const bool later = std::find(between.begin(), between.end(), other) != between.end();
      const Wide window = later ? longest_end - moment : longest_start;
      add(bound, CpuPart::preemption, other, load(other, window) + pauses(other, window));
    }
    balance(bound);
    return bound;
  }

  /// The bound under round robin that counts turns of the tasks of equal priority; nothing if there is none.
  std::optional<CpuBound> bound_by_turns(std::size_t index) {
    steps_ = 0;
    const CpuTask& own = task(index);
    if (!own.turn || own.unlimited || resource_) return std::nullopt;
    std::vector<std::size_t> higher, peers;
    double used = part_of_period(own, own.worst);
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      if (other == index || task(other).priority < own.priority) continue;
      if (task(other).unlimited) return std::nullopt;
      (task(other).priority > own.priority ? higher : peers).push_back(other);
      if (task(other).priority > own.priority) used += part_of_period(task(other), task(other).worst);
    }
    if (peers.empty() || used > full) return std::nullopt;
    const CpuBound blocking = blocking_of(index);
    if (*blocking.response >= limits_.window) return std::nullopt;
    const Wide blocked = blocking.response->picoseconds(), turn = own.turn->picoseconds();
    const Wide worst = own.worst.picoseconds() + (own.preemptible_at_end || own.worst.is_zero() ? moment : Wide(0));
    const Wide turns_of_job = (worst / turn + 1) * turn;  // of each other task
    Wide longest = -1, longest_window = 0;
    std::int64_t longest_job = 0;
    constexpr std::int64_t most_jobs = 64;
    for (std::int64_t job = 0;; ++job) {
      if (job == most_jobs) return std::nullopt;
      const Wide of_peers = turns_of_job * (job + 1) * static_cast<std::int64_t>(peers.size());
      const auto end = solve(blocked + Wide(own.worst.picoseconds()) * job + worst + of_peers, higher);
      if (!end) return std::nullopt;
      const Wide released = least_distance(own.arrivals, job).picoseconds();
      if (*end - released > longest) {
        longest = *end - released;
        longest_job = job;
        longest_window = *end;
      }
      if (*end <= least_distance(own.arrivals, job + 1).picoseconds()) break;
    }
    CpuBound bound;
    bound.response = Duration::picoseconds(static_cast<std::int64_t>(longest - (worst - own.worst.picoseconds())));
    add(bound, CpuPart::execution, std::nullopt, own.worst.picoseconds());
    add(bound, CpuPart::backlog, std::nullopt, Wide(own.worst.picoseconds()) * longest_job);
    for (const CpuShare& share : blocking.parts) bound.parts.push_back(share);
    for (const std::size_t peer : peers) add(bound, CpuPart::preemption, peer, turns_of_job * (longest_job + 1));
    for (const std::size_t other : higher) add(bound, CpuPart::preemption, other, load(other, longest_window - moment));
    balance(bound);
    return bound;
  }

  /// f for a last section that begins at `start`.
  std::optional<Wide> end_of(Wide start, Wide last, const std::vector<std::size_t>& between) {
    Wide end = start + last;
    while (end <= limit() && steps_ <= limits_.steps) {
      Wide next = start + last;
      for (const std::size_t other : between) next += load(other, end - moment) - load(other, start);
      if (next <= end) return end;
      end = next;
    }
    return std::nullopt;
  }

  /// Whether L <= time. L is computed once, on first use.
  bool busy_ends_before(Wide time, Wide blocked, std::size_t index, std::vector<std::size_t> others) {
    if (busy_index_ != index) {
      others.push_back(index);
      busy_ = solve(blocked, others);
      busy_index_ = index;
    }
    return busy_ ? *busy_ <= time : false;
  }

  static void add(CpuBound& bound, CpuPart part, std::optional<std::size_t> by, Wide time) {
    if (time > 0) bound.parts.push_back({part, by, Duration::picoseconds(static_cast<std::int64_t>(time))});
  }

  /// Work before the release does not count: first of the backlog, then of the preempting tasks. What a server did not
  /// supply is the rest.
  static void balance(CpuBound& bound) {
    Duration sum;
    for (const CpuShare& share : bound.parts) sum += share.time;
    if (sum < *bound.response) {
      bound.parts.push_back({CpuPart::supply, std::nullopt, *bound.response - sum});
      return;
    }
    Duration before = sum - *bound.response;
    const auto take = [&before](CpuShare& share) {
      const Duration taken = std::min(before, share.time);
      share.time -= taken;
      before -= taken;
    };
    for (const CpuPart part : {CpuPart::backlog, CpuPart::blocking, CpuPart::preemption})
      for (CpuShare& share : bound.parts)
        if (share.part == part) take(share);
    bound.parts.erase(std::remove_if(bound.parts.begin(), bound.parts.end(),
                                     [](const CpuShare& share) { return share.time.is_zero(); }),
                      bound.parts.end());
  }

  const std::vector<CpuTask>& tasks_;
  std::optional<PeriodicResource> resource_;
  Limits limits_;
  std::int64_t steps_ = 0;  ///< for the current task
  std::optional<Wide> busy_;
  std::optional<std::size_t> busy_index_;
};

}  // namespace

std::vector<CpuBound> fixed_priority_bounds(const std::vector<CpuTask>& tasks,
                                            const std::optional<PeriodicResource>& resource, const Limits& limits) {
  return FixedPriorityAnalysis(tasks, resource, limits).bounds();
}

CpuBound fixed_priority_bound(const std::vector<CpuTask>& tasks, std::size_t index,
                              const std::optional<PeriodicResource>& resource, const Limits& limits) {
  return FixedPriorityAnalysis(tasks, resource, limits).bound(index);
}

std::vector<CpuBound> blocking_bounds(const std::vector<CpuTask>& tasks) {
  std::vector<CpuBound> bounds;
  for (std::size_t task = 0; task < tasks.size(); ++task) bounds.push_back(blocking_bound(tasks, task));
  return bounds;
}

CpuBound blocking_bound(const std::vector<CpuTask>& tasks, std::size_t index) {
  return FixedPriorityAnalysis(tasks, std::nullopt, {}).blocking_of(index);
}

}  // namespace amalthea::engine::cpu
