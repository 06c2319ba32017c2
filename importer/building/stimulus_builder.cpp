// SPDX-License-Identifier: Apache-2.0
// Stimuli of a System, and the tasks they activate.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/views/conditions.hpp"
#include "amalthea/views/events.hpp"
#include "amalthea/views/stimuli.hpp"
#include "importer/building/detail/build_context.hpp"
#include "importer/building/detail/occurrence_builder.hpp"

namespace amalthea::importer::detail {
namespace {

void not_simulated(BuildContext& context, const Stimulus& stimulus, Element part) {
  if (part)
    context.diagnostics.add("AM0408", Severity::warning,
                            fmt::format("{} of stimulus \"{}\" is not simulated, so the results do not include it",
                                        part.tag(), stimulus.name),
                            part.location(), part.path());
}

/// The modes that change when it occurs, and the condition of its effect; anything that depends on more than modes is
/// not simulated.
void read_modes(BuildContext& context, Stimulus& stimulus, const views::Stimulus& view) {
  for (const views::ModeAssignment& assignment : view.sets) {
    const auto mode = context.modes.find(assignment.label);
    const auto value = mode_value(context, assignment.label, assignment.value, assignment.literal);
    if (mode && value)
      stimulus.sets.push_back({*mode, *value});
    else
      not_simulated(context, stimulus, assignment.element);
  }
  for (const bool enables : {true, false}) {
    const auto& stated = enables ? view.enabling : view.disabling;
    if (!stated || stated->any_of.empty()) continue;
    auto condition = mode_condition(context, *stated);
    if (condition && !enables) condition = negated(*condition);
    if (condition && stimulus.condition) condition = conjunction_of(*stimulus.condition, *condition);
    if (condition)
      stimulus.condition = std::move(condition);
    else
      not_simulated(context, stimulus, stated->element);
  }
}

/// Whether some activity can cause the event.
bool is_simulated(const views::Event& event) {
  using enum EventAction;
  const auto one_of = [&](std::initializer_list<EventAction> types) {
    return std::find(types.begin(), types.end(), event.type) != types.end();
  };
  if (event.processing_unit) return false;
  if (event.kind == views::EventKind::label) return one_of({any, read, write});
  if (event.kind == views::EventKind::mode_label) return one_of({any, write, increment, decrement});
  if (event.kind == views::EventKind::runnable) return one_of({any, start, terminate});
  return event.kind == views::EventKind::custom;
}

void await_events(BuildContext& context, const views::Stimulus& view, const Stimulus& stimulus, StimulusIndex index) {
  const auto* by_event = std::get_if<views::EventStimulus>(&view.kind);
  if (by_event == nullptr) return;
  for (const Element element : by_event->events) {
    views::Event event = views::event_of(context.model, element);
    if (!is_simulated(event)) {
      context.report_event(stimulus.name, element,
                           "which is not simulated; use an event of a label, a mode label or a runnable on any "
                           "processing unit");
      continue;
    }
    context.event_triggers.push_back({std::move(event), index});
  }
}

using Place = std::pair<std::uint32_t, std::uint32_t>;  ///< (document, element)
Place place_of(Element element) { return {element.origin().document, element.origin().element}; }

/// No activity stands for runnables that are suspended or resumed, nor for mode labels that stimuli set.
void report_open_events(BuildContext& context, const std::set<Place>& set_modes) {
  for (EventTrigger& trigger : context.event_triggers) {
    const views::Event& event = trigger.event;
    if (event.kind == views::EventKind::runnable && event.type == EventAction::any)
      context.report_open_event(trigger, "runnables that are suspended or resumed",
                                "state start or terminate (eventType)");
    if (event.kind == views::EventKind::mode_label && !event.runnable && !event.process &&
        (event.type == EventAction::any || event.type == EventAction::write) &&
        (event.entity ? set_modes.contains(place_of(event.entity)) : !set_modes.empty()))
      context.report_open_event(trigger, "mode labels that a stimulus sets", "let a task set them");
  }
}

EveryNth counter_of(BuildContext& context, const views::Stimulus& view) {
  std::optional<views::Counter> counter;
  if (const auto* triggered = std::get_if<views::InterProcessStimulus>(&view.kind)) counter = triggered->counter;
  if (const auto* by_event = std::get_if<views::EventStimulus>(&view.kind)) counter = by_event->counter;
  if (!counter) return {};
  if (counter->prescaler < 0) context.report_negative(counter->element, "prescaler", "1");
  if (counter->offset < 0) context.report_negative(counter->element, "offset", "0");
  return {std::max<std::int64_t>(1, counter->prescaler), std::max<std::int64_t>(0, counter->offset)};
}

/// Faults in a stimulus without effect do not stop the analysis, except for these kinds.
bool always_matters(const views::Stimulus& view) {
  return std::holds_alternative<views::PeriodicStimulus>(view.kind) ||
         std::holds_alternative<views::SingleStimulus>(view.kind) ||
         std::holds_alternative<views::InterProcessStimulus>(view.kind);
}

}  // namespace

void build_stimuli(BuildContext& context) {
  const views::ActivationTable table(context.model);
  std::set<Place> set_modes;
  for (const Element element : context.model.all("stimuliModel", "stimuli")) {
    Diagnostics found;
    const views::Stimulus view = views::stimulus_of(context.model, element, found);
    if (!is_simulated(view)) continue;  // reported if a task depends on it
    auto occurrence = occurrence_of(context.model, view, found);
    const bool used = !table.activated_by(element).empty() || !view.sets.empty();
    if (used || always_matters(view))
      for (const Diagnostic& finding : found.all()) {
        // A maximum that is not stated limits nothing here.
        if (!used && finding.severity == Severity::warning) continue;
        // A missing feature is reported last, and may be a consequence of an unreadable value.
        const bool consequence = finding.severity == Severity::error && finding.id.starts_with("AM03");
        if (!consequence || !context.is_explained(element))
          context.diagnostics.add(finding.id, finding.severity, finding.message, finding.location, finding.path);
        context.blocked = context.blocked || (finding.severity == Severity::error && !occurrence);
      }
    if (!occurrence) continue;
    Stimulus stimulus;
    stimulus.name = element.name();
    stimulus.origin = element.origin();
    stimulus.occurrence = std::move(*occurrence);
    stimulus.counter = counter_of(context, view);
    if (view.deviation) not_simulated(context, stimulus, view.deviation->element);
    read_modes(context, stimulus, view);
    const auto index = static_cast<StimulusIndex>(context.system.stimuli.size());
    if (used) await_events(context, view, stimulus, index);
    for (const views::ModeAssignment& assignment : view.sets)
      if (assignment.label) set_modes.insert(place_of(assignment.label));
    context.stimuli.add(element, index);
    context.system.stimuli.push_back(std::move(stimulus));
  }
  report_open_events(context, set_modes);
}

void activate_task(BuildContext& context, Element element, TaskIndex task) {
  const auto stimuli = context.model.references(element, "stimuli");
  if (stimuli.empty() && !context.is_explained(element))
    context.diagnostics.add("AM0407", Severity::warning,
                            fmt::format("{} \"{}\" has no stimulus and never runs, so its execution time is missing "
                                        "from all results; state what activates it (stimuli)",
                                        element.is("ISR") ? "ISR" : "task", element.name()),
                            element.location(), element.path());
  for (const Element stimulus : stimuli) {
    if (const auto index = context.stimuli.find(stimulus)) {
      auto& activates = context.system.stimuli[*index].activates;
      if (activates.empty() || activates.back() != task) activates.push_back(task);  // a duplicate counts once
    } else if (Diagnostics reported; !is_simulated(views::stimulus_of(context.model, stimulus, reported))) {
      // Other missing features of a stimulus have been reported.
      context.error(
          "AM0310",
          fmt::format("task \"{}\" is activated by the {} \"{}\", a kind of stimulus that is not simulated; use a "
                      "periodic, sporadic, event or inter-process one",
                      element.name(), stimulus.class_name(), stimulus.name()),
          stimulus.location(), stimulus.path());
    }
  }
}

}  // namespace amalthea::importer::detail
