// SPDX-License-Identifier: Apache-2.0
#include "explore/detail/conflict.hpp"

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "engine/program/program.hpp"
#include "explore/detail/walk.hpp"

namespace amalthea::explore::detail {
namespace {

constexpr double tolerance = 1e-9;

using Clock = std::chrono::steady_clock;

/// Called for each omitted deadline.
constexpr std::uint64_t walks = 2;

class ConflictSearch {
 public:
  ConflictSearch(const Space& space, const Facts& facts, const std::vector<bool>& counted, const Member& best,
                 const std::set<std::vector<TaskIndex>>& late, const ConflictOptions& options, Exploration& totals)
      : space_(space),
        facts_(facts),
        counted_(counted),
        best_(best),
        late_(late),
        options_(options),
        totals_(totals),
        left_(space.options.candidates),
        steps_left_(space.options.steps) {}

  Conflict run() {
    if (best_.judgement.broken > 0) return of_constraints();
    // A demand is a conflict if it is one for every placement of functions.
    std::optional<Conflict> demand;
    bool always = true;
    for (std::size_t index = 0; index < space_.placements.size() && always; ++index) {
      const auto here = of_demand(index);
      always = here.has_value();
      if (always && (index == best_.placement || !demand)) demand = here;
    }
    if (always && demand) return *demand;
    return by_deletion();
  }

 private:
  const std::string& name(TaskIndex task) const { return space_.problem.system.tasks[task].name; }
  std::string names(const std::vector<TaskIndex>& tasks) const {
    std::string text;
    for (std::size_t i = 0; i < tasks.size(); ++i)
      text += fmt::format("{}{}", i == 0 ? "" : i + 1 == tasks.size() ? " and " : ", ", name(tasks[i]));
    return text;
  }

  Conflict of_constraints() const {
    Conflict conflict;
    const Placement& placed = space_.placements[best_.placement];
    for (TaskIndex task = 0; task < best_.candidate.size(); ++task) {
      // Conflicts that involve this task, alone or with others.
      Constraints own;
      own.allowed.resize(best_.candidate.size());
      for (TaskIndex other = 0; other < own.allowed.size(); ++other) {
        own.allowed[other] = placed.system.tasks[other].units;
        own.allowed[other].push_back(best_.candidate[other].unit);
      }
      if (task < space_.problem.constraints.allowed.size())
        own.allowed[task] = space_.problem.constraints.allowed[task];
      const auto with_task = [task](const std::vector<TaskIndex>& group) {
        return std::find(group.begin(), group.end(), task) != group.end();
      };
      for (const auto& group : space_.problem.constraints.together)
        if (with_task(group)) own.together.push_back(group);
      for (const auto& group : space_.problem.constraints.apart)
        if (with_task(group)) own.apart.push_back(group);
      if (broken_constraints(own, placed, best_.candidate) > 0) conflict.tasks.push_back(task);
    }
    std::string on = names(conflict.tasks);
    const auto chains = Evaluator(space_, facts_, counted_).judge(best_.placement, best_.candidate).late_chains;
    for (std::size_t i = 0; i < chains.size(); ++i)
      if (i == 0 || chains[i] != chains[i - 1])
        on += fmt::format("{}{}", on.empty() ? "" : ", ", space_.problem.system.chains[chains[i]].name);
    conflict.reason = fmt::format("no mapping was found that meets all constraints; the best one violates {} {}{}",
                                  best_.judgement.broken, best_.judgement.broken == 1 ? "constraint" : "constraints",
                                  on.empty() ? "" : " on " + on);
    return conflict;
  }

  // ---- demand

  struct Share {
    TaskIndex task = 0;
    double demand = 0;  ///< lower bound
    std::vector<UnitIndex> units;
  };

  bool has_deadline(const Placement& placed, TaskIndex task) const {
    return placed.active[task] && placed.system.tasks[task].deadline && counted_[placed.owner[task]];
  }

  std::optional<Conflict> of_demand(std::size_t index) const {
    const Placement& placed = space_.placements[index];
    const Demands& demands = facts_.demands[index];
    std::vector<Share> shares;
    std::vector<std::vector<UnitIndex>> sets = {{}};
    for (TaskIndex task = 0; task < placed.system.tasks.size(); ++task) {
      if (!placed.host[task] || !has_deadline(placed, task) || placed.system.tasks[task].units.size() > 1) continue;
      Share share{task, 0, {placed.system.tasks[task].unit}};
      if (placed.movable[task] && !space_.cpus[task].empty()) share.units = space_.cpus[task];
      std::sort(share.units.begin(), share.units.end());
      share.demand = demands.on_unit[task][share.units.front()];
      for (const UnitIndex unit : share.units) share.demand = std::min(share.demand, demands.on_unit[task][unit]);
      if (std::find(sets.begin(), sets.end(), share.units) == sets.end()) sets.push_back(share.units);
      for (const UnitIndex unit : share.units)
        if (std::find(sets.front().begin(), sets.front().end(), unit) == sets.front().end())
          sets.front().push_back(unit);
      shares.push_back(std::move(share));
    }
    for (auto& set : sets) std::sort(set.begin(), set.end());
    for (const auto& set : sets) {
      std::vector<Share> within;
      for (const Share& share : shares)
        if (std::includes(set.begin(), set.end(), share.units.begin(), share.units.end())) within.push_back(share);
      std::string units;
      for (const UnitIndex unit : set)
        units += fmt::format("{}{}", units.empty() ? "" : ", ", placed.system.platform.units[unit].name);
      if (const auto conflict = overloaded(placed, std::move(within), static_cast<double>(set.size()), units))
        return conflict;
    }
    return of_gpu(placed, demands);
  }

  /// A minimal set of shares that is still too much.
  std::optional<Conflict> overloaded(const Placement& placed, std::vector<Share> shares, double capacity,
                                     const std::string& units) const {
    double total = 0;
    for (const Share& share : shares) total += share.demand;
    if (total <= capacity + tolerance) return std::nullopt;
    std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.demand < b.demand; });
    std::vector<Share> needed;
    for (const Share& share : shares) {
      if (total - share.demand > capacity + tolerance)
        total -= share.demand;
      else
        needed.push_back(share);
    }
    Conflict conflict;
    for (const Share& share : needed) conflict.tasks.push_back(placed.owner[share.task]);
    std::sort(conflict.tasks.begin(), conflict.tasks.end());
    conflict.reason = fmt::format("the utilization of {} is at least {:.2f} % with {}", units, 100 * total / capacity,
                                  names(conflict.tasks));
    return conflict;
  }

  /// Kernels count for the tasks that wait for them.
  std::optional<Conflict> of_gpu(const Placement& placed, const Demands& demands) const {
    engine::CompileOptions options = space_.options.analysis.compile;
    options.flatten_branches = true;
    const System& system = placed.system;
    const auto programs = engine::compile_programs(system, engine::Execution::worst, space_.devices, options);
    std::vector<UnitIndex> gpus;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task)
      if (placed.active[task] && !placed.host[task] &&
          std::find(gpus.begin(), gpus.end(), system.tasks[task].unit) == gpus.end())
        gpus.push_back(system.tasks[task].unit);
    for (const UnitIndex gpu : gpus) {
      std::vector<Share> shares;
      // Each job of a device task counts once, for any number of waits and hosts.
      std::vector<double> left = demands.rates;
      for (TaskIndex host = 0; host < system.tasks.size(); ++host) {
        if (!placed.host[host] || !has_deadline(placed, host)) continue;
        Share share{host, 0, {}};
        std::set<TaskIndex> setters;
        for (const engine::Step& step : programs[host].steps)
          for (const TaskIndex setter : step.setters)
            if (!placed.host[setter] && system.tasks[setter].unit == gpu) setters.insert(setter);
        for (const TaskIndex setter : setters) {
          const double rate = std::min(demands.rates[host], left[setter]);
          left[setter] -= rate;
          share.demand += rate * static_cast<double>(programs[setter].kernels_packed.picoseconds());
        }
        if (share.demand > 0) shares.push_back(share);
      }
      if (const auto conflict = overloaded(placed, shares, 1, system.platform.units[gpu].name)) return conflict;
    }
    return std::nullopt;
  }

  // ---- deletion

  static bool meet(const std::vector<TaskIndex>& late, const std::vector<TaskIndex>& kept) {
    return std::none_of(late.begin(), late.end(),
                        [&](TaskIndex task) { return std::find(kept.begin(), kept.end(), task) != kept.end(); });
  }

  bool is_late() const { return options_.end && Clock::now() >= *options_.end; }

  /// Whether a mapping that meets all of these is known or found, or the search has to stop.
  bool can_be_kept(const std::vector<TaskIndex>& tasks, std::uint64_t search) {
    for (const auto& late : late_)
      if (meet(late, tasks)) return true;
    if (is_cut_ || is_late() || left_ < walks * budget_ || steps_left_ == 0) return is_cut_ = true;
    std::vector<bool> counted(counted_.size(), false);
    for (const TaskIndex task : tasks) counted[task] = true;
    Evaluator evaluator(space_, facts_, counted);
    const std::size_t objectives = space_.options.objectives.size();
    for (std::uint64_t number = 0; number < walks; ++number) {
      WalkOptions options;
      options.number = number;
      options.search = search;
      options.start = number == 0 ? Start::worst_fit : Start::original;
      options.budget = budget_;
      options.steps = steps_left_;
      options.weights.assign(objectives, 0);
      options.scales.assign(objectives, 1);
      options.until_feasible = true;
      if (options_.end) {
        const double left = std::chrono::duration<double>(*options_.end - Clock::now()).count();
        options.seconds = std::min(space_.options.seconds.value_or(left) / 50, left);
      }
      if (options_.judged) options.judged = [this](const Judgement&) { options_.judged(); };
      const WalkResult result = walk(space_, facts_, evaluator, options);
      totals_.judged += result.judged;
      totals_.steps += result.steps;
      totals_.is_cut = totals_.is_cut || result.is_cut;
      left_ -= std::min(left_, result.judged);
      steps_left_ -= std::min(steps_left_, result.steps);
      if (result.feasible) return true;
      if (result.is_cut) return is_cut_ = true;
      if (is_late()) return is_cut_ = true;
    }
    return false;
  }

  Conflict by_deletion() {
    std::vector<TaskIndex> kept;
    std::vector<std::size_t> often(counted_.size(), 0);
    for (const auto& late : late_)
      for (const TaskIndex task : late) ++often[task];
    for (TaskIndex task = 0; task < counted_.size(); ++task)
      if (counted_[task] &&
          std::any_of(space_.placements.begin(), space_.placements.end(), [&](const Placement& placement) {
            for (TaskIndex carrier = 0; carrier < placement.owner.size(); ++carrier)
              if (placement.owner[carrier] == task && has_deadline(placement, carrier)) return true;
            return false;
          }))
        kept.push_back(task);
    // Tasks that are rarely late are left out first.
    std::vector<TaskIndex> order = kept;
    std::stable_sort(order.begin(), order.end(), [&](TaskIndex a, TaskIndex b) { return often[a] < often[b]; });
    budget_ = std::clamp<std::uint64_t>(space_.options.candidates / std::max<std::uint64_t>(20, walks * order.size()),
                                        20, 500);
    std::uint64_t search = 1;
    for (const TaskIndex task : order) {
      std::vector<TaskIndex> without = kept;
      without.erase(std::find(without.begin(), without.end(), task));
      if (!without.empty() && !can_be_kept(without, search++)) kept = std::move(without);
    }
    Conflict conflict;
    conflict.tasks = kept;
    conflict.reason = kept.size() == 1
                          ? fmt::format("no mapping was found that meets the deadline of {}", names(kept))
                          : fmt::format("no mapping was found that meets all the deadlines of {}; {}", names(kept),
                                        is_cut_ ? "the search ended before it could show which of them conflict; "
                                                  "raise --candidates to search further"
                                                : "if any one of them is left out, a mapping exists");
    conflict.is_narrowed = kept.size() == 1 || !is_cut_;
    return conflict;
  }

  const Space& space_;
  const Facts& facts_;
  const std::vector<bool>& counted_;
  const Member& best_;
  const std::set<std::vector<TaskIndex>>& late_;
  const ConflictOptions& options_;
  Exploration& totals_;
  std::uint64_t left_;        ///< number of candidates that may still be judged
  std::uint64_t steps_left_;  ///< number of steps that bounds may still take
  std::uint64_t budget_ = 0;  ///< per walk
  bool is_cut_ = false;       ///< stopped with untested deadlines
};

}  // namespace

Conflict find_conflict(const Space& space, const Facts& facts, const std::vector<bool>& counted, const Member& best,
                       const std::set<std::vector<TaskIndex>>& late, const ConflictOptions& options,
                       Exploration& totals) {
  return ConflictSearch(space, facts, counted, best, late, options, totals).run();
}

}  // namespace amalthea::explore::detail
