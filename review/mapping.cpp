// SPDX-License-Identifier: Apache-2.0
// Schedulers, units and the mapping.

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"
#include "amalthea/views/hardware.hpp"
#include "amalthea/views/mapping.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

bool is_in_mapping(const Context& context, Element element) {
  const auto& mappings = context.facts.all("MappingModel");
  return std::any_of(mappings.begin(), mappings.end(), [element](Element mapping) {
    return &mapping.document() == &element.document() && mapping.index() <= element.index() &&
           element.index() < mapping.record().after;
  });
}

bool contains(const std::vector<Element>& elements, Element element) {
  return std::find(elements.begin(), elements.end(), element) != elements.end();
}

/// The subject of a SchedulerAllocation.
struct Responsibility {
  Element allocation;
  Element scheduler;
  std::vector<Element> units;
};

std::vector<Responsibility> responsibilities(const Context& context) {
  std::vector<Responsibility> found;
  for (const Element allocation : context.facts.all("SchedulerAllocation"))
    found.push_back({allocation, context.model.reference(allocation, "scheduler"),
                     context.model.references(allocation, "responsibility")});
  return found;
}

/// The task scheduler has a parent, in the form of any version.
bool is_below_another(Element scheduler) { return static_cast<bool>(scheduler.child("parentAssociation")); }

bool takes_part_in_hierarchy(const Context& context, Element scheduler) {
  const auto uses = context.facts.uses_of(scheduler);
  return is_below_another(scheduler) ||
         std::any_of(uses.begin(), uses.end(), [](const Use& use) { return use.holder.is("SchedulerAssociation"); });
}

/// Whether the mapping refers to the element.
bool is_mapped(const Context& context, Element element) {
  const auto uses = context.facts.uses_of(element);
  return std::any_of(uses.begin(), uses.end(),
                     [&context](const Use& use) { return is_in_mapping(context, use.holder); });
}

/// Class, attributes and cross-file references of a mapping as text; "" if it is empty.
std::string what_it_maps(Element mapping) {
  const Document& document = mapping.document();
  std::string what(mapping.class_name());
  const std::size_t before = what.size();
  const ElementRecord& record = mapping.record();
  for (std::uint32_t a = 0; a < record.attribute_count; ++a) {
    const AttributeRecord& attribute = document.attribute(record.first_attribute + a);
    const std::string_view name = document.name(attribute.name());
    if (name.find_first_of(":{") == std::string_view::npos)
      what.append("\n").append(name).append("=").append(document.value(attribute));
  }
  for (const Element child : mapping.children())
    if (const auto href = child.attribute("href")) what += fmt::format("\n{}={}", child.tag(), *href);
  return what.size() == before ? std::string() : what;
}

/// Whether the allocation of the task states a priority, in the form of any version, or the definition of its scheduler
/// gives it one.
bool states_priority(const Context& context, Element task) {
  for (const Use& use : context.facts.uses_of(task)) {
    if (!use.holder.is("TaskAllocation")) continue;
    if (use.holder.attribute("priority")) return true;
    views::TaskAllocation allocation;
    allocation.scheduler = context.model.reference(use.holder, "scheduler");
    allocation.parameters = scheduling_parameters(context.model, use.holder);
    for (const auto& parameters : {allocation.parameters, views::default_parameters(context.model, allocation)})
      for (const Parameter& parameter : parameters)
        if (equal_ignoring_case(parameter.name, "priority")) return true;
  }
  return task.attribute("priority").has_value();
}

}  // namespace

void check_executing_unit(const Context& context, Report& report) {
  const auto all = responsibilities(context);
  std::map<std::pair<std::uint32_t, std::uint32_t>, Element> owners;  // unit → first scheduler responsible for it
  for (const Responsibility& one : all)
    for (const Element unit : one.units)
      owners.emplace(std::pair(unit.document().position(), unit.index()), one.scheduler);
  // A scheduler may have several allocations.
  const auto is_responsible = [&all](Element scheduler, Element unit) {
    return std::any_of(all.begin(), all.end(), [&](const Responsibility& other) {
      return other.scheduler == scheduler && contains(other.units, unit);
    });
  };
  for (const Responsibility& one : all)
    for (const std::string_view feature : {"executingPU", "executingCore"}) {
      const Element unit = context.model.reference(one.allocation, feature);
      if (!unit || !one.scheduler || is_responsible(one.scheduler, unit)) continue;
      // A core that only executes schedulers is intended; one of another scheduler's cores is a mistake.
      const auto owner = owners.find({unit.document().position(), unit.index()});
      if (owner == owners.end() || !owner->second || takes_part_in_hierarchy(context, one.scheduler)) continue;
      report.add(
          one.allocation, feature,
          fmt::format("scheduler \"{}\" is executed on \"{}\", but scheduler \"{}\" is responsible for that unit; "
                      "name a unit of \"{}\" as {}, or make it responsible for \"{}\"",
                      one.scheduler.name(), unit.name(), owner->second.name(), one.scheduler.name(), feature,
                      unit.name()));
    }
}

void check_shared_units(const Context& context, Report& report) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Element> owners;
  for (const Responsibility& one : responsibilities(context)) {
    if (!one.scheduler || !one.scheduler.is("TaskScheduler") || takes_part_in_hierarchy(context, one.scheduler))
      continue;
    for (const Element unit : one.units) {
      const auto [owner, added] = owners.emplace(std::pair(unit.document().position(), unit.index()), one.scheduler);
      if (added || owner->second == one.scheduler) continue;
      report.add(
          one.allocation, "responsibility",
          fmt::format("schedulers \"{}\" and \"{}\" are both responsible for \"{}\"; make one the parent of the other, "
                      "or leave the unit to one",
                      owner->second.name(), one.scheduler.name(), unit.name()));
    }
  }
}

namespace {

/// Tasks with fixed priorities that stay on one core.
bool uses_priorities(const System& system, TaskIndex index) {
  const Task& task = system.tasks[index];
  const SchedulingAlgorithm kind = system.platform.schedulers[task.scheduler].kind;
  return task.kind == ProcessKind::task && task.units.size() < 2 && has_fixed_priorities(kind) &&
         !traits_of(kind).takes_turns;
}

}  // namespace

void check_equal_priorities(const Context& context, Report& report) {
  if (context.system == nullptr) return;
  const System& system = *context.system;
  std::map<UnitIndex, std::vector<TaskIndex>> tasks;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (system.tasks[task].side == Side::host && !system.tasks[task].folded_into && uses_priorities(system, task))
      tasks[system.tasks[task].unit].push_back(task);
  for (const auto& [unit, sharing] : tasks) {
    const std::int64_t priority = system.tasks[sharing.front()].priority;
    const bool equal = std::all_of(sharing.begin(), sharing.end(),
                                   [&](TaskIndex task) { return system.tasks[task].priority == priority; });
    // Without any stated priority the model is not complete yet.
    const bool stated = std::any_of(sharing.begin(), sharing.end(), [&](TaskIndex task) {
      return states_priority(context, context.model.element(system.tasks[task].origin));
    });
    if (sharing.size() < 2 || !equal || !stated) continue;
    report.add(context.model.element(system.platform.units[unit].origin),
               fmt::format("the {} tasks on \"{}\" all have the priority {}, so they run in the order in which they "
                           "become ready; state different priorities if they have any",
                           sharing.size(), system.platform.units[unit].name, priority));
  }
}

void check_unmapped_labels(const Context& context, Report& report) {
  Element first;
  std::size_t mapped = 0, unmapped = 0;
  for (const Element label : context.facts.all("Label")) {
    if (is_mapped(context, label) || label.attribute("section") || label.child("section")) {
      ++mapped;
    } else if (++unmapped == 1) {
      first = label;
    }
  }
  if (mapped > 0 && unmapped > 0)
    report.add(
        first,
        fmt::format("{} of {} not mapped to a memory, although others are; the first is \"{}\"; add memory mappings",
                    unmapped, counted(mapped + unmapped, "label"), first.name()));
}

void check_idle_schedulers(const Context& context, Report& report) {
  if (context.facts.all("SchedulerAllocation").empty() && context.facts.all("CoreAllocation").empty()) return;
  for (const Element scheduler : context.facts.all("TaskScheduler")) {
    const auto uses = context.facts.uses_of(scheduler);
    const bool in_use = std::any_of(uses.begin(), uses.end(), [](const Use& use) {
      return use.holder.is("SchedulerAllocation") || use.holder.is("CoreAllocation");
    });
    if (in_use || takes_part_in_hierarchy(context, scheduler) || report.is_reported(scheduler)) continue;
    report.add(scheduler, fmt::format("scheduler \"{}\" is responsible for no unit; expected a SchedulerAllocation",
                                      scheduler.name()));
  }
}

void check_unclocked_units(const Context& context, Report& report) {
  Diagnostics building_findings;
  for (const views::HwUnit& unit : views::hardware_of(context.model, building_findings).units)
    if (unit.clock == Frequency{} && is_mapped(context, unit.element) && !report.is_reported(unit.element))
      report.add(unit.element,
                 fmt::format("{} \"{}\" is in use and has no clock; expected {}",
                             unit.element.is("Core") ? "core" : "processing unit", unit.name,
                             unit.element.is("Core") ? "a prescaler with a quartz" : "a frequencyDomain"));
}

void check_repeated_mappings(const Context& context, Report& report) {
  for (const auto& document : context.model.documents())
    for (const Element part : document->root().children()) {
      if (!part.is("MappingModel")) continue;
      std::unordered_multimap<std::size_t, Element> seen;  // by hash: the texts would take more memory than the model
      for (const Element mapping : part.children()) {
        if (!mapping.cls()) continue;
        const std::string what = what_it_maps(mapping);
        if (what.empty()) continue;
        const std::size_t hash = std::hash<std::string>{}(what);
        const auto [begin, end] = seen.equal_range(hash);
        const auto first = std::find_if(begin, end, [&](const auto& one) { return what_it_maps(one.second) == what; });
        if (first == end) seen.emplace(hash, mapping);
        if (first == end || (!report.is_full() && report.is_reported(mapping))) continue;
        report.add(mapping, report.is_full() ? std::string()
                                             : fmt::format("this {} repeats the one at line {}; remove one of them",
                                                           mapping.class_name(), first->second.location().line));
      }
    }
}

void check_unallocated_processes(const Context& context, Report& report) {
  const auto check = [&](std::string_view process_class, std::string_view allocation_class) {
    if (context.facts.all(allocation_class).empty()) return;
    for (const Element process : context.facts.all(process_class))
      if (!is_mapped(context, process) && !report.is_reported(process))
        report.add(process, fmt::format("{} is not mapped to a scheduler, although others are; add a {}",
                                        describe(process), allocation_class));
  };
  check("Task", "TaskAllocation");
  check("ISR", "ISRAllocation");
}

}  // namespace amalthea::review
