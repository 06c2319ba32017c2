// SPDX-License-Identifier: Apache-2.0
// 0.9.2 → 0.9.3: instructions become ticks, deviations get a family of classes for each type of value.

#include "migration/rules/to_0_9_3.hpp"
#include "migration/detail/deviation.hpp"
#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

// ---- other uses of instructions

void ticks_of_the_operating_system(Step& step) {
  for (const std::string_view cls : {"InstructionsConstant", "InstructionsDeviation"})
    for (Object* const item : step.objects_of(cls)) {
      if (Object* const fetch = item->child("fetchStatistic")) step.keep_child(*item, *fetch);
      if (item->is("InstructionsConstant")) {
        const std::string value(item->attribute_or("value", "0"));
        item->unset("value");
        item->create("default", "DiscreteValueConstant").set("value", value);
      } else if (Object* const deviation = item->child("deviation")) {
        if (convert_deviation(step, *deviation, *deviation, DeviationFamily::discrete))
          deviation->move_to(*item, "default");
        else
          step.drop(*deviation);
      }
      item->set_class("Ticks");
      step.changed(*item);
    }
}

void ticks_of_the_operating_system_back(Step& step) {
  for (Object* const item : step.objects_of("Ticks")) {
    const std::string_view owner = item->owner() != nullptr ? item->owner()->class_name() : std::string_view{};
    if (owner != "OsAPIInstructions" && owner != "OsISRInstructions") continue;
    Object* const value = item->child("default");
    if (value == nullptr || item->child("extended") != nullptr || !had_form(*value)) continue;
    if (value->is("DiscreteValueConstant")) {
      const std::string number(value->attribute_or("value", "0"));
      step.drop(*value, {"value"});
      item->set_class("InstructionsConstant");
      item->set("value", number);
    } else {
      convert_deviation_back(*value, DeviationFamily::discrete);
      value->move_to(*item, "deviation");
      item->set_class("InstructionsDeviation");
    }
    step.changed(*item);
  }
}

void latencies(Step& step) {
  for (Object* const latency : step.objects_of("LatencyConstant")) {
    latency->rename_feature("cycles", "value");
    latency->set_class("DiscreteValueConstant");
    step.changed(*latency);
  }
  for (Object* const latency : step.objects_of("LatencyDeviation")) {
    step.changed(*latency);
    Object* const cycles = latency->child("cycles");
    if (cycles == nullptr || !convert_deviation(step, *latency, *cycles, DeviationFamily::discrete))
      step.drop(*latency);
  }
}

void latencies_back(Step& step) {
  for (const std::string_view cls :
       {"HwConnection", "HwAccessElement", "ConnectionHandlerDefinition", "MemoryDefinition", "CacheDefinition"})
    for (Object* const owner : step.objects_of(cls))
      for (const std::string_view feature : {"readLatency", "writeLatency", "accessLatency"}) {
        Object* const value = owner->child(feature);
        if (value == nullptr || !had_form(*value)) continue;
        step.changed(*value);
        if (value->is("DiscreteValueConstant")) {
          value->rename_feature("value", "cycles");
          value->set_class("LatencyConstant");
        } else {
          convert_deviation_back(*value, DeviationFamily::discrete);
          Object& latency = owner->create(feature, "LatencyDeviation");
          value->move_to(latency, "cycles");
        }
      }
}

// ---- deviations of stimuli, activations and measurements

void convert_all(Step& step, std::string_view cls, std::string_view feature, DeviationFamily family) {
  for (Object* const owner : step.objects_of(cls)) {
    Object* const deviation = owner->child(feature);
    if (deviation == nullptr || !deviation->is("Deviation")) continue;
    step.changed(*deviation);
    if (!convert_deviation(step, *deviation, *deviation, family)) step.drop(*deviation);
  }
}

void convert_all_back(Step& step, std::string_view cls, std::string_view feature, DeviationFamily family) {
  for (Object* const owner : step.objects_of(cls))
    if (Object* const deviation = owner->child(feature);
        deviation != nullptr && convert_deviation_back(*deviation, family))
      step.changed(*deviation);
}

using ConvertAll = void (*)(Step&, std::string_view, std::string_view, DeviationFamily);

void each_time_deviation(Step& step, ConvertAll convert) {
  convert(step, "PeriodicStimulus", "jitter", DeviationFamily::time);
  convert(step, "RelativePeriodicStimulus", "nextOccurrence", DeviationFamily::time);
  convert(step, "SporadicActivation", "activationDeviation", DeviationFamily::time);
  for (const std::string_view cls : {"TaskMeasurement", "RunnableMeasurement", "EventChainMeasurement"})
    convert(step, cls, "runtimeDeviation", DeviationFamily::time);
}
void time_deviations(Step& step) { each_time_deviation(step, convert_all); }
void time_deviations_back(Step& step) { each_time_deviation(step, convert_all_back); }

void each_occurrence_per_step(Step& step, ConvertAll convert) {
  convert(step, "VariableRateStimulus", "occurrencesPerStep", DeviationFamily::continuous);
  convert(step, "VariableRateActivation", "occurrencesPerStep", DeviationFamily::continuous);
}
void occurrences_per_step(Step& step) { each_occurrence_per_step(step, convert_all); }
void occurrences_per_step_back(Step& step) { each_occurrence_per_step(step, convert_all_back); }

void changes_per_step(Step& step) {
  for (Object* const stimulus : step.objects_of("VariableRateStimulus"))
    for (const std::string_view feature : {"maxIncreasePerStep", "maxDecreasePerStep"}) {
      Object* const number = stimulus->child(feature);
      if (number == nullptr) continue;
      const std::string value(number->attribute_or("value", "0.0"));
      step.drop(*number, {"value"});
      stimulus->set(feature, value);
      step.changed(*stimulus, feature);
    }
}

void changes_per_step_back(Step& step) {
  for (Object* const stimulus : step.objects_of("VariableRateStimulus"))
    for (const std::string_view feature : {"maxIncreasePerStep", "maxDecreasePerStep"}) {
      const auto value = stimulus->attribute(feature);
      if (!value) continue;
      const std::string text(*value);
      stimulus->unset(feature);
      stimulus->create(feature, "DoubleObject").set("value", text);
      step.changed(*stimulus, feature);
    }
}

// Other changes need no rule: Distribution, Need, HwLatency and Instructions are abstract, InstructionFetch is kept
// with its owner, and the rest are additions.
constexpr Rule rules_to_0_9_3[] = {
    {"Ticks for needs of instructions",
     "An ExecutionNeed with the key Instructions becomes Ticks. Values per definition are divided by its instructions "
     "per cycle; the default stays as it is. Other needs stay ExecutionNeed.",
     ticks_for_instructions, instructions_for_ticks},
    {"Ticks for instructions of the operating system", "InstructionsConstant and InstructionsDeviation become Ticks.",
     ticks_of_the_operating_system, ticks_of_the_operating_system_back},
    {"OsOverhead is the new name of OsInstructions",
     "OsAPIOverhead and OsISROverhead are renamed in the same way.",
     {{"OsInstructions", "OsOverhead"},
      {"OsAPIInstructions", "OsAPIOverhead"},
      {"OsISRInstructions", "OsISROverhead"}}},
    {"chunkProcessingTicks is the new name of chunkProcessingInstructions",
     "This applies to a TransmissionPolicy.",
     {{"chunkProcessingInstructions", "chunkProcessingTicks", "TransmissionPolicy"}}},
    {"latencies are discrete values", "LatencyConstant and LatencyDeviation become DiscreteValue… classes.", latencies,
     latencies_back},
    {"deviations of times are Time… classes",
     "This applies to jitter, next occurrence, sporadic activation and measured runtime.", time_deviations,
     time_deviations_back},
    {"occurrences per step are ContinuousValue… classes",
     "This applies to VariableRateStimulus and VariableRateActivation.", occurrences_per_step,
     occurrences_per_step_back},
    {"occurrence is the new name of activationDeviation",
     "This applies to a SporadicActivation.",
     {{"activationDeviation", "occurrence", "SporadicActivation"}}},
    {"changes per step are numbers",
     "This applies to maxIncreasePerStep and maxDecreasePerStep of a VariableRateStimulus.", changes_per_step,
     changes_per_step_back},
};

}  // namespace

StepRules to_0_9_3() { return {Version::v0_9_3, rules_to_0_9_3}; }

}  // namespace amalthea::migration
