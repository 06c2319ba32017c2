// Stimuli of a System, and which tasks they activate.

#include <algorithm>
#include <string>
#include <variant>

#include <fmt/core.h>

#include "amalthea/views/stimuli.hpp"
#include "importer/detail/build_context.hpp"

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

/// Nothing for a period that cannot be simulated, which is reported.
std::optional<Periodic> periodic(BuildContext& context, const Stimulus& stimulus, Element element,
                                 const views::PeriodicStimulus& view) {
  const Duration offset = view.offset.value_or(Duration{});
  if (!view.recurrence || *view.recurrence <= Duration{} || offset < Duration{}) {
    context.error(
        "AM0311",
        fmt::format("periodic stimulus \"{}\" needs a recurrence longer than zero and an offset that is not negative",
                    stimulus.name),
        element.location(), element.path());
    return std::nullopt;
  }
  if (view.jitter) not_simulated(context, stimulus, view.jitter->element);
  not_simulated(context, stimulus, element.child("minDistance"));
  if (view.clock)
    context.diagnostics.add("AM0416", Severity::warning,
                            fmt::format("stimulus \"{}\" is counted by the clock \"{}\", which is not simulated; its "
                                        "recurrence is taken as time",
                                        stimulus.name, view.clock.name()),
                            element.attribute_location("clock"), element.path());
  return Periodic{*view.recurrence, offset};
}

bool is_simulated(const views::Stimulus& view) {
  return std::holds_alternative<views::PeriodicStimulus>(view.kind) ||
         std::holds_alternative<views::SingleStimulus>(view.kind) ||
         std::holds_alternative<views::InterProcessStimulus>(view.kind);
}

}  // namespace

void build_stimuli(BuildContext& context) {
  for (const Element element : context.model.all("stimuliModel", "stimuli")) {
    Diagnostics found;
    const views::Stimulus view = views::stimulus_of(context.model, element, found);
    if (!is_simulated(view)) continue;  // reported where a task depends on it
    for (const Diagnostic& finding : found.all())
      context.diagnostics.add(finding.id, finding.severity, finding.message, finding.location, finding.path);
    Stimulus stimulus;
    stimulus.name = element.name();
    if (const auto* by_time = std::get_if<views::PeriodicStimulus>(&view.kind)) {
      const auto occurrence = periodic(context, stimulus, element, *by_time);
      if (!occurrence) continue;
      stimulus.occurrence = *occurrence;
    } else if (const auto* once = std::get_if<views::SingleStimulus>(&view.kind)) {
      stimulus.occurrence = Single{std::max(Duration{}, once->occurrence.value_or(Duration{}))};
    } else if (const auto* triggered = std::get_if<views::InterProcessStimulus>(&view.kind)) {
      stimulus.occurrence = InterProcess{};
      if (const auto& counter = triggered->counter; counter && (counter->prescaler != 1 || counter->offset != 0))
        not_simulated(context, stimulus, counter->element);
    }
    report_modes(context, stimulus, view);
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
    } else if (!stimulus.is("PeriodicStimulus") &&
               !stimulus.is("Periodic")) {  // one without a usable period has been reported
      context.error("AM0310",
                    fmt::format("task \"{}\" is activated by the {} \"{}\", a kind of stimulus that is not simulated",
                                element.name(), stimulus.class_name(), stimulus.name()),
                    stimulus.location(), stimulus.path());
    }
  }
}

}  // namespace amalthea::importer::detail
