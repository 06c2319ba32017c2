// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/event_waits.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/bounds/detail/pending.hpp"
#include "engine/bounds/detail/places.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/bounds/detail/trigger_gaps.hpp"
#include "engine/program/arrivals.hpp"

namespace amalthea::engine::bounds {
namespace {

Duration sum_of(Duration a, Duration b) { return std::min(endless, std::min(endless, a) + std::min(endless, b)); }

/// Whether every job executes the step: it belongs to no alternative, and no job ends before it.
bool is_certain(const AnalyzedSystem& subject, TaskStep task_step) {
  return places_of(subject.steps(task_step.task))[task_step.step].contains(0) &&
         !ends_early(subject.worst[task_step.task]);
}

/// Whether every job that reaches the wait has executed the step, which precedes it.
bool is_certain_before(const AnalyzedSystem& subject, TaskStep task_step, std::size_t wait) {
  return places_of(subject.steps(task_step.task))[task_step.step].contains(wait);
}

bool clears_event(const AnalyzedSystem& subject, TaskStep task_step, EventIndex event) {
  if (subject.step(task_step).kind != StepKind::clear_events) return false;
  const auto& events = subject.activity<ClearEvents>(task_step).events;
  return std::find(events.begin(), events.end(), event) != events.end();
}

}  // namespace

EventWaits::EventWaits(const ProblemInput& input, const Triggers& triggers, Problems& problems)
    : input_(input), subject_(input.subject), triggers_(triggers), problems_(problems) {
  for (TaskIndex task = 0; task < subject_.tasks(); ++task) {
    const auto& waits = input.offloads.event_waits[task];
    if (waits.empty() || problems.of_task[task].empty()) continue;
    waiters_.push_back({task, std::vector<Time>(waits.size(), Time{Duration{}, task, {}})});
  }
}

void EventWaits::add() const {
  for (const Waiter& waiter : waiters_)
    for (const std::size_t index : problems_.of_task[waiter.task]) {
      const ProblemTask& problem_task = problems_.problem_tasks[index];
      if (!problem_task.core || problems_.is_unlimited(problem_task)) continue;
      cpu::CpuTask& task = problems_.cores[*problem_task.core].tasks[problem_task.at];
      for (std::size_t at = 0; at < waiter.waits.size(); ++at) {
        const Duration time = waiter.waits[at].time.value_or(endless);
        task.waiting = sum_of(task.waiting, time);
        if (waits_of(waiter)[at].polls) task.polled = sum_of(task.polled, time);
      }
    }
}

bool EventWaits::raise(const Solution& solution, bool may_grow, Faults& faults) {
  bool changed = false;
  for (Waiter& waiter : waiters_) {
    // Also of a task without a bound: others count the time for which it polls.
    if (!faults[waiter.task].empty()) continue;
    for (std::size_t at = 0; at < waiter.waits.size(); ++at) {
      Time& present = waiter.waits[at];
      Time found = wait(waiter.task, waits_of(waiter)[at], solution, faults);
      if (found.time && *found.time <= *present.time) {
        present.signal = present.signal || found.signal;
        continue;
      }
      changed = true;
      if (found.time && (!may_grow || *found.time >= endless)) {
        found.time.reset();
        found.reason = fmt::format("it waits for {}, and the fixed-point iteration of the two bounds diverges",
                                   subject_.name(found.by));
        found.depends = true;
      }
      present = std::move(found);
      if (present.time) continue;
      if (const auto next = present.depends ? next_in_cycle(waiter.task) : std::nullopt)
        present.reason = fmt::format("it waits for {}, which may wait for it{}: they may deadlock",
                                     *next == waiter.task ? "itself" : subject_.name(*next),
                                     *next == waiter.task ? "" : ", itself or through others");
      add_fault(faults, waiter.task, present.reason);
      for (const std::size_t index : problems_.of_task[waiter.task])
        problems_.set_unlimited(problems_.problem_tasks[index]);
      break;
    }
  }
  return changed;
}

std::vector<Contribution> EventWaits::parts(TaskIndex task) const {
  std::vector<Contribution> parts;
  for (const Waiter& waiter : waiters_)
    for (std::size_t at = 0; waiter.task == task && at < waiter.waits.size(); ++at)
      if (waiter.waits[at].time)
        parts.push_back({ContributionKind::event, waiter.waits[at].by, *waiter.waits[at].time});
  return parts;
}

bool EventWaits::awaits_signal(TaskIndex task) const {
  return std::any_of(waiters_.begin(), waiters_.end(), [&](const Waiter& waiter) {
    return waiter.task == task &&
           std::any_of(waiter.waits.begin(), waiter.waits.end(), [](const Time& time) { return time.signal; });
  });
}

EventWaits::Time EventWaits::wait(TaskIndex task, const EventWait& wait, const Solution& solution,
                                  const Faults& faults) const {
  std::optional<Time> found;
  Time failure{std::nullopt, task, "it waits for events that no task sets"};
  bool none = true;
  for (const EventIndex event : wait.events) {
    Waiting waiting{task, wait.step, 0};
    for (std::size_t step = 0; step < wait.step; ++step)
      if (clears_event(subject_, {task, step}, event)) waiting.since = step + 1;
    std::optional<Time> earliest;
    for (const TaskStep& setter : setters_of(subject_, triggers_, event, task)) {
      if (setter.task == task && (!waiting.contains(setter.step) || !is_certain_before(subject_, setter, wait.step)))
        continue;
      Time each = setter.task == task ? Time{Duration{}, task, {}} : until(setter, waiting, solution, faults);
      if (!each.time && std::exchange(none, false)) failure = each;
      if (!each.time || (earliest && *earliest->time <= *each.time)) continue;
      each.by = setter.task;
      earliest = std::move(each);
    }
    if (!earliest && wait.all) return failure;
    if (earliest && (!found || (*earliest->time < *found->time) != wait.all)) found = std::move(earliest);
  }
  if (!found) return failure;
  found->time = std::max(Duration{}, *found->time);
  return std::move(*found);
}

EventWaits::Time EventWaits::until(TaskStep step, const Waiting& waiting, const Solution& solution,
                                   const Faults& faults) const {
  const TaskIndex task = step.task;
  const std::string& name = subject_.name(task);
  if (input_.offloads.driver[task])
    return {{}, task, fmt::format("it waits for {}, for which a task waits in another way, too", name)};
  if (!is_certain(subject_, step))
    return {{}, task, fmt::format("it waits for {}, whose jobs may end without setting the event", name)};
  const auto response = response_of(task, solution, faults);
  if (!response)
    return {
        {},
        task,
        fmt::format("it waits for {}, which has no bound{}{}", name, faults[task].empty() ? "" : ": ", faults[task]),
        true};
  Time found = until_release(task, waiting, solution, faults);
  if (!found.time) return found;
  if (may_miss(step, *response, found.call ? std::optional(waiting.task) : std::nullopt))
    return {{}, task, fmt::format("it waits for {}, whose activations may be lost", name)};
  const Duration after = execution_of(subject_, task, step.step + 1, subject_.steps(task).size()).best;
  const bool idle = execution_of(subject_, task, 0, step.step).worst.is_zero();
  found.time = sum_of(*found.time, *response - std::min(*response, after));
  if (idle) found.time = sum_of(*found.time, Duration::picoseconds(1));
  return found;
}

EventWaits::Time EventWaits::until_release(TaskIndex task, const Waiting& waiting, const Solution& solution,
                                           const Faults& faults) const {
  Time earliest{
      {}, task, fmt::format("it waits for {}, and nothing bounds the time until its next job", subject_.name(task))};
  bool none = true;
  const auto add = [&](Time time) {
    if (!time.time && !earliest.time && std::exchange(none, false)) earliest = time;
    if (time.time && (!earliest.time || *time.time < *earliest.time)) earliest = std::move(time);
  };
  const auto add_step = [&](const TaskStep& task_step) {
    if (task_step.task != waiting.task) return add(until(task_step, waiting, solution, faults));
    if (!waiting.contains(task_step.step) || !is_certain_before(subject_, task_step, waiting.step)) return;
    add({Duration{} - execution_of(subject_, waiting.task, task_step.step + 1, waiting.step).best,
         task,
         {},
         false,
         false,
         true});
  };
  for (const StimulusIndex index : triggers_.activating[task]) {
    const Stimulus& stimulus = subject_.system.stimuli[index];
    if (is_conditional(stimulus)) continue;
    if (const auto next = longest_until_next(stimulus)) add({next, task, {}, false, true});
    for (const TaskStep& task_step : triggers_.of_stimulus[index]) add_step(task_step);
    if (const auto* driven = std::get_if<EventDriven>(&stimulus.occurrence))
      for (const EventIndex event : driven->events)
        for (const TaskStep& task_step : triggers_.of_event[event]) add_step(task_step);
  }
  return earliest;
}

/// The longest of all activations.
std::optional<Duration> EventWaits::response_of(TaskIndex task, const Solution& solution, const Faults& faults) const {
  if (!faults[task].empty() || problems_.of_task[task].empty()) return std::nullopt;
  Duration longest;
  for (const std::size_t index : problems_.of_task[task]) {
    const auto response = solution.response_of(problems_.problem_tasks[index]);
    if (!response) return std::nullopt;
    longest = std::max(longest, *response);
  }
  return longest;
}

/// Whether a lost activation may keep the step from being executed in time.
bool EventWaits::may_miss(TaskStep step, Duration response, std::optional<TaskIndex> caller) const {
  const Task& task = subject_.task(step.task);
  if (task.activation_limit != 1) return false;
  if (ends_with(step) && (!caller || is_apart(step, *caller))) return false;
  return most_pending(input_, step.task, response) > 1;
}

/// Whether a job ends as soon as it executes the step: nothing follows, and no task that it wakes precedes the end.
bool EventWaits::ends_with(TaskStep step) const {
  const auto& core_of = input_.cores.core_of;
  const auto& rank = input_.cores.ranks.rank;
  const auto contains = [&](const std::vector<TaskStep>& steps) {
    return std::any_of(steps.begin(), steps.end(),
                       [&](const TaskStep& each) { return each.task == step.task && each.step == step.step; });
  };
  const auto wakes = [&](TaskIndex other) {
    for (std::size_t at = 0; at < subject_.steps(other).size(); ++at)
      if (subject_.step({other, at}).kind == StepKind::wait)
        for (const EventIndex event : subject_.activity<WaitEvents>({other, at}).events)
          if (contains(setters_of(subject_, triggers_, event, other))) return true;
    for (const StimulusIndex stimulus : triggers_.activating[other]) {
      if (contains(triggers_.of_stimulus[stimulus])) return true;
      if (const auto* driven = std::get_if<EventDriven>(&subject_.system.stimuli[stimulus].occurrence))
        for (const EventIndex event : driven->events)
          if (contains(triggers_.of_event[event])) return true;
    }
    return false;
  };
  if (!subject_.is_host(step.task) || step.step + 1 != subject_.steps(step.task).size()) return false;
  for (TaskIndex other = 0; other < subject_.tasks(); ++other)
    if (other != step.task && core_of[other] && core_of[other] == core_of[step.task] &&
        rank[other] >= rank[step.task] && wakes(other))
      return false;
  return true;
}

/// Whether every trigger of the task finds the job ended that set the event before.
bool EventWaits::is_apart(TaskStep step, TaskIndex caller) const {
  const auto& activations = input_.activations[step.task].all;
  if (subject_.step(step).kind != StepKind::set_events || ends_early(subject_.worst[caller]) ||
      std::any_of(activations.begin(), activations.end(),
                  [&](const Activation& each) { return !each.source || each.source->task != caller; }))
    return false;
  const auto& set = subject_.activity<SetEvents>(step).events;
  const std::vector<bool> skipped = in_branches(subject_.steps(caller));
  const TriggerGaps gaps = trigger_gaps(subject_, caller, step.task, [&](std::size_t at) {
    if (subject_.step({caller, at}).kind != StepKind::wait || skipped[at]) return false;
    const auto& wait = subject_.activity<WaitEvents>({caller, at});
    return (wait.all || wait.events.size() == 1) && std::any_of(set.begin(), set.end(), [&](EventIndex event) {
             return std::find(wait.events.begin(), wait.events.end(), event) != wait.events.end() &&
                    setters_of(subject_, triggers_, event, caller).size() == 1;
           });
  });
  return gaps.within && gaps.across;
}

/// The task that it waits for, if this one may wait for it.
std::optional<TaskIndex> EventWaits::next_in_cycle(TaskIndex task) const {
  const auto awaited_by = [this](TaskIndex waiting) {
    std::vector<TaskIndex> awaited;
    for (const EventWait& wait : input_.offloads.event_waits[waiting])
      for (const EventIndex event : wait.events)
        for (const TaskStep& setter : setters_of(subject_, triggers_, event, waiting)) awaited.push_back(setter.task);
    return awaited;
  };
  for (const TaskIndex first : awaited_by(task)) {
    std::vector<bool> reached(subject_.tasks());
    std::vector<TaskIndex> open = {first};
    while (!open.empty()) {
      const TaskIndex at = open.back();
      open.pop_back();
      if (at == task) return first;
      if (reached[at]) continue;
      reached[at] = true;
      for (const TaskIndex next : awaited_by(at)) open.push_back(next);
    }
  }
  return std::nullopt;
}

}  // namespace amalthea::engine::bounds
