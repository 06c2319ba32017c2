// SPDX-License-Identifier: Apache-2.0
#include "engine/what_if.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/devices/chosen_devices.hpp"

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

/// Makes all waits for events of tasks on the task's core passive; returns their names as text, or "" if no task polls.
std::string suspend_pollers(System& system, TaskIndex task) {
  std::vector<TaskIndex> pollers;
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    auto* wait = std::get_if<WaitEvents>(&system.graph[node].activity);
    const TaskIndex who = system.graph[node].task;
    if (wait == nullptr || !wait->active || system.tasks[who].side == Side::device ||
        !may_share_core(system.tasks[who], system.tasks[task]))
      continue;
    wait->active = false;
    if (std::find(pollers.begin(), pollers.end(), who) == pollers.end()) pollers.push_back(who);
  }
  if (pollers.empty()) return {};
  std::string names;
  for (std::size_t i = 0; i < pollers.size(); ++i)
    names += (i == 0 ? "" : i + 1 == pollers.size() ? " and " : ", ") + system.tasks[pollers[i]].name;
  return pollers.size() == 1 ? fmt::format("if {} suspends instead of polling", names)
                             : fmt::format("if {} suspend instead of polling", names);
}

/// Describes the changed slices, or "" if no GPU is shared by several contexts.
std::string shorten_slices(System& system, const AnalysisOptions& options) {
  std::size_t device_tasks = 0;
  bool shorter = false;
  const std::vector<const DeviceProfile*> devices = choose_devices(system, options.profile).profiles;
  Duration least, largest;
  for (Task& task : system.tasks) {
    if (task.side != Side::device || task.folded_into) continue;
    ++device_tasks;
    const DeviceProfile* device = devices[task.unit];
    const Duration stated = task.time_slice ? *task.time_slice : device != nullptr ? device->time_slice : least_slice;
    const Duration shortest = system.platform.schedulers[task.scheduler].minimum_time_slice.value_or(least_slice);
    const Duration slice = std::min(stated, shortest);
    shorter = shorter || slice < stated;
    least = device_tasks == 1 ? slice : std::min(least, slice);
    largest = std::max(largest, slice);
    task.time_slice = slice;
  }
  if (device_tasks < 2 || !shorter) return {};
  return least == largest
             ? fmt::format("with GPU time slices of {}", format_duration(least))
             : fmt::format("with GPU time slices of {} to {}", format_duration(least), format_duration(largest));
}

}  // namespace

std::vector<WhatIf> what_if(const System& system, const AnalysisOptions& options, TaskIndex asked) {
  const TaskIndex task = system.tasks[asked].folded_into.value_or(asked);
  std::vector<WhatIf> tried;
  const auto attempt = [&](const System& changed, std::string change) {
    Diagnostics ignored;  // already reported by the analysis of the original system
    auto results = analyze(changed, options, ignored);
    if (results) tried.push_back({std::move(change), std::move(results->tasks[task])});
  };
  System suspended = system;
  const std::string waits = suspend_pollers(suspended, task);
  if (!waits.empty()) attempt(suspended, waits);
  System sliced = system;
  const std::string slices = shorten_slices(sliced, options);
  if (!slices.empty()) attempt(sliced, slices);
  if (!waits.empty() && !slices.empty()) {
    shorten_slices(suspended, options);
    attempt(suspended, fmt::format("{}, {}", waits, slices));
  }
  return tried;
}

}  // namespace amalthea::engine
