// SPDX-License-Identifier: Apache-2.0
// Interrupt service routines: processes started by interrupt controllers.

#include <utility>

#include <fmt/core.h>

#include "amalthea/views/mapping.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// The tasks of a core do not depend on an ISR, so one without a core is omitted with a warning.
void leave_out(BuildContext& context, Element isr, std::string_view why) {
  context.diagnostics.add(
      "AM0436", Severity::warning,
      fmt::format("ISR \"{}\" {}; it is not simulated, and its execution time is missing from all results", isr.name(),
                  why),
      isr.location(), isr.path());
}

/// The allocation's priority (from 0.7.2), else the ISR's own (up to 0.8.0).
std::int64_t priority_of(Element isr, const views::IsrAllocation& allocation) {
  if (allocation.priority && *allocation.priority != 0) return *allocation.priority;
  return views::integer_attribute(isr, "priority").value_or(0);
}

/// Reports, once, that a controller is executed by a unit for which it is not responsible: its ISRs may run on either.
void report_other_executor(BuildContext& context, const Scheduler& controller, Element element) {
  for (const views::SchedulerAllocation& allocation : context.mapping.schedulers) {
    const auto& units = allocation.responsibility;
    if (allocation.scheduler != element || !allocation.executing_unit ||
        std::find(units.begin(), units.end(), allocation.executing_unit) != units.end())
      continue;
    const Origin origin = allocation.element.origin();
    if (context.reported_allocations.insert({origin.document, origin.element}).second)
      context.diagnostics.add(
          "AM0527", Severity::warning,
          fmt::format(
              "interrupt controller \"{}\" is executed by \"{}\", for which it is not responsible; the analysis "
              "runs its ISRs on the units of its responsibility; correct executingPU or the responsibility",
              controller.name, allocation.executing_unit.name()),
          allocation.element.location(), allocation.element.path());
  }
}

/// False if no unit can run the ISR, which is reported.
bool allocate_isr(BuildContext& context, Element element, Task& isr) {
  const auto index = context.mapping.isr_allocation_of.find(element);
  if (!index) {
    leave_out(context, element, "is not allocated to an interrupt controller (mappingModel/isrAllocation)");
    return false;
  }
  const views::IsrAllocation& allocation = context.mapping.isrs[*index];
  const Platform& platform = context.system.platform;
  const auto controller = context.schedulers.find(allocation.controller);
  if (!controller || !platform.schedulers[*controller].interrupt_controller) {
    leave_out(context, element, "is allocated to an element that is not an interrupt controller");
    return false;
  }
  const Scheduler& scheduler = platform.schedulers[*controller];
  for (const UnitIndex unit : scheduler.units)
    if (platform.units[unit].type != PuType::gpu) isr.units.push_back(unit);
  if (isr.units.empty()) {
    leave_out(context, element,
              fmt::format("is allocated to \"{}\", which is responsible for no CPU core (schedulerAllocation)",
                          scheduler.name));
    return false;
  }
  report_other_executor(context, scheduler, allocation.controller);
  isr.scheduler = *controller;
  isr.unit = isr.units.front();
  isr.priority = priority_of(element, allocation);
  for (const UnitIndex unit : isr.units) check_clock(context, unit, fmt::format("ISR \"{}\"", isr.name));
  if (isr.units.size() == 1) isr.units.clear();
  return true;
}

}  // namespace

void build_isrs(BuildContext& context) {
  for (const Element element : context.model.all("swModel", "isrs")) {
    Task isr;
    isr.name = element.name();
    isr.origin = element.origin();
    isr.kind =
        element.attribute_or("category", "") == "CATEGORY_1" ? ProcessKind::isr_category1 : ProcessKind::isr_category2;
    if (!allocate_isr(context, element, isr)) continue;
    const auto index = static_cast<TaskIndex>(context.system.tasks.size());
    context.tasks.add(element, index);
    context.system.tasks.push_back(std::move(isr));
    context.task_elements.push_back(element);
    activate_task(context, element, index);
  }
}

}  // namespace amalthea::importer::detail
