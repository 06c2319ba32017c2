// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/schedule_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace amalthea::engine::cpu {
namespace {

using Time = std::int64_t;  ///< picoseconds
constexpr Time past = std::numeric_limits<Time>::min() / 2, never = std::numeric_limits<Time>::max() / 2;

/// More intervals of the same parts are merged, although they do not touch. This only adds schedules.
constexpr std::size_t most_intervals = 16;

/// The number of executed parts of every task.
using Parts = std::u32string;

/// When the core becomes free, and how it came to this.
struct Interval {
  Time earliest = 0, latest = 0;
  Time end = past;  ///< of the last part, at the latest; earlier than `latest` if nothing is ready then
  /// The last part did not begin earlier, and its task has at most this priority: jobs of a higher one were not
  /// released before.
  Time begun = past;
  std::int64_t priority = std::numeric_limits<std::int64_t>::max();
  std::size_t step = 0;  ///< index into the steps

  bool contains(const Interval& other) const {
    return earliest <= other.earliest && other.latest <= latest && other.end <= end && begun <= other.begun &&
           priority >= other.priority;
  }
};
using Intervals = std::vector<Interval>;

class Graph {
 public:
  Graph(const std::vector<GraphTask>& tasks, std::size_t most_states, StepCount taken)
      : tasks_(tasks), most_states_(most_states), taken_(taken) {}

  std::optional<ScheduleGraph> run() {
    if (!find_hyperperiod()) return std::nullopt;
    longest_.resize(tasks_.size());
    steps_.push_back({0, 0});
    std::unordered_map<Parts, Intervals> level;
    Parts none(tasks_.size(), U'\0');
    Interval idle = waiting(none, {});
    idle.end = past;
    level[none].push_back(idle);
    for (std::size_t executed = 0; !level.empty(); ++executed) {
      if (executed % parts_per_hyperperiod_ == 0 && executed > 0) remove_known(level);
      std::unordered_map<Parts, Intervals> next;
      for (const auto& [parts, intervals] : level)
        for (const Interval& interval : intervals) {
          if (++states_ > most_states_ || interval.latest > never / 2) return std::nullopt;
          expand(parts, interval, next);
        }
      level = std::move(next);
    }
    return result();
  }

 private:
  struct Step {
    std::size_t before = 0;  ///< index of the previous step
    std::uint32_t task = 0;  ///< whose part executed
  };
  struct Longest {
    Time response = -1;
    std::size_t step = 0;
  };

  bool find_hyperperiod() {
    hyperperiod_ = 1;
    for (const GraphTask& task : tasks_) {
      const Time period = task.period.picoseconds();
      if (__builtin_mul_overflow(hyperperiod_, period / std::gcd(hyperperiod_, period), &hyperperiod_)) return false;
    }
    if (hyperperiod_ > Limits{}.window.picoseconds()) return false;
    amalthea::detail::UInt128 demand = 0;
    for (const GraphTask& task : tasks_) {
      for (const GraphTask::Part& part : task.parts)
        demand += static_cast<amalthea::detail::UInt128>(hyperperiod_ / task.period.picoseconds()) *
                  static_cast<std::uint64_t>(part.worst.picoseconds());
      parts_in_hyperperiod_.push_back(static_cast<std::size_t>(hyperperiod_ / task.period.picoseconds()) *
                                      task.parts.size());
      parts_per_hyperperiod_ += parts_in_hyperperiod_.back();
    }
    // On an overloaded core the backlog grows with every hyperperiod: no state recurs.
    return parts_per_hyperperiod_ > 0 && parts_per_hyperperiod_ <= most_states_ &&
           demand <= static_cast<std::uint64_t>(hyperperiod_);
  }

  /// When the next part of a task becomes ready.
  std::pair<Time, Time> ready(std::size_t index, std::uint32_t executed) const {
    const GraphTask& task = tasks_[index];
    if (executed % task.parts.size() != 0) return {past, past};
    const Time release =
        task.offset.picoseconds() + static_cast<Time>(executed / task.parts.size()) * task.period.picoseconds();
    return {release, release + task.jitter.picoseconds()};
  }

  /// The core cannot begin anything before the next release.
  Interval waiting(const Parts& parts, Interval interval) const {
    Time first = never;
    for (std::size_t task = 0; task < tasks_.size(); ++task)
      first = std::min(first, ready(task, static_cast<std::uint32_t>(parts[task])).first);
    interval.end = interval.latest;
    interval.earliest = std::max(interval.earliest, first);
    interval.latest = std::max(interval.latest, first);
    return interval;
  }

  void expand(const Parts& parts, const Interval& free, std::unordered_map<Parts, Intervals>& next) {
    std::vector<std::pair<Time, Time>> all;
    Time certain = never;
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      all.push_back(ready(task, static_cast<std::uint32_t>(parts[task])));
      certain = std::min(certain, all.back().second);
    }
    taken_.add(tasks_.size());
    certain = std::max(certain, free.latest);
    for (std::size_t index = 0; index < tasks_.size(); ++index) {
      const GraphTask& task = tasks_[index];
      const Time from = std::max(free.earliest, all[index].first);
      if (from > certain) continue;
      Time to = certain;
      for (std::size_t other = 0; other < tasks_.size(); ++other)
        if (tasks_[other].priority > task.priority)
          to = std::min(to, all[other].second - (all[other].second > free.end ? 1 : 0));
      if (from > to) continue;
      const std::size_t at = static_cast<std::uint32_t>(parts[index]) % task.parts.size();
      const GraphTask::Part& part = task.parts[at];
      const Interval after{
          from + part.best.picoseconds(), to + part.worst.picoseconds(), past, from, task.priority, steps_.size()};
      steps_.push_back({free.step, static_cast<std::uint32_t>(index)});
      if (at + 1 == task.parts.size()) {
        const Time job = static_cast<Time>(static_cast<std::uint32_t>(parts[index]) / task.parts.size());
        Time release = task.offset.picoseconds() + job * task.period.picoseconds();
        if (task.parts.size() == 1 && task.priority > free.priority) release = std::max(release, free.begun);
        // A later release waits no longer.
        const Time begin = task.parts.size() == 1 ? std::min(to, std::max(free.latest, release)) : to;
        const Time response = begin + part.worst.picoseconds() - release;
        if (response > longest_[index].response) longest_[index] = {response, after.step};
      }
      Parts executed = parts;
      ++executed[index];
      add(next[executed], waiting(executed, after));
    }
  }

  /// Merges the interval with those that it touches.
  static void add(Intervals& intervals, Interval added) {
    const auto merge = [&added](const Interval& other) {
      if (other.latest > added.latest) {
        added.latest = other.latest;
        added.step = other.step;
      }
      added.end = std::max(added.end, other.end);
      added.earliest = std::min(added.earliest, other.earliest);
      added.begun = std::min(added.begun, other.begun);
      added.priority = std::max(added.priority, other.priority);
    };
    std::erase_if(intervals, [&](const Interval& other) {
      const bool touches = other.earliest <= added.latest + 1 && added.earliest <= other.latest + 1;
      if (touches) merge(other);
      return touches;
    });
    if (intervals.size() >= most_intervals) {
      for (const Interval& other : intervals) merge(other);
      intervals.clear();
    }
    intervals.push_back(added);
  }

  /// At the end of a hyperperiod: states that lie within earlier ones lead to nothing new.
  void remove_known(std::unordered_map<Parts, Intervals>& level) {
    std::unordered_map<Parts, Intervals> unknown;
    for (const auto& [parts, intervals] : level) {
      std::size_t hyperperiods = std::numeric_limits<std::size_t>::max();
      for (std::size_t task = 0; task < tasks_.size(); ++task)
        hyperperiods = std::min(hyperperiods, static_cast<std::uint32_t>(parts[task]) / parts_in_hyperperiod_[task]);
      Parts within = parts;
      for (std::size_t task = 0; task < tasks_.size(); ++task)
        within[task] -= static_cast<char32_t>(hyperperiods * parts_in_hyperperiod_[task]);
      const Time shift = static_cast<Time>(hyperperiods) * hyperperiod_;
      Intervals& known = known_[within];
      taken_.add(known.size() * intervals.size());
      for (const Interval& interval : intervals) {
        const Interval shifted{interval.earliest - shift, interval.latest - shift, interval.end - shift,
                               interval.begun - shift,    interval.priority,       0};
        if (std::any_of(known.begin(), known.end(), [&](const Interval& each) { return each.contains(shifted); }))
          continue;
        known.push_back(shifted);
        unknown[parts].push_back(interval);
      }
    }
    level = std::move(unknown);
  }

  ScheduleGraph result() const {
    ScheduleGraph graph;
    graph.states = states_;
    for (std::size_t index = 0; index < tasks_.size(); ++index) {
      CpuBound& bound = graph.bounds.emplace_back();
      bound.response = Duration::picoseconds(longest_[index].response);
      describe(index, bound);
    }
    return graph;
  }

  /// What executed before the end of the job, back to its release.
  void describe(std::size_t index, CpuBound& bound) const {
    Duration left = *bound.response;
    const auto add = [&](CpuPart part, std::optional<std::size_t> by, Duration time) {
      time = std::min(time, left);
      if (time.is_zero()) return;
      left -= time;
      for (CpuShare& share : bound.parts)
        if (share.part == part && share.by == by) {
          share.time += time;
          return;
        }
      bound.parts.push_back({part, by, time});
    };
    const auto part_of = [&](std::size_t task) {
      return task == index                                    ? CpuPart::backlog
             : tasks_[task].priority < tasks_[index].priority ? CpuPart::blocking
                                                              : CpuPart::preemption;
    };
    std::vector<std::size_t> executed(tasks_.size());
    std::size_t last = index;
    for (std::size_t step = longest_[index].step; step != 0 && !left.is_zero(); step = steps_[step].before) {
      const std::size_t task = steps_[step].task;
      const auto& parts = tasks_[task].parts;
      last = task;
      if (task == index && executed[task] < parts.size()) {
        add(CpuPart::execution, std::nullopt, parts[parts.size() - 1 - executed[task]++].worst);
        continue;
      }
      Duration longest;
      for (const GraphTask::Part& part : parts) longest = std::max(longest, part.worst);
      add(part_of(task), task == index ? std::nullopt : std::optional(task), longest);
    }
    // The rest is due to the first of them, which was released late.
    add(part_of(last), last == index ? std::nullopt : std::optional(last), left);
  }

  const std::vector<GraphTask>& tasks_;
  std::size_t most_states_;
  StepCount taken_;
  Time hyperperiod_ = 1;
  std::vector<std::size_t> parts_in_hyperperiod_;  ///< of every task
  std::size_t parts_per_hyperperiod_ = 0;
  std::vector<Step> steps_;  ///< the first one is none
  std::vector<Longest> longest_;
  std::unordered_map<Parts, Intervals> known_;  ///< at the ends of hyperperiods, shifted to the first
  std::size_t states_ = 0;
};

}  // namespace

std::optional<ScheduleGraph> explore_schedules(const std::vector<GraphTask>& tasks, std::size_t most_states,
                                               StepCount taken) {
  if (tasks.empty()) return std::nullopt;
  return Graph(tasks, most_states, taken).run();
}

}  // namespace amalthea::engine::cpu
