// Stimuli of a System, and which tasks they activate.

#include <algorithm>
#include <string>
#include <variant>

#include <fmt/core.h>

#include "amalthea/views/stimuli.hpp"
#include "importer/detail/build_context.hpp"
#include "importer/detail/occurrence_builder.hpp"

namespace amalthea::importer::detail {
namespace {

void not_simulated(BuildContext& context, const Stimulus& stimulus, Element part) {
  if (part)
    context.diagnostics.add("AM0408", Severity::warning,
                            fmt::format("{} of stimulus \"{}\" is not simulated", part.tag(), stimulus.name),
                            part.location(), part.path());
}

/// Modes are not simulated: what a stimulus sets and what enables it has no effect.
void report_modes(BuildContext& context, const Stimulus& stimulus, const views::Stimulus& view) {
  if (view.enabling) not_simulated(context, stimulus, view.enabling->element);
  if (view.disabling) not_simulated(context, stimulus, view.disabling->element);
}

/// Counters and deviations that a kind has no place for.
void report_rest(BuildContext& context, const Stimulus& stimulus, const views::Stimulus& view) {
  if (view.deviation) not_simulated(context, stimulus, view.deviation->element);
  report_modes(context, stimulus, view);
}

EveryNth counter_of(const views::Stimulus& view) {
  std::optional<views::Counter> counter;
  if (const auto* triggered = std::get_if<views::InterProcessStimulus>(&view.kind)) counter = triggered->counter;
  if (const auto* by_event = std::get_if<views::EventStimulus>(&view.kind)) counter = by_event->counter;
  if (!counter) return {};
  return {std::max<std::int64_t>(1, counter->prescaler), std::max<std::int64_t>(0, counter->offset)};
}

/// What is wrong with a stimulus that activates nobody stops no analysis; but those of these kinds are always looked
/// at.
bool always_matters(const views::Stimulus& view) {
  return std::holds_alternative<views::PeriodicStimulus>(view.kind) ||
         std::holds_alternative<views::SingleStimulus>(view.kind) ||
         std::holds_alternative<views::InterProcessStimulus>(view.kind);
}

}  // namespace

void build_stimuli(BuildContext& context) {
  const views::ActivationTable table(context.model);
  for (const Element element : context.model.all("stimuliModel", "stimuli")) {
    Diagnostics found;
    const views::Stimulus view = views::stimulus_of(context.model, element, found);
    if (!is_simulated(view)) continue;  // reported where a task depends on it
    auto occurrence = occurrence_of(context.model, view, found);
    if (always_matters(view) || !table.activated_by(element).empty())
      for (const Diagnostic& finding : found.all()) {
        context.diagnostics.add(finding.id, finding.severity, finding.message, finding.location, finding.path);
        context.blocked = context.blocked || (finding.severity == Severity::error && !occurrence);
      }
    if (!occurrence) continue;
    Stimulus stimulus;
    stimulus.name = element.name();
    stimulus.occurrence = std::move(*occurrence);
    stimulus.counter = counter_of(view);
    report_rest(context, stimulus, view);
    context.stimuli.add(element, static_cast<std::uint32_t>(context.system.stimuli.size()));
    context.system.stimuli.push_back(std::move(stimulus));
  }
}

void activate_task(BuildContext& context, Element element, TaskIndex task) {
  const auto stimuli = context.model.references(element, "stimuli");
  if (stimuli.empty() && !element.attribute("stimuli") && !element.child("stimuli"))
    context.diagnostics.add("AM0407", Severity::warning,
                            fmt::format("task \"{}\" has no stimulus; it never runs", element.name()),
                            element.location(), element.path());
  for (const Element stimulus : stimuli) {
    if (const auto index = context.stimuli.find(stimulus)) {
      auto& activates = context.system.stimuli[*index].activates;
      if (activates.empty() || activates.back() != task) activates.push_back(task);  // named twice it counts once
    } else if (Diagnostics told; !is_simulated(views::stimulus_of(context.model, stimulus, told))) {
      // What else is missing of a stimulus has been reported.
      context.error("AM0310",
                    fmt::format("task \"{}\" is activated by the {} \"{}\", a kind of stimulus that is not simulated",
                                element.name(), stimulus.class_name(), stimulus.name()),
                    stimulus.location(), stimulus.path());
    }
  }
}

}  // namespace amalthea::importer::detail
