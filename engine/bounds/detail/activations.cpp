// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/activations.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "engine/bounds/detail/places.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/program/arrivals.hpp"

namespace amalthea::engine::bounds {
namespace {

/// A task with more activations has no bound, to prevent exponential growth along triggers.
constexpr std::size_t max_activations = 32;

/// A task at the end of a longer trigger chain has no bound.
constexpr std::size_t max_trigger_hops = 64;

class ActivationSearch {
 public:
  ActivationSearch(const AnalyzedSystem& subject, const Triggers& triggers)
      : subject_(subject), triggers_(triggers), found_(subject.tasks()) {}

  std::vector<Activations> run() {
    std::vector<Activations> all;
    for (TaskIndex task = 0; task < subject_.tasks(); ++task) all.push_back(find(task, 0));
    return all;
  }

 private:
  Activations find(TaskIndex task, std::size_t depth) {
    if (found_[task]) return *found_[task];
    if (depth > max_trigger_hops) return {{}, "the chain of tasks that trigger each other is too long"};
    // If the recursion finds the task again, it triggers itself.
    found_[task].emplace().fault = "tasks trigger each other in a cycle, which has no period";
    Activations found;
    for (const StimulusIndex stimulus : triggers_.activating[task]) {
      add_occurrences(subject_.system.stimuli[stimulus], depth, found);
      add_triggered(triggers_.of_stimulus[stimulus], depth + 1, found);
    }
    if (found.fault.empty() && found.all.size() > max_activations) found.fault = "it has too many activation sources";
    if (!found.fault.empty()) found.all.clear();
    found_[task] = std::move(found);
    return *found_[task];
  }

  void add_occurrences(const Stimulus& stimulus, std::size_t depth, Activations& found) {
    if (std::holds_alternative<InterProcess>(stimulus.occurrence)) return;
    if (const auto* driven = std::get_if<EventDriven>(&stimulus.occurrence)) {
      for (const EventIndex event : driven->events) add_triggered(triggers_.of_event[event], depth + 1, found);
      return;
    }
    const auto bound = arrival_bound(stimulus);
    if (bound && bound->jitter < nvidia::longest_analyzed && bound->period > Duration{})
      found.all.push_back({std::min(bound->period, longest_period),
                           {},
                           bound->jitter,
                           bound->minimum_distance,
                           row_of(stimulus, *bound)});
    else if (found.fault.empty())
      found.fault = fmt::format("the stimulus {} has no minimum inter-arrival time", stimulus.name);
  }

  /// Jobs of a row keep distances if its occurrences do.
  std::optional<Activation::Row> row_of(const Stimulus& stimulus, const ArrivalBound& bound) {
    const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence);
    const bool exact = periodic != nullptr && bound.period == periodic->period && bound.period < longest_period;
    if (!exact && !bound.jitter.is_zero()) return std::nullopt;
    return Activation::Row{rows_++, exact, {}};
  }

  /// Of the steps in different alternatives of a branch, a job reaches at most one.
  void add_triggered(const std::vector<TaskStep>& task_steps, std::size_t depth, Activations& found) {
    std::vector<std::vector<TaskStep>> groups;
    for (const TaskStep& task_step : task_steps) {
      if (groups.size() > max_activations) break;
      if (!find(task_step.task, depth).any() && subject_.worst[task_step.task].unanalyzable.empty()) continue;
      const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<TaskStep>& others) {
        return std::all_of(others.begin(), others.end(), [&](const TaskStep& other) {
          return other.task == task_step.task &&
                 exclude_each_other(subject_.steps(task_step.task), other.step, task_step.step);
        });
      });
      (group == groups.end() ? groups.emplace_back() : *group).push_back(task_step);
    }
    for (const std::vector<TaskStep>& group : groups) add_source(group, depth, found);
  }

  void add_source(const std::vector<TaskStep>& task_steps, std::size_t depth, Activations& found) {
    const TaskIndex task = task_steps.front().task;
    const Activations source = find(task, depth);
    if (found.fault.empty()) found.fault = source.fault;
    if (const std::string& unknown = subject_.worst[task].unanalyzable; found.fault.empty() && !unknown.empty())
      found.fault = fmt::format("{} activates it: {}", subject_.name(task), unknown);
    const Activation::Source place = source_at(task_steps);
    for (std::size_t index = 0; index < source.all.size() && found.all.size() <= max_activations; ++index) {
      const Activation& caller = source.all[index];
      found.all.push_back({caller.period, place, caller.jitter, {}, after(caller.row, place.before)});
      found.all.back().source->activation = index;
    }
  }

  Activation::Source source_at(const std::vector<TaskStep>& task_steps) const {
    const TaskIndex task = task_steps.front().task;
    const std::size_t trigger = task_steps.front().step;
    Activation::Source source;
    source.task = task;
    // Where several alternatives trigger, only what precedes or follows all of them is on one side for certain.
    const auto in_branch = in_branches(subject_.steps(task));
    Duration most_before;
    bool at_once = task_steps.size() == 1 && !in_branch[trigger];
    for (std::size_t step = 0; step < in_branch.size(); ++step) {
      const Span span = execution_of(subject_, task, step, step + 1);
      if (task_steps.size() == 1 || !in_branch[step]) source.certain += span.best;
      if (step >= trigger) continue;
      if (!in_branch[step]) source.before += span.best;
      most_before += span.worst;
      const StepKind kind = subject_.steps(task)[step].kind;
      if (!span.worst.is_zero())
        at_once = task_steps.size() == 1 && !in_branch[trigger] && !in_branch[step];
      else if (kind != StepKind::execute && kind != StepKind::clear_events && kind != StepKind::set_mode)
        at_once = false;
    }
    source.is_last = execution_of(subject_, task, trigger, in_branch.size()).worst.is_zero();
    if (at_once) source.most_before = most_before;
    return source;
  }
  static std::optional<Activation::Row> after(std::optional<Activation::Row> row, Duration time) {
    if (row && time < longest_period - row->offset)
      row->offset += time;
    else
      row.reset();
    return row;
  }

  const AnalyzedSystem& subject_;
  const Triggers& triggers_;
  std::vector<std::optional<Activations>> found_;
  std::size_t rows_ = 0;
};

}  // namespace

Triggers triggers_of(const AnalyzedSystem& subject) {
  Triggers triggers;
  triggers.of_stimulus.resize(subject.system.stimuli.size());
  triggers.of_event.resize(subject.system.events.size());
  triggers.activating.resize(subject.tasks());
  for (StimulusIndex stimulus = 0; stimulus < subject.system.stimuli.size(); ++stimulus)
    for (const TaskIndex task : subject.system.stimuli[stimulus].activates)
      triggers.activating[task].push_back(stimulus);
  for (TaskIndex task = 0; task < subject.tasks(); ++task)
    for (std::size_t step = 0; step < subject.steps(task).size(); ++step) {
      const TaskStep task_step{task, step};
      if (subject.step(task_step).kind == StepKind::trigger)
        triggers.of_stimulus[subject.activity<Trigger>(task_step).stimulus].push_back(task_step);
      if (subject.step(task_step).kind == StepKind::set_events)
        for (const EventIndex event : subject.activity<SetEvents>(task_step).events)
          triggers.of_event[event].push_back(task_step);
    }
  return triggers;
}

std::vector<TaskStep> setters_of(const AnalyzedSystem& subject, const Triggers& triggers, EventIndex event,
                                 TaskIndex receiver) {
  std::vector<TaskStep> setters;
  for (const TaskStep& task_step : triggers.of_event[event])
    if (subject.activity<SetEvents>(task_step).task.value_or(receiver) == receiver) setters.push_back(task_step);
  return setters;
}

MergedReleases merged(const std::vector<Activation>& all) {
  MergedReleases releases;
  for (const Activation& each : all) {
    if (&each == &all.front()) {
      releases = {each.period, each.jitter};
      continue;
    }
    const std::int64_t a = releases.period.picoseconds(), b = each.period.picoseconds();
    const Duration period = std::max(Duration::picoseconds(1), scale(releases.period, b, a + b, Rounding::down));
    const std::int64_t of_both = period.picoseconds();
    releases.jitter = std::min(nvidia::longest_analyzed, scale(releases.jitter, of_both, a, Rounding::up) +
                                                             scale(each.jitter, of_both, b, Rounding::up) + period);
    releases.period = period;
  }
  return releases;
}

std::vector<Activations> activations_of(const AnalyzedSystem& subject, const Triggers& triggers) {
  return ActivationSearch(subject, triggers).run();
}

}  // namespace amalthea::engine::bounds
