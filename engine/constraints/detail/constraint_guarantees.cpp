// SPDX-License-Identifier: Apache-2.0
#include "engine/constraints/detail/constraint_guarantees.hpp"

#include <algorithm>

#include "engine/constraints/constraint_judge.hpp"
#include "engine/constraints/constraint_observer.hpp"
#include "engine/program/arrivals.hpp"
#include "engine/results/lost_activations.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {
namespace {

using detail::Int128;

bool in_limits(Int128 least, Int128 most, const TimeLimits& limits) {
  return least >= limits.lower.value_or(Duration{}).picoseconds() &&
         (!limits.upper || most <= limits.upper->picoseconds());
}

/// When an event occurs, relative to its cause.
struct Timed {
  std::vector<StimulusIndex> cause;  ///< in order, at least one
  Duration lo, hi;
  std::optional<TaskIndex> task;  ///< the task whose jobs contain the event, if its place in them is known
  std::size_t place = 0;          ///< position within a job, increasing with time
};

/// The distances between occurrences of a stimulus: those of a grid from minimum to maximum, each occurrence at most
/// `width` after its grid point.
struct Grid {
  Duration least, most;
  Duration width;
};

class Prover {
 public:
  Prover(const System& system, const std::vector<Program>& programs, const Results& results)
      : system_(system), programs_(programs), results_(results), causes_(system.tasks.size()) {
    for (StimulusIndex stimulus = 0; stimulus < system.stimuli.size(); ++stimulus)
      for (const TaskIndex task : system.stimuli[stimulus].activates) causes_[task].push_back(stimulus);
    for (const Program& program : programs)
      linear_.push_back(std::none_of(program.steps.begin(), program.steps.end(),
                                     [](const Step& step) { return step.kind == StepKind::branch; }));
  }

  /// What the proof covers; nothing: there is none.
  std::optional<Coverage> coverage(const TimingConstraint& constraint) const {
    used_ = {};
    const bool shown = std::visit([&](const auto& kind) { return shows(kind); }, constraint.kind);
    return shown ? std::optional(used_) : std::nullopt;
  }

 private:
  bool shows(const Unjudgeable&) const { return false; }
  bool shows(const SectionPlacement&) const { return false; }
  bool shows(const ChainSynchronization&) const { return false; }

  bool shows(const DelayLimit& delay) const {
    return shows_distance(delay.source, delay.target, delay.limits, delay.mapping == DelayLimit::Mapping::one_to_one);
  }
  bool shows(const EventOrder& order) const { return shows_distance(order.source, order.target, {}, true); }

  bool shows(const EventSynchronization& together) const {
    std::optional<Timed> all;
    for (const ObservableEvent& event : together.events) {
      const auto timed = timed_of(event);
      if (!timed || (all && all->cause != timed->cause)) return false;
      if (!all) all = timed;
      all->lo = std::min(all->lo, timed->lo);
      all->hi = std::max(all->hi, timed->hi);
    }
    return all && all->hi - all->lo <= together.tolerance;
  }

  bool shows(const Repetition& repetition) const {
    const auto timed = timed_of(repetition.event);
    const auto grid = timed ? grid_of(*timed) : std::nullopt;
    if (!grid) return false;
    const Int128 beyond = std::max<Int128>(0, Int128{grid->width.picoseconds()} - repetition.jitter.picoseconds());
    return in_limits(Int128{grid->least.picoseconds()} * repetition.span - beyond,
                     Int128{grid->most.picoseconds()} * repetition.span + beyond, repetition.limits);
  }

  bool shows(const DataAge& age) const {
    const ObservableEvent write{"", ObservableEvent::OfLabel{age.label, EventAction::write, {}, {}}};
    const auto timed = timed_of(write);
    const auto grid = timed ? grid_of(*timed) : std::nullopt;
    const auto limits = limits_in_time(system_, age);
    return grid && limits && in_limits(0, Int128{grid->most.picoseconds()} + grid->width.picoseconds(), *limits);
  }

  bool shows(const DataCoherency& group) const { return shows_undisturbed(group.labels, group.scope, group.output); }
  bool shows(const DataStability& group) const { return shows_undisturbed(group.labels, group.scope, false); }

  bool shows(const RunnableSequence& sequence) const {
    bool applies = false;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!sequence.tasks.empty() &&
          std::find(sequence.tasks.begin(), sequence.tasks.end(), task) == sequence.tasks.end())
        continue;
      const auto& steps = programs_[task].steps;
      if (!linear_[task] || std::any_of(steps.begin(), steps.end(),
                                        [&](const Step& step) { return system_.graph[step.node].unordered != 0; }))
        return false;
      const auto extents = run_extents(system_, programs_[task]);
      std::vector<RunnableRun> runs;
      for (const RunExtent& extent : extents) {
        RunnableRun run{extent.runnable, {}, {}};
        for (std::size_t caller = 0; caller < runs.size(); ++caller)
          if (extents[caller].end > extent.begin) run.caller = caller;
        runs.push_back(run);
      }
      const SequenceFinding finding = judge_sequence(sequence, task, runs);
      if (finding.run) return false;
      applies = applies || finding.applies;
    }
    return applies;
  }

  bool shows_distance(const ObservableEvent& source_event, const ObservableEvent& target_event,
                      const TimeLimits& limits, bool one_to_one) const {
    const auto source = timed_of(source_event), target = timed_of(target_event);
    if (!source || !target) return false;
    if (one_to_one
            ? source->cause != target->cause
            : !std::includes(target->cause.begin(), target->cause.end(), source->cause.begin(), source->cause.end()))
      return false;
    Duration least = target->lo - source->hi;
    const Duration most = target->hi - source->lo;
    if (source->task && source->task == target->task && source->place <= target->place)
      least = std::max(least, Duration{});
    return in_limits(least.picoseconds(), most.picoseconds(), limits);
  }

  /// Nothing if an activation may be lost, or if nothing bounds the time of a job.
  std::optional<Duration> worst_of(TaskIndex task) const {
    const auto& worst = results_.tasks[task].bound.worst;
    const bool all = why_activations_may_be_lost(system_, task, results_.tasks[task].bound).empty();
    used_ &= coverage_of(system_, task, results_.tasks[task].bound);
    return all && !causes_[task].empty() ? worst : std::nullopt;
  }

  std::optional<Timed> timed_of(const ObservableEvent& event) const {
    if (const auto* of = std::get_if<ObservableEvent::OfStimulus>(&event.what))
      return of->stimulus ? std::optional(Timed{{*of->stimulus}, {}, {}, {}}) : std::nullopt;
    if (const auto* of = std::get_if<ObservableEvent::OfProcess>(&event.what)) return timed_of(*of);
    return timed_of_step(event);
  }

  std::optional<Timed> timed_of(const ObservableEvent::OfProcess& of) const {
    if (!of.task || of.unit) return std::nullopt;
    const auto worst = worst_of(*of.task);
    if (!worst) return std::nullopt;
    const auto& cause = causes_[*of.task];
    switch (of.action) {
      case EventAction::activate:
        return Timed{cause, {}, {}, of.task, 0};
      case EventAction::start:
        return Timed{cause, {}, *worst, of.task, 1};
      case EventAction::terminate:
        return Timed{cause, results_.tasks[*of.task].bound.best.value_or(Duration{}), *worst, of.task,
                     place_of_step(programs_[*of.task].steps.size())};
      default:
        return std::nullopt;
    }
  }

  static std::size_t place_of_step(std::size_t step) { return 2 + 2 * step; }

  /// Whether every execution of a step accesses its label.
  bool always_accesses(const Step& step) const {
    const Activity& activity = system_.graph[step.node].activity;
    const auto* read = std::get_if<ReadLabel>(&activity);
    const auto* write = std::get_if<WriteLabel>(&activity);
    return (read == nullptr || read->count.least > 0) && (write == nullptr || write->count.least > 0);
  }

  /// For an event at exactly one step of one process, which every job executes.
  std::optional<Timed> timed_of_step(const ObservableEvent& event) const {
    if (sets_mode_by_stimulus(event)) return std::nullopt;
    std::optional<Timed> found;
    std::size_t times = 0;
    const auto add = [&](TaskIndex task, const Step& step, std::size_t place, bool certain = true) {
      ++times;
      const auto worst = certain && linear_[task] ? worst_of(task) : std::nullopt;
      const bool anywhere = system_.graph[step.node].unordered != 0;
      if (worst) found = Timed{causes_[task], {}, *worst, anywhere ? std::nullopt : std::optional(task), place};
    };
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (const auto* run = std::get_if<ObservableEvent::OfRunnable>(&event.what)) {
        const bool starts = run->action == EventAction::start;
        if ((!starts && run->action != EventAction::terminate) || run->unit || !run->runnable) return std::nullopt;
        if (run->task && run->task != task) continue;
        for (const RunExtent& extent : run_extents(system_, programs_[task]))
          if (extent.runnable == *run->runnable)
            add(task, programs_[task].steps[extent.begin],
                starts ? place_of_step(extent.begin) : place_of_step(extent.end - 1) + 1);
        continue;
      }
      if (const auto* use = std::get_if<ObservableEvent::OfSemaphore>(&event.what); use != nullptr && use->unit)
        return std::nullopt;
      const auto& steps = programs_[task].steps;
      for (std::size_t step = 0; step < steps.size(); ++step) {
        const StepMoment moment = moment_of(system_, event, task, steps[step]);
        if (moment != StepMoment::never)
          add(task, steps[step], place_of_step(step) + (moment == StepMoment::end ? 1U : 0U),
              always_accesses(steps[step]));
      }
    }
    return times == 1 ? found : std::nullopt;
  }

  bool sets_mode_by_stimulus(const ObservableEvent& event) const {
    return std::holds_alternative<ObservableEvent::OfMode>(event.what) &&
           std::any_of(system_.stimuli.begin(), system_.stimuli.end(),
                       [](const Stimulus& stimulus) { return !stimulus.sets.empty(); });
  }

  std::optional<Grid> grid_of(const Timed& timed) const {
    if (timed.cause.size() != 1) return std::nullopt;
    const Stimulus& stimulus = system_.stimuli[timed.cause.front()];
    if (stimulus.condition) return std::nullopt;
    const Duration width = timed.hi - timed.lo;
    if (const auto periodic = strictly_periodic(stimulus)) return Grid{periodic->period, periodic->period, width};
    if (const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence)) {
      if (periodic->minimum_distance > Duration{}) return std::nullopt;
      const Duration jitter =
          Duration::picoseconds(periodic->jitter.upper) - Duration::picoseconds(periodic->jitter.lower);
      return Grid{periodic->period, periodic->period, width + jitter};
    }
    if (const auto* sporadic = std::get_if<Sporadic>(&stimulus.occurrence))
      return Grid{Duration::picoseconds(sporadic->distance.lower), Duration::picoseconds(sporadic->distance.upper),
                  width};
    return std::nullopt;
  }

  bool shows_undisturbed(const std::vector<LabelIndex>& labels, const DataScope& scope, bool output) const {
    std::vector<TaskIndex> protecting, disturbing;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      for (const Step& step : programs_[task].steps) {
        const auto runnable = system_.graph[step.node].runnable;
        const bool own =
            std::find(scope.tasks.begin(), scope.tasks.end(), task) != scope.tasks.end() ||
            (runnable && std::find(scope.runnables.begin(), scope.runnables.end(), *runnable) != scope.runnables.end());
        const auto touches = [&](bool write) {
          const auto found = labels_of(system_, step, write);
          return std::any_of(found.begin(), found.end(), [&](LabelIndex label) {
            return std::find(labels.begin(), labels.end(), label) != labels.end();
          });
        };
        if (own && touches(output)) protecting.push_back(task);
        if (!touches(!output)) continue;
        if (!own) return false;
        disturbing.push_back(task);
      }
    if (protecting.empty()) return false;
    const auto same = [&](TaskIndex task) { return task == protecting.front(); };
    return disturbing.empty() || (std::all_of(protecting.begin(), protecting.end(), same) &&
                                  std::all_of(disturbing.begin(), disturbing.end(), same));
  }

  const System& system_;
  const std::vector<Program>& programs_;
  const Results& results_;
  std::vector<std::vector<StimulusIndex>> causes_;  ///< by task
  std::vector<bool> linear_;                        ///< by task: every job does the same
  mutable Coverage used_;                           ///< of the bounds that the present proof uses
};

}  // namespace

std::vector<std::optional<Coverage>> guaranteed_constraints(const System& system, const std::vector<Program>& programs,
                                                            const Results& results) {
  const Prover prover(system, programs, results);
  std::vector<std::optional<Coverage>> shown;
  for (const TimingConstraint& constraint : system.constraints) shown.push_back(prover.coverage(constraint));
  return shown;
}

}  // namespace amalthea::engine
