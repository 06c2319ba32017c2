#include "engine/cpu/fixed_priority.hpp"

#include <algorithm>
#include <utility>

namespace amalthea::engine::cpu {
namespace {

using Wide = detail::Int128;
constexpr Wide moment = 1;  ///< the least time that is seen
constexpr double full = 1 + 1e-9;

class Analysis {
 public:
  Analysis(const std::vector<CpuTask>& tasks, const std::optional<PeriodicResource>& resource, const Limits& limits)
      : tasks_(tasks), resource_(resource), limits_(limits) {}

  std::vector<CpuBound> bounds() {
    std::vector<CpuBound> bounds;
    for (std::size_t task = 0; task < tasks_.size(); ++task) bounds.push_back(bound_of(task));
    return bounds;
  }

  /// In `response`, with `parts`.
  CpuBound blocking_of(std::size_t index) {
    CpuBound most;
    most.response = Duration{};
    bool left_to_cooperative = false;
    for (const CpuTask& task : tasks_)
      left_to_cooperative = left_to_cooperative || (task.cooperative && task.priority >= tasks_[index].priority);
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      if (tasks_[other].priority >= tasks_[index].priority) continue;
      for (const Section& section : tasks_[other].sections) {
        if (section.threshold < tasks_[index].priority || section.length <= *most.response) continue;
        most.response = section.length;
        most.parts = {{CpuPart::blocking, other, section.length}};
      }
      if (!left_to_cooperative || !tasks_[other].cooperative || tasks_[other].cooperative->is_zero()) continue;
      CpuBound found = cooperative_blocking(index, other);
      if (!found.response) return found;
      if (*found.response > *most.response) most = std::move(found);
    }
    return most;
  }

 private:
  const CpuTask& task(std::size_t index) const { return tasks_[index]; }
  Wide limit() const { return limits_.window.picoseconds(); }

  /// Execution of the jobs that come in the closed window.
  Wide load(std::size_t index, Wide window) {
    ++steps_;
    return Wide(task(index).worst.picoseconds()) * arrivals(index, window);
  }
  std::int64_t arrivals(std::size_t index, Wide window) const {
    return most_arrivals(task(index).arrivals, Duration::picoseconds(static_cast<std::int64_t>(window)));
  }
  /// The window in which so much is done.
  Wide supplied(Wide work) const {
    if (!resource_ || work <= 0 || work > limit()) return work;
    return longest_wait_for(*resource_, Duration::picoseconds(static_cast<std::int64_t>(work))).picoseconds();
  }

  /// The smallest x > 0 with x >= supplied(own + sum over `others` of load(x - 1)); nothing beyond the limits.
  std::optional<Wide> solve(Wide own, const std::vector<std::size_t>& others) {
    Wide window = std::max(moment, own);
    while (window <= limit() && steps_ <= limits_.steps) {
      Wide next = own;
      for (const std::size_t other : others) next += load(other, window - moment);
      next = supplied(next);
      if (next <= window) return window;
      window = next;
    }
    return std::nullopt;
  }

  /// Of a section of the less urgent `other`, with what comes before it and after the task.
  CpuBound cooperative_blocking(std::size_t index, std::size_t other) {
    std::vector<std::size_t> before;
    bool between = false;
    const auto comes_between = [&](std::size_t candidate) {
      return !task(candidate).cooperative && task(candidate).priority < task(index).priority;
    };
    for (std::size_t candidate = 0; candidate < tasks_.size(); ++candidate) {
      if (candidate == other || task(candidate).priority < task(other).priority) continue;
      before.push_back(candidate);
      between = between || comes_between(candidate);
    }
    CpuBound bound;
    bound.response = *task(other).cooperative;
    bound.parts = {{CpuPart::blocking, other, *bound.response}};
    if (!between) return bound;
    for (const std::size_t candidate : before)
      if (task(candidate).unlimited) return {{}, {}, NoBound::unlimited, candidate};
    const auto window = solve(bound.response->picoseconds(), before);
    if (!window) return {{}, {}, NoBound::too_long, 0};
    for (const std::size_t candidate : before) {
      if (!comes_between(candidate)) continue;
      const Duration time = task(candidate).worst * arrivals(candidate, *window - moment);
      if (time.is_zero()) continue;
      *bound.response += time;
      bound.parts.push_back({CpuPart::blocking, candidate, time});
    }
    return bound;
  }

  /// What runs to the end of a job once it has begun, at least a moment, and who may come between.
  std::pair<Wide, std::vector<std::size_t>> last_section(std::size_t index) const {
    const CpuTask& own = task(index);
    bool alone = own.cooperative.has_value();  // nobody may come within a last cooperative section
    for (const CpuTask& other : tasks_) alone = alone && (other.cooperative || other.priority <= own.priority);
    const Duration cooperative = alone ? own.last_cooperative : Duration{};
    if (resource_ || std::max(cooperative, own.last.length) <= Duration::picoseconds(1)) return {moment, {}};
    if (cooperative >= own.last.length) return {cooperative.picoseconds(), {}};
    std::vector<std::size_t> between;
    for (std::size_t other = 0; other < tasks_.size(); ++other)
      if (other != index && task(other).priority > own.last.threshold) between.push_back(other);
    return {own.last.length.picoseconds(), between};
  }

  CpuBound bound_of(std::size_t index) {
    steps_ = 0;
    const CpuTask& own = task(index);
    if (own.unlimited) return {{}, {}, NoBound::unlimited, index};
    std::vector<std::size_t> others;
    std::vector<CpuTask> level;
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      if (other != index && task(other).priority < own.priority) continue;
      if (task(other).unlimited) return {{}, {}, NoBound::unlimited, other};
      if (other != index) others.push_back(other);
      level.push_back(task(other));
    }
    double share = 1;
    if (resource_)
      share =
          static_cast<double>(resource_->budget.picoseconds()) / static_cast<double>(resource_->period.picoseconds());
    if (utilization(level) > full * share) return {{}, {}, NoBound::overload, 0};
    const CpuBound blocking = blocking_of(index);
    if (!blocking.response) return blocking;
    if (*blocking.response >= limits_.window) return {{}, {}, NoBound::too_long, 0};

    const Wide blocked = blocking.response->picoseconds();
    const Wide worst = std::max<Wide>(own.worst.picoseconds(), moment);  // a job of no time is as if it took a moment
    auto [last, between] = last_section(index);
    last = std::min(last, worst);

    // The busy period ends at the first job that ends before the next is released.
    std::optional<Wide> longest;
    std::int64_t longest_job = 0;
    Wide longest_start = 0, longest_end = 0;
    for (std::int64_t job = 0;; ++job) {
      const Wide before = blocked + Wide(own.worst.picoseconds()) * job + worst - last;
      const auto begun = solve(before + moment, others);
      if (!begun) return {{}, {}, NoBound::too_long, 0};
      const Wide start = *begun - moment;
      const auto end = last == moment ? begun : end_of(start, last, between);
      if (!end) return {{}, {}, NoBound::too_long, 0};
      const Wide released = least_distance(own.arrivals, job).picoseconds();
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
    bound.response = Duration::picoseconds(static_cast<std::int64_t>(*longest - (worst - own.worst.picoseconds())));
    add(bound, CpuPart::execution, std::nullopt, own.worst.picoseconds());
    add(bound, CpuPart::backlog, std::nullopt, Wide(own.worst.picoseconds()) * longest_job);
    for (const CpuShare& share_of_blocking : blocking.parts) bound.parts.push_back(share_of_blocking);
    for (const std::size_t other : others) {
      const bool later = std::find(between.begin(), between.end(), other) != between.end();
      add(bound, CpuPart::preemption, other, load(other, later ? longest_end - moment : longest_start));
    }
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

  /// Whether L <= time. L is found once, when it is first needed.
  bool busy_ends_before(Wide time, Wide blocked, std::size_t index, std::vector<std::size_t> others) {
    if (busy_index_ != index) {
      others.push_back(index);
      busy_ = solve(blocked, others);
      busy_index_ = index;
    }
    return busy_ ? *busy_ <= time : false;
  }

  void add(CpuBound& bound, CpuPart part, std::optional<std::size_t> by, Wide time) const {
    if (time > 0) bound.parts.push_back({part, by, Duration::picoseconds(static_cast<std::int64_t>(time))});
  }

  /// What was done before the release does not count: first of the backlog, then of those that came before. What a
  /// server did not give is the rest.
  void balance(CpuBound& bound) const {
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
  std::int64_t steps_ = 0;  ///< for the task at hand
  std::optional<Wide> busy_;
  std::optional<std::size_t> busy_index_;
};

}  // namespace

std::vector<CpuBound> fixed_priority_bounds(const std::vector<CpuTask>& tasks,
                                            const std::optional<PeriodicResource>& resource, const Limits& limits) {
  return Analysis(tasks, resource, limits).bounds();
}

std::vector<CpuBound> blocking_bounds(const std::vector<CpuTask>& tasks, const Limits& limits) {
  Analysis analysis(tasks, std::nullopt, limits);
  std::vector<CpuBound> bounds;
  for (std::size_t task = 0; task < tasks.size(); ++task) bounds.push_back(analysis.blocking_of(task));
  return bounds;
}

}  // namespace amalthea::engine::cpu
