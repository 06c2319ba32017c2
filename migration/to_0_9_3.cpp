// 0.9.2 → 0.9.3: instructions become ticks, deviations get a family of classes for each type of value.

#include <fmt/core.h>

#include "amalthea/emf_form.hpp"
#include "migration/deviation.hpp"
#include "migration/steps.hpp"

namespace amalthea::migration {
namespace {

constexpr std::string_view instructions = "Instructions";

/// "Instructions", also where it is written like a reference: "Instructions?type=HwFeatureCategory".
std::string_view key_of(const Object& entry) {
  std::string_view key = entry.attribute_or("key", "");
  if (const auto reference = entry.reference("key"); key.empty() && reference) {
    key = *reference;
    key.remove_prefix(std::min(key.size(), key.find('#') + 1));
  }
  return key.substr(0, std::min(key.find("?type="), key.find("%3Ftype")));
}

/// What a processing unit of the definition executes per cycle; 1 where nothing is said.
double instructions_per_cycle(Step& step, const Object& definition) {
  for (const Field& feature : definition.references("features")) {
    const Object* const found = step.find(definition, feature);
    if (found == nullptr || found->owner() == nullptr || found->owner()->name() != instructions) continue;
    if (!found->name().starts_with("IPC") && !found->name().starts_with("ipc")) continue;
    const double value = std::atof(std::string(found->attribute_or("value", "1")).c_str());
    return value > 0 ? value : 1;
  }
  return 1;
}

/// NeedConstant or NeedDeviation → the discrete value of 0.9.3. False where it says nothing.
bool convert_need(Step& step, Object& need, double divisor) {
  if (need.is("NeedConstant")) {
    need.set_class("DiscreteValueConstant");
    if (const auto value = need.attribute("value")) need.set("value", divided(*value, divisor));
    return true;
  }
  if (!need.is("NeedDeviation")) return need.class_name().starts_with("DiscreteValue");
  Object* const deviation = need.child("deviation");
  return deviation != nullptr && convert_deviation(step, need, *deviation, DeviationFamily::discrete, divisor);
}

// ---- ExecutionNeed

/// Entries of `default`, taken out: those that become Ticks, and the others.
struct Needs {
  OwnedObject instructions;  ///< the value
  std::vector<OwnedObject> others;
};

Needs take_needs(Step& step, Object& owner, std::string_view feature, double divisor) {
  Needs needs;
  // Converted before they are taken out, so that what has to be kept finds a place.
  for (Object* const entry : owner.children(feature))
    if (Object* const value = entry->child("value"))
      if (!convert_need(step, *value, key_of(*entry) == instructions ? divisor : 1)) entry->remove(*value);
  for (OwnedObject& entry : owner.take_all(feature)) {
    Object* const value = entry->child("value");
    if (value == nullptr) continue;
    const std::string key(key_of(*entry));
    if (key == instructions) {
      if (needs.instructions == nullptr) needs.instructions = entry->take(*value);
      continue;
    }
    if (!entry->attribute("key")) {
      entry->unset("key");
      entry->set("key", key);
    }
    needs.others.push_back(std::move(entry));
  }
  return needs;
}

bool other_needs(const Object& extended) {
  for (const Object* const value : extended.children("value"))
    if (key_of(*value) != instructions) return true;
  return false;
}

void convert_extended(Step& step, Object& item) {
  for (Object* const entry : item.children("extended")) {
    if (!entry->is("ExecutionNeedExtended")) continue;
    if (other_needs(*entry)) step.keep(item, "extended", write_fragment(*entry, step.from.version));
    const auto key = entry->references("key");
    const Object* const definition = key.empty() ? nullptr : step.find(item, key.front());
    const double rate = definition != nullptr ? instructions_per_cycle(step, *definition) : 1;
    Needs needs = take_needs(step, *entry, "value", rate);
    if (needs.instructions == nullptr) {
      item.remove(*entry);
      continue;
    }
    entry->set_class("TicksEntry");
    entry->add("value", std::move(needs.instructions));
  }
}

/// The child that follows, or null.
const Object* next_of(const Object& child) {
  const auto& siblings = child.owner()->children();
  for (std::size_t i = 0; i + 1 < siblings.size(); ++i)
    if (siblings[i].get() == &child) return siblings[i + 1].get();
  return nullptr;
}

/// Whether some unit executes another number of instructions than one per cycle.
bool any_other_rate(Step& step) {
  for (const Object* const definition : step.objects_of("ProcessingUnitDefinition"))
    if (instructions_per_cycle(step, *definition) != 1) return true;
  return false;
}

void ticks_for_instructions(Step& step) {
  const bool other_rate = any_other_rate(step);
  for (Object* const item : step.objects_of("ExecutionNeed")) {
    if (item->child("default") == nullptr && item->child("extended") == nullptr) continue;
    Object& owner = *item->owner();
    const bool in_scheduler = item->feature() == "computationItems";
    Needs needs = take_needs(step, *item, "default", 1);
    convert_extended(step, *item);
    if (needs.instructions != nullptr && other_rate)
      step.altered(*item, "the default of instructions is taken as ticks, whatever a unit executes per cycle");
    if (needs.instructions != nullptr) item->add("default", std::move(needs.instructions));
    const bool ticks = item->child("default") != nullptr || item->child("extended") != nullptr;
    step.changed(*item);

    Object* rest = item;
    if (ticks) {
      item->set_class("Ticks");
      if (needs.others.empty()) continue;
      if (!in_scheduler) {
        const std::string feature(item->feature());
        const Object* const next = next_of(*item);
        rest = &owner.create(feature, "ExecutionNeed");
        if (next != nullptr) rest = &owner.add(feature, owner.take(*rest), next);
      }
    }
    for (OwnedObject& other : needs.others) {
      if (in_scheduler)
        step.keep(owner, "computationItems.default", write_fragment(*other, step.to.version));
      else
        rest->add("needs", std::move(other));
    }
    if (!ticks && in_scheduler) owner.remove(*item);
  }
}

// ---- back

bool has_need(const Object& value) {
  const std::string_view cls = value.class_name();
  return cls == "DiscreteValueConstant" ||
         (cls.starts_with("DiscreteValue") && cls != "DiscreteValueStatistics" && cls != "DiscreteValueHistogram");
}

/// The value of an entry: a NeedConstant, or a NeedDeviation around it.
void add_need(Object& entry, OwnedObject value) {
  if (value->is("DiscreteValueConstant")) {
    value->set_class("NeedConstant");
    entry.add("value", std::move(value));
    return;
  }
  convert_deviation_back(*value, DeviationFamily::discrete);
  entry.create("value", "NeedDeviation").add("deviation", std::move(value));
}

/// A value of ticks becomes an entry with the key Instructions.
void need_entry(Object& owner, std::string_view feature) {
  Object* const value = owner.child(feature);
  if (value == nullptr) return;
  OwnedObject taken = owner.take(*value);
  Object& entry = owner.create(feature, "NeedEntry");
  entry.set("key", instructions);
  add_need(entry, std::move(taken));
}

void other_needs_back(Step& step) {
  for (Object* const item : step.objects_of("ExecutionNeed"))
    for (Object* const entry : item->children("needs")) {
      Object* const value = entry->child("value");
      if (value == nullptr || !has_need(*value)) continue;
      add_need(*entry, entry->take(*value));
      entry->move_to(*item, "default");
      step.changed(*item);
    }
}

/// Ticks that are the same number of instructions, wherever they are executed.
void instructions_for_ticks(Step& step) {
  other_needs_back(step);
  for (Object* const ticks : step.objects_of("Ticks")) {
    const std::string_view owner = ticks->owner() != nullptr ? ticks->owner()->class_name() : std::string_view{};
    if (owner == "OsAPIInstructions" || owner == "OsISRInstructions") continue;  // of another rule
    bool same = true;
    if (const Object* const otherwise = ticks->child("default")) same = has_need(*otherwise);
    for (const Object* const entry : ticks->children("extended")) {
      const Object* const value = entry->child("value");
      const auto key = entry->references("key");
      const Object* const definition = key.empty() ? nullptr : step.find(*ticks, key.front());
      same = same && value != nullptr && has_need(*value) &&
             (definition == nullptr || instructions_per_cycle(step, *definition) == 1);
    }
    if (!same) continue;
    need_entry(*ticks, "default");
    for (Object* const entry : ticks->children("extended")) {
      need_entry(*entry, "value");
      entry->set_class("ExecutionNeedExtended");
    }
    ticks->set_class("ExecutionNeed");
    step.changed(*ticks);
  }
}

// ---- other places of instructions

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
          item->remove(*deviation);
      }
      item->set_class("Ticks");
      step.changed(*item);
    }
}

void overhead_classes(Step& step) {
  step.rename_class("OsInstructions", "OsOverhead");
  step.rename_class("OsAPIInstructions", "OsAPIOverhead");
  step.rename_class("OsISRInstructions", "OsISROverhead");
}

void overhead_classes_back(Step& step) {
  step.rename_class("OsOverhead", "OsInstructions");
  step.rename_class("OsAPIOverhead", "OsAPIInstructions");
  step.rename_class("OsISROverhead", "OsISRInstructions");
}

void ticks_of_the_operating_system_back(Step& step) {
  for (Object* const item : step.objects_of("Ticks")) {
    const std::string_view owner = item->owner() != nullptr ? item->owner()->class_name() : std::string_view{};
    if (owner != "OsAPIInstructions" && owner != "OsISRInstructions") continue;
    Object* const value = item->child("default");
    if (value == nullptr || item->child("extended") != nullptr || !has_need(*value)) continue;
    if (value->is("DiscreteValueConstant")) {
      const std::string number(value->attribute_or("value", "0"));
      item->remove(*value);
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

void chunk_processing(Step& step) {
  step.rename_feature("TransmissionPolicy", "chunkProcessingInstructions", "chunkProcessingTicks");
}

void chunk_processing_back(Step& step) {
  step.rename_feature("TransmissionPolicy", "chunkProcessingTicks", "chunkProcessingInstructions");
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
      latency->owner()->remove(*latency);
  }
}

void latencies_back(Step& step) {
  for (const std::string_view cls : {"HwConnection", "HwAccessElement", "ConnectionHandlerDefinition",
                                     "MemoryDefinition", "CacheDefinition"})
    for (Object* const owner : step.objects_of(cls))
      for (const std::string_view feature : {"readLatency", "writeLatency", "accessLatency"}) {
        Object* const value = owner->child(feature);
        if (value == nullptr || !has_need(*value)) continue;
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
    if (!convert_deviation(step, *deviation, *deviation, family)) owner->remove(*deviation);
  }
}

void convert_all_back(Step& step, std::string_view cls, std::string_view feature, DeviationFamily family) {
  for (Object* const owner : step.objects_of(cls))
    if (Object* const deviation = owner->child(feature); deviation != nullptr &&
                                                         convert_deviation_back(*deviation, family))
      step.changed(*deviation);
}

void time_deviations_back(Step& step) {
  convert_all_back(step, "PeriodicStimulus", "jitter", DeviationFamily::time);
  convert_all_back(step, "RelativePeriodicStimulus", "nextOccurrence", DeviationFamily::time);
  convert_all_back(step, "SporadicActivation", "activationDeviation", DeviationFamily::time);
  for (const std::string_view cls : {"TaskMeasurement", "RunnableMeasurement", "EventChainMeasurement"})
    convert_all_back(step, cls, "runtimeDeviation", DeviationFamily::time);
}

void occurrences_per_step_back(Step& step) {
  convert_all_back(step, "VariableRateStimulus", "occurrencesPerStep", DeviationFamily::continuous);
  convert_all_back(step, "VariableRateActivation", "occurrencesPerStep", DeviationFamily::continuous);
}

void time_deviations(Step& step) {
  convert_all(step, "PeriodicStimulus", "jitter", DeviationFamily::time);
  convert_all(step, "RelativePeriodicStimulus", "nextOccurrence", DeviationFamily::time);
  convert_all(step, "SporadicActivation", "activationDeviation", DeviationFamily::time);
  for (const std::string_view cls : {"TaskMeasurement", "RunnableMeasurement", "EventChainMeasurement"})
    convert_all(step, cls, "runtimeDeviation", DeviationFamily::time);
}

void occurrences_per_step(Step& step) {
  convert_all(step, "VariableRateStimulus", "occurrencesPerStep", DeviationFamily::continuous);
  convert_all(step, "VariableRateActivation", "occurrencesPerStep", DeviationFamily::continuous);
}

void sporadic_occurrence(Step& step) { step.rename_feature("SporadicActivation", "activationDeviation", "occurrence"); }

void sporadic_occurrence_back(Step& step) {
  step.rename_feature("SporadicActivation", "occurrence", "activationDeviation");
}

void changes_per_step(Step& step) {
  for (Object* const stimulus : step.objects_of("VariableRateStimulus"))
    for (const std::string_view feature : {"maxIncreasePerStep", "maxDecreasePerStep"}) {
      Object* const number = stimulus->child(feature);
      if (number == nullptr) continue;
      const std::string value(number->attribute_or("value", "0.0"));
      stimulus->remove(*number);
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

// What else appendix B lists needs no rule: Distribution, Need, HwLatency and Instructions are abstract, InstructionFetch
// is kept with its owner, and the other differences are additions.
constexpr Rule rules[] = {
    {"Ticks for needs of instructions",
     "ExecutionNeed with the key Instructions is Ticks: per definition divided by what it executes per cycle, the "
     "default as it is; other needs stay ExecutionNeed",
     ticks_for_instructions, instructions_for_ticks},
    {"Ticks for instructions of the operating system", "InstructionsConstant and InstructionsDeviation are Ticks",
     ticks_of_the_operating_system, ticks_of_the_operating_system_back},
    {"OsOverhead is the new name of OsInstructions", "also OsAPIOverhead and OsISROverhead", overhead_classes,
     overhead_classes_back},
    {"chunkProcessingTicks is the new name of chunkProcessingInstructions", "of a TransmissionPolicy",
     chunk_processing, chunk_processing_back},
    {"latencies are discrete values", "LatencyConstant and LatencyDeviation are DiscreteValue… classes", latencies,
     latencies_back},
    {"deviations of times are Time… classes", "jitter, next occurrence, sporadic activation, measured runtime",
     time_deviations, time_deviations_back},
    {"occurrences per step are ContinuousValue… classes", "of VariableRateStimulus and VariableRateActivation",
     occurrences_per_step, occurrences_per_step_back},
    {"occurrence is the new name of activationDeviation", "of a SporadicActivation", sporadic_occurrence,
     sporadic_occurrence_back},
    {"changes per step are numbers", "maxIncreasePerStep and maxDecreasePerStep of a VariableRateStimulus",
     changes_per_step, changes_per_step_back},
};

}  // namespace

StepRules to_0_9_3() { return {Version::v0_9_3, rules}; }

}  // namespace amalthea::migration
