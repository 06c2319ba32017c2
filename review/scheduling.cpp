// SPDX-License-Identifier: Apache-2.0
// Operating systems: parameters of schedulers, and semaphores.

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "importer/building/system_builder.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

/// An element with scheduling parameters (since 2.0.0), and the definitions of its possible parameters.
struct ParameterHolder {
  Element holder;
  Element definition;            ///< of the scheduler
  std::vector<Element> allowed;  ///< parameters that the definition allows for such a holder
  std::string_view scheduler;    ///< its name
  bool is_scheduler = false;
};

/// Calls visit(holder) for schedulers, their allocations and their parent associations, if the scheduler has a
/// definition with parameters.
template <typename Visit>
void for_each_parameter_holder(const Context& context, Visit visit) {
  const auto handle = [&](Element holder, Element scheduler, std::string_view feature) {
    const Element definition = scheduler ? context.model.reference(scheduler, "definition") : Element();
    if (definition)
      visit(ParameterHolder{holder, definition, context.model.references(definition, feature), scheduler.name(),
                            holder == scheduler});
  };
  for (const std::string_view name : {"TaskScheduler", "InterruptController"})
    for (const Element scheduler : context.facts.all(name)) handle(scheduler, scheduler, "algorithmParameters");
  for (const Element allocation : context.facts.all("TaskAllocation"))
    handle(allocation, context.model.reference(allocation, "scheduler"), "processParameters");
  for (const Element place : context.facts.all("SchedulerAssociation"))
    handle(place, context.model.reference(place, "parent"), "processParameters");
}

bool is_of_type(Element value, std::string_view type) {
  if (type == "Integer") return value.is("IntegerObject") || value.is("LongObject") || value.is("BigIntegerObject");
  if (type == "Float") return value.is("FloatObject") || value.is("DoubleObject");
  if (type == "Bool") return value.is("BooleanObject");
  if (type == "String") return value.is("StringObject");
  if (type == "Time") return value.is("Time");
  return true;
}

/// The values of a parameter; those of a list one by one.
std::vector<Element> values_of(Element parameter) {
  std::vector<Element> values;
  for (const Element value : parameter.children("value")) {
    if (!value.is("ListObject")) {
      values.push_back(value);
      continue;
    }
    for (const Element one : value.children("values")) values.push_back(one);
  }
  return values;
}

std::string subject(const ParameterHolder& holder) {
  return holder.is_scheduler
             ? fmt::format("scheduler \"{}\"", holder.scheduler)
             : fmt::format("this {} with scheduler \"{}\"", holder.holder.class_name(), holder.scheduler);
}

}  // namespace

void check_parameter_names(const Context& context, Report& report) {
  for_each_parameter_holder(context, [&](const ParameterHolder& holder) {
    for (const Element parameter : holder.holder.children("schedulingParameters")) {
      const Element definition = context.model.reference(parameter, "key");
      if (!definition || std::find(holder.allowed.begin(), holder.allowed.end(), definition) != holder.allowed.end())
        continue;
      report.add(parameter, "key",
                 fmt::format("{} has the parameter \"{}\", which its definition \"{}\" does not list in its {}; add it "
                             "there, or remove it here",
                             subject(holder), definition.name(), holder.definition.name(),
                             holder.is_scheduler ? "algorithmParameters" : "processParameters"));
    }
  });
}

void check_parameter_values(const Context& context, Report& report) {
  for_each_parameter_holder(context, [&](const ParameterHolder& holder) {
    for (const Element parameter : holder.holder.children("schedulingParameters")) {
      const Element definition = context.model.reference(parameter, "key");
      if (!definition || report.is_reported(parameter)) continue;
      const auto values = values_of(parameter);
      const std::string_view type = definition.attribute_or("type", "_undefined_");
      if (values.size() > 1 && definition.attribute_or("many", "false") != "true")
        report.add(parameter, fmt::format("parameter \"{}\" of {} has {} values; its definition allows one",
                                          definition.name(), subject(holder), values.size()));
      else
        for (const Element value : values)
          if (!is_of_type(value, type) && !report.is_reported(value)) {
            report.add(value, fmt::format("parameter \"{}\" of {} is a {}; its definition requires the type {}",
                                          definition.name(), subject(holder), value.class_name(), type));
            break;
          }
    }
  });
}

void check_mandatory_parameters(const Context& context, Report& report) {
  struct Missing {
    std::size_t count = 0;
    Element first;
    std::string message;
  };
  const auto needed = report.reported_as(importer::missing_parameter_id), unread = report.reported_as("AM02");
  const bool are_priorities_reported = !report.reported_as(importer::missing_priority_id).empty();
  // A finding explains this if the algorithm needs the parameter, or if something unknown replaces it. A scheduler
  // without unit, or a task without stimulus, explains nothing.
  const auto is_explained = [&](Element holder) {
    const ChildRange children = holder.children();
    return needed.contains(holder.path()) || needed.contains(holder.parent().path()) ||
           unread.contains(holder.path()) ||
           std::any_of(children.begin(), children.end(), [&](Element child) { return unread.contains(child.path()); });
  };
  std::map<std::pair<std::string_view, std::string_view>, Missing> missing;  // by scheduler and parameter
  std::vector<std::pair<std::string_view, std::string_view>> order;
  for_each_parameter_holder(context, [&](const ParameterHolder& holder) {
    std::vector<Element> given;
    for (const Element parameter : holder.holder.children("schedulingParameters"))
      given.push_back(context.model.reference(parameter, "key"));
    for (const Element definition : holder.allowed) {
      if (definition.attribute_or("mandatory", "true") != "true" || definition.child("defaultValue") ||
          std::find(given.begin(), given.end(), definition) != given.end() ||
          (are_priorities_reported && !holder.is_scheduler && definition.name() == "priority") ||
          is_explained(holder.holder))
        continue;
      Missing& one = missing[{holder.scheduler, definition.name()}];
      if (one.count++ > 0) continue;
      order.emplace_back(holder.scheduler, definition.name());
      one.first = holder.holder;
      one.message =
          fmt::format("{} has no \"{}\"; expected one, because the definition \"{}\" requires it and has no default",
                      subject(holder), definition.name(), holder.definition.name());
    }
  });
  for (const auto& key : order) {
    const Missing& one = missing[key];
    report.add(one.first, one.count == 1 ? one.message : fmt::format("{} (in {} places)", one.message, one.count));
  }
}

void check_semaphores(const Context& context, Report& report) {
  for (const Element semaphore : context.facts.all("Semaphore")) {
    const std::string_view type = semaphore.attribute_or("semaphoreType", "");
    const auto most = parse_integer(semaphore.attribute_or("maxValue", "1"));
    const auto initial = parse_integer(semaphore.attribute_or("initialValue", "0"));
    if (report.is_reported(semaphore) || !most || !initial) continue;
    if (*initial < 0 || *most < 0)
      report.add(semaphore, *initial < 0 ? "initialValue" : "maxValue",
                 fmt::format("the {} of semaphore \"{}\" is negative; expected 0 or more",
                             *initial < 0 ? "initialValue" : "maxValue", semaphore.name()));
    else if (*most > 1 && (type == "Resource" || type == "Spinlock" || type == "Mutex"))
      report.add(semaphore, "maxValue",
                 fmt::format("semaphore \"{}\" is a {}, which only one task can hold, but its maxValue is {}; expected "
                             "1, or the type CountingSemaphore",
                             semaphore.name(), type, *most));
  }
}

}  // namespace amalthea::review
