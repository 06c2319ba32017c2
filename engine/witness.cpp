// SPDX-License-Identifier: Apache-2.0
#include "engine/witness.hpp"

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/program/arrivals.hpp"
#include "engine/program/program.hpp"
#include "engine/simulation/simulation.hpp"

namespace amalthea::engine {
namespace {

constexpr Duration just_before = Duration::nanoseconds(1);
/// Instants of a job to which stimuli are moved.
constexpr std::size_t most_instants = 8;
/// Evenly distributed phases that are tried as well.
constexpr std::int64_t phases = 16;

/// The offset of a stimulus that has one and activates something; else null.
template <typename Of>  // Stimulus, const or not
auto* offset_of(Of& stimulus) {
  using Offset = std::conditional_t<std::is_const_v<Of>, const Duration, Duration>;
  return std::visit(
      [&](auto& kind) -> Offset* {
        if constexpr (requires { kind.offset; }) return stimulus.activates.empty() ? nullptr : &kind.offset;
        return nullptr;
      },
      stimulus.occurrence);
}

/// The longest job of the task, and the instants at which its state changed.
class LongestJob : public SimulationObserver {
 public:
  explicit LongestJob(TaskIndex task) : task_(task) {}

  void interval(const Interval& interval) override {
    if (interval.task == task_) present_.insert(interval.from);
  }
  void completed(TaskIndex task, std::uint64_t /*job*/, Instant release, Instant now) override {
    if (task != task_) return;
    if (!instants_.empty() && now - release <= response_) return present_.clear();
    response_ = now - release;
    instants_ = {release};
    for (const Instant instant : std::exchange(present_, {}))
      if (instant > release && instants_.size() < most_instants) instants_.push_back(instant);
  }

  Duration response() const { return response_; }
  const std::vector<Instant>& instants() const { return instants_; }  ///< first its release; empty: no job ended

 private:
  TaskIndex task_;
  Duration response_;
  std::vector<Instant> instants_;
  std::set<Instant> present_;
};

class WitnessSearch {
 public:
  WitnessSearch(const System& system, const AnalysisOptions& options, const Preparation& preparation, Witness& witness,
                std::uint64_t limit)
      : system_(system), options_(options), preparation_(preparation), witness_(witness), limit_(limit) {
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus)
      if (const Duration* offset = offset_of(system_.stimuli[stimulus])) {
        free_.push_back(stimulus);
        best_.push_back(*offset);
        latest_.push_back(std::max(*offset, arrival_period(system_.stimuli[stimulus]).value_or(Duration{})));
      }
    programs_ = compile_programs(system_, options_.execution, preparation_.devices, options_.compile);
    if (!waits_for_stimulus()) latest_.assign(latest_.size(), Duration::max());
  }

  void keep_stated() { try_offsets(best_); }

  /// All first occurrences at once: the critical instant of tasks that never wait.
  void release_together() {
    Duration latest;
    for (const StimulusIndex stimulus : free_) latest = std::max(latest, delay(stimulus));
    std::vector<Duration> together;
    for (const StimulusIndex stimulus : free_) together.push_back(latest - delay(stimulus));
    try_offsets(std::move(together));
  }

  /// Moves one stimulus after the other, until a whole round gains nothing.
  void climb() {
    for (bool gained = true; gained && !ended();) {
      gained = false;
      for (std::size_t index = 0; index < free_.size(); ++index) gained = move(index) || gained;
    }
  }

  bool found() const { return !instants_.empty(); }
  const std::vector<StimulusIndex>& free() const { return free_; }
  const std::vector<Duration>& best() const { return best_; }

 private:
  /// Whether the bound of a wait may depend on offsets: a task waits for another one that it does not offload to.
  bool waits_for_stimulus() const {
    for (TaskIndex task = 0; task < programs_.size(); ++task)
      for (const Step& step : programs_[task].steps)
        for (const TaskIndex setter : step.setters)
          if (!offloads_to(task, setter)) return true;
    return false;
  }
  /// Whether it is a device task that only this one activates.
  bool offloads_to(TaskIndex host, TaskIndex device) const {
    if (system_.tasks[device].side == Side::host) return false;
    const auto activates = [&](StimulusIndex stimulus) {
      const auto& tasks = system_.stimuli[stimulus].activates;
      return std::find(tasks.begin(), tasks.end(), device) != tasks.end();
    };
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus)
      if (activates(stimulus) && !std::holds_alternative<InterProcess>(system_.stimuli[stimulus].occurrence))
        return false;
    for (TaskIndex task = 0; task < programs_.size(); ++task)
      for (const Step& step : programs_[task].steps)
        if (task != host && step.kind == StepKind::trigger &&
            activates(std::get<Trigger>(system_.graph[step.node].activity).stimulus))
          return false;
    return true;
  }
  bool ended() const {
    return witness_.simulations >= limit_ || events_ > options_.max_steps ||
           (options_.work != nullptr && options_.work->stop);
  }

  /// From the offset of a stimulus to its first occurrence in the simulation.
  Duration delay(StimulusIndex stimulus) const {
    const Stimulus& of = system_.stimuli[stimulus];
    const auto first = Arrivals(of, {pattern_for(options_.execution), 0, stimulus}).next();
    return first ? *first - Instant{} - *offset_of(of) : Duration{};
  }

  /// Keeps the best of all.
  bool move(std::size_t index) {
    const Stimulus& stimulus = system_.stimuli[free_[index]];
    const Duration period = arrival_period(stimulus).value_or(Duration{});
    const Duration first = delay(free_[index]);
    std::set<Duration> chosen;
    for (const Instant instant : instants_)
      for (const Duration before : {Duration{}, just_before}) {
        const Duration time = instant - Instant{};
        if (time < before) continue;
        // The densest occurrences have their jitter at the first one only.
        if ((period.is_zero() || !first.is_zero()) && time - before >= first) chosen.insert(time - before - first);
        if (!period.is_zero())
          chosen.insert(Duration::picoseconds((time - before).picoseconds() % period.picoseconds()));
      }
    for (std::int64_t part = 0; part < phases; ++part)
      chosen.insert(Duration::picoseconds(period.picoseconds() / phases * part));
    const std::vector<Duration> before = best_;
    bool gained = false;
    for (const Duration offset : chosen) {
      std::vector<Duration> next = before;
      if (ended()) break;
      if (std::exchange(next[index], offset) != offset && try_offsets(std::move(next))) gained = true;
    }
    return gained;
  }

  bool try_offsets(std::vector<Duration> offsets) {
    for (std::size_t index = 0; index < free_.size(); ++index)
      if (offsets[index] > latest_[index]) return false;
    for (std::size_t index = 0; index < free_.size(); ++index)
      *offset_of(system_.stimuli[free_[index]]) = offsets[index];
    LongestJob longest(witness_.task);
    SimulationInput input{system_,        programs_,          preparation_.devices,
                          witness_.until, preparation_.grace, preparation_.periods};
    input.execution = options_.execution;
    input.contention = options_.contention;
    input.max_steps = options_.max_steps;
    input.observer = &longest;
    if (options_.work != nullptr) input.stop = &options_.work->stop;
    Results results;
    simulate(input, results);
    ++witness_.simulations;
    events_ += results.events;
    const bool gained = !longest.instants().empty() && (!found() || longest.response() > witness_.response);
    if (gained) {
      witness_.response = longest.response();
      instants_ = longest.instants();
      best_ = std::move(offsets);
    }
    return gained;
  }

  System system_;
  const AnalysisOptions& options_;
  const Preparation& preparation_;
  Witness& witness_;
  std::uint64_t limit_;
  std::vector<Program> programs_;
  std::vector<StimulusIndex> free_;
  std::uint64_t events_ = 0;
  std::vector<Duration> best_;
  /// If tasks wait for events of tasks on CPUs: the latest offsets for which their bounds hold.
  std::vector<Duration> latest_;
  std::vector<Instant> instants_;  ///< of the longest job
};

/// Enough for some jobs of every task after the latest first release.
Duration default_time(const System& system, const std::optional<Duration>& bound) {
  constexpr std::int64_t periods = 3;
  Duration longest = bound.value_or(Duration{});
  for (const Stimulus& stimulus : system.stimuli)
    if (!stimulus.activates.empty())
      longest = std::max({longest, first_arrival(stimulus), arrival_period(stimulus).value_or(Duration{})});
  return std::min(longest, Duration::seconds(100)) * periods;
}

}  // namespace

tl::expected<Witness, std::string> find_witness(const System& system, const AnalysisOptions& options, TaskIndex asked,
                                                std::uint64_t simulations, Diagnostics& diagnostics) {
  const TaskIndex task = system.tasks[asked].folded_into.value_or(asked);
  AnalysisOptions without_watching = options;
  without_watching.observer = nullptr;
  const auto results = analyze(system, without_watching, diagnostics);
  if (!results) return tl::unexpected(std::string("the system cannot be simulated"));
  Diagnostics ignored;  // already reported by the analysis
  const auto preparation = prepare_simulation(system, options, ignored);
  const Bound& bound = results->tasks[task].bound;
  Witness witness;
  witness.task = task;
  witness.bound = bound.worst;
  // A bound for the stated offsets leaves nothing to choose.
  const bool free = coverage_of(system, task, bound).offsets != Coverage::Offsets::stated;
  witness.until = options.until || !free ? preparation->until : default_time(system, bound.worst);
  WitnessSearch search(system, options, *preparation, witness, free ? simulations : 1);
  search.keep_stated();
  if (free) {
    search.release_together();
    search.climb();
  }
  if (!search.found())
    return tl::unexpected(results->tasks[task].response.jobs + results->tasks[task].unfinished == 0
                              ? fmt::format("nothing activates {} in the simulated time", system.tasks[task].name)
                              : fmt::format("no job of {} ended in the {} that were simulated (--until)",
                                            system.tasks[task].name, format_duration(witness.until)));
  for (std::size_t index = 0; index < search.free().size(); ++index) {
    const Duration offset = *offset_of(system.stimuli[search.free()[index]]);
    if (offset != search.best()[index]) witness.moved.push_back({search.free()[index], offset, search.best()[index]});
  }
  return witness;
}

System with_releases(System system, const Witness& witness) {
  for (const Witness::Moved& moved : witness.moved) *offset_of(system.stimuli[moved.stimulus]) = moved.chosen;
  return system;
}

}  // namespace amalthea::engine
