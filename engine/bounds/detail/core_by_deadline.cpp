// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/cpu/earliest_deadline.hpp"
#include "engine/cpu/fixed_priority.hpp"

namespace amalthea::engine::bounds {
namespace {

/// All tasks are directly under one deadline-based scheduler.
bool has_deadline_scheduler(const CoreView& view) {
  std::optional<SchedulerIndex> only;
  for (const TaskIndex task : view.core.tasks) {
    if (is_interrupt(view.system.tasks[task])) continue;
    const auto& schedulers = view.ranks.schedulers[task];
    if (!only) only = schedulers.front();
    if (schedulers.size() > 1 || schedulers.front() != *only) return false;
  }
  return only && uses_deadlines(view.system.platform.schedulers[*only].kind);
}

/// Tasks of a problem, and their indices in it.
struct Selection {
  std::vector<cpu::CpuTask> tasks;
  std::vector<std::size_t> places;
};

template <typename Chosen>
Selection select(const CoreProblem& problem, const std::vector<cpu::CpuTask>& tasks, Chosen chosen) {
  Selection selection;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (chosen(problem.members[i].interrupt, tasks[i].deadline)) {
      selection.tasks.push_back(tasks[i]);
      selection.places.push_back(i);
    }
  return selection;
}

/// Waiting counts as execution. While all jobs wait that are more urgent, a section of another task may begin: it may
/// block at the start of each job and after each wait.
std::vector<cpu::CpuTask> with_waiting(const CoreProblem& problem) {
  std::vector<cpu::CpuTask> tasks = problem.tasks;
  const bool suspends =
      std::any_of(tasks.begin(), tasks.end(), [](const cpu::CpuTask& task) { return task.waits > 0 && !task.polls; });
  const Duration blocking = suspends ? std::min(endless, cpu::longest_blocking(tasks)) : Duration{};
  for (cpu::CpuTask& task : tasks) task.worst += task.waiting + blocking * (1 + task.waits);
  return tasks;
}

/// Undoes with_waiting for the parts of a bound.
void part_waiting(const cpu::CpuTask& counted, const cpu::CpuTask& task, cpu::CpuBound& bound) {
  if (counted.worst == task.worst || !bound.response) return;
  bound.parts.front().time = task.worst;
  const Duration blocking = counted.worst - task.worst - task.waiting;
  if (!blocking.is_zero()) bound.parts.push_back({cpu::CpuPart::blocking, std::nullopt, blocking});
  if (!task.waiting.is_zero()) bound.parts.push_back({cpu::CpuPart::waiting, std::nullopt, task.waiting});
  if (task.worst.is_zero()) bound.parts.erase(bound.parts.begin());
}

/// Interrupts are ordered by their priorities. A task without a deadline runs when no other task does. Its bound holds
/// for any order of the tasks; so it is one for the others, too. It is their only one if tasks wait for semaphores: a
/// holder with a later deadline runs first then.
std::vector<cpu::CpuBound> bounds_by_deadline(const CoreProblem& problem) {
  const std::vector<cpu::CpuTask> tasks = with_waiting(problem);
  const Selection urgent = select(
      problem, tasks, [](bool interrupt, Duration deadline) { return !interrupt && deadline < Duration::max(); });
  const Selection background = select(
      problem, tasks, [](bool interrupt, Duration deadline) { return !interrupt && deadline == Duration::max(); });
  const Selection interrupts = select(problem, tasks, [](bool interrupt, Duration) { return interrupt; });
  std::vector<cpu::CpuBound> bounds = cpu::fixed_priority_bounds(tasks, std::nullopt, problem.limits);
  std::vector<cpu::CpuBound> by_deadline;
  if (!problem.waits_for_semaphores)
    by_deadline = cpu::earliest_deadline_bounds(urgent.tasks, interrupts.tasks, problem.limits, background.tasks);
  std::vector<std::size_t> places = urgent.places;
  places.insert(places.end(), interrupts.places.begin(), interrupts.places.end());
  places.insert(places.end(), background.places.begin(), background.places.end());
  for (std::size_t i = 0; i < by_deadline.size(); ++i) {
    cpu::CpuBound& found = by_deadline[i];
    for (cpu::CpuShare& share : found.parts)
      if (share.by) share.by = places[*share.by];
    if (found.reason == cpu::NoBound::unlimited) found.obstacle = places[found.obstacle];
    cpu::CpuBound& bound = bounds[places[i]];
    if (!bound.response || (found.response && *found.response <= *bound.response)) bound = std::move(found);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) part_waiting(tasks[i], problem.tasks[i], bounds[i]);
  return bounds;
}

}  // namespace

/// Tasks are scheduled by their deadlines, and interrupts preempt them.
const CoreAnalysis by_deadline{has_deadline_scheduler, bounds_by_deadline, false};

}  // namespace amalthea::engine::bounds
