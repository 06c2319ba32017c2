// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/fixed_priority.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "engine/cpu/detail/last_section.hpp"

namespace amalthea::engine::cpu {
namespace {

using Wide = detail::Int128;
constexpr Wide moment = 1;  ///< the shortest time that counts
constexpr double full = 1 + 1e-9;

class FixedPriorityAnalysis {
 public:
  FixedPriorityAnalysis(const std::vector<CpuTask>& tasks, const std::optional<PeriodicResource>& resource,
                        const Limits& limits)
      : tasks_(tasks), resource_(resource), limits_(limits) {
    std::map<std::array<Duration, 3>, std::size_t> known;
    for (std::size_t index = 0; index < tasks.size(); ++index) {
      const EventModel& at = tasks[index].arrivals;
      pattern_of_.push_back(known.try_emplace({at.period, at.jitter, at.minimum_distance}, known.size()).first->second);
      used_.push_back(tasks[index].unlimited ? 0 : part_of_period(tasks[index], tasks[index].worst));
      paused_.push_back(tasks[index].unlimited ? 0 : part_of_period(tasks[index], tasks[index].pause));
      if (tasks[index].has_sections()) with_sections_.push_back(index);
    }
    demand_of_pattern_.resize(known.size());
    above_.resize(known.size());
  }

  std::vector<CpuBound> bounds() {
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return task(a).priority > task(b).priority; });
    std::vector<CpuBound> bounds(tasks_.size());
    for (auto at = order.begin(), equal = at; at != order.end(); ++at) {
      for (; equal != order.end() && task(*equal).priority == task(*at).priority; ++equal) put_above(*equal);
      bounds[*at] = bound(*at);
    }
    return bounds;
  }

  CpuBound only_bound(std::size_t index) {
    for (std::size_t other = 0; other < tasks_.size(); ++other)
      if (task(other).priority >= task(index).priority) put_above(other);
    return bound(index);
  }

  /// The blocking in `response`, with `parts`.
  CpuBound blocking_of(std::size_t index) const {
    const std::int64_t priority = task(index).priority;
    // The longest section of at least this threshold, by cooperative or by other tasks.
    const auto section_from = [&](std::int64_t least, bool by_cooperative) {
      CpuShare longest{CpuPart::blocking, std::nullopt, {}};
      for (const std::size_t other : with_sections_) {
        if (task(other).priority >= priority || task(other).priority < least) continue;
        if (task(other).cooperative && !by_cooperative) continue;
        for (const Section& section : task(other).sections)
          if (section.threshold >= priority && section.length > longest.time)
            longest = {CpuPart::blocking, other, section.length};
      }
      return longest;
    };
    std::vector<CpuShare> most = {section_from(std::numeric_limits<std::int64_t>::min(), true)};
    const bool waits = std::any_of(with_sections_.begin(), with_sections_.end(), [&](std::size_t other) {
      return task(other).cooperative && task(other).priority >= priority;
    });
    for (const std::size_t other : with_sections_) {
      if (!waits || !task(other).cooperative || task(other).priority >= priority) continue;
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
  /// Requires put_above for all tasks of at least its priority, itself included, and for no others.
  CpuBound bound(std::size_t index) {
    CpuBound bound = bound_of(index);
    auto by_turns = bound_by_turns(index, bound.response);
    if (by_turns && (!bound.response || *by_turns->response < *bound.response)) bound = std::move(*by_turns);
    keep_largest(bound.parts, limits_.parts);
    bound.parts.shrink_to_fit();
    return bound;
  }

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

  /// Tasks with the same arrivals, together: of each, one job.
  struct Demand {
    std::size_t like = 0;  ///< one of them
    Wide worst = 0, pause = 0;
  };
  template <typename IsAmong>
  std::vector<Demand> demands_of(IsAmong is_among) {
    std::vector<Demand> demands;
    for (std::size_t index = 0; index < tasks_.size(); ++index) {
      if (!is_among(index)) continue;
      std::size_t& at = demand_of_pattern_[pattern_of_[index]];
      if (at == 0) {
        demands.push_back({index, 0, 0});
        at = demands.size();
      }
      demands[at - 1].worst += task(index).worst.picoseconds();
      demands[at - 1].pause += task(index).pause.picoseconds();
    }
    for (const Demand& demand : demands) demand_of_pattern_[pattern_of_[demand.like]] = 0;
    return demands;
  }

  /// Those of the tasks above, without one of them.
  std::vector<Demand> demands_above(std::optional<std::size_t> without) const {
    std::vector<Demand> demands;
    for (std::size_t pattern = 0; pattern < above_.size(); ++pattern) {
      Demand demand = above_[pattern].demand;
      if (without && pattern_of_[*without] == pattern) {
        demand.worst -= task(*without).worst.picoseconds();
        demand.pause -= task(*without).pause.picoseconds();
      }
      if (demand.worst > 0 || demand.pause > 0) demands.push_back(demand);
    }
    return demands;
  }

  Wide time_of(std::size_t index) const { return (task(index).worst + task(index).pause).picoseconds(); }
  void put_above(std::size_t index) {
    if (task(index).unlimited) {
      unlimited_above_ = std::min(index, unlimited_above_.value_or(index));
      return;
    }
    used_above_ += used_[index];
    paused_above_ += paused_[index];
    if (time_of(index) == 0) return;
    Above& above = above_[pattern_of_[index]];
    above.demand.like = index;
    above.demand.worst += task(index).worst.picoseconds();
    above.demand.pause += task(index).pause.picoseconds();
    above.time += time_of(index);
    ++above.tasks;
    const auto at = std::upper_bound(
        above.largest.begin(), above.largest.end(), index,
        [this](std::size_t a, std::size_t b) { return time_of(a) != time_of(b) ? time_of(a) > time_of(b) : a < b; });
    above.largest.insert(at, index);
    if (above.largest.size() > limits_.parts + 1) above.largest.pop_back();
  }

  std::int64_t counted_arrivals(std::size_t index, Wide window) {
    ++steps_;
    limits_.taken.add();
    return arrivals(index, window);
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
  /// beyond the limits. `least`: x is not smaller, such as the result for less own work and pause.
  std::optional<Wide> solve(Wide own, const std::vector<Demand>& others, Wide pause = 0, Wide least = moment) {
    Wide window = std::max(least, own + pause);
    while (window <= limit() && steps_ <= limits_.steps) {
      Wide next = own, paused = pause;
      for (const Demand& other : others) {
        const Wide jobs = counted_arrivals(other.like, window - moment);
        next += other.worst * jobs;
        paused += other.pause * jobs;
      }
      next = supplied(next) + paused;
      if (next <= window) return window;
      window = next;
    }
    return std::nullopt;
  }

  /// The length of the last section of a job: at least one moment. Tasks may preempt it that are_between.
  Wide last_section(std::size_t index) const {
    const Duration length = last_section_of(task(index));
    return resource_ || length <= Duration::picoseconds(1) ? moment : Wide(length.picoseconds());
  }
  bool is_between(std::size_t index, std::size_t other) const {
    return other != index && task(other).priority >= task(index).priority &&
           preempts_last_section(task(index), task(other));
  }

  CpuBound bound_of(std::size_t index) {
    steps_ = 0;
    const CpuTask& own = task(index);
    if (own.unlimited) return {{}, {}, NoBound::unlimited, index};
    if (unlimited_above_) return {{}, {}, NoBound::unlimited, *unlimited_above_};
    double share = 1;
    if (resource_)
      share =
          static_cast<double>(resource_->budget.picoseconds()) / static_cast<double>(resource_->period.picoseconds());
    if (used_above_ > (full - paused_above_) * share) return {{}, {}, NoBound::overload, 0};
    const CpuBound blocking = blocking_of(index);
    if (*blocking.response >= limits_.window) return {{}, {}, NoBound::too_long, 0};

    const Wide blocked = blocking.response->picoseconds();
    // A preemptible job without execution time counts as one moment.
    const Wide worst = own.worst.picoseconds() + (own.preemptible_at_end || own.worst.is_zero() ? moment : Wide(0));
    const Wide last = std::min(last_section(index), worst);
    const std::vector<Demand> others = demands_above(index);
    std::vector<Demand> between;
    if (last_section(index) > moment) between = demands_of([&](std::size_t other) { return is_between(index, other); });

    // The busy period ends at the first job that ends before the next release.
    std::optional<Wide> longest;
    std::int64_t longest_job = 0;
    Wide longest_start = 0, longest_end = 0, end_jitter = 0;
    std::optional<Wide> begun = moment;
    for (std::int64_t job = 0;; ++job) {
      const Wide before = blocked + Wide(own.worst.picoseconds()) * job + worst - last;
      begun = solve(before + moment, others, Wide(own.pause.picoseconds()) * (job + 1), *begun);
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
      if (busy_ends_before(least_distance(own.arrivals, job + 1).picoseconds(), blocked, index)) break;
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
    // Work before the release does not count. Most often that is only backlog.
    const bool only_backlog = least_distance(own.arrivals, longest_job) <= (own.worst + own.pause) * longest_job;
    if (last == moment && only_backlog)
      add_largest(bound, index, longest_start);
    else
      add_all(bound, index, longest_start, longest_end);
    balance(bound);
    return bound;
  }

  /// The shares of the tasks above: those of add_all that can be the largest, and the others as one sum.
  void add_largest(CpuBound& bound, std::size_t index, Wide window) const {
    std::vector<CpuShare> shares;
    Wide rest = 0;
    std::size_t others = 0;
    for (std::size_t pattern = 0; pattern < above_.size(); ++pattern) {
      const Above& above = above_[pattern];
      if (above.tasks == 0) continue;
      const Wide jobs = arrivals(above.demand.like, window);
      const bool has_own = pattern == pattern_of_[index] && time_of(index) > 0;
      rest += jobs * (above.time - (has_own ? time_of(index) : Wide(0)));
      others += above.tasks - (has_own ? 1 : 0);
      for (const std::size_t other : above.largest) {
        if (other == index) continue;
        shares.push_back(share(CpuPart::preemption, other, jobs * time_of(other)));
        rest -= jobs * time_of(other);
        --others;
      }
    }
    std::sort(shares.begin(), shares.end(), [](const CpuShare& a, const CpuShare& b) { return a.by < b.by; });
    bound.parts.insert(bound.parts.end(), shares.begin(), shares.end());
    if (others == 0) return;
    bound.parts.push_back(share(CpuPart::preemption, std::nullopt, rest));
    bound.parts.back().others = static_cast<std::uint32_t>(others);
  }
  /// `end`: of the last section of the job, which begins at `start`.
  void add_all(CpuBound& bound, std::size_t index, Wide start, Wide end) const {
    const bool has_section = last_section(index) > moment;
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      if (other == index || task(other).priority < task(index).priority) continue;
      const bool later = has_section && is_between(index, other);
      add(bound, CpuPart::preemption, other, time_of(other) * arrivals(other, later ? end - moment : start));
    }
  }

  /// The bound under round robin that counts turns of the tasks of equal priority; nothing if there is none.
  std::optional<CpuBound> bound_by_turns(std::size_t index, std::optional<Duration> in_any_order) {
    if (task(index).turn) in_any_order_.insert_or_assign(index, in_any_order);
    steps_ = 0;
    const CpuTask& own = task(index);
    if (!own.turn || own.unlimited || resource_) return std::nullopt;
    std::vector<Peer> peers;
    double used = used_[index];
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      if (other == index || task(other).priority < own.priority) continue;
      if (task(other).unlimited) return std::nullopt;
      if (task(other).priority > own.priority)
        used += used_[other];
      else
        peers.push_back(peer_of(other, std::min(*own.turn, task(other).worst)));
      steps_ = 0;
    }
    if (peers.empty() || used > full) return std::nullopt;
    const CpuBound blocking = blocking_of(index);
    if (*blocking.response >= limits_.window) return std::nullopt;
    const Wide blocked = blocking.response->picoseconds(), turn = own.turn->picoseconds();
    const Wide worst = own.worst.picoseconds() + (own.preemptible_at_end || own.worst.is_zero() ? moment : Wide(0));
    const auto is_higher = [&](std::size_t other) { return task(other).priority > own.priority; };
    const std::vector<Demand> higher = demands_of(is_higher);
    const Wide turns_of_job = (worst + turn - 1) / turn;
    Wide longest = -1, longest_window = 0;
    std::int64_t longest_job = 0;
    constexpr std::int64_t most_jobs = 64;
    for (std::int64_t job = 0;; ++job) {
      if (job == most_jobs) return std::nullopt;
      const Wide work = blocked + Wide(own.worst.picoseconds()) * job + worst;
      const auto end = solve_by_turns(work, turns_of_job * (job + 1), higher, peers);
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
    for (const Peer& peer : peers)
      add(bound, CpuPart::preemption, peer.index,
          time_of_peer(peer, turns_of_job * (longest_job + 1), longest_window - moment));
    for (std::size_t other = 0; other < tasks_.size(); ++other)
      if (is_higher(other))
        add(bound, CpuPart::preemption, other,
            Wide(task(other).worst.picoseconds()) * arrivals(other, longest_window - moment));
    balance(bound);
    return bound;
  }

  /// A task of equal priority, under round robin.
  struct Peer {
    std::size_t index = 0;
    Wide turn = 0;                       ///< the longest one
    std::optional<EventModel> arrivals;  ///< in any window; nothing: its response has no bound
  };
  Peer peer_of(std::size_t index, Duration turn) {
    auto known = in_any_order_.find(index);
    if (known == in_any_order_.end()) known = in_any_order_.emplace(index, bound_of(index).response).first;
    Peer peer{index, turn.picoseconds(), {}};
    if (const auto& response = known->second)
      peer.arrivals = {task(index).arrivals.period, task(index).arrivals.jitter + (*response - task(index).worst), {}};
    return peer;
  }
  Wide time_of_peer(const Peer& peer, Wide turns, Wide window) const {
    const Wide by_turns = peer.turn * turns;
    if (!peer.arrivals) return by_turns;
    const std::int64_t jobs = max_arrivals(*peer.arrivals, Duration::picoseconds(static_cast<std::int64_t>(window)));
    return std::min(by_turns, Wide(task(peer.index).worst.picoseconds()) * jobs);
  }
  /// The smallest x > 0 with x >= own + the times of peers in x, at most so many turns of each + the loads of others.
  std::optional<Wide> solve_by_turns(Wide own, Wide turns, const std::vector<Demand>& higher,
                                     const std::vector<Peer>& peers) {
    Wide of_peers = 0;
    while (steps_ <= limits_.steps) {
      const auto window = solve(own + of_peers, higher);
      if (!window) return std::nullopt;
      Wide next = 0;
      for (const Peer& peer : peers) next += time_of_peer(peer, turns, *window - moment);
      if (next <= of_peers) return window;
      of_peers = next;
    }
    return std::nullopt;
  }

  /// f for a last section that begins at `start`.
  std::optional<Wide> end_of(Wide start, Wide last, const std::vector<Demand>& between) {
    Wide end = start + last;
    while (end <= limit() && steps_ <= limits_.steps) {
      Wide next = start + last;
      for (const Demand& other : between)
        next += other.worst * (counted_arrivals(other.like, end - moment) - counted_arrivals(other.like, start));
      if (next <= end) return end;
      end = next;
    }
    return std::nullopt;
  }

  /// Whether L <= time. L is computed once, on first use.
  bool busy_ends_before(Wide time, Wide blocked, std::size_t index) {
    if (busy_index_ != index) {
      busy_ = solve(blocked, demands_above(std::nullopt));
      busy_index_ = index;
    }
    return busy_ ? *busy_ <= time : false;
  }

  static CpuShare share(CpuPart part, std::optional<std::size_t> by, Wide time) {
    return {part, by, Duration::picoseconds(static_cast<std::int64_t>(time))};
  }
  static void add(CpuBound& bound, CpuPart part, std::optional<std::size_t> by, Wide time) {
    if (time > 0) bound.parts.push_back(share(part, by, time));
  }

  const std::vector<CpuTask>& tasks_;
  std::optional<PeriodicResource> resource_;
  Limits limits_;
  std::vector<std::size_t> pattern_of_;  ///< of every task: the same for tasks with the same arrivals
  std::vector<double> used_, paused_;    ///< of every task: the parts of its period that it executes, and pauses
  std::vector<std::size_t> with_sections_;
  std::vector<std::size_t> demand_of_pattern_;  ///< in demands_of: 0, or its place plus one
  /// The tasks of an arrival pattern that are put above the current task, except those that execute nothing.
  struct Above {
    Demand demand;
    Wide time = 0;  ///< of one job of each
    std::size_t tasks = 0;
    std::vector<std::size_t> largest;  ///< those with the longest jobs, one more than a bound keeps apart
  };
  std::vector<Above> above_;                                     ///< by pattern
  std::map<std::size_t, std::optional<Duration>> in_any_order_;  ///< of tasks that take turns: their bounds
  double used_above_ = 0, paused_above_ = 0;
  std::optional<std::size_t> unlimited_above_;
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
  return FixedPriorityAnalysis(tasks, resource, limits).only_bound(index);
}

std::vector<CpuBound> blocking_bounds(const std::vector<CpuTask>& tasks) {
  const FixedPriorityAnalysis analysis(tasks, std::nullopt, {});
  std::vector<CpuBound> bounds;
  for (std::size_t task = 0; task < tasks.size(); ++task) bounds.push_back(analysis.blocking_of(task));
  return bounds;
}

CpuBound blocking_bound(const std::vector<CpuTask>& tasks, std::size_t index) {
  return FixedPriorityAnalysis(tasks, std::nullopt, {}).blocking_of(index);
}

}  // namespace amalthea::engine::cpu
