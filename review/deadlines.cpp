// SPDX-License-Identifier: Apache-2.0
// Deadlines compared with periods.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/requirements.hpp"
#include "engine/program/releases.hpp"
#include "review/detail/rules.hpp"
#include "review/review.hpp"

namespace amalthea::review {
namespace {

struct Timing {
  TaskIndex task = 0;
  Duration period, deadline;
  std::optional<TaskIndex> swapped_with;
};

/// Tasks with a known period and deadline; a removed wrapper has passed its deadline to its function and does not
/// count.
std::vector<Timing> timings(const System& system) {
  const auto periods = engine::periods_of(system);
  std::vector<Timing> found;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (periods[task] && system.tasks[task].deadline && !system.tasks[task].folded_into)
      found.push_back({task, *periods[task], *system.tasks[task].deadline, {}});
  using Pair = std::pair<Duration, Duration>;
  std::map<Pair, TaskIndex> first;
  for (const Timing& timing : found) first.emplace(Pair{timing.period, timing.deadline}, timing.task);
  for (Timing& timing : found) {
    if (timing.deadline == timing.period) continue;
    const auto other = first.find({timing.deadline, timing.period});
    if (other != first.end()) timing.swapped_with = other->second;
  }
  return found;
}

}  // namespace

void check_swapped_deadlines(const Context& context, Report& report) {
  if (context.system == nullptr) return;
  for (const Timing& timing : timings(*context.system)) {
    if (!timing.swapped_with || timing.deadline < timing.period)
      continue;  // reported once, for the task with the longer one
    const Task& task = context.system->tasks[timing.task];
    const Task& other = context.system->tasks[*timing.swapped_with];
    report.add(context.model.element(task.origin),
               fmt::format("the deadlines of \"{}\" and \"{}\" look swapped: the periods are {} and {}, the deadlines "
                           "{} and {}; exchange the deadlines if so",
                           task.name, other.name, format_duration(timing.period), format_duration(timing.deadline),
                           format_duration(timing.deadline), format_duration(timing.period)));
  }
}

void check_deadlines_beyond_period(const Context& context, Report& report) {
  if (context.system == nullptr) return;
  for (const Timing& timing : timings(*context.system)) {
    if (timing.swapped_with || timing.deadline <= timing.period) continue;
    const Task& task = context.system->tasks[timing.task];
    report.add(context.model.element(task.origin),
               fmt::format("the deadline of \"{}\" ({}) is longer than its period ({}), so several of its jobs may be "
                           "pending at once; shorten the deadline unless this is intended",
                           task.name, format_duration(timing.deadline), format_duration(timing.period)));
  }
}

std::vector<std::pair<Element, Element>> swapped_deadlines(const Model& model, const System& system) {
  std::vector<Element> stated(system.tasks.size());
  std::vector<int> times_stated(system.tasks.size(), 0);
  Diagnostics ignored;
  for (const views::Requirement& requirement : views::requirements(model, ignored)) {
    if (!requirement.subject || !views::is_deadline(requirement)) continue;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      if (system.tasks[task].origin != requirement.subject.origin()) continue;
      const TaskIndex of = system.tasks[task].folded_into.value_or(task);
      stated[of] = views::stated_time(requirement);
      ++times_stated[of];
    }
  }
  std::vector<std::pair<Element, Element>> swapped;
  for (const Timing& timing : timings(system)) {
    if (!timing.swapped_with || timing.deadline < timing.period) continue;
    // Each is exchanged at most once.
    if (times_stated[timing.task]++ == 1 && times_stated[*timing.swapped_with]++ == 1)
      swapped.emplace_back(stated[timing.task], stated[*timing.swapped_with]);
  }
  return swapped;
}

}  // namespace amalthea::review
