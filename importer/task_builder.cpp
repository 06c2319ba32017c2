// Data and tasks of a System: who runs where, and how urgent it is.

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "amalthea/ascii.hpp"
#include "amalthea/views/properties.hpp"
#include "amalthea/views/quantities.hpp"
#include "importer/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// Algorithms that the simulation of a CPU core implements. From 2.0.0 on an algorithm is known by the name of its
/// definition, which people spell in their own ways.
bool is_simulated(std::string_view algorithm) {
  std::string name = lower_case(algorithm);
  name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return c == ' ' || c == '_' || c == '-'; }),
             name.end());
  return name == "fixedprioritypreemptive" || name == "fpp" || name == "osek";
}

void check_host_scheduler(BuildContext& context, const Scheduler& scheduler) {
  const Element element = context.model.element(scheduler.origin);
  if (scheduler.algorithm.empty()) {
    context.diagnostics.add(
        "AM0402", Severity::warning,
        fmt::format("scheduler \"{}\" states no algorithm; taken as FixedPriorityPreemptive", scheduler.name),
        element.location(), element.path());
  } else if (!is_simulated(scheduler.algorithm)) {
    context.error(
        "AM0306",
        fmt::format(
            "scheduler \"{}\" uses the algorithm {}, which is not simulated; expected FixedPriorityPreemptive or OSEK",
            scheduler.name, scheduler.algorithm),
        element.location(), element.path());
  }
}

/// Signs that a unit is meant as a GPU although its definition does not say so. Left-over time slice parameters of an
/// allocation count only where the definition is silent: tasks moved from a GPU to a CPU keep them.
bool is_meant_as_gpu(const BuildContext& context, Element unit_element, const ProcessingUnit& unit,
                     const Scheduler& scheduler, const std::vector<Parameter>& parameters) {
  if (!unit.device_profile.empty() || scheduler.minimum_time_slice || scheduler.maximum_time_slice) return true;
  const Element definition = context.model.reference(unit_element, "definition");
  if (definition && definition.attribute_or("puType", "_undefined_") != "_undefined_") return false;
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const Parameter& p) { return lower_case(p.name).starts_with("timeslice"); });
}

void read_parameters(BuildContext& context, const std::vector<Parameter>& parameters, Task& task) {
  for (const Parameter& parameter : parameters) {
    const std::string name = lower_case(parameter.name);
    std::string wrong;
    if (name == "priority") {
      const auto priority = parse_integer(parameter.value);
      if (priority)
        task.priority = *priority;
      else
        wrong = priority.error();
    } else if (name.starts_with("timeslice")) {
      const auto time = parse_time_text(parameter.value);
      if (time && *time > Duration{})
        task.time_slice = *time;
      else
        wrong = time ? "a time slice must be longer than zero" : time.error();
    }
    if (!wrong.empty())
      context.error(
          "AM0308",
          fmt::format("unreadable scheduling parameter {} of task \"{}\": {}", parameter.name, task.name, wrong),
          parameter.element.attribute_location("value"), parameter.element.path());
  }
}

/// The unit a task runs on: the first of its affinity; without one, the first unit its scheduler is responsible for.
Element chosen_unit(BuildContext& context, Element allocation, const Scheduler& scheduler, const Task& task) {
  const auto affinity = context.model.references(allocation, "affinity");
  const auto warn = [&](std::string_view id, std::string message) {
    context.diagnostics.add(id, Severity::warning, std::move(message), allocation.location(), allocation.path());
  };
  if (affinity.size() > 1)
    warn("AM0404", fmt::format("task \"{}\" may run on {} cores; simulated on the first, \"{}\"", task.name,
                               affinity.size(), affinity.front().name()));
  if (affinity.empty() && scheduler.units.size() > 1)
    warn("AM0405",
         fmt::format("task \"{}\" has no affinity and its scheduler has {} cores; simulated on the first, \"{}\"",
                     task.name, scheduler.units.size(), context.system.platform.units[scheduler.units.front()].name));
  if (affinity.empty())
    return scheduler.units.empty()
               ? Element{}
               : context.model.element(context.system.platform.units[scheduler.units.front()].origin);
  const auto unit = context.units.find(affinity.front());
  if (unit && std::find(scheduler.units.begin(), scheduler.units.end(), *unit) == scheduler.units.end())
    warn("AM0406",
         fmt::format(
             "task \"{}\" has affinity to \"{}\", which its scheduler \"{}\" is not responsible for; simulated there",
             task.name, affinity.front().name(), scheduler.name));
  return affinity.front();
}

void allocate(BuildContext& context, Element allocation, Task& task) {
  const Element scheduler_element = context.required_reference(allocation, "scheduler");
  const auto scheduler_index = context.schedulers.find(scheduler_element);
  if (!scheduler_index) {
    if (scheduler_element)
      context.error("AM0309",
                    fmt::format("task \"{}\" is allocated to \"{}\", which is not a TaskScheduler", task.name,
                                scheduler_element.name()),
                    allocation.location(), allocation.path());
    return;
  }
  const Scheduler& scheduler = context.system.platform.schedulers[*scheduler_index];
  task.scheduler = *scheduler_index;
  const Element unit_element = chosen_unit(context, allocation, scheduler, task);
  const auto unit_index = context.units.find(unit_element);
  if (!unit_index) {
    if (context.reported_schedulers.insert(task.scheduler).second) {
      context.error(
          "AM0303",
          fmt::format("scheduler \"{}\" of task \"{}\" is responsible for no processing unit (schedulerAllocation)",
                      scheduler.name, task.name),
          scheduler_element.location(), scheduler_element.path());
    }
    return;
  }
  task.unit = *unit_index;
  const ProcessingUnit& unit = context.system.platform.units[task.unit];
  const auto parameters = scheduling_parameters(allocation);
  read_parameters(context, parameters, task);
  task.side = unit.type == PuType::gpu ? Side::device : Side::host;
  if (const auto slice = custom_property(context.model.element(task.origin), "gpu.timeslice"))
    read_parameters(context, {{"timeslice", slice->value, slice->element}}, task);
  if (unit.frequency.is_zero() && context.reported_clocks.insert(task.unit).second)
    context.error(
        "AM0304",
        fmt::format(
            "processing unit \"{}\", on which task \"{}\" runs, has no clock (frequencyDomain with defaultValue)",
            unit.name, task.name),
        unit_element.location(), unit_element.path());
  if (task.side == Side::host && is_meant_as_gpu(context, unit_element, unit, scheduler, parameters)) {
    if (context.reported_units.insert(task.unit).second)
      context.error(
          "AM0307",
          fmt::format("device \"{}\" has no GPU definition: scheduler \"{}\" hands out time slices on it, but "
                      "it refers to no ProcessingUnitDefinition with puType=\"GPU\"",
                      unit.name, scheduler.name),
          unit_element.location(), unit_element.path());
  }
}

}  // namespace

void build_data(BuildContext& context) {
  for (const Element element : context.model.all("swModel", "labels")) {
    Label label;
    label.name = element.name();
    label.size = data_size_of(element.child("size"), context.diagnostics).value_or(DataSize{});
    label.origin = element.origin();
    context.labels.add(element, static_cast<std::uint32_t>(context.system.labels.size()));
    context.system.labels.push_back(std::move(label));
  }
  for (const Element mapping : context.model.all("mappingModel", "memoryMapping"))
    if (const auto label = context.labels.find(context.model.reference(mapping, "abstractElement")))
      if (const auto memory = context.memories.find(context.model.reference(mapping, "memory")))
        context.system.labels[*label].memory = *memory;
  for (const Element element : context.model.all("swModel", "events")) {
    context.events.add(element, static_cast<std::uint32_t>(context.system.events.size()));
    context.system.events.push_back({std::string(element.name())});
  }
  for (const Element element : context.model.all("swModel", "runnables")) {
    context.runnables.add(element, static_cast<std::uint32_t>(context.system.runnables.size()));
    context.system.runnables.push_back({std::string(element.name()), element.origin()});
    context.runnable_elements.push_back(element);
  }
}

void build_tasks(BuildContext& context) {
  if (context.blocked) return;
  ElementMap allocations;
  std::vector<Element> allocation_elements;
  for (const Element allocation : context.model.all("mappingModel", "taskAllocation"))
    if (const Element task = context.model.reference(allocation, "task")) {
      if (allocations.find(task))
        context.diagnostics.add("AM0415", Severity::warning,
                                fmt::format("task \"{}\" has a second allocation, which is ignored", task.name()),
                                allocation.location(), allocation.path());
      allocations.add(task, static_cast<std::uint32_t>(allocation_elements.size()));
      allocation_elements.push_back(allocation);
    }
  for (const Element isr : context.model.all("swModel", "isrs")) context.ignore(isr);
  for (const Element element : context.model.all("swModel", "tasks")) {
    Task task;
    task.name = element.name();
    task.origin = element.origin();
    task.activation_limit = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        parse_integer(element.attribute_or("multipleTaskActivationLimit", "0")).value_or(0), 0, 1000000));
    if (const auto index = allocations.find(element)) {
      allocate(context, allocation_elements[*index], task);
    } else {
      context.error("AM0302",
                    fmt::format("task \"{}\" is not allocated to a scheduler (mappingModel/taskAllocation)", task.name),
                    element.location(), element.path());
    }
    if (const std::string_view preemption = element.attribute_or("preemption", "preemptive");
        preemption != "preemptive" && preemption != "_undefined_" && task.side == Side::host)
      context.diagnostics.add("AM0409", Severity::warning,
                              fmt::format("task \"{}\" is {}; simulated as preemptive", task.name, preemption),
                              element.attribute_location("preemption"), element.path());
    const auto index = static_cast<TaskIndex>(context.system.tasks.size());
    context.tasks.add(element, index);
    context.system.tasks.push_back(std::move(task));
    context.task_elements.push_back(element);
    activate_task(context, element, index);
  }
  if (context.system.tasks.empty())
    context.error("AM0312", "the model has no task; there is nothing to analyse",
                  context.model.documents().front()->root().location());
  std::vector<bool> checked(context.system.platform.schedulers.size(), false);
  for (const Task& task : context.system.tasks)
    if (!context.blocked && task.side == Side::host && !checked[task.scheduler]) {
      checked[task.scheduler] = true;
      check_host_scheduler(context, context.system.platform.schedulers[task.scheduler]);
    }
  build_deadlines(context);
}

}  // namespace amalthea::importer::detail
