// SPDX-License-Identifier: Apache-2.0
// Deadlines compared with periods.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/analysis.hpp"
#include "engine/program/releases.hpp"
#include "review/detail/rules.hpp"

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

}  // namespace amalthea::review
