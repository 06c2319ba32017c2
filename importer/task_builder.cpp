// Stimuli, data and tasks of a System: who is activated when, runs where, and how urgent it is.

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "amalthea/ascii.hpp"
#include "amalthea/views/properties.hpp"
#include "amalthea/views/quantities.hpp"
#include "importer/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

void activate(BuildContext& context, Element element, TaskIndex task) {
  const auto stimuli = context.model.references(element, "stimuli");
  if (stimuli.empty() && !element.attribute("stimuli") && !element.child("stimuli"))
    context.diagnostics.add("AM0407", Severity::warning,
                            fmt::format("task \"{}\" has no stimulus; it never runs", element.name()),
                            element.location(), element.path());
  for (const Element stimulus : stimuli) {
    if (const auto index = context.stimuli.find(stimulus)) {
      auto& activates = context.system.stimuli[*index].activates;
      if (activates.empty() || activates.back() != task) activates.push_back(task);  // named twice it counts once
    } else if (!stimulus.is("PeriodicStimulus")) {  // a periodic one without a usable period has been reported
      context.error("AM0310",
                    fmt::format("task \"{}\" is activated by the {} \"{}\", a kind of stimulus that is not simulated",
                                element.name(), stimulus.class_name(), stimulus.name()),
                    stimulus.location(), stimulus.path());
    }
  }
}

void read_deadlines(BuildContext& context) {
  for (const Element requirement : context.model.all("constraintsModel", "requirements")) {
    if (!requirement.is("ProcessRequirement")) continue;
    const Element limit = requirement.child("limit");
    if (!limit || !limit.is("TimeRequirementLimit") || limit.attribute_or("metric", "") != "ResponseTime" ||
        limit.attribute_or("limitType", "") != "UpperLimit")
      continue;
    const auto task = context.tasks.find(context.model.reference(requirement, "process"));
    const auto time = time_of(limit.child("limitValue"), context.diagnostics);
    if (!task || !time) continue;
    auto& deadline = context.system.tasks[*task].deadline;
    deadline = deadline ? std::min(*deadline, *time) : *time;
  }
}

}  // namespace

void build_stimuli(BuildContext& context) {
  for (const Element element : context.model.all("stimuliModel", "stimuli")) {
    Stimulus stimulus;
    stimulus.name = element.name();
    if (element.is("PeriodicStimulus")) {
      const auto period = time_of(element.child("recurrence"), context.diagnostics);
      const Duration offset = time_of(element.child("offset"), context.diagnostics).value_or(Duration{});
      if (!period || *period <= Duration{} || offset < Duration{}) {
        context.error(
            "AM0311",
            fmt::format(
                "periodic stimulus \"{}\" needs a recurrence longer than zero and an offset that is not negative",
                stimulus.name),
            element.location(), element.path());
        continue;
      }
      for (const std::string_view deviation : {"jitter", "minDistance"})
        if (const Element child = element.child(deviation))
          context.diagnostics.add("AM0408", Severity::warning,
                                  fmt::format("{} of stimulus \"{}\" is not simulated", deviation, stimulus.name),
                                  child.location(), child.path());
      stimulus.occurrence = Periodic{*period, offset};
    } else if (element.is("SingleStimulus")) {
      stimulus.occurrence =
          Single{std::max(Duration{}, time_of(element.child("occurrence"), context.diagnostics).value_or(Duration{}))};
    } else if (element.is("InterProcessStimulus")) {
      stimulus.occurrence = InterProcess{};
    } else {
      continue;  // reported where a task depends on it
    }
    context.stimuli.add(element, static_cast<std::uint32_t>(context.system.stimuli.size()));
    context.system.stimuli.push_back(std::move(stimulus));
  }
}

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
  report_second_allocations(context);
  for (const Element isr : context.model.all("swModel", "isrs")) context.ignore(isr);
  for (const Element element : context.model.all("swModel", "tasks")) {
    Task task;
    task.name = element.name();
    task.origin = element.origin();
    task.activation_limit = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        parse_integer(element.attribute_or("multipleTaskActivationLimit", "0")).value_or(0), 0, 1000000));
    if (const auto allocation = context.mapping.task_allocation_of.find(element)) {
      allocate(context, context.mapping.tasks[*allocation], task);
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
    activate(context, element, index);
  }
  if (context.system.tasks.empty())
    context.error("AM0312", "the model has no task; there is nothing to analyse",
                  context.model.documents().front()->root().location());
  check_host_schedulers(context);
  read_deadlines(context);
}

}  // namespace amalthea::importer::detail
