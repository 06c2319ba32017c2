// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/offset_windows.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/cpu/detail/last_section.hpp"
#include "engine/cpu/fixed_priority.hpp"

namespace amalthea::engine::cpu {
namespace {

using Time = std::int64_t;  ///< picoseconds
using Wide = detail::Int128;

class OffsetAnalysis {
 public:
  OffsetAnalysis(const std::vector<OffsetTask>& tasks, const std::vector<CpuBound>& general, std::int64_t steps,
                 StepCount taken)
      : tasks_(tasks), general_(general), limit_(steps), taken_(taken) {}

  CpuBound bound_of(std::size_t index) {
    index_ = index;
    steps_ = 0;
    blocking_.clear();
    others_.clear();
    if (!tasks_[index].offset || task(index).unlimited) return general_[index];
    std::vector<CpuTask> level = {task(index)};
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      if (other == index || task(other).priority < task(index).priority) continue;
      if (task(other).unlimited) return general_[index];
      others_.push_back(other);
      level.push_back(task(other));
    }
    if (utilization(level) > 1 + 1e-9) return general_[index];
    const auto starts = starts_of_busy_periods();
    if (starts.empty()) return general_[index];
    find_last_section();
    best_ = {};
    Time before = starts.back() - hyperperiod_;
    for (const Time start : starts) {
      if (!add_busy_period(start, before)) return general_[index];
      before = start;
    }
    const auto& closed = general_[index].response;
    return best_.response && (!closed || *best_.response < *closed) ? best_ : general_[index];
  }

 private:
  const CpuTask& task(std::size_t index) const { return tasks_[index].task; }
  Time period(std::size_t index) const { return task(index).arrivals.period.picoseconds(); }
  Time jitter(std::size_t index) const { return task(index).arrivals.jitter.picoseconds(); }
  Time worst(std::size_t index) const { return task(index).worst.picoseconds(); }

  /// Within one hyperperiod, ascending; none if they are too many.
  std::vector<Time> starts_of_busy_periods() {
    std::vector<std::size_t> known = {index_};
    for (const std::size_t other : others_)
      if (tasks_[other].offset) known.push_back(other);
    hyperperiod_ = 1;
    for (const std::size_t each : known) {
      const Time factor = period(each) / std::gcd(hyperperiod_, period(each));
      if (__builtin_mul_overflow(hyperperiod_, factor, &hyperperiod_)) return {};
    }
    if (hyperperiod_ > Limits{}.window.picoseconds()) return {};
    Time releases = 0;
    for (const std::size_t each : known) releases += hyperperiod_ / period(each);
    if (releases > limit_) return {};
    std::vector<Time> starts;
    for (const std::size_t each : known) {
      const Time first = tasks_[each].offset->picoseconds() + jitter(each);
      for (Time k = 0; k < hyperperiod_ / period(each); ++k)
        starts.push_back((first + k * period(each)) % hyperperiod_);
    }
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    return starts;
  }

  void find_last_section() {
    const CpuTask& own = task(index_);
    moment_ = own.preemptible_at_end || own.worst.is_zero() ? 1 : 0;
    between_.clear();
    last_ = 1;
    const Duration length = last_section_of(own);
    if (length <= Duration::picoseconds(1)) return;
    last_ = std::min(length.picoseconds(), worst(index_) + moment_);
    for (const std::size_t other : others_)
      if (preempts_last_section(own, task(other))) between_.push_back(other);
  }

  /// The first job of the task that may be released at `start` or later.
  Time first_job(std::size_t index, Time start) const {
    return ceiling_of(start - jitter(index) - tasks_[index].offset->picoseconds(), period(index));
  }

  /// Execution of the jobs released in [start, start + window].
  Wide load(std::size_t index, Time window) {
    ++steps_;
    taken_.add();
    std::int64_t jobs = 0;
    if (tasks_[index].offset)
      jobs = std::max<Time>(0, floor_of(start_ + window - tasks_[index].offset->picoseconds(), period(index)) -
                                   first_job(index, start_) + 1);
    else
      jobs = max_arrivals(task(index).arrivals, Duration::picoseconds(window));
    return Wide(worst(index)) * jobs;
  }

  bool gives_up(Wide window) const { return steps_ > limit_ || window > Limits{}.window.picoseconds(); }

  /// The smallest x > 0 with x >= own + sum over the others of load(x - 1).
  std::optional<Time> solve(Wide own) {
    Wide window = std::max<Wide>(1, own);
    while (!gives_up(window)) {
      Wide next = own;
      for (const std::size_t other : others_) next += load(other, static_cast<Time>(window) - 1);
      if (next <= window) return static_cast<Time>(window);
      window = next;
    }
    return std::nullopt;
  }

  std::optional<Time> end_of(Time begin) {
    Wide end = Wide(begin) + last_;
    while (!gives_up(end)) {
      Wide next = Wide(begin) + last_;
      for (const std::size_t other : between_) next += load(other, static_cast<Time>(end) - 1) - load(other, begin);
      if (next <= end) return static_cast<Time>(end);
      end = next;
    }
    return std::nullopt;
  }

  /// The first release in (before, start] with which the busy period may start.
  Time first_start(Time start, Time before) const {
    Time first = start;
    const auto include = [&](std::size_t index) {
      if (tasks_[index].offset)
        first = std::min(first, tasks_[index].offset->picoseconds() + first_job(index, start) * period(index));
      else
        first = before + 1;
    };
    include(index_);
    for (const std::size_t other : others_) include(other);
    return std::max(first, before + 1);
  }

  /// Blocking by tasks that may be active then, or at a later instant up to `start`.
  const CpuBound& blocking_at(Time start, Time before) {
    const Time first = first_start(start, before);
    std::vector<bool> active;
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      const auto& response = general_[other].response;
      bool may = task(other).priority < task(index_).priority && task(other).has_sections();
      if (may && tasks_[other].offset && response) {
        const Time offset = tasks_[other].offset->picoseconds();
        // Its last release before any of the instants that are hyperperiods of this level apart from `start`.
        const Time apart = std::gcd(hyperperiod_, period(other));
        const Wide release = offset + Wide(ceiling_of(start - offset, apart) - 1) * apart;
        may = release + jitter(other) + response->picoseconds() > first;
      }
      active.push_back(may);
    }
    auto found = blocking_.find(active);
    if (found == blocking_.end()) {
      std::vector<CpuTask> tasks;
      const bool any = std::find(active.begin(), active.end(), true) != active.end();
      for (std::size_t other = 0; any && other < tasks_.size(); ++other) {
        tasks.push_back(task(other));
        if (active[other] || task(other).priority >= task(index_).priority) continue;
        tasks.back().sections.clear();
        tasks.back().cooperative.reset();
      }
      found = blocking_.emplace(active, any ? blocking_bound(tasks, index_) : blocking_bound({task(index_)}, 0)).first;
    }
    return found->second;
  }

  /// Considers all jobs of the task in the busy period that begins at `start`; false: too many steps.
  bool add_busy_period(Time start, Time before) {
    start_ = start;
    const CpuBound& blocking = blocking_at(start, before);
    const Time blocked = blocking.response->picoseconds();
    const Time offset = tasks_[index_].offset->picoseconds();
    for (std::int64_t job = 0;; ++job) {
      const Time nominal = offset + (first_job(index_, start) + job) * period(index_);
      const Time release = std::max(start, nominal) - start;
      if (release > 0) {
        const auto busy = solve(Wide(blocked) + Wide(worst(index_)) * job);
        if (!busy) return false;
        if (*busy <= release) return true;
      }
      const auto begun = solve(Wide(blocked) + Wide(worst(index_)) * (job + 1) + moment_ - last_ + 1);
      if (!begun) return false;
      const auto end = last_ == 1 ? begun : end_of(*begun - 1);
      if (!end) return false;
      const Duration response = Duration::picoseconds(*end - release - moment_);
      if (!best_.response || response > *best_.response) describe(response, *begun - 1, *end, job, blocking);
      if (gives_up(*end)) return false;
    }
  }

  void describe(Duration response, Time begin, Time end, std::int64_t job, const CpuBound& blocking) {
    best_ = {};
    best_.response = response;
    Duration left = response;
    const auto add = [&](CpuPart part, std::optional<std::size_t> by, Wide time) {
      const Duration share = std::min(left, Duration::picoseconds(static_cast<Time>(std::max<Wide>(0, time))));
      if (!share.is_zero()) best_.parts.push_back({part, by, share});
      left -= share;
    };
    add(CpuPart::execution, std::nullopt, worst(index_));
    for (const std::size_t other : others_) {
      const bool later = std::find(between_.begin(), between_.end(), other) != between_.end();
      add(CpuPart::preemption, other, load(other, later ? end - 1 : begin));
    }
    for (const CpuShare& share : blocking.parts) add(share.part, share.by, share.time.picoseconds());
    add(CpuPart::backlog, std::nullopt, Wide(worst(index_)) * job);
    if (!left.is_zero()) best_.parts.push_back({CpuPart::supply, std::nullopt, left});
  }

  const std::vector<OffsetTask>& tasks_;
  const std::vector<CpuBound>& general_;
  std::int64_t limit_, steps_ = 0;
  StepCount taken_;
  std::size_t index_ = 0;
  std::vector<std::size_t> others_, between_;
  Time hyperperiod_ = 1, start_ = 0, last_ = 1, moment_ = 0;
  std::map<std::vector<bool>, CpuBound> blocking_;
  CpuBound best_;
};

}  // namespace

std::vector<CpuBound> offset_bounds(const std::vector<OffsetTask>& tasks, const std::vector<CpuBound>& general,
                                    std::int64_t steps, StepCount taken) {
  OffsetAnalysis analysis(tasks, general, steps, taken);
  std::vector<CpuBound> bounds;
  for (std::size_t task = 0; task < tasks.size(); ++task) bounds.push_back(analysis.bound_of(task));
  return bounds;
}

}  // namespace amalthea::engine::cpu
