// SPDX-License-Identifier: Apache-2.0
#include "engine/headroom.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "amalthea/primitives/threads.hpp"

namespace amalthea::engine {
namespace {

/// Rounded up; at least 0.
std::int64_t grown(std::int64_t value, int percent) {
  return detail::divide(detail::Int128{std::max<std::int64_t>(0, value)} * (100 + percent), 100, Rounding::up);
}
Duration grown(Duration time, int percent) { return Duration::picoseconds(grown(time.picoseconds(), percent)); }

/// Longest and average times grow, the shortest stays, unless even the longest is shorter now.
bool grow(Cycles& cycles, int percent) {
  if (cycles.upper <= 0) return false;
  cycles.upper = grown(cycles.upper, percent);
  cycles.average = std::min(cycles.upper, grown(cycles.average, percent));
  cycles.lower = std::min(cycles.lower, cycles.average);
  cycles.shape = scaled(cycles.shape, (100 + percent) / 100.0);
  return true;
}
bool grow(Ticks& ticks, int percent) {
  bool changed = ticks.otherwise && grow(*ticks.otherwise, percent);
  for (auto& [definition, cycles] : ticks.extended) changed = grow(cycles, percent) || changed;
  return changed;
}

/// Units of `added`, a copy of the definition `as`, need more cycles than before.
bool grow_on(DefinitionIndex added, DefinitionIndex as, Ticks& ticks, int percent) {
  const Cycles* stated = ticks.on(as);
  if (stated == nullptr) return false;
  Cycles cycles = *stated;
  const bool changed = grow(cycles, percent);
  ticks.extended.emplace_back(added, std::move(cycles));
  return changed;
}

template <typename Change>
bool change_overheads(System& system, Change change) {
  bool changed = false;
  for (Scheduler& scheduler : system.platform.schedulers) {
    if (!scheduler.overhead) continue;
    OverheadTicks& of = *scheduler.overhead;
    for (std::optional<Ticks>* ticks :
         {&of.activate_task, &of.terminate_task, &of.set_event, &of.wait_event, &of.clear_event, &of.request_resource,
          &of.release_resource, &of.request_spinlock, &of.release_spinlock, &of.schedule_point,
          &of.isr_category1_before, &of.isr_category1_after, &of.isr_category2_before, &of.isr_category2_after})
      if (*ticks) changed = change(**ticks) || changed;
  }
  return changed;
}

/// The tasks with kernels whose times follow from instructions. No ticks say how long those take.
std::vector<bool> with_instructions(const System& system) {
  std::vector<bool> tasks(system.tasks.size());
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (const auto* kernel = std::get_if<Kernel>(&system.graph[node].activity); kernel != nullptr)
      tasks[system.graph[node].task] = tasks[system.graph[node].task] || kernel->instructions;
  return tasks;
}

/// The GPUs of these tasks. All that they do takes longer if their clocks are slower.
std::set<UnitIndex> gpus_with_instructions(const System& system) {
  std::set<UnitIndex> units;
  const std::vector<bool> tasks = with_instructions(system);
  for (TaskIndex task = 0; task < tasks.size(); ++task)
    if (tasks[task]) units.insert(system.tasks[task].unit);
  return units;
}

/// With a clock so much slower the shortest time stays.
void keep_shortest(Cycles& cycles, int percent) {
  if (percent > 0) cycles.lower = detail::divide(detail::Int128{cycles.lower} * 100, 100 + percent, Rounding::down);
}

void slow_clock(System& system, UnitIndex index, int percent) {
  ProcessingUnit& unit = system.platform.units[index];
  unit.frequency = Frequency::millihertz(std::max<std::int64_t>(
      1, detail::divide(detail::Int128{unit.frequency.millihertz()} * 100, 100 + percent, Rounding::down)));
  for (MemoryAccess& access : unit.accesses) {
    keep_shortest(access.read, percent);
    keep_shortest(access.write, percent);
  }
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    auto* kernel = std::get_if<Kernel>(&system.graph[node].activity);
    if (kernel == nullptr || system.tasks[system.graph[node].task].unit != index) continue;
    Ticks& ticks = kernel->ticks;
    if (ticks.otherwise) keep_shortest(*ticks.otherwise, percent);
    for (auto& [definition, cycles] : ticks.extended) keep_shortest(cycles, percent);
  }
}

/// `which`: the task that a node belongs to.
template <typename Which>
bool grow_nodes(System& system, int percent, Which which) {
  bool changed = false;
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    if (!which(system.graph[node].task)) continue;
    Activity& activity = system.graph[node].activity;
    if (auto* compute = std::get_if<Compute>(&activity)) changed = grow(compute->ticks, percent) || changed;
    auto* kernel = std::get_if<Kernel>(&activity);
    if (kernel == nullptr) continue;
    changed = grow(kernel->ticks, percent) || changed;
    if (!kernel->costs || !kernel->costs->dispatch) continue;
    kernel->costs->dispatch = grown(*kernel->costs->dispatch, percent);
    changed = true;
  }
  return changed;
}

/// Those whose model states their times, of the tasks with `which`. They have no shortest times.
template <typename Which>
bool grow_stated_copies(System& system, int percent, Which which) {
  bool changed = false;
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    auto* copy = std::get_if<Copy>(&system.graph[node].activity);
    if (copy == nullptr || !copy->time || !which(*copy, system.graph[node].task)) continue;
    copy->time = grown(*copy->time, percent);
    changed = true;
  }
  return changed;
}

bool grow_gpu(System& system, UnitIndex index, int percent) {
  if (gpus_with_instructions(system).contains(index)) {
    slow_clock(system, index, percent);
    grow_stated_copies(system, percent, [&](const Copy&, TaskIndex task) { return system.tasks[task].unit == index; });
    return true;
  }
  return grow_nodes(system, percent, [&](TaskIndex task) {
    return system.tasks[task].side == Side::device && system.tasks[task].unit == index;
  });
}

bool grow_core(System& system, UnitIndex index, int percent) {
  ProcessingUnit& unit = system.platform.units[index];
  const DefinitionIndex as = unit.definition;
  const auto added = static_cast<DefinitionIndex>(system.platform.definitions.size());
  if (as < added) system.platform.definitions.push_back(ProcessingUnitDefinition(system.platform.definitions[as]));
  unit.definition = added;
  bool changed = false;
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (auto* compute = std::get_if<Compute>(&system.graph[node].activity))
      if (grow_on(added, as, compute->ticks, percent)) {
        const Task& task = system.tasks[system.graph[node].task];
        const bool here =
            task.unit == index || std::find(task.units.begin(), task.units.end(), index) != task.units.end();
        changed = changed || here;
      }
  change_overheads(system, [&](Ticks& ticks) { return grow_on(added, as, ticks, percent); });
  for (MemoryAccess& access : unit.accesses) {
    grow(access.read, percent);
    grow(access.write, percent);
  }
  return changed;
}

bool uses_table(const AnalysisOptions& options) { return options.compile.memory.source == MemoryModel::Source::table; }

bool slow_down(DataRate& rate, int percent) {
  if (rate.bytes_per_second == 0) return false;
  rate.bytes_per_second = std::max<std::int64_t>(
      1, detail::divide(detail::Int128{rate.bytes_per_second} * 100, 100 + percent, Rounding::down));
  return true;
}

bool copies(const System& system, const Copy& copy, MemoryIndex memory) {
  const auto is_in = [&](LabelIndex label) { return system.labels[label].memory == memory; };
  return std::any_of(copy.sources.begin(), copy.sources.end(), is_in) ||
         std::any_of(copy.destinations.begin(), copy.destinations.end(), is_in);
}

/// `memory`: nothing for all. `slowed`: units whose clocks are slower already. The stated time of a copy changes as a
/// whole, like a data rate.
bool grow_accesses(System& system, AnalysisOptions& options, std::optional<MemoryIndex> memory, int percent,
                   const std::set<UnitIndex>& slowed = {}) {
  bool changed = false;
  for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit)
    for (MemoryAccess& access : system.platform.units[unit].accesses) {
      if (memory && access.memory != *memory) continue;
      changed = slow_down(access.data_rate, percent) || changed;
      if (slowed.contains(unit)) continue;
      changed = grow(access.read, percent) || changed;
      changed = grow(access.write, percent) || changed;
    }
  changed = grow_stated_copies(system, percent,
                               [&](const Copy& copy, TaskIndex) { return !memory || copies(system, copy, *memory); }) ||
            changed;
  if (!uses_table(options)) return changed;
  MemoryModel& model = options.compile.memory;
  for (UnitLatency& unit : model.units)
    for (Duration* time : {&unit.base, &unit.per_core, &unit.gpu, &unit.hit}) *time = grown(*time, percent);
  if (model.copy) {
    model.copy->per_line = grown(model.copy->per_line, percent);
    model.copy->setup = grown(model.copy->setup, percent);
    slow_down(model.copy->rate, percent);
  }
  return true;
}

bool accesses(const System& system, MemoryIndex memory) {
  const auto is_in = [&](LabelIndex label) { return system.labels[label].memory == memory; };
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const Activity& activity = system.graph[node].activity;
    if (const auto* read = std::get_if<ReadLabel>(&activity); read != nullptr && is_in(read->label)) return true;
    if (const auto* write = std::get_if<WriteLabel>(&activity); write != nullptr && is_in(write->label)) return true;
    if (const auto* copy = std::get_if<Copy>(&activity); copy != nullptr && copies(system, *copy, memory)) return true;
  }
  return false;
}

bool grow_jitter(Stimulus& stimulus, int percent) {
  auto* periodic = std::get_if<Periodic>(&stimulus.occurrence);
  if (periodic == nullptr || stimulus.activates.empty()) return false;
  Distribution& jitter = periodic->jitter;
  const std::int64_t change = grown(periodic->period.picoseconds(), std::abs(percent) - 100);
  jitter.upper =
      percent < 0 ? std::max(jitter.lower, jitter.upper - change) : detail::checked_add(jitter.upper, change);
  jitter.average = std::midpoint(jitter.lower, jitter.upper);
  jitter.shape = nullptr;
  return true;
}

bool grow_jitters(System& system, int percent) {
  bool changed = false;
  for (Stimulus& stimulus : system.stimuli) changed = grow_jitter(stimulus, percent) || changed;
  return changed;
}

bool grow_times(System& system, AnalysisOptions& options, int percent) {
  const std::set<UnitIndex> slowed = gpus_with_instructions(system);
  for (const UnitIndex unit : slowed) slow_clock(system, unit, percent);
  bool changed = grow_nodes(system, percent, [&](TaskIndex task) { return !slowed.contains(system.tasks[task].unit); });
  changed = change_overheads(system, [&](Ticks& ticks) { return grow(ticks, percent); }) || changed;
  return grow_accesses(system, options, std::nullopt, percent, slowed) || changed || !slowed.empty();
}

// ---------------------------------------------------------------- search

/// Several limits may share a name.
using LimitKey = std::tuple<JudgedLimit::Kind, std::string, std::size_t>;
using Limits = std::map<LimitKey, JudgedLimit>;

Limits limits_in(const Assessment& assessment) {
  Limits limits;
  std::map<std::pair<JudgedLimit::Kind, std::string>, std::size_t> seen;
  for (const JudgedLimit& limit : assessment.limits)
    if (limit.kind != JudgedLimit::Kind::finding)
      limits.emplace(LimitKey{limit.kind, limit.name, seen[{limit.kind, limit.name}]++}, limit);
  return limits;
}

/// A limit that is not worse than `worst` today.
enum class Level : std::uint8_t { guaranteed, seen };
OverallVerdict worst_at(Level level) {
  return level == Level::guaranteed ? OverallVerdict::guaranteed : OverallVerdict::met;
}

constexpr std::array times_to_scan{5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 900};
constexpr std::array jitter_to_scan{1, 3, 6, 10, 15, 22, 30, 45, 60, 80, 100};
constexpr std::array reductions_to_scan{5, 10, 20, 35, 50, 75};
/// After this many violations in a row the scan ends: systems far beyond their limits take long to simulate.
constexpr int violations_in_scan = 3;
constexpr int values_to_recheck = 3;

class Search {
 public:
  Search(const System& system, const Limits& today, const HeadroomOptions& options, const Stress& stress)
      : system_(system), today_(today), options_(options), stress_(stress), range_(range_of(stress.kind)) {
    Limits& open = tested_[0];
    for (const auto& [key, limit] : today_)
      if (limit.verdict > OverallVerdict::guaranteed) open.emplace(key, limit);
  }

  StressHeadroom run() {
    scan();
    for (const Level level : {Level::guaranteed, Level::seen}) {
      refine(level);
      recheck(level);
      refine(level);
      reduce(level);
    }
    // Both look at all tests, so that what is seen is never below what is guaranteed for the same limits.
    return {stress_, margin(Level::guaranteed), margin(Level::seen), tested_.size() - 1, covers_};
  }

 private:
  using Tested = std::map<int, Limits>;  // growth → limits that are not guaranteed with it

  bool is_stopped() const { return options_.analysis.work != nullptr && options_.analysis.work->stop; }
  bool may_test() const { return tested_.size() <= options_.analyses_each && !is_stopped(); }

  void test(int percent) {
    if (tested_.contains(percent) || !may_test()) return;
    Limits& limits = tested_[percent];
    try {
      System system = system_;
      AnalysisOptions analysis = options_.analysis;
      analysis.observer = nullptr;
      analysis.work = nullptr;
      analysis.bounds.contributions = 1;  // nobody looks at them
      apply(stress_, percent, system, analysis);
      Diagnostics findings;
      if (const auto results = analyze(system, analysis, findings)) {
        limits = limits_in(assess(system, *results, findings));
        for (const auto& [key, limit] : limits) covers_ &= limit.covers.value_or(Coverage{});
        std::erase_if(limits, [](const auto& one) { return one.second.verdict == OverallVerdict::guaranteed; });
        return;
      }
    } catch (const std::overflow_error&) {
      // Times beyond the range of the simulation violate everything.
    }
    for (const auto& [key, limit] : today_) {
      JudgedLimit& unknown = limits.emplace(key, limit).first->second;
      unknown.verdict = OverallVerdict::unknown;
      unknown.reason = "times exceed the range of the simulation";
    }
  }

  /// Whether the limit counts: it holds today, or it is new (a task without a deadline that is unbounded now).
  bool counts(const LimitKey& key, Level level) const {
    const auto found = today_.find(key);
    return found == today_.end() || found->second.verdict <= worst_at(level);
  }
  bool is_violated(const LimitKey& key, const JudgedLimit& limit, Level level) const {
    return limit.verdict > (today_.contains(key) ? worst_at(level) : OverallVerdict::met);
  }
  std::vector<JudgedLimit> broken(const Limits& limits, Level level) const {
    std::vector<JudgedLimit> found;
    for (const auto& [key, limit] : limits)
      if (is_violated(key, limit, level) && counts(key, level)) found.push_back(limit);
    return found;
  }
  bool holds(int percent, Level level) const { return broken(tested_.at(percent), level).empty(); }

  /// Limits that do not hold today, but do with the largest reduction.
  std::vector<LimitKey> repairable(Level level) const {
    std::vector<LimitKey> found;
    const auto reduced = tested_.find(range_.least);
    if (reduced == tested_.end() || !broken(reduced->second, level).empty()) return found;
    for (const auto& [key, limit] : today_) {
      if (limit.verdict <= worst_at(level)) continue;
      const auto then = reduced->second.find(key);
      if (then == reduced->second.end() || then->second.verdict <= worst_at(level)) found.push_back(key);
    }
    return found;
  }
  /// Whether these limits and those that hold today hold.
  bool repairs(int percent, Level level, const std::vector<LimitKey>& limits) const {
    const Limits& tested = tested_.at(percent);
    return broken(tested, level).empty() && std::all_of(limits.begin(), limits.end(), [&](const LimitKey& key) {
             const auto found = tested.find(key);
             return found == tested.end() || found->second.verdict <= worst_at(level);
           });
  }

  /// Whether any limit holds today; without limits there is still the end of every task.
  bool has_any(Level level) const {
    return today_.empty() || std::any_of(today_.begin(), today_.end(),
                                         [&](const auto& limit) { return limit.second.verdict <= worst_at(level); });
  }

  /// The largest tested growth below the first violation, and the first violation.
  std::pair<int, std::optional<int>> edge(Level level) const {
    int last = 0;
    for (auto at = tested_.lower_bound(0); at != tested_.end(); ++at) {
      if (!holds(at->first, level)) return {last, at->first};
      last = at->first;
    }
    return {last, std::nullopt};
  }

  void scan() {
    const bool jitter = range_.largest == 100;
    int violations = 0;
    const auto visit = [&](int percent) {
      if (violations == violations_in_scan || percent > range_.largest) return;
      test(percent);
      if (!tested_.contains(percent)) return;
      const bool violated = !(has_any(Level::seen) && holds(percent, Level::seen)) &&
                            !(has_any(Level::guaranteed) && holds(percent, Level::guaranteed));
      violations = violated ? violations + 1 : 0;
    };
    if (jitter)
      std::for_each(jitter_to_scan.begin(), jitter_to_scan.end(), visit);
    else
      std::for_each(times_to_scan.begin(), times_to_scan.end(), visit);
  }

  void refine(Level level) {
    for (;;) {
      const auto [last, first] = edge(level);
      if (!first || *first - last <= 1 || !may_test()) return;
      test(std::midpoint(last, *first));
    }
  }

  void recheck(Level level) {
    const int last = edge(level).first;
    for (int i = 1; i <= values_to_recheck; ++i) test(last * i / (values_to_recheck + 1));
  }

  /// Finds the smallest reduction that repairs what the largest repairs.
  void reduce(Level level) {
    const bool open = std::any_of(today_.begin(), today_.end(),
                                  [&](const auto& limit) { return limit.second.verdict > worst_at(level); });
    if (!open) return;
    test(range_.least);
    const std::vector<LimitKey> limits = repairable(level);
    if (limits.empty()) return;
    for (const int percent : reductions_to_scan) {
      test(-percent);
      if (!tested_.contains(-percent) || repairs(-percent, level, limits)) break;
    }
    while (const auto needed = reduction(level, limits)) {
      const int last = std::next(tested_.find(*needed))->first;
      if (last - *needed <= 1 || !may_test()) return;
      test(std::midpoint(*needed, last));
    }
  }

  /// The smallest tested one from which on, up to the largest, the limits hold.
  std::optional<int> reduction(Level level, const std::vector<LimitKey>& limits) const {
    std::optional<int> least;
    for (auto at = tested_.begin(); at != tested_.end() && at->first < 0 && repairs(at->first, level, limits); ++at)
      least = at->first;
    return least;
  }

  Margin margin(Level level) const {
    Margin margin;
    const auto [last, first] = edge(level);
    if (has_any(level)) {
      margin.holds = last;
      margin.breaks = first;
      if (first) {
        margin.broken = broken(tested_.at(*first), level);
        for (JudgedLimit& limit : margin.broken)
          if (limit.verdict == OverallVerdict::met)
            limit.reason = "no bound guarantees it any more; in the simulation, " + limit.reason;
        for (auto at = tested_.upper_bound(*first); at != tested_.end(); ++at)
          if (holds(at->first, level)) margin.monotone = false;
      }
    }
    const std::vector<LimitKey> limits = repairable(level);
    if (limits.empty()) return margin;
    margin.needed = reduction(level, limits);
    for (const LimitKey& key : limits) margin.repaired.push_back(today_.at(key));
    return margin;
  }

  const System& system_;
  const Limits& today_;
  const HeadroomOptions& options_;
  Stress stress_;
  GrowthRange range_;
  Coverage covers_;  // of all guarantees
  Tested tested_;
};

}  // namespace

std::string_view to_string(Stress::Kind kind) {
  constexpr std::array<std::string_view, 8> names{"everything", "times", "jitters", "task",
                                                  "core",       "gpu",   "memory",  "jitter"};
  return names[static_cast<std::size_t>(kind)];
}

std::string name_of(const System& system, const Stress& stress) {
  switch (stress.kind) {
    case Stress::Kind::task:
      return system.tasks[stress.index].name;
    case Stress::Kind::core:
    case Stress::Kind::gpu:
      return system.platform.units[stress.index].name;
    case Stress::Kind::memory:
      return stress.index < system.platform.memories.size() ? system.platform.memories[stress.index].name : "";
    case Stress::Kind::jitter:
      return system.stimuli[stress.index].name;
    case Stress::Kind::everything:
    case Stress::Kind::times:
    case Stress::Kind::jitters:
      break;
  }
  return {};
}

GrowthRange range_of(Stress::Kind kind) {
  return kind == Stress::Kind::jitter || kind == Stress::Kind::jitters ? GrowthRange{-100, 100} : GrowthRange{};
}

bool apply(const Stress& stress, int percent, System& system, AnalysisOptions& options) {
  switch (stress.kind) {
    case Stress::Kind::everything: {
      const bool jitter = grow_jitters(system, percent);
      return grow_times(system, options, percent) || jitter;
    }
    case Stress::Kind::times:
      return grow_times(system, options, percent);
    case Stress::Kind::jitters:
      return grow_jitters(system, percent);
    case Stress::Kind::task:
      if (with_instructions(system)[stress.index]) return false;
      return grow_nodes(system, percent, [&](TaskIndex task) { return task == stress.index; });
    case Stress::Kind::core:
      return grow_core(system, stress.index, percent);
    case Stress::Kind::gpu:
      return grow_gpu(system, stress.index, percent);
    case Stress::Kind::memory:
      return grow_accesses(system, options,
                           uses_table(options) ? std::nullopt : std::optional<MemoryIndex>(stress.index), percent);
    case Stress::Kind::jitter:
      return grow_jitter(system.stimuli[stress.index], percent);
  }
  return false;
}

std::vector<Stress> stresses_of(const System& system, const AnalysisOptions& options) {
  std::vector<Stress> found;
  const auto offer = [&](Stress stress) {
    System changed = system;
    AnalysisOptions with = options;
    if (apply(stress, 0, changed, with)) found.push_back(stress);
  };
  for (const Stress::Kind kind : {Stress::Kind::everything, Stress::Kind::times, Stress::Kind::jitters})
    offer({kind, 0});
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (!system.tasks[task].folded_into && !system.tasks[task].body.empty()) offer({Stress::Kind::task, task});
  for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit)
    offer({system.platform.units[unit].type == PuType::gpu ? Stress::Kind::gpu : Stress::Kind::core, unit});
  if (uses_table(options)) {
    found.push_back({Stress::Kind::memory, Origin::none});
  } else if (options.compile.memory.source == MemoryModel::Source::model) {
    for (MemoryIndex memory = 0; memory < system.platform.memories.size(); ++memory)
      if (accesses(system, memory)) offer({Stress::Kind::memory, memory});
  }
  for (StimulusIndex stimulus = 0; stimulus < system.stimuli.size(); ++stimulus)
    offer({Stress::Kind::jitter, stimulus});
  return found;
}

Headroom headroom(const System& system, const Results& results, const HeadroomOptions& options) {
  const Limits today = limits_in(assess(system, results, Diagnostics{}));
  Headroom found;
  for (const auto& [key, limit] : today) {
    ++found.limits;
    if (limit.verdict == OverallVerdict::guaranteed) ++found.guaranteed;
    found.covers &= limit.covers.value_or(Coverage{});
    if (limit.verdict <= OverallVerdict::met) ++found.met;
  }
  const std::vector<Stress> stresses = stresses_of(system, options.analysis);
  std::vector<std::optional<StressHeadroom>> done(stresses.size());
  std::atomic<std::size_t> next = 0, finished = 0;
  Work* work = options.analysis.work;
  in_threads(std::min<std::size_t>(std::max(1U, options.threads), stresses.size()), [&](std::size_t) {
    for (std::size_t i = next++; i < stresses.size(); i = next++) {
      if (work != nullptr && work->stop) return;
      StressHeadroom one = Search(system, today, options, stresses[i]).run();
      if (work != nullptr && work->stop) return;
      done[i] = std::move(one);
      if (work != nullptr) work->done = static_cast<double>(++finished) / static_cast<double>(stresses.size());
    }
  });
  for (auto& one : done) {
    if (!one) {
      found.stopped_early = true;
      continue;
    }
    found.covers &= one->covers;
    found.of.push_back(std::move(*one));
  }
  return found;
}

}  // namespace amalthea::engine
