// SPDX-License-Identifier: Apache-2.0
// Data and tasks of a System.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/views/quantities.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer {

constexpr std::string_view unallocated_id = "AM0302", no_task_id = "AM0312";

}  // namespace amalthea::importer

namespace amalthea::importer::detail {

void build_data(BuildContext& context) {
  for (const Element element : context.model.all("swModel", "labels")) {
    Label label;
    label.name = element.name();
    label.size = data_size_of(element.child("size"), context.diagnostics).value_or(DataSize{});
    label.origin = element.origin();
    context.labels.add(element, static_cast<std::uint32_t>(context.system.labels.size()));
    context.system.labels.push_back(std::move(label));
  }
  map_labels(context);
  for (const Element element : context.model.all("swModel", "events")) {
    context.events.add(element, static_cast<std::uint32_t>(context.system.events.size()));
    context.system.events.push_back({std::string(element.name()), element.origin()});
  }
  for (const Element element : context.model.all("swModel", "runnables")) {
    context.runnables.add(element, static_cast<std::uint32_t>(context.system.runnables.size()));
    context.system.runnables.push_back({std::string(element.name()), element.origin()});
    context.runnable_elements.push_back(element);
  }
}

namespace {

constexpr std::string_view task_group_name = "osekTaskGroup";

/// The OSEK task group of a task (0.7.1 to 0.8.0), also where a conversion has kept it as a custom property; 0 for none.
std::int64_t task_group_of(Element task) {
  if (const auto stated = task.attribute(task_group_name)) return parse_integer(*stated).value_or(0);
  for (const Element property : task.children())
    if (const Element value = property.child("value");
        value && property.tag() == "customProperties" && property.attribute_or("key", "") == task_group_name)
      return parse_integer(value.attribute_or("value", "0")).value_or(0);
  return 0;
}

/// Tasks of one group do not preempt each other, and delay others that are less urgent than the most urgent one of them.
/// This is not simulated. It has no effect if they have the same priority.
void report_task_groups(BuildContext& context) {
  const System& system = context.system;
  std::map<std::pair<SchedulerIndex, std::int64_t>, std::vector<TaskIndex>> groups;
  for (TaskIndex task = 0; task < context.task_elements.size(); ++task) {
    const std::int64_t group = task_group_of(context.task_elements[task]);
    if (group != 0 && system.tasks[task].side == Side::host && !context.unplaced.contains(task))
      groups[{system.tasks[task].scheduler, group}].push_back(task);
  }
  for (const auto& [key, members] : groups) {
    if (members.size() < 2) continue;
    const std::int64_t priority = system.tasks[members.front()].priority;
    const auto has_same_priority = [&](TaskIndex task) { return system.tasks[task].priority == priority; };
    if (has_fixed_priorities(system.platform.schedulers[key.first].kind) &&
        std::all_of(members.begin(), members.end(), has_same_priority))
      continue;
    std::vector<Origin> concerned;
    for (TaskIndex task = 0; task < context.task_elements.size(); ++task)
      if (system.tasks[task].side == Side::host && system.tasks[task].scheduler == key.first)
        concerned.push_back(system.tasks[task].origin);
    const Element first = context.task_elements[members.front()];
    context.diagnostics.add(
        "AM0495", Severity::warning,
        fmt::format(
            "{} tasks are in {} {} and do not preempt each other, which is not simulated; make them cooperative, "
            "or state the group as a semaphore with a priority ceiling; this is the first",
            members.size(), task_group_name, key.second),
        first.attribute_location(task_group_name), first.path(), members.size(), std::move(concerned));
  }
}

}  // namespace

void build_tasks(BuildContext& context) {
  const std::size_t errors_before = context.diagnostics.errors();
  check_mapping_changes(context);
  if (context.diagnostics.errors() > errors_before) return;
  report_second_allocations(context);
  for (const Element element : context.model.all("swModel", "tasks")) {
    Task task;
    task.name = element.name();
    task.origin = element.origin();
    constexpr std::string_view limit_name = "multipleTaskActivationLimit";
    const std::int64_t limit = parse_integer(element.attribute_or(limit_name, "0")).value_or(0);
    if (limit < 0) context.report_negative(element, limit_name, "0, which is no limit");
    task.activation_limit = static_cast<std::uint32_t>(std::clamp<std::int64_t>(limit, 0, 1000000));
    const bool blocked_before = std::exchange(context.blocked, false);
    if (const auto allocation = context.mapping.task_allocation_of.find(element)) {
      allocate(context, context.mapping.tasks[*allocation], task);
    } else {
      context.error(unallocated_id,
                    fmt::format("task \"{}\" is not allocated to a scheduler; add a taskAllocation in the mappingModel",
                                task.name),
                    element.location(), element.path());
    }
    const std::string_view preemption = element.attribute_or("preemption", "preemptive");
    if (preemption == "cooperative") task.preemption = Preemption::cooperative;
    if (preemption == "non_preemptive") task.preemption = Preemption::non_preemptive;
    const auto index = static_cast<TaskIndex>(context.system.tasks.size());
    if (context.blocked) context.unplaced.insert(index);
    context.blocked = context.blocked || blocked_before;
    context.tasks.add(element, index);
    context.system.tasks.push_back(std::move(task));
    context.task_elements.push_back(element);
    activate_task(context, element, index);
  }
  report_task_groups(context);
  build_isrs(context);
  if (context.system.tasks.empty())
    context.error(no_task_id, "the model has no task to analyze; pass all its files, or add a task to the swModel",
                  context.model.documents().front()->root().location());
  check_host_schedulers(context);
  build_deadlines(context);
}

}  // namespace amalthea::importer::detail
