// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/cpu/earliest_deadline.hpp"
#include "engine/cpu/fixed_priority.hpp"

namespace amalthea::engine::bounds {
namespace {

bool has_deadline_scheduler(const CoreView& view) {
  return std::any_of(view.core.tasks.begin(), view.core.tasks.end(), [&](TaskIndex task) {
    const auto& schedulers = view.ranks.schedulers[task];
    return std::any_of(schedulers.begin(), schedulers.end(), [&](SchedulerIndex index) {
      return uses_deadlines(view.system.platform.schedulers[index].kind);
    });
  });
}

/// All tasks must be under one deadline-based scheduler, have a deadline, and be fully preemptive.
std::string fault_by_deadline(const CoreView& view) {
  std::optional<SchedulerIndex> only;
  for (const TaskIndex task : view.core.tasks) {
    if (is_interrupt(view.system.tasks[task])) continue;
    const auto& schedulers = view.ranks.schedulers[task];
    if (!only) only = schedulers.front();
    if (schedulers.size() > 1 || schedulers.front() != *only ||
        !uses_deadlines(view.system.platform.schedulers[*only].kind))
      return fmt::format("{}, together with another scheduler", algorithm_of(view, *only));
  }
  for (const TaskIndex task : view.core.tasks) {
    const Task& stated = view.system.tasks[task];
    const SchedulerIndex scheduler = only.value_or(view.ranks.schedulers[task].front());
    if (!is_interrupt(stated) && !view.ranks.relative_deadline[task])
      return fmt::format("{}, and {} has neither a deadline nor a period", algorithm_of(view, scheduler), stated.name);
    if (view.shapes[task].has_sections())
      return fmt::format("{}, and {} has non-preemptive parts", algorithm_of(view, scheduler), stated.name);
  }
  return {};
}

/// Tasks of a problem, and their indices in it.
struct Selection {
  std::vector<cpu::CpuTask> tasks;
  std::vector<std::size_t> places;
};

Selection select(const CoreProblem& problem, bool interrupts) {
  Selection selection;
  for (std::size_t i = 0; i < problem.tasks.size(); ++i)
    if (problem.members[i].interrupt == interrupts) {
      selection.tasks.push_back(problem.tasks[i]);
      selection.places.push_back(i);
    }
  return selection;
}

/// Copies the bounds `found` for a selection into the order of the problem; `places` are the indices there.
void put_back(std::vector<cpu::CpuBound> found, const std::vector<std::size_t>& places,
              std::vector<cpu::CpuBound>& bounds) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (cpu::CpuShare& share : found[i].parts)
      if (share.by) share.by = places[*share.by];
    if (found[i].reason == cpu::NoBound::unlimited) found[i].obstacle = places[found[i].obstacle];
    bounds[places[i]] = std::move(found[i]);
  }
}

/// Interrupts are ordered by their priorities.
std::vector<cpu::CpuBound> bounds_by_deadline(const CoreProblem& problem) {
  const Selection tasks = select(problem, false), interrupts = select(problem, true);
  std::vector<std::size_t> places = tasks.places;
  places.insert(places.end(), interrupts.places.begin(), interrupts.places.end());
  std::vector<cpu::CpuBound> bounds(problem.tasks.size());
  put_back(cpu::earliest_deadline_bounds(tasks.tasks, interrupts.tasks), places, bounds);
  put_back(cpu::fixed_priority_bounds(interrupts.tasks), interrupts.places, bounds);
  return bounds;
}

}  // namespace

/// Tasks are scheduled by their deadlines, and interrupts preempt them.
const CoreAnalysis by_deadline{has_deadline_scheduler, fault_by_deadline, bounds_by_deadline, false};

}  // namespace amalthea::engine::bounds
