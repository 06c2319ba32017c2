// SPDX-License-Identifier: Apache-2.0
// To 0.9.0: other hardware (see to_0_9_0_hardware.cpp and to_0_9_0_access.cpp), and references to it.

#include <string>
#include <vector>

#include "migration/detail/steps.hpp"
#include "migration/rules/to_0_9_0.hpp"

namespace amalthea::migration {
namespace {

using namespace to_0_9_0_hardware;

// ---- needs of runnables

void wrap_need(Object& owner, Object& instructions, std::string_view feature) {
  Object& entry = owner.create(feature, "NeedEntry");
  entry.set("key", "Instructions");
  instructions.set_class(instructions.is("InstructionsConstant") ? "NeedConstant" : "NeedDeviation");
  instructions.move_to(entry, "value");
}

/// Instructions are one need among others, named after the feature category that states how many a cycle executes.
void execution_needs(Step& step) {
  const auto wrap_all = [&step](Object& owner, std::string_view feature) {
    for (Object* const instructions : owner.children(feature)) {
      if (!instructions->is("InstructionsConstant") && !instructions->is("InstructionsDeviation")) continue;
      for (Object* const fetches : instructions->children("fetchStatistic")) step.keep_child(*instructions, *fetches);
      wrap_need(owner, *instructions, feature);
    }
  };
  for (Object* const item : step.objects_of("RunnableInstructions")) {
    wrap_all(*item, "default");
    for (Object* const entry : item->children("extended")) wrap_all(*entry, "value");
  }
  step.rename_class("RunnableInstructionsEntry", "ExecutionNeedExtended");
  step.rename_class("RunnableInstructions", "ExecutionNeed");
}

Object* only_instructions(const Object& owner, std::string_view feature) {
  const auto entries = owner.children(feature);
  if (entries.size() != 1 || entries.front()->attribute("key") != "Instructions") return nullptr;
  return entries.front()->child("value");
}

/// Possible if only instructions are needed.
void runnable_instructions(Step& step) {
  const auto unwrap = [&step](Object& owner, std::string_view feature) {
    Object& entry = *owner.children(feature).front();
    Object& need = *entry.child("value");
    need.set_class(need.is("NeedConstant") ? "InstructionsConstant" : "InstructionsDeviation");
    need.move_to(owner, feature);
    step.drop(entry, {"key"});
  };
  for (Object* const item : step.objects_of("ExecutionNeed")) {
    bool possible = only_instructions(*item, "default") != nullptr;
    for (const Object* const entry : item->children("extended"))
      possible = possible && only_instructions(*entry, "value") != nullptr;
    if (!possible) continue;
    unwrap(*item, "default");
    for (Object* const entry : item->children("extended")) {
      unwrap(*entry, "value");
      entry->set_class("RunnableInstructionsEntry");
    }
    item->set_class("RunnableInstructions");
    step.changed(*item);
  }
}

// ---- references to nodes of any kind, or to a memory that becomes a cache

struct NarrowReference {
  std::string_view class_name, feature;
};
constexpr NarrowReference narrow_references[] = {
    {"CPUPercentageRequirementLimit", "hardwareContext"},
    {"TargetMemory", "memories"},
    {"PhysicalSectionConstraint", "memories"},
    {"MemoryMapping", "memory"},
    {"PhysicalSectionMapping", "memory"},
    {"HwAccessElement", "destination"},
};

bool may_refer(const Step& step, const Object& object, std::string_view feature_name, std::string_view target) {
  constexpr std::string_view mark = "?type=";
  const std::size_t at = target.rfind(mark);
  if (at == std::string_view::npos) return true;
  const auto cls = metamodel::find_class(target.substr(at + mark.size()));
  const Feature* const feature = metamodel::find_feature(object.cls(), feature_name, step.to.version);
  return !cls || feature == nullptr || !metamodel::exists(*cls, step.to.version) ||
         metamodel::is_a(*cls, feature->type, step.to.version);
}

void narrow(Step& step) {
  for (const auto& [class_name, feature] : narrow_references)
    for (Object* const object : step.objects_of(class_name)) {
      const auto targets = object->references(feature);
      std::vector<Field> fitting;
      std::string other;
      for (const Field& target : targets) {
        if (may_refer(step, *object, feature, target.text))
          fitting.push_back(target);
        else
          other.append(other.empty() ? "" : " ").append(target.text);
      }
      if (other.empty()) continue;
      object->unset(feature);
      for (const Field& target : fitting) object->add_reference_like(feature, target);
      step.keep(*object, feature, other);
    }
}

constexpr Rule rules_to_0_9_0[] = {
    {"the hardware of all files is one model", "The content of all hardware models moves to the one in the first file.",
     merge_models},
    {"access paths are access elements of cores",
     "The latencies along a path become the read and write latency of the core where it begins.", access_paths},
    {"cycles at the ports of a memory are its access latency",
     "They move to the definition of the memory. If there is none, one is created.", port_cycles},
    {"memories of a cache type are caches", "Memory and MemoryType become Cache and CacheDefinition.", caches},
    {"MemoryType became MemoryDefinition", "References follow.", memory_definitions},
    {"CoreType became ProcessingUnitDefinition", "All of them become CPUs.", unit_definitions},
    {"instructions per cycle are a feature",
     "The feature belongs to the category Instructions and is named IPC_ and the number.", instructions_per_cycle},
    {"network types became ConnectionHandlerDefinition", "This applies to buses, bridges and crossbar switches.",
     handler_definitions},
    {"quartzes are frequency domains", "They move from the system to the hardware model.", frequency_domains},
    {"prescalers choose a frequency domain",
     "Modules refer to the domain of the quartz. A ratio other than 1 creates a separate domain.", prescalers},
    {"ComplexPort became HwPort",
     "A master becomes an initiator, any other port a responder. Other content becomes a custom property.", ports},
    {"systems, ECUs and microcontrollers are structures", "Their cores, memories and networks become modules.",
     structures},
    {"ports at a network are connected with it", "A HwConnection leads to a new port of the ConnectionHandler.",
     connections},
    {"RunnableInstructions became ExecutionNeed", "The instructions become the need with the key Instructions.",
     execution_needs, runnable_instructions},
    {"cores are called processing units",
     "This applies to allocations and events.",
     {{"coreAffinity", "affinity", "TaskAllocation"},
      {"executingCore", "executingPU", "SchedulerAllocation"},
      {"core", "processingUnit", "ProcessEvent"},
      {"core", "processingUnit", "ProcessChainEvent"},
      {"core", "processingUnit", "RunnableEvent"},
      {"core", "processingUnit", "SemaphoreEvent"}}},
    {"references to units and memories refer to nothing else",
     "References to systems or to memories that became caches become custom properties.", narrow},
};

}  // namespace

StepRules to_0_9_0() { return {Version::v0_9_0, rules_to_0_9_0}; }

}  // namespace amalthea::migration
