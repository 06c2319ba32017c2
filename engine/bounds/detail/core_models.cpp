// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/core_models.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/results/servers.hpp"

namespace amalthea::engine::bounds {
namespace {

bool is_active(const AnalyzedSystem& subject, const std::vector<Activations>& activations, TaskIndex task) {
  return subject.is_host(task) && activations[task].any();
}

/// Computes the ranks and the non-preemptive sections of all tasks.
void find_shapes(const AnalyzedSystem& subject, const std::vector<Activations>& activations, CoreModels& models,
                 Faults& faults) {
  models.ranks = ranks_of(subject.system);
  const SemaphoreCeilings semaphores = semaphore_ceilings(subject, models.ranks);
  models.shapes.resize(subject.tasks());
  for (TaskIndex task = 0; task < subject.tasks(); ++task) {
    if (!is_active(subject, activations, task)) continue;
    add_fault(faults, task, semaphores.faults[task]);
    add_fault(faults, task, subject.worst[task].unanalyzable);
    if (ends_early(subject.worst[task])) add_fault(faults, task, "it ends before its last step");
    models.shapes[task] = shape_of(subject, models.ranks, semaphores, task);
  }
  models.semaphore_urgency = semaphores.urgency;
}

/// Cores between which active tasks migrate are one core model.
void find_cores(const AnalyzedSystem& subject, const std::vector<Activations>& activations, CoreModels& models) {
  std::vector<bool> active(subject.tasks());
  for (TaskIndex task = 0; task < subject.tasks(); ++task) active[task] = is_active(subject, activations, task);
  const std::vector<UnitIndex> leader = joined_cores(subject.system, &active);
  std::map<UnitIndex, std::size_t> of_leader;
  models.core_of.resize(subject.tasks());
  for (TaskIndex task = 0; task < subject.tasks(); ++task) {
    if (!active[task]) continue;
    const Task& stated = subject.task(task);
    const UnitIndex unit = stated.units.empty() ? stated.unit : stated.units.front();
    const auto [at, added] = of_leader.emplace(leader[unit], models.cores.size());
    if (added) models.cores.emplace_back();
    models.core_of[task] = at->second;
    models.cores[at->second].tasks.push_back(task);
  }
  for (UnitIndex unit = 0; unit < leader.size(); ++unit)
    if (const auto at = of_leader.find(leader[unit]); at != of_leader.end())
      models.cores[at->second].units.push_back(unit);
}

/// A cooperative task of the core outside the server.
std::optional<TaskIndex> cooperative_outside(const CoreView& view, SchedulerIndex server) {
  for (const TaskIndex task : view.core.tasks) {
    const auto& path = view.ranks.schedulers[task];
    if (view.shapes[task].cooperative && std::find(path.begin(), path.end(), server) == path.end()) return task;
  }
  return std::nullopt;
}

/// Servers are covered on one core. Their tasks must not be interrupts, nor cooperative beside cooperative tasks outside
/// the server, which may wait for their schedule points. They must not wait for a semaphore that other tasks hold, or
/// wait within sections. A constant-bandwidth server never stops its tasks, so that it needs no such limits.
std::string fault_of_servers(const CoreView& view, const AnalyzedSystem& subject) {
  for (const TaskIndex task : view.core.tasks) {
    const auto& path = view.ranks.schedulers[task];
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      const SchedulerIndex index = *at;
      const Scheduler& scheduler = view.system.platform.schedulers[index];
      if (!limits_time(scheduler)) continue;
      if (*scheduler.share.budget <= Duration{} || *scheduler.share.period <= Duration{})
        return fmt::format("{} without a budget or a period", algorithm_of(view, index));
      if (view.core.several())
        return fmt::format("{}, and the analysis covers servers only on one core", algorithm_of(view, index));
      const TaskShape& shape = view.shapes[task];
      if (const auto outside = cooperative_outside(view, index); shape.cooperative && outside)
        return fmt::format("{}, and {} is cooperative, as is {} outside the server", algorithm_of(view, index),
                           subject.name(task), subject.name(*outside));
      if (!shape.requests.empty())
        return fmt::format("{}, and {} may wait for a semaphore", algorithm_of(view, index), subject.name(task));
      if (!shape.granted.empty() || std::any_of(shape.sections.begin(), shape.sections.end(),
                                                [](const cpu::Section& section) { return section.length >= endless; }))
        return fmt::format("{}, and nothing bounds a section of {}", algorithm_of(view, index), subject.name(task));
      // Its urgency is not that of the server.
      if (is_interrupt(subject.task(task)))
        return fmt::format("{}, and {} is an interrupt", algorithm_of(view, index), subject.name(task));
      for (TaskIndex other = 0; other < subject.tasks(); ++other) {
        const auto& of_other = view.ranks.schedulers[other];
        if (std::find(of_other.begin(), of_other.end(), index) != of_other.end() &&
            std::find(view.core.tasks.begin(), view.core.tasks.end(), other) == view.core.tasks.end() &&
            !subject.steps(other).empty())
          return fmt::format("{} on several cores", algorithm_of(view, index));
      }
    }
  }
  return {};
}

}  // namespace

CoreModels core_models(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                       const Offloads& offloads, Faults& faults) {
  CoreModels models;
  find_shapes(subject, activations, models, faults);
  find_cores(subject, activations, models);
  for (CoreModel& core : models.cores) {
    const CoreView view{subject.system, models.ranks, models.shapes, core};
    core.analysis = &analysis_for(view);
    const bool offloads_any =
        std::any_of(core.tasks.begin(), core.tasks.end(), [&](TaskIndex task) { return offloads.waits_for_any(task); });
    const bool waits_or_servers = std::any_of(core.tasks.begin(), core.tasks.end(), [&](TaskIndex task) {
      const auto& path = models.ranks.schedulers[task];
      return (faults[task].empty() && !offloads.event_waits[task].empty()) || !models.shapes[task].requests.empty() ||
             !models.shapes[task].granted.empty() || std::any_of(path.begin(), path.end(), [&](SchedulerIndex index) {
               return limits_time(subject.system.platform.schedulers[index]);
             });
    });
    const std::string fault = fault_of_servers(view, subject);
    for (const TaskIndex task : core.tasks) add_fault(faults, task, fault);
    core.apart = fault.empty() && (waits_or_servers || !(offloads_any && core.analysis->with_gpu));
  }
  return models;
}

}  // namespace amalthea::engine::bounds
