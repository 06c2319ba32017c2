// SPDX-License-Identifier: Apache-2.0
#include "importer/building/mapping_constraints.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/constraints.hpp"
#include "amalthea/views/mapping.hpp"
#include "importer/building/detail/access_costs.hpp"

namespace amalthea::importer {
namespace {

template <typename T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

using Units = std::vector<UnitIndex>;
using Tasks = std::vector<TaskIndex>;

Units intersection(const Units& a, const Units& b) {
  Units both;
  std::copy_if(a.begin(), a.end(), std::back_inserter(both), [&](UnitIndex unit) { return contains(b, unit); });
  return both;
}

bool is_gpu(const System& system, UnitIndex unit) { return system.platform.units[unit].type == PuType::gpu; }

/// Whether the model does not state what an access costs from there, although it states such costs (AM0482).
bool lacks_cost(const System& system, const Activity& activity, UnitIndex unit) {
  bool lacks = false;
  detail::for_each_label(activity, [&](LabelIndex index, bool) {
    const Label& label = system.labels[index];
    lacks = lacks || (label.memory && access_to(system.platform.units[unit], label) == nullptr &&
                      detail::states_costs(system.platform, unit, *label.memory));
  });
  return lacks;
}

bool runs_on(const Task& task, UnitIndex unit) { return task.unit == unit || contains(task.units, unit); }

/// Whether everything the task executes has ticks there, and costs of accesses if it moves there; unknown for the body
/// of a removed task.
bool can_execute(const System& system, TaskIndex task, UnitIndex on, bool moves) {
  const ProcessingUnit& unit = system.platform.units[on];
  for (const NodeIndex node : system.tasks[task].body) {
    const Activity& activity = system.graph[node].activity;
    if (moves && lacks_cost(system, activity, on)) return false;
    const auto* compute = std::get_if<Compute>(&activity);
    const auto* kernel = std::get_if<Kernel>(&activity);
    const Ticks* ticks = compute != nullptr ? &compute->ticks : kernel != nullptr ? &*kernel->ticks : nullptr;
    if (ticks == nullptr || ticks->on(unit.definition) != nullptr) continue;
    if (kernel != nullptr && kernel->instructions && unit.type == PuType::gpu) continue;
    return false;
  }
  return true;
}

class ConstraintBuilder {
 public:
  ConstraintBuilder(const Model& model, const std::vector<const System*>& placements, Diagnostics& diagnostics)
      : model_(model), placements_(placements), system_(*placements.front()), diagnostics_(diagnostics) {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (system_.tasks[task].origin.known()) tasks_.add(model.element(system_.tasks[task].origin), task);
    for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit)
      if (system_.platform.units[unit].origin.known())
        units_.add(model.element(system_.platform.units[unit].origin), unit);
    for (SchedulerIndex index = 0; index < system_.platform.schedulers.size(); ++index)
      if (system_.platform.schedulers[index].origin.known())
        schedulers_.add(model.element(system_.platform.schedulers[index].origin), index);
  }

  MappingConstraints build(bool keep_affinity) {
    const Units scheduled = scheduled_units();
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) result_.allowed.push_back(possible(task, scheduled));
    if (keep_affinity) keep_affinities();
    for (const views::AffinityConstraint& constraint : views::affinity_constraints(model_)) take(constraint);
    return std::move(result_);
  }

 private:
  /// Those with a clock and a scheduler of tasks.
  Units scheduled_units() const {
    std::vector<bool> scheduled(system_.platform.units.size());
    for (const Scheduler& scheduler : system_.platform.schedulers)
      for (const UnitIndex unit : scheduler.units) scheduled[unit] = scheduled[unit] || !scheduler.interrupt_controller;
    Units units;
    for (UnitIndex unit = 0; unit < scheduled.size(); ++unit)
      if (scheduled[unit] && !system_.platform.units[unit].frequency.is_zero()) units.push_back(unit);
    return units;
  }

  Units possible(TaskIndex index, const Units& scheduled) const {
    const Task& task = system_.tasks[index];
    if (task.kind != ProcessKind::task) return {task.unit};
    Units units;
    for (const UnitIndex unit : scheduled) {
      const bool moves = !runs_on(task, unit);
      const bool placed = std::any_of(placements_.begin(), placements_.end(), [&](const System* system) {
        return is_gpu(*system, system->tasks[index].unit) == is_gpu(system_, unit) &&
               can_execute(*system, index, unit, moves);
      });
      const bool executes = std::all_of(placements_.begin(), placements_.end(), [&](const System* system) {
        return is_gpu(*system, system->tasks[index].unit) != is_gpu(system_, unit) ||
               can_execute(*system, index, unit, moves);
      });
      if (placed && executes) units.push_back(unit);
    }
    return units.empty() ? Units{task.unit} : units;
  }

  void keep_affinities() {
    const views::Mapping mapping = views::mapping_of(model_);
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const Task& task = system_.tasks[index];
      if (task.kind != ProcessKind::task || !task.origin.known()) continue;
      const auto allocation = mapping.task_allocation_of.find(model_.element(task.origin));
      if (!allocation) continue;
      Units wanted;
      for (const Element element : mapping.tasks[*allocation].affinity)
        if (const auto unit = units_.find(element)) wanted.push_back(*unit);
      if (wanted.empty()) wanted = system_.platform.schedulers[task.scheduler].units;
      Units kept = intersection(result_.allowed[index], wanted);
      result_.allowed[index] = kept.empty() ? Units{task.unit} : std::move(kept);
    }
  }

  void warn(const views::AffinityConstraint& constraint, const std::string& what) {
    diagnostics_.add("AM0800", Severity::warning,
                     fmt::format("affinity constraint \"{}\" {}; the search ignores it; correct or remove it",
                                 constraint.name, what),
                     constraint.element.location(), constraint.element.path());
  }

  /// The members of a group, including those with its tag.
  std::vector<Element> members(const views::EntityGroup& group, views::AffinitySubject subject) const {
    std::vector<Element> found = group.members;
    if (!group.tag) return found;
    for (const Element element :
         model_.all("swModel", subject == views::AffinitySubject::processes ? "tasks" : "runnables"))
      if (contains(model_.references(element, "tags"), group.tag)) found.push_back(element);
    return found;
  }

  Tasks tasks_of(const views::EntityGroup& group, views::AffinitySubject subject) const {
    std::set<TaskIndex> found;
    const std::vector<Element> elements = members(group, subject);
    if (subject == views::AffinitySubject::processes) {
      for (const Element element : elements)
        if (const auto task = tasks_.find(element)) found.insert(*task);
    } else {
      for (const System* system : placements_)
        for (TaskIndex task = 0; task < system->tasks.size(); ++task)
          for (const NodeIndex node : system->tasks[task].body)
            if (const auto runnable = system->graph[node].runnable;
                runnable && system->runnables[*runnable].origin.known() &&
                contains(elements, model_.element(system->runnables[*runnable].origin)))
              found.insert(task);
    }
    return {found.begin(), found.end()};
  }

  /// The units of a target; none if there is no target.
  struct Target {
    Units units;
    bool given = false;
    bool understood = true;
    bool one_scheduler = false;  ///< tasks there share a scheduler and need not be on one unit
  };
  Target target_of(const views::AffinityConstraint& constraint) const {
    Target target;
    if (!constraint.target) return target;
    std::size_t schedulers = 0;
    for (const Element place : constraint.target->places) {
      if (const auto unit = units_.find(place)) {
        target.units.push_back(*unit);
      } else if (const auto scheduler = schedulers_.find(place)) {
        ++schedulers;
        const auto& more = system_.platform.schedulers[*scheduler].units;
        target.units.insert(target.units.end(), more.begin(), more.end());
      } else {
        target.understood = false;
      }
      target.given = true;
    }
    target.one_scheduler = schedulers == 1 && constraint.target->places.size() == 1;
    return target;
  }

  void take(const views::AffinityConstraint& constraint) {
    if (constraint.subject == views::AffinitySubject::data) return;  // for labels, not for tasks
    if (constraint.kind == views::AffinityKind::unknown || constraint.groups.empty() ||
        (constraint.subject != views::AffinitySubject::processes &&
         constraint.subject != views::AffinitySubject::runnables))
      return warn(constraint, "has an unknown class");
    const Target target = target_of(constraint);
    if (!target.understood)
      return warn(constraint, "has a target that is neither a processing unit nor a task scheduler in use");
    if (constraint.kind == views::AffinityKind::pairing)
      pair(constraint, target);
    else
      separate(constraint, target);
  }

  void pair(const views::AffinityConstraint& constraint, const Target& target) {
    const Tasks tasks = tasks_of(constraint.groups.front(), constraint.subject);
    if (target.given && !restrict(constraint, tasks, [&](UnitIndex unit) { return contains(target.units, unit); }))
      return;
    if (tasks.size() > 1 && !target.one_scheduler) result_.together.push_back(tasks);
  }

  void separate(const views::AffinityConstraint& constraint, const Target& target) {
    const Tasks first = tasks_of(constraint.groups.front(), constraint.subject);
    if (constraint.groups.size() == 1) {
      if (target.given)
        restrict(constraint, first, [&](UnitIndex unit) { return !contains(target.units, unit); });
      else if (first.size() > 1)
        result_.apart.push_back(first);
      return;
    }
    const Tasks second = tasks_of(constraint.groups[1], constraint.subject);
    for (const TaskIndex task : first)
      if (contains(second, task))
        return warn(constraint, fmt::format("separates task \"{}\" from itself", system_.tasks[task].name));
    if (target.given && !first.empty() && !second.empty())
      diagnostics_.add(
          "AM0801", Severity::note,
          fmt::format(
              "affinity constraint \"{}\" separates tasks on its target only; the search keeps them apart everywhere",
              constraint.name),
          constraint.element.location(), constraint.element.path());
    for (const TaskIndex a : first)
      for (const TaskIndex b : second) result_.apart.push_back({a, b});
  }

  /// Restricts the tasks to the units that `keep` accepts; false, with a warning and without effect, if a task has none
  /// left.
  template <typename Keep>
  bool restrict(const views::AffinityConstraint& constraint, const Tasks& tasks, const Keep& keep) {
    std::vector<Units> left;
    for (const TaskIndex task : tasks) {
      Units units;
      const Units& allowed = result_.allowed[task];
      std::copy_if(allowed.begin(), allowed.end(), std::back_inserter(units), keep);
      if (units.empty()) {
        warn(constraint, fmt::format("leaves no unit on which task \"{}\" can run", system_.tasks[task].name));
        return false;
      }
      left.push_back(std::move(units));
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) result_.allowed[tasks[i]] = std::move(left[i]);
    return true;
  }

  const Model& model_;
  const std::vector<const System*>& placements_;
  const System& system_;
  Diagnostics& diagnostics_;
  views::ElementIndex tasks_, units_, schedulers_;
  MappingConstraints result_;
};

}  // namespace

MappingConstraints mapping_constraints(const Model& model, const std::vector<const System*>& placements,
                                       bool keep_affinity, Diagnostics& diagnostics) {
  return ConstraintBuilder(model, placements, diagnostics).build(keep_affinity);
}

}  // namespace amalthea::importer
