// SPDX-License-Identifier: Apache-2.0
#include "engine/what_if.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/quantity.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/small_changes.hpp"

namespace amalthea::engine {
namespace {

constexpr Duration least_slice = Duration::picoseconds(1'000'000'000);

bool may_share_core(const Task& a, const Task& b) {
  const auto runs_on = [](const Task& task, UnitIndex unit) {
    return task.unit == unit || std::find(task.units.begin(), task.units.end(), unit) != task.units.end();
  };
  return runs_on(a, b.unit) ||
         std::any_of(b.units.begin(), b.units.end(), [&](UnitIndex unit) { return runs_on(a, unit); });
}

/// A change in words, and how many values it changes; no words if there is nothing to change.
struct Change {
  std::string words;
  std::size_t values = 0;
};

/// Makes all waits for events of tasks on the task's core passive.
Change suspend_pollers(System& system, TaskIndex task) {
  std::vector<TaskIndex> pollers;
  std::size_t waits = 0;
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    auto* wait = std::get_if<WaitEvents>(&system.graph[node].activity);
    const TaskIndex who = system.graph[node].task;
    if (wait == nullptr || !wait->active || system.tasks[who].side == Side::device ||
        !may_share_core(system.tasks[who], system.tasks[task]))
      continue;
    wait->active = false;
    ++waits;
    if (std::find(pollers.begin(), pollers.end(), who) == pollers.end()) pollers.push_back(who);
  }
  if (pollers.empty()) return {};
  std::string names;
  for (std::size_t i = 0; i < pollers.size(); ++i)
    names += (i == 0 ? "" : i + 1 == pollers.size() ? " and " : ", ") + system.tasks[pollers[i]].name;
  return {pollers.size() == 1 ? fmt::format("if {} suspends instead of polling", names)
                              : fmt::format("if {} suspend instead of polling", names),
          waits};
}

/// Changes nothing if no GPU is shared by several contexts.
Change shorten_slices(System& system, const AnalysisOptions& options) {
  std::size_t device_tasks = 0, shorter = 0;
  const std::vector<const DeviceProfile*> devices = choose_devices(system, options.profile).profiles;
  Duration least, largest;
  for (Task& task : system.tasks) {
    if (task.side != Side::device || task.folded_into) continue;
    ++device_tasks;
    const DeviceProfile* device = devices[task.unit];
    const Duration stated = task.time_slice ? *task.time_slice : device != nullptr ? device->time_slice : least_slice;
    const Duration shortest = system.platform.schedulers[task.scheduler].minimum_time_slice.value_or(least_slice);
    const Duration slice = std::min(stated, shortest);
    if (slice < stated) ++shorter;
    least = device_tasks == 1 ? slice : std::min(least, slice);
    largest = std::max(largest, slice);
    task.time_slice = slice;
  }
  if (device_tasks < 2 || shorter == 0) return {};
  return {least == largest
              ? fmt::format("with GPU time slices of {}", format_duration(least))
              : fmt::format("with GPU time slices of {} to {}", format_duration(least), format_duration(largest)),
          shorter};
}

/// All analyses together simulate about this many instants, and their bounds take about this many steps: seconds.
constexpr std::uint64_t total_events = 20'000'000, total_steps = 50'000'000;
constexpr std::uint64_t least_analyses = 12, most_analyses = 400;
/// What the bounds of as many tasks cost, in events: nothing that counts for the systems of most models.
constexpr std::uint64_t events_of(std::size_t tasks) { return tasks < 200 ? 0 : tasks * 1000; }
/// Orders of more tasks are not sought: Audsley's test bounds a core about n^2 / 2 times.
constexpr std::size_t most_ranked = 32;
constexpr std::size_t most_exchanges = 200;
/// What an integer of a model can state.
constexpr std::int64_t largest_priority = std::numeric_limits<std::int32_t>::max();
/// Bounds for stated offsets of a system that needs more states take too long to be tried several times.
constexpr std::uint64_t offset_states = 20'000;

class Trials {
 public:
  Trials(const System& system, const AnalysisOptions& options, const Results& results,
         const std::vector<std::vector<UnitIndex>>& allowed, TaskIndex task)
      : system_(system),
        options_(options),
        results_(results),
        allowed_(allowed),
        task_(task),
        left_(std::clamp(total_events / std::max<std::uint64_t>(results.events + events_of(system.tasks.size()), 1),
                         least_analyses, most_analyses)) {
    options_.observer = nullptr;
    options_.work = nullptr;
    options_.bounds.taken = {&taken_};
  }

  WhatIfs run() {
    try_waiting_and_slices();
    found_.sought = task().deadline && results_.tasks[task_].guaranteed != true;
    if (found_.sought) {
      auto ticks = fewer_ticks();  // before the search for others may reach its limit
      if (task().side == Side::host && task().kind == ProcessKind::task) {
        try_cores();
        try_priorities();
        try_offsets();
      }
      keep(std::move(ticks));
    }
    choose_smallest();
    return std::move(found_);
  }

 private:
  const Task& task() const { return system_.tasks[task_]; }
  const std::string& unit_name(UnitIndex unit) const { return system_.platform.units[unit].name; }
  void in_vain(std::string sentence) { found_.in_vain.push_back(std::move(sentence)); }

  // ---- analyses

  bool is_over() const { return left_ == 0 || taken_ > total_steps; }

  void cut() {
    if (!std::exchange(is_cut_, true)) in_vain("Some changes were not tried, because the analyses take too long");
  }

  /// Nothing if it cannot be analyzed, or if the analyses took long enough.
  std::optional<WhatIf> analyzed(ChangeKind kind, const System& changed, Change change, bool for_offsets = false) {
    if (is_over()) {
      cut();
      return std::nullopt;
    }
    --left_;
    AnalysisOptions options = options_;
    if (for_offsets && !std::exchange(options.bounds.for_offsets, true)) options.bounds.states = offset_states;
    Diagnostics ignored;  // already reported by the analysis of the original system
    auto results = analyze(changed, options, ignored);
    if (!results || results->stopped_early) return std::nullopt;
    WhatIf one{kind, std::move(change.words), {}, change.values, {}, false, {}};
    for (TaskIndex other = 0; other < system_.tasks.size(); ++other)
      if (other != task_ && !system_.tasks[other].folded_into && is_worse(results->tasks[other], results_.tasks[other]))
        one.late.push_back(other);
    one.result = std::move(results->tasks[task_]);
    const bool was_met = results_.tasks[task_].verdict == Verdict::met;
    one.works = one.late.empty() && task().deadline && results_.tasks[task_].guaranteed != true &&
                (one.result.guaranteed == true || (!was_met && one.result.verdict == Verdict::met));
    return one;
  }

  static bool is_worse(const TaskResult& with, const TaskResult& without) {
    const auto badness = [](const TaskResult& result) {
      return result.verdict == Verdict::unbounded ? 2 : result.verdict == Verdict::missed ? 1 : 0;
    };
    return badness(with) > badness(without) || (without.guaranteed == true && with.guaranteed != true);
  }

  void keep(std::optional<WhatIf> one) {
    if (one) found_.tried.push_back(std::move(*one));
  }

  bool is_shorter(const WhatIf& a, const WhatIf& b) const {
    const auto key = [](const WhatIf& one) {
      return std::tuple(one.result.verdict != Verdict::met, one.late.size(),
                        one.result.bound.worst.value_or(Duration::max()), one.result.response.max);
    };
    return key(a) < key(b);
  }

  // ---- waiting and time slices

  void try_waiting_and_slices() {
    System suspended = system_;
    const Change waits = suspend_pollers(suspended, task_);
    if (!waits.words.empty()) keep(analyzed(ChangeKind::waiting, suspended, waits));
    System sliced = system_;
    const Change slices = shorten_slices(sliced, options_);
    if (!slices.words.empty()) keep(analyzed(ChangeKind::slices, sliced, slices));
    if (waits.words.empty() || slices.words.empty()) return;
    shorten_slices(suspended, options_);
    keep(analyzed(ChangeKind::waiting_and_slices, suspended,
                  {fmt::format("{}, {}", waits.words, slices.words), waits.values + slices.values}));
  }

  // ---- other cores

  void try_cores() {
    if (task_ >= allowed_.size()) return;
    bool any = false;
    for (const UnitIndex unit : allowed_[task_]) {
      if (system_.platform.units[unit].type == PuType::gpu || unit == task().unit ||
          std::find(task().units.begin(), task().units.end(), unit) != task().units.end())
        continue;
      any = true;
      System moved = system_;
      move_task(moved, task_, unit);
      auto one = analyzed(ChangeKind::core, moved, {fmt::format("on {}", unit_name(unit)), 1});
      const auto priority = priority_of_deadline(moved);
      if (one && !one->works && priority && *priority != task().priority) {
        moved.tasks[task_].priority = *priority;
        auto ranked =
            analyzed(ChangeKind::core, moved, {fmt::format("on {} with priority {}", unit_name(unit), *priority), 2});
        if (ranked && is_shorter(*ranked, *one)) one = std::move(ranked);
      }
      keep(std::move(one));
    }
    if (!any) in_vain(fmt::format("No other core can run {}", task().name));
  }

  /// The other tasks that the task's scheduler schedules by fixed priority, in a system that may have moved it.
  std::vector<TaskIndex> neighbors(const System& system) const {
    const Task& own = system.tasks[task_];
    std::vector<TaskIndex> tasks;
    if (!has_fixed_priorities(system.platform.schedulers[own.scheduler].kind)) return tasks;
    for (TaskIndex other = 0; other < system.tasks.size(); ++other) {
      const Task& task = system.tasks[other];
      if (other != task_ && task.kind == ProcessKind::task && task.side == Side::host && !task.folded_into &&
          task.scheduler == own.scheduler)
        tasks.push_back(other);
    }
    return tasks;
  }

  /// One more than the priority of all neighbors with a longer deadline or none; nothing if there are none.
  std::optional<std::int64_t> priority_of_deadline(const System& moved) const {
    std::optional<std::int64_t> priority;
    for (const TaskIndex other : neighbors(moved)) {
      const auto& deadline = moved.tasks[other].deadline;
      if (!deadline || *deadline > *task().deadline)
        priority = std::max(priority.value_or(moved.tasks[other].priority + 1), moved.tasks[other].priority + 1);
    }
    return priority && *priority <= largest_priority ? priority : std::nullopt;
  }

  // ---- priorities

  void try_priorities() {
    std::vector<TaskIndex> others = neighbors(system_);
    const Scheduler& own = system_.platform.schedulers[task().scheduler];
    if (!has_fixed_priorities(own.kind) || own.interrupt_controller)
      return in_vain(fmt::format("Priorities have no effect: scheduler {} uses {}", own.name, own.algorithm));
    if (others.empty()) return in_vain(fmt::format("Priorities have no effect: {} is alone on its core", task().name));
    try_higher_priority(others);
    if (others.size() < most_ranked) try {
        try_order(std::move(others));
      } catch (const std::overflow_error&) {
        in_vain("No order of priorities was sought, because the times of bounds exceed the range");
      }
    else
      in_vain(fmt::format("No order of priorities was sought, because the core has {} tasks", others.size() + 1));
  }

  void try_higher_priority(const std::vector<TaskIndex>& others) {
    std::vector<std::int64_t> values;
    const bool is_highest = std::all_of(others.begin(), others.end(), [this](TaskIndex other) {
      return system_.tasks[other].priority < task().priority;
    });
    for (const TaskIndex other : others)
      if (system_.tasks[other].priority >= task().priority && system_.tasks[other].priority < largest_priority)
        values.push_back(system_.tasks[other].priority + 1);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.empty())
      return in_vain(task().name + (is_highest ? " has the highest priority of its core already"
                                               : " cannot get a higher priority than the others of its core"));
    std::optional<WhatIf> best;
    for (const std::int64_t value : values) {
      System raised = system_;
      raised.tasks[task_].priority = value;
      auto one = analyzed(ChangeKind::priority, raised,
                          {fmt::format("with priority {} instead of {}", value, task().priority), 1});
      if (one && (!best || one->works || is_shorter(*one, *best))) best = std::move(one);
      if (!best || best->works) break;
    }
    keep(std::move(best));
  }

  /// Lateness of the tasks by their bounds: how many are late, and by how much in all, relative to their deadlines.
  using Lateness = std::pair<std::size_t, double>;

  std::vector<Bound> bounds_of(const System& system) const {
    return system_bounds(system, choose_devices(system, options_.profile).profiles, options_.compile, options_.bounds)
        .tasks;
  }

  static bool is_late(const System& system, TaskIndex task, const std::vector<Bound>& bounds) {
    const auto& deadline = system.tasks[task].deadline;
    return deadline && (!bounds[task].worst || *bounds[task].worst > *deadline);
  }

  static Lateness lateness(const System& system, const std::vector<TaskIndex>& tasks,
                           const std::vector<Bound>& bounds) {
    Lateness sum{0, 0};
    for (const TaskIndex task : tasks) {
      if (!is_late(system, task, bounds)) continue;
      ++sum.first;
      const auto deadline = static_cast<double>(system.tasks[task].deadline->picoseconds());
      sum.second +=
          bounds[task].worst ? static_cast<double>(bounds[task].worst->picoseconds()) / std::max(deadline, 1.0) : 100;
    }
    return sum;
  }

  /// Gives the tasks priorities in this order, the least urgent first; returns how many get another one.
  std::size_t rank(System& system, const std::vector<TaskIndex>& order) const {
    std::vector<std::int64_t> present;
    for (const TaskIndex task : order) present.push_back(system_.tasks[task].priority);
    const std::vector<std::int64_t> values = ascending_priorities(present);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      system.tasks[order[i]].priority = values[i];
      if (values[i] != present[i]) ++changed;
    }
    return changed;
  }

  /// Audsley's algorithm: each lowest place goes to the first task that meets its deadline there, tried from the least
  /// urgent one. Nothing if no task fits a place.
  std::optional<std::vector<TaskIndex>> audsley(const std::vector<TaskIndex>& present) const {
    std::vector<TaskIndex> placed, left = present;
    while (!left.empty()) {
      bool fits = false;
      for (std::size_t i = 0; i < left.size() && !fits && !is_over(); ++i) {
        std::vector<TaskIndex> order = placed;
        order.push_back(left[i]);
        for (std::size_t k = 0; k < left.size(); ++k)
          if (k != i) order.push_back(left[k]);
        System trial = system_;
        rank(trial, order);
        fits = !is_late(trial, left[i], bounds_of(trial));
        if (!fits) continue;
        placed.push_back(left[i]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
      if (!fits) return std::nullopt;  // no task can be here, or the search is over
    }
    return placed;
  }

  /// Whether the bound of each task depends on which tasks are more urgent, and not on their order: nothing on the core
  /// waits, locks, or is activated by another task.
  bool suits_audsley(const std::vector<TaskIndex>& tasks) const {
    for (const TaskIndex index : tasks) {
      const Task& task = system_.tasks[index];
      if (task.preemption != Preemption::preemptive || task.units.size() > 1) return false;
      for (const NodeIndex node : task.body) {
        const Activity& activity = system_.graph[node].activity;
        if (std::holds_alternative<WaitEvents>(activity) || std::holds_alternative<UseSemaphore>(activity) ||
            std::holds_alternative<Trigger>(activity) || std::holds_alternative<Uninterruptible>(activity))
          return false;
      }
    }
    return std::all_of(system_.stimuli.begin(), system_.stimuli.end(), [&](const Stimulus& stimulus) {
      return std::holds_alternative<Periodic>(stimulus.occurrence) ||
             std::none_of(stimulus.activates.begin(), stimulus.activates.end(),
                          [&](TaskIndex task) { return std::find(tasks.begin(), tasks.end(), task) != tasks.end(); });
    });
  }

  /// By deadline, then improved by exchanges of neighbors.
  std::vector<TaskIndex> searched_order(std::vector<TaskIndex> order) const {
    const auto limit = [&](TaskIndex task) { return system_.tasks[task].deadline.value_or(Duration::max()); };
    std::stable_sort(order.begin(), order.end(), [&](TaskIndex a, TaskIndex b) { return limit(a) > limit(b); });
    const auto judged = [&](const std::vector<TaskIndex>& candidate) {
      System trial = system_;
      rank(trial, candidate);
      return lateness(trial, candidate, bounds_of(trial));
    };
    Lateness least = judged(order);
    std::size_t exchanges = 0;
    for (bool improves = true; improves && least.first > 0;) {
      improves = false;
      for (std::size_t i = 0; i + 1 < order.size() && exchanges < most_exchanges && !is_over(); ++i, ++exchanges) {
        std::swap(order[i], order[i + 1]);
        const Lateness now = judged(order);
        if (now < least) {
          least = now;
          improves = true;
        } else {
          std::swap(order[i], order[i + 1]);
        }
      }
    }
    return order;
  }

  void try_order(std::vector<TaskIndex> tasks) {
    tasks.push_back(task_);
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](TaskIndex a, TaskIndex b) { return system_.tasks[a].priority < system_.tasks[b].priority; });
    const std::string& core = unit_name(task().unit);
    const auto found = audsley(tasks);
    if (is_over()) return cut();
    if (!found && suits_audsley(tasks))
      return in_vain(fmt::format("No order of the priorities on {} guarantees all of its deadlines (Audsley)", core));
    const std::vector<TaskIndex> order = found ? *found : searched_order(tasks);
    System ranked = system_;
    const std::size_t changed = rank(ranked, order);
    if (changed == 0) return in_vain(fmt::format("No better order of the priorities on {} was found", core));
    std::string words;
    for (auto task = order.rbegin(); task != order.rend(); ++task)
      if (ranked.tasks[*task].priority != system_.tasks[*task].priority)
        words += fmt::format("{}{} for {}", words.empty() ? "" : ", ", ranked.tasks[*task].priority,
                             system_.tasks[*task].name);
    keep(analyzed(ChangeKind::order, ranked,
                  {fmt::format("with {} {}", changed == 1 ? "priority" : "priorities", words), changed}));
  }

  // ---- offsets

  void try_offsets() {
    StimulusIndex own = 0;
    std::size_t count = 0;
    for (StimulusIndex index = 0; index < system_.stimuli.size(); ++index) {
      const auto& activates = system_.stimuli[index].activates;
      if (std::find(activates.begin(), activates.end(), task_) == activates.end()) continue;
      own = index;
      ++count;
    }
    const auto* periodic = count == 1 ? std::get_if<Periodic>(&system_.stimuli[own].occurrence) : nullptr;
    if (periodic == nullptr)
      return in_vain("No offset was tried, because the task is not activated by one periodic stimulus alone");
    constexpr std::int64_t parts = 10;
    std::optional<WhatIf> best;
    for (std::int64_t part = 0; part < parts; ++part) {
      const Duration offset = scale(periodic->period, part, parts, Rounding::nearest);
      if (offset == periodic->offset) continue;
      System shifted = system_;
      std::get<Periodic>(shifted.stimuli[own].occurrence).offset = offset;
      const Change change{fmt::format("with an offset of {} at {}", format_duration(offset), system_.stimuli[own].name),
                          1};
      auto one = analyzed(ChangeKind::offset, shifted, change);
      if (one && one->result.verdict == Verdict::met && one->result.guaranteed != true)
        one = analyzed(ChangeKind::offset, shifted, change, true);
      if (one && (!best || one->works || is_shorter(*one, *best))) best = std::move(one);
      if (!best || best->works) break;
    }
    keep(std::move(best));
  }

  // ---- fewer ticks

  std::optional<WhatIf> fewer_ticks() {
    std::string devices;  // " and A and B"
    for (TaskIndex other = 0; other < system_.tasks.size(); ++other)
      if (wrapper_of(system_, other) == task_) devices += fmt::format(" and {}", system_.tasks[other].name);
    const std::string whose = devices.empty() ? "" : fmt::format(" of {}{}", task().name, devices);
    const auto with = [&](std::int64_t less) {
      System faster = system_;
      scale_ticks(faster, task_, 100 - less);
      auto one = analyzed(ChangeKind::ticks, faster, {fmt::format("with {} % fewer ticks{}", less, whose), 1});
      if (one) one->percent_less = less;
      return one;
    };
    std::int64_t fails = 0, works = 99;
    auto best = with(works);
    if (!best) return std::nullopt;
    if (!best->works) {
      in_vain(fmt::format("Even {} % fewer ticks of {}{} are not enough", works, task().name, devices));
      return std::nullopt;
    }
    while (works - fails > 1) {
      const std::int64_t middle = (works + fails) / 2;
      auto one = with(middle);
      if (!one) break;
      if (one->works) {
        works = middle;
        best = std::move(one);
      } else {
        fails = middle;
      }
    }
    return best;
  }

  void choose_smallest() {
    const auto key = [&](std::size_t index) {
      const WhatIf& one = found_.tried[index];
      return std::tuple(one.result.guaranteed != true, one.kind == ChangeKind::ticks, one.values, index);
    };
    for (std::size_t index = 0; index < found_.tried.size(); ++index)
      if (found_.tried[index].works && (!found_.smallest || key(index) < key(*found_.smallest)))
        found_.smallest = index;
  }

  const System& system_;
  AnalysisOptions options_;
  const Results& results_;
  const std::vector<std::vector<UnitIndex>>& allowed_;
  TaskIndex task_;
  std::uint64_t left_;
  std::uint64_t taken_ = 0;
  bool is_cut_ = false;
  WhatIfs found_;
};

}  // namespace

std::string_view to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::waiting:
      return "waiting";
    case ChangeKind::slices:
      return "slices";
    case ChangeKind::waiting_and_slices:
      return "waiting and slices";
    case ChangeKind::core:
      return "core";
    case ChangeKind::priority:
      return "priority";
    case ChangeKind::order:
      return "order";
    case ChangeKind::offset:
      return "offset";
    case ChangeKind::ticks:
      return "ticks";
  }
  return "";
}

WhatIfs what_if(const System& system, const AnalysisOptions& options, const Results& results,
                const std::vector<std::vector<UnitIndex>>& allowed, TaskIndex task) {
  return Trials(system, options, results, allowed, system.tasks[task].folded_into.value_or(task)).run();
}

}  // namespace amalthea::engine
