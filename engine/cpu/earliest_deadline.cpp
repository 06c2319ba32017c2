// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/earliest_deadline.hpp"

#include <algorithm>
#include <set>

namespace amalthea::engine::cpu {
namespace {

using Wide = detail::Int128;
constexpr double fully_used = 1 + 1e-9;

class EarliestDeadlineAnalysis {
 public:
  EarliestDeadlineAnalysis(const std::vector<CpuTask>& tasks, const std::vector<CpuTask>& interrupts,
                           const Limits& limits, const std::vector<CpuTask>& background)
      : tasks_(tasks), interrupts_(interrupts), background_(background), limits_(limits) {
    for (std::size_t task = 0; task < tasks_.size() + background_.size(); ++task)
      if ((task < tasks_.size() ? tasks_[task] : background_[task - tasks_.size()]).has_sections())
        blockers_.push_back(task);
  }

  std::vector<CpuBound> bounds() {
    if (const auto fault = common_fault()) return std::vector<CpuBound>(tasks_.size(), *fault);
    std::vector<CpuBound> bounds;
    std::optional<Wide> busy;
    Wide busy_blocked = -1;
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      const Wide blocked = blocking_of(task, 0).first;
      if (blocked != busy_blocked) busy = longest_busy(busy_blocked = blocked);
      bounds.push_back(busy ? bound_of(task, *busy) : CpuBound{{}, {}, NoBound::too_long, 0});
    }
    return bounds;
  }

  std::optional<bool> meets_demand() {
    if (const auto fault = common_fault())
      return fault->reason == NoBound::overload ? std::optional(false) : std::nullopt;
    const auto busy = longest_busy(0);
    if (!busy) return std::nullopt;
    std::set<Wide> deadlines;
    for (std::size_t task = 0; task < tasks_.size(); ++task)
      if (!add_steps(task, tasks_[task].deadline.picoseconds(), *busy, deadlines)) return std::nullopt;
    for (const Wide time : deadlines) {
      Wide demand = 0;
      for (const CpuTask& task : tasks_) demand += load(task, time - task.deadline.picoseconds());
      if (demand > time) return false;
    }
    return true;
  }

 private:
  Wide limit() const { return limits_.window.picoseconds(); }

  /// Execution of the jobs released in the closed window.
  Wide load(const CpuTask& task, Wide window) {
    ++steps_;
    limits_.taken.add();
    if (window < 0) return 0;
    return Wide(task.worst.picoseconds()) *
           max_arrivals(task.arrivals, Duration::picoseconds(static_cast<std::int64_t>(window)));
  }

  std::optional<CpuBound> common_fault() const {
    for (std::size_t task = 0; task < tasks_.size(); ++task)
      if (tasks_[task].unlimited) return CpuBound{{}, {}, NoBound::unlimited, task};
    for (std::size_t task = 0; task < interrupts_.size(); ++task)
      if (interrupts_[task].unlimited) return CpuBound{{}, {}, NoBound::unlimited, tasks_.size() + task};
    if (utilization(tasks_) + utilization(interrupts_) > fully_used) return CpuBound{{}, {}, NoBound::overload, 0};
    return std::nullopt;
  }

  /// The longest time for which jobs from before the busy period with a later deadline than one released at `at` block
  /// it, and a task that does so.
  std::pair<Wide, std::optional<std::size_t>> blocking_of(std::size_t index, Wide at) const {
    Duration section, cooperative, longest;
    std::optional<std::size_t> by;
    for (const std::size_t other : blockers_) {
      const bool has_deadline = other < tasks_.size();
      const CpuTask& task = has_deadline ? tasks_[other] : background_[other - tasks_.size()];
      if (has_deadline && task.deadline.picoseconds() <= at + tasks_[index].deadline.picoseconds()) continue;
      const Duration own = longest_section(task);
      section = std::max(section, own);
      cooperative = std::max(cooperative, task.cooperative.value_or(Duration{}));
      if (std::max(own, cooperative) <= longest) continue;
      longest = std::max(own, cooperative);
      by = has_deadline ? other : other + interrupts_.size();
    }
    return {Wide(section.picoseconds()) + cooperative.picoseconds(), by};
  }

  std::optional<Wide> longest_busy(Wide blocked) {
    Wide window = 1;
    while (window <= limit() && steps_ <= limits_.steps) {
      Wide next = blocked;
      for (const CpuTask& task : tasks_) next += load(task, window - 1);
      for (const CpuTask& task : interrupts_) next += load(task, window - 1);
      if (next <= window) return window;
      window = next;
    }
    return std::nullopt;
  }

  /// Adds shift + d(q) of the task, as far as they are in [0, end); false if there are too many.
  bool add_steps(std::size_t task, Wide shift, Wide end, std::set<Wide>& steps) {
    for (std::int64_t job = 0;; ++job) {
      const Wide at = shift + least_distance(tasks_[task].arrivals, job).picoseconds();
      if (at >= end) return true;
      if (at >= 0) steps.insert(at);
      limits_.taken.add();
      if (++steps_ > limits_.steps) return false;
    }
  }

  /// The execution that task `other` demands in `window` before a job with deadline `deadline`.
  Wide demand(std::size_t other, Wide window, Wide deadline) {
    const CpuTask& task = tasks_[other];
    return load(task, std::min(window - 1, deadline - task.deadline.picoseconds()));
  }

  CpuBound bound_of(std::size_t index, Wide busy) {
    const CpuTask& own = tasks_[index];
    std::set<Wide> candidates;
    for (std::size_t other = 0; other < tasks_.size(); ++other)
      if (!add_steps(other, Wide(tasks_[other].deadline.picoseconds()) - own.deadline.picoseconds(), busy, candidates))
        return {{}, {}, NoBound::too_long, 0};
    candidates.insert(0);
    Wide longest = -1, longest_at = 0, longest_window = 0;
    for (const Wide at : candidates) {
      const Wide deadline = at + own.deadline.picoseconds();
      // a job without execution time counts as one moment
      const Wide own_load =
          blocking_of(index, at).first + std::max<Wide>(load(own, at), 1) + (own.preemptible_at_end ? 1 : 0);
      Wide window = own_load;
      for (bool again = true; again;) {
        if (steps_ > limits_.steps || window > limit()) return {{}, {}, NoBound::too_long, 0};
        Wide next = own_load;
        for (std::size_t other = 0; other < tasks_.size(); ++other)
          if (other != index) next += demand(other, window, deadline);
        for (const CpuTask& interrupt : interrupts_) next += load(interrupt, window - 1);
        again = next > window;
        if (again) window = next;
      }
      if (window - at <= longest) continue;
      longest = window - at;
      longest_at = at;
      longest_window = window;
    }
    return describe(index, longest, longest_at, longest_window);
  }

  CpuBound describe(std::size_t index, Wide longest, Wide at, Wide window) {
    const CpuTask& own = tasks_[index];
    const auto [blocked, by] = blocking_of(index, at);
    const Wide worst = own.worst.picoseconds();
    const Wide moment = (worst == 0 ? 1 : 0) + (own.preemptible_at_end ? 1 : 0);
    CpuBound bound;
    // Work before the release of the job does not count: first of the backlog, then of the other tasks in turn.
    Wide before = at;
    const auto add = [&](CpuPart part, std::optional<std::size_t> by, Wide time) {
      const Wide taken = part == CpuPart::execution ? Wide(0) : std::min(before, time);
      before -= taken;
      if (time > taken)
        bound.parts.push_back({part, by, Duration::picoseconds(static_cast<std::int64_t>(time - taken))});
    };
    if (longest - moment <= worst) {
      bound.response = own.worst;
      add(CpuPart::execution, std::nullopt, worst);
      return bound;
    }
    bound.response = Duration::picoseconds(static_cast<std::int64_t>(longest - moment));
    add(CpuPart::execution, std::nullopt, worst);
    add(CpuPart::backlog, std::nullopt, load(own, at) - worst);
    add(CpuPart::blocking, by, blocked);
    for (std::size_t other = 0; other < tasks_.size(); ++other)
      if (other != index) add(CpuPart::preemption, other, demand(other, window, at + own.deadline.picoseconds()));
    for (std::size_t other = 0; other < interrupts_.size(); ++other)
      add(CpuPart::preemption, tasks_.size() + other, load(interrupts_[other], window - 1));
    keep_largest(bound.parts, limits_.parts);
    return bound;
  }

  const std::vector<CpuTask>& tasks_;
  const std::vector<CpuTask>& interrupts_;
  const std::vector<CpuTask>& background_;
  std::vector<std::size_t> blockers_;  ///< tasks with sections; those of the background follow
  Limits limits_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::vector<CpuBound> earliest_deadline_bounds(const std::vector<CpuTask>& tasks,
                                               const std::vector<CpuTask>& interrupts, const Limits& limits,
                                               const std::vector<CpuTask>& background) {
  return EarliestDeadlineAnalysis(tasks, interrupts, limits, background).bounds();
}

std::optional<bool> meets_demand(const std::vector<CpuTask>& tasks, const Limits& limits) {
  const std::vector<CpuTask> none;
  return EarliestDeadlineAnalysis(tasks, none, limits, none).meets_demand();
}

}  // namespace amalthea::engine::cpu
