// SPDX-License-Identifier: Apache-2.0
// The scheduler, unit and priority of each task, and the memory of each label.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"
#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/properties.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// Of a runnable that runs on another scheduler than the model says, or nowhere.
constexpr std::string_view misallocated_id = "AM0467";

/// A sign that a unit is meant to be a GPU although its definition does not state it, as a clause; "" if there is none.
/// Time slice parameters left in an allocation count only if the definition states nothing: tasks moved from a GPU to a
/// CPU keep them.
std::string sign_of_gpu(const BuildContext& context, Element unit_element, const ProcessingUnit& unit,
                        const Scheduler& scheduler, const Task& task, Element allocation) {
  if (!unit.device_profile.empty()) return fmt::format("it states gpu.platform \"{}\"", unit.device_profile);
  if (scheduler.minimum_time_slice || scheduler.maximum_time_slice)
    return fmt::format("its scheduler \"{}\" limits time slices", scheduler.name);
  const Element definition = context.model.reference(unit_element, "definition");
  if (definition && definition.attribute_or("puType", "_undefined_") != "_undefined_") return {};
  // A default of the definition of a scheduler is no sign: it is stated for no task.
  const auto parameters = scheduling_parameters(context.model, allocation);
  const bool slices = std::any_of(parameters.begin(), parameters.end(),
                                  [](const Parameter& p) { return lower_case(p.name).starts_with("timeslice"); });
  return slices ? fmt::format("task \"{}\" has a time slice there", task.name) : std::string();
}

/// "the definition \"Cpu\" has puType=\"CPU\"".
std::string definition_in_words(const BuildContext& context, Element unit) {
  const Element definition = context.model.reference(unit, "definition");
  if (!definition) return "it has no definition";
  const std::string_view type = definition.attribute_or("puType", "_undefined_");
  return fmt::format("its definition \"{}\" {}", definition.name(),
                     type == "_undefined_" ? "has no puType" : fmt::format("has puType=\"{}\"", type));
}

void report_unreadable(BuildContext& context, const Task& task, std::string_view parameter, const std::string& wrong,
                       Element element, std::string_view attribute) {
  context.error("AM0308",
                fmt::format("unreadable scheduling parameter {} of task \"{}\": {}", parameter, task.name, wrong),
                element.attribute_location(attribute), element.path());
}

void read_priority(BuildContext& context, const views::TaskAllocation& allocation, Task& task) {
  const auto written = views::priority_of(context.model.element(task.origin), allocation);
  if (!written) return;
  if (const auto priority = parse_integer(written->text))
    task.priority = *priority;
  else
    report_unreadable(context, task, "priority", priority.error(), written->element, written->attribute);
}

void read_time_slice(BuildContext& context, const std::vector<Parameter>& parameters, Task& task) {
  const Parameter* first = nullptr;
  for (const Parameter& parameter : parameters) {
    if (!lower_case(parameter.name).starts_with("timeslice")) continue;
    const auto time = parse_time_text(parameter.value);
    if (first != nullptr && time && *time == task.time_slice) continue;
    if (first != nullptr && time) {
      if (!equal_ignoring_case(parameter.name, first->name)) context.report_second("time slice", parameter.element);
      continue;
    }
    first = &parameter;
    if (time && *time > Duration{})
      task.time_slice = *time;
    else
      report_unreadable(context, task, parameter.name, time ? "a time slice must be above zero" : time.error(),
                        parameter.element, "value");
  }
}

void read_gpu_share(BuildContext& context, Task& task) {
  const Element element = context.model.element(task.origin);
  constexpr std::array<std::string_view, 3> levels{"high", "medium", "low"};
  const auto read = [&](std::string_view key, std::string_view expected, auto accept) {
    const auto property = custom_property(element, key);
    if (!property || accept(property->value)) return;
    const bool has_level = key.ends_with("riority");
    context.error("AM0323",
                  fmt::format("custom property {} is \"{}\"; expected {}{}", key, property->value, expected,
                              has_level ? did_you_mean(property->value, levels) : std::string()),
                  property->element.location(), property->element.path());
  };
  const auto name = [](std::string& target) {
    return [&target](const std::string& value) {
      target = value;
      return value.find_first_not_of(" \t\r\n") != value.npos;
    };
  };
  read("gpu.context", "a name", name(task.gpu.context));
  read("gpu.stream", "a name", name(task.gpu.stream));
  read("gpu.nullStream", "true or false", [&](const std::string& value) {
    task.gpu.null_stream = value == "true";
    return value == "true" || value == "false";
  });
  if (const auto property = custom_property(element, "gpu.nullStream");
      property && task.gpu.null_stream && !task.gpu.stream.empty())
    context.error("AM0597",
                  fmt::format("task \"{}\" has gpu.stream \"{}\" and gpu.nullStream; it uses one stream; remove one of "
                              "the two",
                              task.name, task.gpu.stream),
                  property->element.location(), property->element.path());
  read("gpu.cuMask", "a mask such as 0xffff", name(task.gpu.cu_mask));
  const auto number = [](std::optional<std::int64_t>& target) {
    return [&target](const std::string& value) {
      const auto parsed = parse_integer(value);
      if (parsed && *parsed >= 0) target = *parsed;
      return target.has_value();
    };
  };
  read("gpu.hsaQueue", "a whole number of at least 0", number(task.gpu.hsa_queue));
  read("gpu.ace", "a whole number of at least 0", number(task.gpu.ace));
  read("gpu.smMask", "a mask such as 0xf0", name(task.gpu.sm_mask));
  read("gpu.mpsShare", "a percentage above 0, up to 100", [&](const std::string& value) {
    const auto percent = parse_double(value);
    task.gpu.mps_share = percent.value_or(0);
    return percent && *percent > 0 && *percent <= 100;
  });
  read("gpu.priority", "high or low", [&](const std::string& value) {
    task.gpu.high_priority = value == "high";
    return value == "high" || value == "low";
  });
  read("gpu.contextPriority", "high, medium or low", [&](const std::string& value) {
    task.gpu.runlist_slots = value == "high" ? 3 : value == "medium" ? 2 : 1;
    return value == "high" || value == "medium" || value == "low";
  });
}

/// The units that a task may run on: those of its affinity for which its scheduler is responsible, or all of its
/// affinity if there is none; without affinity those of the scheduler. On a GPU only the first one; in a mix of both
/// kinds those of the first one's kind.
std::vector<Element> chosen_units(BuildContext& context, const views::TaskAllocation& allocation,
                                  const Scheduler& scheduler, const Task& task) {
  const auto& affinity = allocation.affinity;
  const Platform& platform = context.system.platform;
  const auto report = [&](std::string_view id, Severity severity, std::string message) {
    context.diagnostics.add(id, severity, std::move(message), allocation.element.location(), allocation.element.path());
  };
  std::vector<Element> units;
  if (affinity.empty()) {
    for (const UnitIndex unit : scheduler.units) units.push_back(context.model.element(platform.units[unit].origin));
  } else {
    const auto responsible = [&](Element element) {
      const auto unit = context.units.find(element);
      return unit && std::find(scheduler.units.begin(), scheduler.units.end(), *unit) != scheduler.units.end();
    };
    for (const Element element : affinity)
      if (responsible(element) && std::find(units.begin(), units.end(), element) == units.end())
        units.push_back(element);
    const auto elsewhere = std::find_if(affinity.begin(), affinity.end(), [&](Element element) {
      return context.units.find(element) && !responsible(element);
    });
    const std::string used = units.empty() ? "there" : fmt::format("on \"{}\"", units.front().name());
    if (units.empty()) units.push_back(affinity.front());
    if (elsewhere != affinity.end() && scheduler.units.empty())
      report("AM0406", Severity::warning,
             fmt::format("task \"{}\" has an affinity to \"{}\", but its scheduler \"{}\" is responsible for no unit; "
                         "the analysis runs it there; state the responsibility",
                         task.name, elsewhere->name(), scheduler.name));
    else if (elsewhere != affinity.end())
      report("AM0525", Severity::warning,
             fmt::format("task \"{}\" has an affinity to \"{}\", for which its scheduler \"{}\" is not responsible; "
                         "the analysis runs it {}; correct the affinity or the responsibility",
                         task.name, elsewhere->name(), scheduler.name, used));
  }
  const auto type_of = [&](Element element) {
    const auto unit = context.units.find(element);
    return unit ? platform.units[*unit].type : PuType::cpu;
  };
  if (units.size() < 2) return units;
  if (type_of(units.front()) == PuType::gpu) {
    report("AM0404", Severity::warning,
           fmt::format("task \"{}\" may run on {} units; the analysis runs it on the first, the GPU \"{}\"; leave one "
                       "unit in the affinity",
                       task.name, units.size(), units.front().name()));
    return {units.front()};
  }
  units.erase(std::remove_if(units.begin(), units.end(), [&](Element unit) { return type_of(unit) == PuType::gpu; }),
              units.end());
  if (units.size() > 1 && context.global_schedulers.insert(task.scheduler).second) {
    std::string names;
    for (const Element unit : units) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", unit.name());
    report(
        "AM0405", Severity::note,
        fmt::format("scheduler \"{}\" schedules globally, so its tasks may migrate; the first one, \"{}\", between {}",
                    scheduler.name, task.name, names));
  }
  return units;
}

/// " with priority 3 instead of 1, with active waiting": what a change requests besides the unit.
std::string details_of(const MappingChange& change, const std::optional<views::PriorityText>& before = std::nullopt) {
  std::string text;
  const auto add = [&text](const std::string& detail) {
    text += text.empty() ? " " : ", ";
    text += detail;
  };
  if (change.priority) {
    const std::string now = std::to_string(*change.priority);
    add(fmt::format("with priority {}{}", now,
                    before && before->text != now ? fmt::format(" instead of {}", before->text) : std::string()));
  }
  if (change.waits_actively) add(*change.waits_actively ? "with active waiting" : "with passive waiting");
  if (change.time_slice) add(fmt::format("with a time slice of {}", format_duration(*change.time_slice)));
  return text;
}

void note_change(BuildContext& context, const views::TaskAllocation& allocation, std::string_view id,
                 std::string message) {
  context.mapping_notes.emplace_back(static_cast<TaskIndex>(context.system.tasks.size()),
                                     Diagnostic{std::string(id), Severity::note, std::move(message),
                                                allocation.element.location(), allocation.element.path()});
}

/// Whether the model maps the task to this unit and to no other.
bool runs_there_alone(const BuildContext& context, const views::TaskAllocation& allocation, const Scheduler& scheduler,
                      const std::string& unit) {
  const auto& units = context.system.platform.units;
  if (!allocation.affinity.empty()) {
    const auto index = context.units.find(allocation.affinity.front());
    return allocation.affinity.size() == 1 && index && units[*index].name == unit &&
           std::find(scheduler.units.begin(), scheduler.units.end(), *index) != scheduler.units.end();
  }
  return scheduler.units.size() == 1 && units[scheduler.units.front()].name == unit;
}

/// The unit of a mapping change. The task's scheduler becomes one that is responsible for it: that of the model if
/// possible, else the first one. Both exist (check_mapping_changes).
Element changed_unit(BuildContext& context, const views::TaskAllocation& allocation, const MappingChange& change,
                     Task& task) {
  const Platform& platform = context.system.platform;
  UnitIndex unit = 0;
  while (platform.units[unit].name != change.core) ++unit;
  const auto responsible = [unit](const Scheduler& scheduler) {
    return !scheduler.interrupt_controller &&
           std::find(scheduler.units.begin(), scheduler.units.end(), unit) != scheduler.units.end();
  };
  std::string before;
  for (const UnitIndex now : platform.schedulers[task.scheduler].units)
    before += fmt::format("{}\"{}\"", before.empty() ? "" : " or ", platform.units[now].name);
  if (!allocation.affinity.empty()) before = fmt::format("\"{}\"", allocation.affinity.front().name());
  if (!responsible(platform.schedulers[task.scheduler]))
    task.scheduler =
        static_cast<SchedulerIndex>(std::find_if(platform.schedulers.begin(), platform.schedulers.end(), responsible) -
                                    platform.schedulers.begin());
  note_change(context, allocation, "AM0421",
              fmt::format("task \"{}\" runs on \"{}\"{}, as requested{}", task.name, change.core, details_of(change),
                          before.empty() ? "" : ", instead of on " + before));
  return context.model.element(platform.units[unit].origin);
}

}  // namespace

void check_clock(BuildContext& context, UnitIndex index, const std::string& who) {
  const ProcessingUnit& unit = context.system.platform.units[index];
  if (!unit.frequency.is_zero() || !context.reported_clocks.insert(index).second) return;
  const Element element = context.model.element(unit.origin);
  context.error_unless_explained(
      "AM0304", element,
      fmt::format(
          "processing unit \"{}\", which runs {}, has no clock; add one ({})", unit.name, who,
          element.is("Core") ? "prescaler with a quartz that has a frequency" : "frequencyDomain with defaultValue"));
}

void allocate(BuildContext& context, const views::TaskAllocation& allocation, Task& task) {
  const MappingChange* change = mapping_change_of(context, task.name);
  const Element scheduler_element = allocation.scheduler;
  context.require(scheduler_element, allocation.element, "scheduler");
  const auto scheduler_index = context.schedulers.find(scheduler_element);
  if (!scheduler_index || context.system.platform.schedulers[*scheduler_index].interrupt_controller) {
    if (scheduler_element)
      context.error("AM0309",
                    fmt::format("task \"{}\" is allocated to \"{}\", which is not a TaskScheduler; allocate it to one",
                                task.name, scheduler_element.name()),
                    allocation.element.location(), allocation.element.path());
    return;
  }
  task.scheduler = *scheduler_index;
  report_repeated_parameters(context, allocation.parameters);
  const bool moved =
      change != nullptr && !change->core.empty() &&
      !runs_there_alone(context, allocation, context.system.platform.schedulers[*scheduler_index], change->core);
  const std::vector<Element> units =
      moved ? std::vector{changed_unit(context, allocation, *change, task)}
            : chosen_units(context, allocation, context.system.platform.schedulers[*scheduler_index], task);
  if (change != nullptr && !moved && !details_of(*change).empty())
    note_change(context, allocation, "AM0422",
                fmt::format("task \"{}\" runs{}, as requested", task.name,
                            details_of(*change, views::priority_of(context.model.element(task.origin), allocation))));
  const Element unit_element = units.empty() ? Element{} : units.front();
  const Scheduler& scheduler = context.system.platform.schedulers[task.scheduler];
  const auto unit_index = context.units.find(unit_element);
  if (!unit_index) {
    context.blocked = true;
    if (context.reported_schedulers.insert(task.scheduler).second) {
      context.error_unless_explained(
          "AM0303", scheduler_element,
          fmt::format(
              "scheduler \"{}\" of task \"{}\" is responsible for no processing unit; add a {} in the mappingModel",
              scheduler.name, task.name,
              allocation.element.document().version() < Version::v0_8_1 ? "coreAllocation" : "schedulerAllocation"));
    }
    return;
  }
  task.unit = *unit_index;
  if (units.size() > 1)
    for (const Element unit : units)
      if (const auto index = context.units.find(unit)) task.units.push_back(*index);
  const ProcessingUnit& unit = context.system.platform.units[task.unit];
  if (change != nullptr && change->priority)
    task.priority = *change->priority;
  else
    read_priority(context, allocation, task);
  read_time_slice(context, allocation.parameters, task);
  task.side = unit.type == PuType::gpu ? Side::device : Side::host;
  if (const auto slice = custom_property(context.model.element(task.origin), "gpu.timeslice")) {
    const auto allocated = task.time_slice;
    read_time_slice(context, {{"timeslice", slice->value, slice->element}}, task);
    if (allocated && task.time_slice != allocated)
      context.report_second("time slice, beside that of the allocation", slice->element, "this one");
  }
  if (change != nullptr && change->time_slice) task.time_slice = change->time_slice;
  if (task.side == Side::device) read_gpu_share(context, task);
  check_clock(context, task.unit, fmt::format("task \"{}\"", task.name));
  for (const UnitIndex index : task.units) check_clock(context, index, fmt::format("task \"{}\"", task.name));
  if (task.side == Side::device) return;
  report_unknown_parameters(context, allocation);
  if (const std::string sign = sign_of_gpu(context, unit_element, unit, scheduler, task, allocation.element);
      !sign.empty()) {
    context.blocked = true;
    if (context.reported_units.insert(task.unit).second)
      context.error_unless_explained(
          "AM0307", unit_element,
          fmt::format("unit \"{}\" is used as a GPU, because {}, but {}; if it is a GPU, set puType=\"GPU\" in its "
                      "definition, else remove {}",
                      unit.name, sign, definition_in_words(context, unit_element),
                      unit.device_profile.empty() ? "the time slices" : "gpu.platform"));
  }
}

void report_second_allocations(BuildContext& context) {
  for (std::uint32_t index = 0; index < context.mapping.tasks.size(); ++index) {
    const views::TaskAllocation& allocation = context.mapping.tasks[index];
    if (allocation.task && context.mapping.task_allocation_of.find(allocation.task) != index)
      context.diagnostics.add(
          "AM0415", Severity::warning,
          fmt::format("task \"{}\" has a second allocation, which the analysis ignores; remove one of them",
                      allocation.task.name()),
          allocation.element.location(), allocation.element.path());
  }
  for (std::uint32_t index = 0; index < context.mapping.isrs.size(); ++index) {
    const views::IsrAllocation& allocation = context.mapping.isrs[index];
    if (!allocation.isr) continue;
    const auto first = context.mapping.isr_allocation_of.find(allocation.isr);
    if (!first || *first == index) continue;
    const views::IsrAllocation& used = context.mapping.isrs[*first];
    if (used.controller != allocation.controller || used.priority != allocation.priority)
      context.report_second(fmt::format("allocation of ISR \"{}\"", allocation.isr.name()), allocation.element);
  }
}

void report_repeated_parameters(BuildContext& context, const std::vector<Parameter>& parameters) {
  for (auto parameter = parameters.begin(); parameter != parameters.end(); ++parameter) {
    const auto first = std::find_if(parameters.begin(), parameter, [&](const Parameter& other) {
      return equal_ignoring_case(other.name, parameter->name);
    });
    if (first != parameter && first->value != parameter->value)
      context.report_second(fmt::format("value of the scheduling parameter {}", parameter->name), parameter->element);
  }
}

void report_runnable_allocations(BuildContext& context) {
  std::map<RunnableIndex, const views::RunnableAllocation*> allocated;
  for (const views::RunnableAllocation& allocation : context.mapping.runnables)
    if (const auto runnable = context.runnables.find(allocation.runnable); runnable && allocation.scheduler)
      if (const auto [known, added] = allocated.emplace(*runnable, &allocation);
          !added && known->second->scheduler != allocation.scheduler)
        context.report_second(fmt::format("allocation of runnable \"{}\"", allocation.runnable.name()),
                              allocation.element, "those of its tasks");
  std::vector<RunnableIndex> activated;  // and executing something
  for (RunnableIndex runnable = 0; runnable < context.runnable_elements.size(); ++runnable)
    if (const Element element = context.runnable_elements[runnable];
        (context.model.reference(element, "activation") || !context.model.references(element, "activations").empty()) &&
        !items_of(element).empty())
      activated.push_back(runnable);
  if (allocated.empty() && activated.empty()) return;
  const auto report = [&](const views::RunnableAllocation& allocation, const std::string& fault) {
    context.diagnostics.add(misallocated_id, Severity::warning,
                            fmt::format("runnable \"{}\" is allocated to \"{}\", but {}", allocation.runnable.name(),
                                        allocation.scheduler.name(), fault),
                            allocation.element.location(), allocation.element.path());
  };
  std::set<RunnableIndex> called, reported;
  for (const RawBody& body : context.raw_bodies)
    for (const GraphNode& node : body)
      if (node.runnable) called.insert(*node.runnable);
  for (const auto& [runnable, allocation] : allocated)
    if (!called.contains(runnable) && !items_of(allocation->runnable).empty())
      report(*allocation,
             "no task calls it, so its execution time is missing from all results; call it in a task of this "
             "scheduler, or remove the allocation");
  for (const RunnableIndex runnable : activated) {
    const Element element = context.runnable_elements[runnable];
    if (!called.contains(runnable) && !allocated.contains(runnable))
      context.diagnostics.add(
          misallocated_id, Severity::warning,
          fmt::format("runnable \"{}\" states its activation, but no task calls it, so its execution "
                      "time is missing from all results; call it in a task, or remove the activation",
                      element.name()),
          element.location(), element.path());
  }
  for (TaskIndex task = 0; task < context.raw_bodies.size(); ++task) {
    const bool interrupt = context.system.tasks[task].kind != ProcessKind::task;
    const Element process = context.task_elements[task];
    const auto own =
        interrupt ? context.mapping.isr_allocation_of.find(process) : context.mapping.task_allocation_of.find(process);
    if (!own) continue;
    const Element scheduler = interrupt ? context.mapping.isrs[*own].controller : context.mapping.tasks[*own].scheduler;
    for (const GraphNode& node : context.raw_bodies[task]) {
      const auto found = node.runnable ? allocated.find(*node.runnable) : allocated.end();
      if (found == allocated.end() || found->second->scheduler == scheduler || !reported.insert(found->first).second)
        continue;
      report(*found->second,
             fmt::format("{} \"{}\", which calls it, to \"{}\"; the analysis runs it there; correct one of the "
                         "allocations",
                         interrupt ? "ISR" : "task", context.system.tasks[task].name, scheduler.name()));
    }
  }
}

namespace {

/// Labels that several mappings place in different memories.
void report_second_memories(BuildContext& context, const views::MemoryFinder& finder) {
  const auto check = [&](Element mapped, Element memory, Element mapping) {
    if (!context.labels.find(mapped) || !memory || finder.memory_of(mapped) == memory) return;
    context.report_second(fmt::format("memory of label \"{}\"", mapped.name()), mapping,
                          fmt::format("\"{}\"", finder.memory_of(mapped).name()));
  };
  for (const views::MemoryMapping& mapping : context.mapping.memory)
    check(mapping.mapped, mapping.memory, mapping.element);
  std::map<std::pair<std::size_t, std::uint32_t>, Element> sections;
  for (const views::PhysicalSectionMapping& mapping : context.mapping.sections) {
    if (mapping.sections.empty() && mapping.labels.empty() && mapping.runnables.empty())
      context.diagnostics.add(
          "AM0479", Severity::warning,
          "a mapping of sections maps nothing, so labels may be without a memory; state its origin, "
          "or remove it",
          mapping.element.location(), mapping.element.path());
    for (const Element label : mapping.labels) check(label, mapping.memory, mapping.element);
    for (const Element section : mapping.sections)
      if (const auto [known, added] =
              sections.emplace(std::pair{section.document().position(), section.index()}, mapping.memory);
          !added && mapping.memory && known->second != mapping.memory)
        context.report_second(fmt::format("memory of section \"{}\"", section.name()), mapping.element);
  }
}

}  // namespace

void map_labels(BuildContext& context) {
  const views::MemoryFinder finder(context.model, context.mapping);
  report_second_memories(context, finder);
  for (Label& label : context.system.labels)
    label.memory = context.memories.find(finder.memory_of(context.model.element(label.origin)));
  // Nothing else needs these, and a large model has one for each label.
  context.mapping.memory = std::vector<views::MemoryMapping>();
  context.mapping.memory_mapping_of = views::ElementIndex();
}

}  // namespace amalthea::importer::detail
