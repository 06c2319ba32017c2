// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/core_models.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "engine/bounds/detail/core_analyses.hpp"

namespace amalthea::engine::bounds {
namespace {

bool is_active(const AnalyzedSystem& subject, const std::vector<Activations>& activations, TaskIndex task) {
  return subject.is_host(task) && activations[task].any();
}

std::vector<UnitIndex> units_of(const Task& task) {
  return task.units.empty() ? std::vector<UnitIndex>{task.unit} : task.units;
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
}

/// Cores between which tasks migrate are one core model.
void find_cores(const AnalyzedSystem& subject, const std::vector<Activations>& activations, CoreModels& models) {
  std::vector<UnitIndex> leader(subject.system.platform.units.size());
  std::iota(leader.begin(), leader.end(), UnitIndex{0});
  const auto find = [&](UnitIndex unit) {
    while (leader[unit] != unit) unit = leader[unit];
    return unit;
  };
  for (TaskIndex task = 0; task < subject.tasks(); ++task) {
    if (!is_active(subject, activations, task)) continue;
    const auto units = units_of(subject.task(task));
    for (const UnitIndex unit : units) {
      const UnitIndex a = find(units.front()), b = find(unit);
      leader[std::max(a, b)] = std::min(a, b);
    }
  }
  std::map<UnitIndex, std::size_t> of_leader;
  models.core_of.resize(subject.tasks());
  for (TaskIndex task = 0; task < subject.tasks(); ++task) {
    if (!is_active(subject, activations, task)) continue;
    const auto [at, added] = of_leader.emplace(find(units_of(subject.task(task)).front()), models.cores.size());
    if (added) models.cores.emplace_back();
    models.core_of[task] = at->second;
    models.cores[at->second].tasks.push_back(task);
  }
  for (UnitIndex unit = 0; unit < leader.size(); ++unit)
    if (const auto at = of_leader.find(find(unit)); at != of_leader.end())
      models.cores[at->second].units.push_back(unit);
}

std::string fault_of_servers(const CoreView& view) {
  for (const TaskIndex task : view.core.tasks)
    for (const SchedulerIndex index : view.ranks.schedulers[task]) {
      const Scheduler& scheduler = view.system.platform.schedulers[index];
      const bool server = scheduler.kind == SchedulingAlgorithm::polling_periodic_server ||
                          scheduler.kind == SchedulingAlgorithm::deferrable_server;
      const bool limits = scheduler.share.budget && scheduler.share.period;
      if ((server && limits) || scheduler.kind == SchedulingAlgorithm::constant_bandwidth_server)
        return fmt::format("{}, and the analysis does not cover servers", algorithm_of(view, index));
    }
  return {};
}

/// For a core with a task that waits for a GPU.
std::string fault_with_offload(const CoreView& view, const Task& offloading) {
  if (view.core.analysis->with_gpu) return {};
  const Scheduler& scheduler = view.system.platform.schedulers[offloading.scheduler];
  return fmt::format("{} schedules {}by {}, and {} waits for a GPU", scheduler.name,
                     view.core.several() ? "tasks on several cores " : "", to_string(scheduler.kind), offloading.name);
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
    const auto offloading = std::find_if(core.tasks.begin(), core.tasks.end(),
                                         [&](TaskIndex task) { return offloads.waits_for_any(task); });
    const bool offloads_any = offloading != core.tasks.end();
    std::string fault = fault_of_servers(view);
    if (fault.empty()) fault = core.analysis->fault(view);
    if (fault.empty() && offloads_any) fault = fault_with_offload(view, subject.task(*offloading));
    for (const TaskIndex task : core.tasks) add_fault(faults, task, fault);
    core.apart = fault.empty() && !offloads_any;
  }
  return models;
}

}  // namespace amalthea::engine::bounds
