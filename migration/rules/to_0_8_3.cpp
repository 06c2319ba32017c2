// SPDX-License-Identifier: Apache-2.0
// To 0.8.3: other stimuli, conditions in mode switches, addresses in several notations.

#include <charconv>

#include <fmt/core.h>

#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

// ---- stimuli

/// A clock defined a rate instead of a period: one activation with each recurrence of the clock's scenario.
void clocked_stimuli(Step& step) {
  for (Object* const stimulus : step.objects_of("PeriodicStimulus")) {
    const auto clocks = stimulus->references("clock");
    if (clocks.empty()) continue;
    step.set_class(*stimulus, "VariableRateStimulus");
    stimulus->unset("clock");
    Object& scenario = stimulus->create("scenario", "Scenario");
    for (Object* const recurrence : stimulus->children("recurrence")) recurrence->move_to(scenario, "recurrence");
    for (const Field& clock : clocks) scenario.add_reference_like("clock", clock);
    step.altered(*stimulus, "a periodic stimulus with a clock is a VariableRateStimulus with a scenario");
    for (Object* const offset : stimulus->children("offset"))
      step.replace(*offset, step.keep_as_object(scenario, "offset", "TimeObject"));
    for (Object* const deviation : stimulus->children("stimulusDeviation")) step.keep_child(*stimulus, *deviation);
  }
}

void relative_periodic(Step& step) {
  for (Object* const stimulus : step.objects_of("SporadicStimulus")) step.keep_field(*stimulus, "description");
  step.rename_feature("SporadicStimulus", "stimulusDeviation", "nextOccurrence");
  step.rename_class("SporadicStimulus", "RelativePeriodicStimulus");
}
void sporadic_again(Step& step) {
  step.rename_feature("RelativePeriodicStimulus", "nextOccurrence", "stimulusDeviation");
  step.rename_class("RelativePeriodicStimulus", "SporadicStimulus");
}

void periodic_synthetic(Step& step) {
  for (Object* const stimulus : step.objects_of("SyntheticStimulus"))
    for (Object* const deviation : stimulus->children("stimulusDeviation")) step.keep_child(*stimulus, *deviation);
  step.rename_feature("SyntheticStimulus", "period", "recurrence");
  step.rename_class("SyntheticStimulus", "PeriodicSyntheticStimulus");
}
void synthetic_again(Step& step) {
  step.rename_feature("PeriodicSyntheticStimulus", "recurrence", "period");
  step.rename_class("PeriodicSyntheticStimulus", "SyntheticStimulus");
}

/// The list between a stimulus and its times is removed; its own properties move to the stimulus.
void occurrence_times(Step& step) {
  for (Object* const stimulus : step.objects_of("PeriodicSyntheticStimulus"))
    for (Object* const list : stimulus->children("triggerTimes")) {
      for (Object* const time : list->children("timestamps")) time->move_to(*stimulus, "occurrenceTimes");
      for (Object* const property : list->children("customProperties"))
        property->move_to(*stimulus, "customProperties");
      step.changed(*stimulus);
      step.drop(*list);
    }
}
void trigger_times(Step& step) {
  for (Object* const stimulus : step.objects_of("PeriodicSyntheticStimulus")) {
    const auto times = stimulus->children("occurrenceTimes");
    if (times.empty()) continue;
    Object& list = stimulus->create("triggerTimes", "TimestampList");
    for (Object* const time : times) time->move_to(list, "timestamps");
    step.changed(*stimulus);
  }
}

// ---- mode switches

/// The label was the switch's and the literals the entry's; now an entry says which label has to have which value. One
/// of several literals was enough, as one of several entries of the condition is.
void switch_conditions(Step& step) {
  for (const char* const cls : {"ModeSwitch", "RunnableModeSwitch"})
    for (Object* const choice : step.objects_of(cls)) {
      const auto labels = choice->references("valueProvider");
      bool old = !labels.empty(), stated = false;
      for (Object* const entry : choice->children("entries")) {
        const auto literals = entry->references("values");
        if (entry->child("condition") != nullptr) continue;
        Object& condition = entry->create("condition", "ModeValueDisjunction");
        for (const Field& literal : literals) {
          Object& value = condition.create("entries", "ModeValue");
          if (!labels.empty()) value.add_reference_like("valueProvider", labels.front());
          stated = true;
          value.add_reference_like("value", literal);
        }
        entry->unset("values");
        old = true;
      }
      // A switch without entries, or with entries that name no value, has no place for its label.
      if (!labels.empty() && !stated)
        step.keep_field(*choice, "valueProvider");
      else
        choice->unset("valueProvider");
      if (old) step.changed(*choice);
    }
}

/// The target of the one reference of that name.
const Field* single(const std::vector<Field>& targets) { return targets.size() == 1 ? &targets.front() : nullptr; }

/// Possible if every condition is a disjunction over values of a single label.
void switch_values(Step& step) {
  for (const char* const cls : {"ModeSwitch", "RunnableModeSwitch"})
    for (Object* const choice : step.objects_of(cls)) {
      std::vector<Field> label;
      bool possible = true;
      for (Object* const entry : choice->children("entries")) {
        const Object* const condition = entry->child("condition");
        if (condition == nullptr || condition->children("entries").size() != condition->children().size())
          possible = false;
        if (condition == nullptr) continue;
        for (const Object* const value : condition->children("entries")) {
          const auto provider = value->references("valueProvider");
          if (!value->is("ModeValue") || single(provider) == nullptr || single(value->references("value")) == nullptr ||
              (!label.empty() && provider.front().text != label.front().text) || !value->children().empty())
            possible = false;
          else
            label = provider;
        }
      }
      if (!possible || label.empty()) continue;
      choice->add_reference_like("valueProvider", label.front());
      for (Object* const entry : choice->children("entries")) {
        Object* const condition = entry->child("condition");
        for (Object* const value : condition->children("entries")) {
          entry->add_reference_like("values", value->references("value").front());
          step.drop(*value, {"valueProvider", "value"});
        }
        step.drop(*condition);
      }
      step.changed(*choice);
    }
}

// ---- addresses

struct AddressAttribute {
  std::string_view class_name, attribute;
};
constexpr AddressAttribute addresses[] = {
    {"ComplexPin", "baseAddress"},
    {"ComplexPort", "baseAddress"},
    {"ComplexPort", "addressRange"},
    {"MemoryMapping", "memoryPositionAddress"},
    {"PhysicalSectionMapping", "startAddress"},
    {"PhysicalSectionMapping", "endAddress"},
};

/// Numbers were decimal even with leading zeros; an address with a leading zero is octal.
void hex_addresses(Step& step) {
  for (const auto& [class_name, attribute] : addresses)
    for (Object* const object : step.objects_of(class_name)) {
      const std::string_view text = object->attribute_or(attribute, "");
      unsigned long long value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      // already hexadecimal, or no address
      if (error != std::errc{} || end != text.data() + text.size()) continue;
      object->set(attribute, fmt::format("0x{:x}", value));
      if (value != 0) step.changed(*object, fmt::format("{} is 0x{:x}", attribute, value));
    }
}
void decimal_addresses(Step& step) {
  constexpr unsigned long long largest = 0x7fffffffffffffff;
  for (const auto& [class_name, attribute] : addresses)
    for (Object* const object : step.objects_of(class_name)) {
      const std::string_view text = object->attribute_or(attribute, "");
      if (!text.starts_with("0x") && !text.starts_with("0X")) continue;
      unsigned long long value = 0;
      const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
      if (error != std::errc{} || end != text.data() + text.size() || value > largest) continue;
      object->set(attribute, fmt::format("{}", value));
    }
}

constexpr Rule rules_to_0_8_3[] = {
    {"InterfacePort is the new name of FInterfacePort",
     "The port classes of components no longer refer to Franca.",
     {{"FInterfacePort", "InterfacePort"}}},
    {"a periodic stimulus with a clock is a VariableRateStimulus",
     "The recurrence becomes its step and the clock the one of its scenario. Offset and deviation become custom "
     "properties.",
     clocked_stimuli},
    {"the deviation of a periodic stimulus is its jitter",
     "Only the name changes.",
     {{"stimulusDeviation", "jitter", "PeriodicStimulus"}}},
    {"SporadicStimulus became RelativePeriodicStimulus", "Its deviation becomes the time to the next occurrence.",
     relative_periodic, sporadic_again},
    {"SyntheticStimulus became PeriodicSyntheticStimulus", "Its period becomes its recurrence.", periodic_synthetic,
     synthetic_again},
    {"a synthetic stimulus contains its times", "The list of trigger times around them is removed.", occurrence_times,
     trigger_times},
    {"the activation of a single stimulus is its occurrence",
     "Only the name changes.",
     {{"activation", "occurrence", "SingleStimulus"}}},
    {"arrival curves count occurrences",
     "numberOfEvents becomes numberOfOccurrences.",
     {{"numberOfEvents", "numberOfOccurrences", "ArrivalCurveEntry"}}},
    {"entries of mode switches have conditions",
     "The label and the literals become the values of one condition per entry.", switch_conditions, switch_values},
    {"addresses are hexadecimal", "Decimal addresses become hexadecimal.", hex_addresses, decimal_addresses},
};

}  // namespace

StepRules to_0_8_3() { return {Version::v0_8_3, rules_to_0_8_3}; }

}  // namespace amalthea::migration
