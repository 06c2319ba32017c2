// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/stimuli.hpp"

#include <algorithm>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/detail/reading.hpp"
#include "amalthea/views/quantities.hpp"

namespace amalthea::views {
namespace {

using detail::for_each_member;

/// The first of these children that exists.
Element first_child(Element element, std::string_view first, std::string_view second) {
  const Element child = element.child(first);
  return child ? child : element.child(second);
}

/// The events that trigger: `triggeringEvents`, or `trigger` up to 0.8.0.
std::vector<Element> triggering_events(const Model& model, Element element) {
  auto events = model.references(element, "triggeringEvents");
  return events.empty() ? model.references(element, "trigger") : events;
}

class StimulusReader {
 public:
  StimulusReader(const Model& model, Element element, Diagnostics& diagnostics)
      : model_(model), element_(element), diagnostics_(diagnostics) {}

  Stimulus::Kind kind() const {
    const std::string_view cls = element_.class_name();
    if (cls == "PeriodicStimulus" || cls == "Periodic") return periodic();
    if (cls == "InterProcessStimulus" || cls == "InterProcess")
      return InterProcessStimulus{counter_of(element_, diagnostics_)};
    if (cls == "EventStimulus")
      return EventStimulus{triggering_events(model_, element_), counter_of(element_, diagnostics_)};
    if (cls == "SingleStimulus" || cls == "Single")
      return SingleStimulus{time(first_child(element_, "occurrence", "activation"))};
    if (cls == "RelativePeriodicStimulus" || cls == "SporadicStimulus" || cls == "Sporadic")
      return RelativePeriodicStimulus{time("offset"),
                                      times(first_child(element_, "nextOccurrence", "stimulusDeviation"))};
    if (cls == "VariableRateStimulus") return variable_rate();
    if (cls == "PeriodicSyntheticStimulus" || cls == "SyntheticStimulus" || cls == "Synthetic") return synthetic();
    if (cls == "PeriodicBurstStimulus")
      return PeriodicBurstStimulus{time("offset"), time("recurrence"), time("burstLength"),
                                   time("occurrenceMinDistance"),
                                   detail::integer(element_, "occurrenceCount", diagnostics_).value_or(occurrences())};
    if (cls == "ArrivalCurveStimulus" || cls == "ArrivalCurve") return arrival_curve();
    if (cls == "CustomStimulus") return CustomStimulus{};
    if (cls == "PeriodicEvent") return PeriodicEventStimulus{};
    return UnknownStimulus{};
  }

  std::optional<Deviation<Duration>> times(Element element) const {
    return deviation_of<Duration>(element, diagnostics_);
  }

 private:
  std::optional<Duration> time(Element element) const { return time_of(element, diagnostics_); }
  std::optional<Duration> time(std::string_view child) const { return time(element_.child(child)); }

  /// Up to 1.1.0 an unset number of occurrences is 0, later 1.
  std::int64_t occurrences() const { return element_.document().version() <= Version::v1_1_0 ? 0 : 1; }

  PeriodicStimulus periodic() const {
    return {time("offset"), time("recurrence"), times(first_child(element_, "jitter", "stimulusDeviation")),
            time("minDistance"), model_.reference(element_, "clock")};
  }

  /// The limits are attributes, and DoubleObjects up to 0.9.2.
  std::optional<double> limit(std::string_view name) const {
    if (element_.attribute(name)) return detail::number(element_, name, diagnostics_);
    const Element child = element_.child(name);
    return child ? std::optional(detail::number(child, "value", diagnostics_).value_or(0)) : std::nullopt;
  }

  VariableRateStimulus variable_rate() const {
    VariableRateStimulus read;
    read.step = time("step");
    read.occurrences_per_step = deviation_of<double>(element_.child("occurrencesPerStep"), diagnostics_);
    read.largest_increase_per_step = limit("maxIncreasePerStep");
    read.largest_decrease_per_step = limit("maxDecreasePerStep");
    if (const Element scenario = element_.child("scenario"))
      read.scenario = Scenario{scenario, model_.reference(scenario, "clock"), time(scenario.child("recurrence")),
                               detail::number(scenario, "samplingOffset", diagnostics_).value_or(0),
                               detail::number(scenario, "samplingRecurrence", diagnostics_).value_or(1)};
    return read;
  }

  PeriodicSyntheticStimulus synthetic() const {
    PeriodicSyntheticStimulus read{time("offset"), time(first_child(element_, "recurrence", "period")), {}, {}};
    const Element list = element_.child("triggerTimes");  // up to 0.8.2
    for (const Element child : (list ? list : element_).children())
      if (child.tag() == "occurrenceTimes" || child.tag() == "timestamps")
        if (const auto at = time(child)) {
          read.occurrences.push_back(*at);
          if (is_unfilled(child)) read.without_value.push_back(child);
        }
    return read;
  }

  ArrivalCurveStimulus arrival_curve() const {
    ArrivalCurveStimulus read;
    for (const Element entry : element_.children())
      if (entry.tag() == "entries" || entry.tag() == "arrivalCurveEntries") {
        const std::string_view count = entry.attribute("numberOfEvents") ? "numberOfEvents" : "numberOfOccurrences";
        read.entries.push_back({entry, detail::integer(entry, count, diagnostics_).value_or(occurrences()),
                                time(entry.child("lowerTimeBorder")), time(entry.child("upperTimeBorder"))});
      }
    return read;
  }

  const Model& model_;
  Element element_;
  Diagnostics& diagnostics_;
};

}  // namespace

Stimulus stimulus_of(const Model& model, Element element, Diagnostics& diagnostics) {
  const StimulusReader reader(model, element, diagnostics);
  Stimulus stimulus;
  stimulus.element = element;
  stimulus.name = element.name();
  stimulus.kind = reader.kind();
  if (!std::holds_alternative<PeriodicStimulus>(stimulus.kind) &&
      !std::holds_alternative<RelativePeriodicStimulus>(stimulus.kind))
    stimulus.deviation = reader.times(element.child("stimulusDeviation"));
  // "…LabelsList" before 0.7.0, with values of labels instead of modes.
  stimulus.sets = mode_assignments(model, first_child(element, "setModeValueList", "setLabelsList"));
  const Element enabling = first_child(element, "executionCondition", "enablingModeValueList");
  stimulus.enabling = condition_of(model, enabling ? enabling : element.child("enablingLabelsList"), diagnostics);
  stimulus.disabling =
      condition_of(model, first_child(element, "disablingModeValueList", "disablingLabelsList"), diagnostics);
  return stimulus;
}

std::vector<Stimulus> stimuli(const Model& model, Diagnostics& diagnostics) {
  std::vector<Stimulus> found;
  for_each_member(model, "StimuliModel", "stimuli",
                  [&](Element element) { found.push_back(stimulus_of(model, element, diagnostics)); });
  return found;
}

double constant_hertz(Element clock) {
  Diagnostics not_needed;
  const auto hertz = [&](Element frequency) { return detail::hertz_of(frequency, not_needed); };
  if (clock && clock.is("ClockFunction"))
    return hertz(clock.child("peakToPeak")) == 0.0 ? hertz(clock.child("yOffset")).value_or(0) : 0;
  if (!clock || !clock.is("ClockStepList")) return 0;
  const auto steps = clock.children("entries");
  if (steps.empty()) return 0;
  const auto first = hertz(steps.front().child("frequency"));
  const auto equals = [&](Element step) { return hertz(step.child("frequency")) == first; };
  return std::all_of(steps.begin(), steps.end(), equals) ? first.value_or(0) : 0;
}

ActivationTable::ActivationTable(const Model& model) {
  const auto add = [&](Element who, std::string_view feature) {
    for (const Element target : model.references(who, feature)) {
      auto& activated = activated_[detail::key_of(target)];
      if (activated.empty() || activated.back() != who) activated.push_back(who);  // a duplicate counts once
    }
  };
  for_each_part(model, "SWModel", [&](Element part) {
    for (const Element child : part.children()) {
      if (child.tag() == "tasks" || child.tag() == "isrs") {
        add(child, "stimuli");
      } else if (child.tag() == "runnables" || child.tag() == "processPrototypes") {
        add(child, "activation");
        add(child, "activations");
      }
    }
  });
}

const std::vector<Element>& ActivationTable::activated_by(Element activation) const {
  static const std::vector<Element> nobody;
  if (!activation) return nobody;
  const auto found = activated_.find(detail::key_of(activation));
  return found == activated_.end() ? nobody : found->second;
}

}  // namespace amalthea::views
