// SPDX-License-Identifier: Apache-2.0
// Data and tasks of a System.

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "amalthea/views/quantities.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer {

constexpr std::string_view unallocated_id = "AM0302";

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
  build_isrs(context);
  if (context.system.tasks.empty())
    context.error("AM0312", "the model has no task to analyze; pass all its files, or add a task to the swModel",
                  context.model.documents().front()->root().location());
  check_host_schedulers(context);
  build_deadlines(context);
}

}  // namespace amalthea::importer::detail
