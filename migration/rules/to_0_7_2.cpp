// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/core.h>

#include "migration/detail/steps.hpp"
#include "migration/rules/to_0_7_2_parts.hpp"

namespace amalthea::migration {
namespace {

using namespace to_0_7_2_parts;

void gather_tags(Step& step) {
  for (const EditableModel::File& file : step.model.files()) {
    Objects tags;
    for (Object* const part : all_children(*file.root))
      if (part->feature() == "swModel" || part->feature() == "hwModel" || part->feature() == "componentsModel")
        for (Object* const tag : part->children("tags")) tags.push_back(tag);
    for (Object* const tag : tags) {
      step.changed(*tag);
      step.move(*tag, step.part(*tag, "commonElements", "CommonElements"), "tags");
    }
  }
}

void spread_tags(Step& step) {
  for (Object* const common : step.parts("commonElements")) {
    for (Object* const tag : common->children("tags")) {
      step.changed(*tag);
      step.move(*tag, step.part(*tag, "swModel", "SWModel"), "tags");
    }
    if (common->children().empty() && common->fields().empty()) step.drop(*common);
  }
}

void link_event_configs(Step& step) {
  for (Object* const config : step.objects_of("EventConfigLink")) {
    step.part(*config, "eventModel", "EventModel");
    config->set_class("EventConfig");
    step.changed(*config);
  }
  for (Object* const config : step.objects_of("EventConfigElement")) {
    Object& events = step.part(*config, "eventModel", "EventModel");
    Object* const event = config->child("event");
    if (event == nullptr) {
      config->set_class("EventConfig");
      step.changed(*config);
      continue;
    }
    step.altered(*config, fmt::format("the event {} moved to the event model, and its EventConfig \"{}\" is left out",
                                      event->name(), config->name()));
    for (Object* const property : config->children("customProperties")) property->move_to(*event, "customProperties");
    step.move(*event, events, "events");
    step.drop(*config, {"name"});
  }
}

void unlink_event_configs(Step& step) {
  for (Object* const config : step.objects_of("EventConfig")) {
    config->set_class("EventConfigLink");
    step.changed(*config);
  }
}

/// The buffering names of the operating system, the strongest first.
constexpr std::pair<std::string_view, std::string_view> levels[] = {
    {"processLevel", "process"}, {"runnableLevel", "runnable"}, {"scheduleSectionLevel", "scheduleSection"}};

void state_data_consistency(Step& step) {
  for (Object* const os : step.parts("osModel")) {
    Object* const buffering = os->child("osBuffering");
    bool stated = os->child("osDataConsistency") != nullptr;
    for (const Object* const system : os->children("operatingSystems"))
      stated = stated || system->child("osDataConsistency") != nullptr;
    if (buffering == nullptr) {
      if (!stated) {
        os->create("osDataConsistency", "OsDataConsistency");
        step.changed(*os);
      }
      continue;
    }
    step.changed(*buffering);
    Object& consistency = os->create("osDataConsistency", "OsDataConsistency");
    std::string_view level;
    int set = 0;
    for (const auto& [flag, name] : levels)
      if (buffering->attribute(flag) == "true") {
        if (set++ == 0) level = name;
      }
    consistency.set("mode", set > 0 ? "automaticProtection" : "noProtection");
    if (set > 0) {
      Object& stability = consistency.create("dataStability", "DataStability");
      stability.set("enabled", "true");
      stability.set("algorithm", buffering->attribute_or("bufferingAlgorithm", ""));
      stability.set("accessMultiplicity", "multipleAccesses");
      stability.set("level", level);
    } else if (!buffering->attribute_or("bufferingAlgorithm", "").empty()) {
      step.keep(consistency, "bufferingAlgorithm", *buffering->attribute("bufferingAlgorithm"));
    }
    if (set > 1)
      step.altered(consistency, fmt::format("only one of several levels of buffering, \"{}\", remains", level));
    for (Object* const property : buffering->children("customProperties"))
      property->move_to(consistency, "customProperties");
    step.drop(*buffering, {"processLevel", "runnableLevel", "scheduleSectionLevel", "bufferingAlgorithm"});
  }
}

/// If only buffering is stated.
void state_buffering(Step& step) {
  for (Object* const os : step.parts("osModel")) {
    Object* const consistency = os->child("osDataConsistency");
    if (consistency == nullptr || consistency->child("nonAtomicDataCoherency") != nullptr) continue;
    Object* const stability = consistency->child("dataStability");
    const std::string_view mode = consistency->attribute_or("mode", "_undefined_");
    const bool none = mode == "_undefined_" && stability == nullptr && consistency->children().empty();
    std::string_view flag;
    if (stability != nullptr && mode == "automaticProtection" && stability->attribute("enabled") == "true" &&
        stability->attribute("accessMultiplicity") == "multipleAccesses")
      for (const auto& [name, level] : levels)
        if (stability->attribute("level") == level) flag = name;
    if (!none && flag.empty() && !(mode == "noProtection" && stability == nullptr)) continue;
    step.changed(*consistency);
    if (!none) {
      Object& buffering = os->create("osBuffering", "OsBuffering");
      if (!flag.empty()) {
        buffering.set(flag, "true");
        if (const auto algorithm = stability->attribute("algorithm"); algorithm && !algorithm->empty())
          buffering.set("bufferingAlgorithm", *algorithm);
      }
      for (Object* const property : consistency->children("customProperties"))
        property->move_to(buffering, "customProperties");
    }
    if (stability != nullptr) step.drop(*stability, {"enabled", "algorithm", "accessMultiplicity", "level"});
    step.drop(*consistency, {"mode"});
  }
}

void rename_os_instructions_back(Step& step) {
  for (const std::string_view cls : {"InstructionsConstant", "InstructionsDeviation"})
    for (Object* const object : step.objects_of(cls)) {
      const std::string_view feature = object->feature();
      if (feature != "instructions" && !feature.starts_with("api") && !feature.ends_with("ExecutionOverhead")) continue;
      object->set_class(fmt::format("OsExecution{}", cls));
      step.changed(*object);
    }
}

void remove_targets(Step& step) {
  for (const std::string_view cls : {"TargetProcess", "TargetCallSequence"})
    for (Object* const target : step.objects_of(cls)) {
      if (target->owner() == nullptr) continue;
      step.changed(*target->owner(), fmt::format("{} can no longer be the target of a constraint", cls));
      step.drop(*target);
    }
}

constexpr Rule rules_to_0_7_2[] = {
    {"tags are in commonElements", "The tags of the software, hardware and component models move to one list.",
     gather_tags, spread_tags},
    {"EventConfig refers to its event", "An event inside an EventConfigElement moves to the event model.",
     link_event_configs, unlink_event_configs},
    {"core and memory types are in the hardware model",
     "Property constraints no longer define types. Definitions that the hardware model lacks move there.",
     move_types_to_hardware},
    {"HwMemoryProperty refers to a memory",
     "The memory inside it moves to the hardware model, unless it is already there.", refer_to_memories},
    {"HwCoreProperty refers to a core", "The core inside it moves to the hardware model, unless it is already there.",
     refer_to_cores},
    {"dataStability instead of buffered", "buffered becomes customProtection, notBuffered becomes noProtection.",
     name_data_stability, name_buffering},
    {"samplingType belongs to Boundaries", "The sampling type moves from the deviation to its Boundaries.",
     move_sampling_to_boundaries, move_sampling_to_deviation},
    {"RunnableInstructions contain the instructions of a runnable",
     "The instructions of a runnable become the default of an item that may state others per core type.",
     wrap_instructions, unwrap_instructions},
    {"RunnableProbabilitySwitch instead of ProbabilityGroup", "The items of the group become entries of the switch.",
     switch_probability_groups, group_probabilities},
    {"a group states whether it is ordered", "A group without this attribute was unordered, but would now be ordered.",
     state_group_order},
    {"a group contains its items directly", "The DeviationRunnableItem around each item is removed.",
     unwrap_group_items, wrap_group_items},
    {"preemption is no longer unknown", "An unknown preemption becomes an undefined one.", drop_unknown_preemption},
    {"initialValue of a semaphore is spelled correctly",
     "It was initalValue.",
     {{"initalValue", "initialValue", "Semaphore"}}},
    {"entries of an arrival curve",
     "arrivalCurveEntries becomes entries.",
     {{"arrivalCurveEntries", "entries", "ArrivalCurve"}}},
    {"instructions of the operating system are Instructions",
     "OsExecutionInstructionsConstant and …Deviation become InstructionsConstant and InstructionsDeviation.",
     {{"OsExecutionInstructionsConstant", "InstructionsConstant"},
      {"OsExecutionInstructionsDeviation", "InstructionsDeviation"}},
     rename_os_instructions_back},
    {"OsDataConsistency instead of OsBuffering",
     "Buffering becomes automatic protection at the same level. Without buffering, no protection is stated.",
     state_data_consistency, state_buffering},
    {"pairing constraints have a group",
     "runnables, processes or labels becomes group.",
     {{"runnables", "group", "RunnablePairingConstraint"},
      {"processes", "group", "ProcessPairingConstraint"},
      {"labels", "group", "DataPairingConstraint"}}},
    {"the target of a constraint is hardware", "Processes and call sequences can no longer be targets.",
     remove_targets},
};

}  // namespace

StepRules to_0_7_2() { return {Version::v0_7_2, rules_to_0_7_2}; }

}  // namespace amalthea::migration
