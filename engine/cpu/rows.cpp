// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/rows.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "engine/cpu/detail/last_section.hpp"
#include "engine/cpu/fixed_priority.hpp"

namespace amalthea::engine::cpu {
namespace {

using Time = std::int64_t;  ///< picoseconds
using Wide = detail::Int128;

/// The most arrival computations for one task, and for all of a core: what needs more keeps its bound. On large cores
/// they would take much longer than all other analyses.
constexpr std::int64_t most_steps = 20'000, most_steps_of_all = 200'000;

/// A step of a row on the core, of at least the priority of the task under analysis.
struct Step {
  std::size_t task = 0;
  Time earliest = 0, latest = 0;  ///< of its release, after the row occurs
  Time worst = 0;
  bool between = false;   ///< it preempts the last section of the task under analysis
  bool precedes = false;  ///< in each row, it has executed all when the task under analysis is released
  bool follows = false;   ///< in each row, it is released when the task under analysis has executed all
};

struct Row {
  Time period = 1;
  std::vector<Step> steps;
};

/// Windows up to the start of the last section, and for what preempts it, up to its end. Both are closed.
struct Window {
  Time start = 0, end = 0;
};

/// The jobs that arrive in [0, window] where the row occurs at `origin` + k T.
std::int64_t jobs_of(const Row& row, const Step& step, Time origin, Time window) {
  return std::max<std::int64_t>(
      0, floor_of(window - origin - step.earliest, row.period) + floor_of(origin + step.latest, row.period) + 1);
}

class RowAnalysis {
 public:
  RowAnalysis(const std::vector<CpuTask>& tasks, const std::vector<RowStep>& steps, const Limits& limits)
      : tasks_(tasks), steps_(steps), limits_(limits), left_(std::min(limits.steps, most_steps_of_all)) {
    std::map<std::size_t, std::size_t> of_row;
    std::map<std::array<Duration, 3>, std::size_t> known;
    for (std::size_t index = 0; index < tasks.size(); ++index) {
      const EventModel& at = tasks[index].arrivals;
      pattern_of_.push_back(known.try_emplace({at.period, at.jitter, at.minimum_distance}, known.size()).first->second);
      if (steps[index].row) ++of_row[*steps[index].row];
    }
    plain_at_.resize(known.size());
    for (const RowStep& step : steps) shares_row_.push_back(step.row && of_row[*step.row] > 1);
  }

  void improve(std::vector<CpuBound>& bounds) {
    blocking_ = blocking_bounds(tasks_);
    for (std::size_t index = 0; index < tasks_.size() && left_ > 0; ++index) {
      budget_ = std::min(left_, most_steps);
      const std::int64_t before = budget_;
      if (prepare(index) && find()) keep_smaller(bounds[index]);
      left_ -= before - budget_;
    }
  }

 private:
  /// What a job executes up to its end, or up to a trigger.
  struct Part {
    Time worst = 0;              ///< at most
    Time moment = 0;             ///< the part of it for which it needs the core although it executes nothing
    Time last = 1;               ///< the part of it that only tasks "between" preempt
    bool has_followers = false;  ///< steps that follow may precede its end
  };
  /// What is known of the task's latest job so far.
  struct Found {
    Wide response = -1;
    Wide latest = std::numeric_limits<Time>::min();  ///< after the earliest release
    Time origin = 0;
    Window window;
    std::int64_t earlier = 0;  ///< jobs of the task in the busy period
  };
  struct Plain {
    std::size_t like = 0;
    Wide worst = 0, between = 0;
  };

  const CpuTask& task(std::size_t index) const { return tasks_[index]; }
  Step step_of(std::size_t index) const {
    const Time earliest = steps_[index].offset.picoseconds();
    const auto contains = [](const std::vector<std::size_t>& all, std::size_t one) {
      return std::find(all.begin(), all.end(), one) != all.end();
    };
    return {index,
            earliest,
            earliest + task(index).arrivals.jitter.picoseconds(),
            task(index).worst.picoseconds(),
            last_ > 1 && index != index_ && preempts_last_section(task(index_), task(index)),
            contains(steps_[index_].done, index),
            contains(steps_[index].done, index_)};
  }

  /// Whether rows can make the bound of the task smaller.
  bool prepare(std::size_t index) {
    index_ = index;
    const CpuTask& own = task(index);
    if (own.unlimited) return false;
    if (*blocking_[index].response >= limits_.window) return false;
    last_ = std::max(Duration::picoseconds(1), last_section_of(own)).picoseconds();
    own_ = step_of(index);
    own_row_ = {own.arrivals.period.picoseconds(), {}};
    find_parts();
    others_.clear();
    plain_.clear();
    plain_tasks_.clear();
    return collect() && (!own_row_.steps.empty() || !others_.empty() || !steps_[index].triggers.empty());
  }

  void find_parts() {
    const Time after = task(index_).preemptible_at_end || own_.worst == 0 ? 1 : 0;
    const Time whole = own_.worst + after;
    parts_ = {{whole, after, std::min(last_, whole), after > 0}};
    for (const Duration before : steps_[index_].triggers) {
      const Time moment = before.is_zero() ? 1 : 0;
      const Time worst = before.picoseconds() + moment;
      parts_.push_back({worst, moment, last_ >= own_.worst ? worst : 1, false});
    }
  }

  /// Sorts the tasks of at least its priority; false if there is no bound.
  bool collect() {
    std::map<std::size_t, Row> rows;
    double used = 0;
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      if (task(other).priority < task(index_).priority) continue;
      if (task(other).unlimited) return false;
      used += static_cast<double>(task(other).worst.picoseconds()) /
              static_cast<double>(task(other).arrivals.period.picoseconds());
      if (!shares_row_[other]) {
        if (other != index_) add_plain(other);
        continue;
      }
      Row& row = rows[*steps_[other].row];
      row.period = task(other).arrivals.period.picoseconds();
      if (other != index_) row.steps.push_back(step_of(other));
    }
    if (used > 1 + 1e-9) return false;
    for (auto& [id, row] : rows) {
      const bool is_own = steps_[index_].row == id;
      if (!keeps_distances(row, is_own) || (row.steps.size() < 2 && !is_own))
        for (const Step& step : row.steps) add_plain(step.task);
      else
        (is_own ? own_row_ : others_.emplace_back()) = std::move(row);
    }
    return true;
  }

  /// If occurrences may be further apart than T, the densest are the worst ones only where a job of each step is released
  /// before the next occurrence.
  bool keeps_distances(const Row& row, bool is_own) const {
    const auto keeps = [&](const Step& step) { return steps_[step.task].periodic || step.latest <= row.period; };
    return std::all_of(row.steps.begin(), row.steps.end(), keeps) && (!is_own || keeps(own_));
  }

  void add_plain(std::size_t index) {
    plain_tasks_.push_back(index);
    std::size_t& at = plain_at_[pattern_of_[index]];
    if (at >= plain_.size() || pattern_of_[plain_[at].like] != pattern_of_[index]) {
      at = plain_.size();
      plain_.push_back({index, 0, 0});
    }
    (step_of(index).between ? plain_[at].between : plain_[at].worst) += task(index).worst.picoseconds();
  }

  bool is_late(Wide window) const { return window > limits_.window.picoseconds() || budget_ < 0; }
  void count(std::size_t computations) {
    budget_ -= static_cast<std::int64_t>(computations);
    limits_.taken.add(computations);
  }

  static Time window_of(const Step& step, const Window& window) { return step.between ? window.end : window.start; }
  static Wide load(const Row& row, Time origin, const Window& window) {
    Wide sum = 0;
    for (const Step& step : row.steps) sum += Wide(step.worst) * jobs_of(row, step, origin, window_of(step, window));
    return sum;
  }

  /// The jobs of a step of the own row that may precede the end of a part.
  std::int64_t jobs_before(const Step& step, const Part& part, Time origin, const Window& window) const {
    const Time length = window_of(step, window);
    const bool follows =
        step.follows && !part.has_followers && origin + step.latest >= 0 && origin + step.earliest <= length;
    return jobs_of(own_row_, step, origin, length) - (follows ? 1 : 0);
  }

  /// I: of the load of the closed window, what can have run before its end.
  Wide imposed(const Row& row, Time origin, Time window, Wide load) {
    arrivals_.clear();
    for (const Step& step : row.steps) {
      const Time first = origin + step.earliest;
      const Time last = first + floor_of(window - first, row.period) * row.period;
      if (last > 0 && jobs_of(row, step, origin, window) > 0) arrivals_.push_back({last, step.worst});
    }
    std::sort(arrivals_.begin(), arrivals_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    Wide least = load, before = load;
    for (const auto& [arrival, worst] : arrivals_) {
      before -= worst;
      least = std::min(least, before + window - arrival + 1);
    }
    return least;
  }

  struct Load {
    Wide time = 0;
    Time grows = 0;   ///< for this time, it grows as fast as the window
    Time origin = 0;  ///< where the row occurs
  };
  /// The most that a row other than the own one can take. Before the last section begins, this is I.
  Load largest(const Row& row, const Window& window, bool begun) {
    Load most;
    for (const Step& first : row.steps) {
      count(row.steps.size());
      const Wide all = load(row, -first.latest, window);
      if (all <= most.time) continue;
      const Wide time = begun ? all : imposed(row, -first.latest, window.start, all);
      if (time > most.time) most = {time, static_cast<Time>(all - time), -first.latest};
    }
    return most;
  }

  struct Taken {
    Wide time = 0;
    Time grows = 0;
  };
  /// What the tasks outside of the own row take, and for how long it grows as fast as the window.
  Taken taken_by_others(const Window& window, bool begun) {
    count(1 + plain_.size());
    Taken taken;
    for (const Plain& each : plain_) {
      taken.time += each.worst * max_arrivals(task(each.like).arrivals, Duration::picoseconds(window.start));
      if (each.between > 0)
        taken.time += each.between * max_arrivals(task(each.like).arrivals, Duration::picoseconds(window.end));
    }
    for (const Row& row : others_) {
      const Load most = largest(row, window, begun);
      taken.time += most.time;
      taken.grows = std::max(taken.grows, most.grows);
    }
    return taken;
  }
  Wide taken_by_row(const Part& part, Time origin, const Window& window) {
    count(own_row_.steps.size());
    Wide sum = 0;
    for (const Step& step : own_row_.steps) sum += Wide(step.worst) * jobs_before(step, part, origin, window);
    return sum;
  }

  /// The smallest time >= `before` + what others take up to then; it is not before `least`.
  std::optional<Time> start_after(Wide before, const Part& part, Time origin, Time least) {
    Wide start = std::max<Wide>(before, least);
    while (!is_late(start)) {
      const Window window{static_cast<Time>(start), static_cast<Time>(start)};
      const Taken others = taken_by_others(window, false);
      const Wide next = before + others.time + taken_by_row(part, origin, window);
      if (next <= start) return window.start;
      start = next + others.grows;
    }
    return std::nullopt;
  }

  bool has_between() const {
    const auto any = [](const Row& row) {
      return std::any_of(row.steps.begin(), row.steps.end(), [](const Step& step) { return step.between; });
    };
    return any(own_row_) || std::any_of(others_.begin(), others_.end(), any) ||
           std::any_of(plain_.begin(), plain_.end(), [](const Plain& each) { return each.between > 0; });
  }
  /// The end of the last section; `own`: all that jobs of the task execute up to then, with the blocking.
  std::optional<Time> end_after(Wide own, Time start, const Part& part, Time origin) {
    if (part.last == 1 || !has_between()) return start + part.last;
    Wide end = Wide(start) + part.last;
    while (!is_late(end)) {
      const Window window{start, static_cast<Time>(end) - 1};
      const Wide next = own + taken_by_others(window, true).time + taken_by_row(part, origin, window);
      if (next <= end) return static_cast<Time>(end);
      end = next;
    }
    return std::nullopt;
  }

  Time blocked() const { return blocking_[index_].response->picoseconds(); }

  /// The length of the busy period where the own row occurs at `origin`.
  std::optional<Time> busy_period(Time origin) {
    Wide length = std::max<Wide>(1, blocked());
    while (!is_late(length)) {
      const Window window{static_cast<Time>(length) - 1, static_cast<Time>(length) - 1};
      const Taken others = taken_by_others(window, false);
      const Wide next = blocked() + others.time + load(own_row_, origin, window) +
                        Wide(own_.worst) * jobs_of(own_row_, own_, origin, window.start);
      if (next <= length) return static_cast<Time>(length);
      length = next + others.grows;
    }
    return std::nullopt;
  }

  /// Considers all jobs of the task; false if there is no bound.
  bool find() {
    found_.assign(parts_.size(), {});
    for (std::size_t at = 0; at <= own_row_.steps.size(); ++at) {
      const Time latest = at < own_row_.steps.size() ? own_row_.steps[at].latest : own_.latest;
      std::optional<Time> length;
      const Time first = ceiling_of(latest - own_.latest, own_row_.period) * own_row_.period - latest;
      for (Time origin = first;; origin += own_row_.period) {
        const Time release = origin + own_.earliest;
        if (release > 0 && !length && !(length = busy_period(-latest))) return false;
        if (release > 0 && release >= *length) break;
        const auto end = add_job(origin);
        if (!end) return false;
        // Then nothing that counts is left of what arrives before, and the busy period ends.
        if (parts_.front().last == 1 && *end <= release + own_row_.period) break;
      }
    }
    return found_.front().response >= 0;
  }

  /// The job of the row that occurs at `origin`. Returns its end.
  std::optional<Time> add_job(Time origin) {
    std::optional<Time> end;
    Time least = 0;
    for (std::size_t part = parts_.size(); part-- > 0;) {
      const std::int64_t earlier = floor_of(origin + own_.latest, own_row_.period);
      const Wide own = blocked() + Wide(own_.worst) * earlier + parts_[part].worst;
      const auto start = start_after(own - parts_[part].last, parts_[part], origin, part == 0 ? least : 0);
      if (!start || !(end = end_after(own, *start, parts_[part], origin))) return std::nullopt;
      if (parts_.front().last == 1) least = std::max(least, *start);
      add(origin, earlier, {*start, std::max(*start, *end - 1)}, *end, parts_[part], found_[part]);
    }
    return end;
  }

  void add(Time origin, std::int64_t earlier, const Window& window, Time end, const Part& part, Found& found) const {
    const Wide release = std::max<Time>(0, origin + own_.earliest);
    if (end <= release) return;  // the busy period ends before
    const Wide response = end - std::max(release, done_before(origin)) - part.moment;
    found.latest = std::max<Wide>(found.latest, end - origin - own_.earliest - part.moment);
    if (response <= found.response) return;
    found.response = response;
    found.origin = origin;
    found.window = window;
    found.earlier = earlier;
  }

  /// What tasks of the own row execute in the busy period, at most, before the job is released.
  Wide done_before(Time origin) const {
    Wide sum = 0;
    for (const Step& step : own_row_.steps)
      if (step.precedes && origin + step.latest >= 0) sum += step.worst;
    return sum;
  }

  void keep_smaller(CpuBound& bound) {
    const auto time = [](Wide picoseconds) { return Duration::picoseconds(static_cast<Time>(picoseconds)); };
    const Found& end = found_.front();
    bound.end_jitter = std::min(time(end.latest), bound.end_jitter.value_or(Duration::max()));
    for (std::size_t part = 1; part < found_.size(); ++part) bound.trigger_jitters.push_back(time(found_[part].latest));
    if (bound.response && *bound.response <= time(end.response)) return;
    bound.response = time(end.response);
    bound.reason = NoBound::none;
    bound.parts.clear();
    add_parts(bound);
    keep_largest(bound.parts, limits_.parts);
  }

  void add_parts(CpuBound& bound) {
    const Found& found = found_.front();
    std::vector<std::pair<std::size_t, Wide>> shares;
    for (const Step& step : own_row_.steps)
      shares.emplace_back(step.task, jobs_before(step, parts_.front(), found.origin, found.window));
    for (const Row& row : others_) {
      const Time origin = largest(row, found.window, parts_.front().last > 1).origin;
      for (const Step& step : row.steps)
        shares.emplace_back(step.task, jobs_of(row, step, origin, window_of(step, found.window)));
    }
    for (const std::size_t other : plain_tasks_) {
      const Duration window = Duration::picoseconds(window_of(step_of(other), found.window));
      shares.emplace_back(other, max_arrivals(task(other).arrivals, window));
    }
    std::sort(shares.begin(), shares.end());
    Duration left = *bound.response;
    const auto add = [&](CpuPart part, std::optional<std::size_t> by, Wide time) {
      const Duration share = Duration::picoseconds(static_cast<Time>(std::min<Wide>(left.picoseconds(), time)));
      if (!share.is_zero()) bound.parts.push_back({part, by, share});
      left -= share;
    };
    add(CpuPart::execution, std::nullopt, own_.worst);
    for (const auto& [other, jobs] : shares)
      add(CpuPart::preemption, other, jobs * Wide(task(other).worst.picoseconds()));
    for (const CpuShare& share : blocking_[index_].parts) add(share.part, share.by, share.time.picoseconds());
    add(CpuPart::backlog, std::nullopt, Wide(own_.worst) * found.earlier);
  }

  const std::vector<CpuTask>& tasks_;
  const std::vector<RowStep>& steps_;
  Limits limits_;
  std::int64_t left_, budget_ = 0;  ///< arrival computations for all tasks, and for one
  std::vector<std::size_t> pattern_of_;
  std::vector<std::size_t> plain_at_;  ///< by pattern: its place in plain_
  std::vector<bool> shares_row_;       ///< with another task of the core
  std::vector<CpuBound> blocking_;
  // Of the task under analysis:
  std::size_t index_ = 0;
  Step own_;
  Row own_row_;  ///< without the task itself
  std::vector<Row> others_;
  std::vector<Plain> plain_;  ///< all others, together by their arrivals
  std::vector<std::size_t> plain_tasks_;
  Time last_ = 1;
  std::vector<Part> parts_;                      ///< the whole job first
  std::vector<Found> found_;                     ///< for each part
  std::vector<std::pair<Time, Time>> arrivals_;  ///< the last ones of each step, with what they execute
};

}  // namespace

void improve_by_rows(const std::vector<CpuTask>& tasks, const std::vector<RowStep>& steps, const Limits& limits,
                     std::vector<CpuBound>& bounds) {
  RowAnalysis(tasks, steps, limits).improve(bounds);
}

void improve_after_triggers(const std::vector<CpuTask>& tasks, const std::vector<RowStep>& steps, const Limits& limits,
                            std::vector<CpuBound>& bounds) {
  for (std::size_t index = 0; index < tasks.size(); ++index) {
    const std::int64_t priority = tasks[index].priority;
    const auto by = steps[index].released_by;
    if (!by || tasks[*by].priority >= priority || tasks[index].unlimited) continue;
    std::vector<CpuTask> level = tasks;
    bool blocks = false, is_below = false;
    for (std::size_t other = 0; other < level.size(); ++other) {
      CpuTask& task = level[other];
      is_below = is_below || (task.cooperative && task.priority < priority);
      if (task.priority < priority) {
        blocks = blocks || task.has_sections();
        task.sections.clear();
        task.cooperative.reset();
      } else if (other != index) {
        task.arrivals.jitter += longest_section(tasks[*by]) + tasks[*by].cooperative.value_or(Duration{});
        task.arrivals.minimum_distance = {};
      }
    }
    if (!blocks || (is_below && !tasks[*by].cooperative)) continue;
    level[index].arrivals = {limits.window, {}, {}};
    level[index].turn.reset();
    CpuBound bound = fixed_priority_bound(level, index, std::nullopt, limits);
    if (!bound.response || (bounds[index].response && *bounds[index].response <= *bound.response)) continue;
    bound.end_jitter = bounds[index].end_jitter;
    bound.trigger_jitters = std::move(bounds[index].trigger_jitters);
    bounds[index] = std::move(bound);
  }
}

}  // namespace amalthea::engine::cpu
