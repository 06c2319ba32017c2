// SPDX-License-Identifier: Apache-2.0
// Priorities, allocations and schedulers since 0.8.1.

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "migration/rules/to_0_8_1_parts.hpp"

namespace amalthea::migration::to_0_8_1_parts {
namespace {

constexpr std::string_view processes[] = {"Task", "ISR", "ProcessPrototype"};

bool is_zero(std::string_view number) { return number.find_first_not_of("+-0") == std::string_view::npos; }

/// An attribute that becomes a custom property with the same name; 0 meant none.
void make_property(Step& step, Object& object, std::string_view attribute) {
  const auto value = object.attribute(attribute);
  if (!value) return;
  const std::string text(*value);
  object.unset(attribute);
  if (is_zero(text))
    step.changed(object);
  else
    step.keep_as(object, attribute, text);
}

void restore_attribute(Step& step, Object& object, std::string_view attribute) {
  for (Object* const property : object.children("customProperties")) {
    Object* const value = property->child("value");
    if (property->attribute("key") != attribute || object.attribute(attribute) || value == nullptr ||
        !value->is("StringObject"))
      continue;
    object.set(attribute, value->attribute_or("value", "0"));
    step.drop(*value, {"value"});
    step.drop(*property, {"key"});
    step.changed(object);
    return;
  }
}

Objects schedulers(const Step& step) {
  Objects found = step.objects_of("TaskScheduler");
  for (Object* const controller : step.objects_of("InterruptController")) found.push_back(controller);
  return found;
}

void take_over_properties(Object& unit, Object& scheduler) {
  for (Object* const property : unit.children("customProperties")) {
    property->set("key", fmt::format("{}_CustomProperty__{}", unit.class_name(), property->attribute_or("key", "")));
    property->move_to(scheduler, "customProperties");
  }
}

void take_over_hardware_unit(Step& step, Object& unit, Object& scheduler) {
  Object* const delay = unit.child("delay");
  if (delay == nullptr) return;
  step.replace(*delay, step.keep_as_object(scheduler, "SchedulingHWUnit___delay", "TimeObject"));
}

void take_over_software_unit(Step& step, Object& unit, Object& scheduler) {
  for (Object* const instructions : unit.children("instructions")) {
    Object& item = scheduler.create("computationItems", "RunnableInstructions");
    instructions->move_to(item, "default");
  }
  if (const auto priority = unit.attribute("priority"); priority && !is_zero(*priority))
    step.keep_as(scheduler, "SchedulingSWUnit___priority", *priority);
  for (const Field& controller : unit.references("interruptController"))
    step.keep(scheduler, "interruptController", controller.text);
}

/// The custom property with this key, or null.
Object* property_of(const Object& object, std::string_view key) {
  for (Object* const property : object.children("customProperties"))
    if (property->attribute("key") == key) return property;
  return nullptr;
}

bool is_plain(const Object& item) { return item.is("RunnableInstructions") && item.child("extended") == nullptr; }

}  // namespace

void keep_priorities(Step& step) {
  for (const std::string_view cls : processes)
    for (Object* const process : step.objects_of(cls)) make_property(step, *process, "priority");
}

void restore_priorities(Step& step) {
  for (const std::string_view cls : processes)
    for (Object* const process : step.objects_of(cls)) restore_attribute(step, *process, "priority");
}

void keep_task_groups(Step& step) {
  for (Object* const task : step.objects_of("Task")) make_property(step, *task, "osekTaskGroup");
}

void restore_task_groups(Step& step) {
  for (Object* const task : step.objects_of("Task")) restore_attribute(step, *task, "osekTaskGroup");
}

void parameterize_priority(Step& step) {
  for (Object* const allocation : step.objects_of("TaskAllocation")) {
    const auto priority = allocation->attribute("priority");
    if (!priority) continue;
    if (!is_zero(*priority)) {
      Object* parameters = allocation->child("schedulingParameters");
      if (parameters == nullptr) parameters = &allocation->create("schedulingParameters", "SchedulingParameters");
      if (!parameters->attribute("priority"))
        parameters->set("priority", *priority);
      else if (parameters->attribute("priority") != *priority)
        step.keep_field(*allocation, "priority");
    }
    allocation->unset("priority");
    step.changed(*allocation);
  }
}

void restore_allocation_priority(Step& step) {
  for (Object* const allocation : step.objects_of("TaskAllocation")) {
    Object* const parameters = allocation->child("schedulingParameters");
    if (parameters == nullptr) continue;
    if (const auto priority = parameters->attribute("priority")) {
      allocation->set("priority", *priority);
      parameters->unset("priority");
      step.changed(*allocation);
    }
    if (parameters->fields().empty() && parameters->children().empty()) step.drop(*parameters);
  }
}

void allocate_schedulers(Step& step) {
  step.rename_class("CoreAllocation", "SchedulerAllocation");
  step.rename_feature("SchedulerAllocation", "core", "responsibility");
  step.rename_feature("MappingModel", "coreAllocation", "schedulerAllocation");
}

void allocate_cores(Step& step) {
  step.rename_class("SchedulerAllocation", "CoreAllocation");
  step.rename_feature("CoreAllocation", "responsibility", "core");
  step.rename_feature("MappingModel", "schedulerAllocation", "coreAllocation");
}

void restore_parameters(Step& step) {
  for (Object* const algorithm : step.objects_of("UserSpecificSchedulingAlgorithm"))
    for (Object* const parameter : algorithm->children("parameterExtensions")) {
      parameter->set_class("AlgorithmParameter");
      parameter->move_to(*algorithm, "parameter");
      step.changed(*parameter);
    }
}

void compute_in_schedulers(Step& step) {
  for (Object* const scheduler : schedulers(step)) {
    make_property(step, *scheduler, "scheduleUnitPriority");
    Object* const unit = scheduler->child("schedulingUnit");
    if (unit == nullptr) continue;
    step.changed(*scheduler, fmt::format("the {} is now part of it", unit->class_name()));
    take_over_properties(*unit, *scheduler);
    if (unit->is("SchedulingHWUnit")) {
      take_over_hardware_unit(step, *unit, *scheduler);
      step.drop(*unit);
    } else {
      take_over_software_unit(step, *unit, *scheduler);
      step.drop(*unit, {"priority", "interruptController"});
    }
  }
}

void schedule_by_unit(Step& step) {
  for (Object* const scheduler : schedulers(step)) {
    restore_attribute(step, *scheduler, "scheduleUnitPriority");
    const Objects items = scheduler->children("computationItems");
    if (Object* const delay = property_of(*scheduler, "SchedulingHWUnit___delay");
        delay != nullptr && items.empty() && delay->child("value") != nullptr) {
      step.replace(*delay->child("value"),
                   scheduler->create("schedulingUnit", "SchedulingHWUnit").create("delay", "Time"));
      step.drop(*delay, {"key"});
      step.changed(*scheduler);
      continue;
    }
    Object* const priority = property_of(*scheduler, "SchedulingSWUnit___priority");
    if ((items.empty() && priority == nullptr) ||
        !std::all_of(items.begin(), items.end(), [](const Object* item) { return is_plain(*item); }))
      continue;
    Object& unit = scheduler->create("schedulingUnit", "SchedulingSWUnit");
    for (Object* const item : items) {
      if (Object* const instructions = item->child("default")) instructions->move_to(unit, "instructions");
      step.drop(*item);
    }
    if (priority != nullptr) {
      if (Object* const value = priority->child("value")) {
        unit.set("priority", value->attribute_or("value", "0"));
        step.drop(*value, {"value"});
      }
      step.drop(*priority, {"key"});
    }
    step.changed(*scheduler);
  }
}

}  // namespace amalthea::migration::to_0_8_1_parts
