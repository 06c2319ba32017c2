// SPDX-License-Identifier: Apache-2.0
#include "amalthea/primitives/itea.hpp"

#include <array>
#include <utility>

namespace amalthea {
namespace {

struct ClassName {
  std::string_view package, before, after;
  /// the last release with it; none for a name that is read but never written
  IteaRelease last = IteaRelease::v1_3_0;
};
constexpr std::array classes{
    ClassName{"central", "AMALTHEA", "Amalthea"},
    ClassName{"hw", "Component", "HwComponent"},
    ClassName{"hw", "MemType", "MemoryType"},
    ClassName{"hw", "Port", "HwPort"},
    ClassName{"hw", "System", "HwSystem"},
    ClassName{"os", "DeadlineMonotinic", "DeadlineMonotonic", IteaRelease::v1_1_0},
    ClassName{"os", "OSAPIInstructions", "OsAPIInstructions"},
    ClassName{"os", "OSBuffering", "OsBuffering"},
    ClassName{"os", "OSInstructions", "OsInstructions"},
    ClassName{"os", "OSISRInstructions", "OsISRInstructions"},
    ClassName{"sw", "LabelSwitch", "ModeSwitch", IteaRelease::v1_2_0},
    ClassName{"sw", "OSEvent", "OsEvent"},
    ClassName{"sw", "Periodic", "PeriodicActivation"},
    ClassName{"sw", "Single", "SingleActivation", IteaRelease::none},
    ClassName{"sw", "Sporadic", "SporadicActivation", IteaRelease::none},
};

/// The concrete classes of 0.7.0 by their ITEA package, and those that 0.7.0 lacks; each between blanks.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> packages{{
    {"central", " Amalthea "},
    {"common",
     " Tag Time SignedTime Frequency DataUnit CustomProperty ListObject StringObject BigIntegerObject"
     " ReferenceObject IntegerObject LongObject FloatObject DoubleObject BooleanObject TimeObject"
     " SignedTimeObject Deviation WeibullParameters WeibullEstimators UniformDistribution Boundaries"
     " GaussDistribution MinAvgMaxStatistic SingleValueStatistic Mode ModeLiteral "},
    {"components",
     " ComponentsModel Component Composite System ComponentInstance Connector QualifiedPort FInterfacePort "},
    {"config", " ConfigModel EventConfigLink EventConfigElement "},
    {"constraints",
     " ConstraintsModel RunnableSequencingConstraint ProcessRunnableGroup ProcessRunnableGroupEntry"
     " RunnableSeparationConstraint ProcessSeparationConstraint SchedulerSeparationConstraint"
     " RunnablePairingConstraint ProcessPairingConstraint SchedulerPairingConstraint TargetCore"
     " TargetScheduler TargetProcess TargetCallSequence SchedulerEntityGroup RunnableEntityGroup"
     " ProcessEntityGroup TagGroup EventChain EventChainReference SubEventChain OrderConstraint"
     " SynchronisationConstraint ReactionConstraint DelayConstraint AgeConstraint RepetitionConstraint"
     " DataAgeConstraint DataAgeCycle DataAgeTime ProcessRequirement RunnableRequirement"
     " ArchitectureRequirement ProcessChainRequirement CPUPercentageRequirementLimit"
     " FrequencyRequirementLimit PercentageRequirementLimit CountRequirementLimit TimeRequirementLimit"
     " DataCoherencyGroup ProcessScope RunnableScope ComponentScope "},
    {"events",
     " EventModel EventSet CustomEvent StimulusEvent ProcessEvent ProcessChainEvent RunnableEvent"
     " LabelEvent SemaphoreEvent "},
    {"hw",
     " HWModel HwSystem ECU Microcontroller Core Memory Network Quartz HwComponent AbstractionType"
     " SystemType ECUType MicrocontrollerType CoreType MemoryType NetworkType HwPort Pin ComplexPort"
     " ComplexPin Prescaler CrossbarSwitch Bus Bridge LatencyAccessPath HwAccessPath AccessPathRef"
     " LatencyConstant LatencyDeviation HwAccessPathRef HwElementRef BoolValue CharValue DoubleValue"
     " FeatureTypes IntValue LongValue StrValue "},
    {"mapping",
     " MappingModel CoreAllocation SectionMapping AbstractElementMapping TaskAllocation ISRAllocation"
     " RunnableAllocation ProcessAllocation "},
    {"os",
     " OSModel OsBuffering Semaphore OSEK PartlyPFairPD2 PfairPD2 PartlyEarlyReleaseFairPD2"
     " EarlyReleaseFairPD2 LeastLocalRemainingExecutionTimeFirst EarliestDeadlineFirst DeadlineMonotonic"
     " RateMonotonic PriorityBasedRoundRobin UserSpecificSchedulingAlgorithm PriorityBased"
     " AlgorithmParameter SchedulingHWUnit SchedulingSWUnit OperatingSystem VendorOperatingSystem"
     " TaskScheduler InterruptController OsInstructions OsAPIInstructions OsISRInstructions"
     " OsExecutionInstructionsDeviation OsExecutionInstructionsConstant "},
    {"propertyconstraints",
     " PropertyConstraintsModel ProcessAllocationConstraint ProcessPrototypeAllocationConstraint"
     " RunnableAllocationConstraint SectionMappingConstraint AbstractElementMappingConstraint"
     " HwCoreProperty HwCoreConjunction HwMemoryProperty HwMemoryConjunction "},
    {"stimuli",
     " StimuliModel ModeValueList ModeValueListEntry Periodic PeriodicEvent CustomStimulus Single"
     " InterProcess Sporadic ArrivalCurve ArrivalCurveEntry ClockTriangleFunction ClockSinusFunction"
     " ClockMultiplierList ClockMultiplierListEntry "},
    {"sw",
     " SWModel CustomEntity ProcessChain CallGraph CallSequence ModeSwitch ModeSwitchEntry"
     " ProbabiltitySwitch ProbabilitySwitchEntry Counter WaitEvent SetEvent ClearEvent EventMask OsEvent"
     " InterProcessActivation EnforcedMigration TaskRunnableCall SchedulePoint TerminateProcess Task ISR"
     " ProcessPrototype ChainedProcessPrototype AccessPrecedenceSpec OrderPrecedenceSpec Runnable Label"
     " ModeLabel Section ModeLabelAccess LabelAccess SemaphoreAccess SenderReceiverRead SenderReceiverWrite"
     " SynchronousServerCall AsynchronousServerCall ProbabilityGroup ProbabilityRunnableItem Group"
     " DeviationRunnableItem RunnableCall InstructionsDeviation InstructionsConstant Struct StructEntry"
     " Array Pointer TypeRef DataPlatformMapping DataTypeDefinition BaseTypeDefinition PeriodicActivation"
     " SporadicActivation SingleActivation CustomActivation LabelAccessStatistic InstructionFetch"
     " RunEntityCallStatistic "},
}};

using NamePair = std::pair<std::string_view, std::string_view>;
constexpr std::array features{
    NamePair{"accessEnum", "access"}, NamePair{"isBuffered", "buffered"},
    NamePair{"isDefault", "default"}, NamePair{"isMaster", "master"},
    NamePair{"isOrdered", "ordered"}, NamePair{"maximumCyle", "maximumCycle"},
    NamePair{"mem", "memory"},        NamePair{"memTypeDefinitions", "memoryTypeDefinitions"},
    NamePair{"tagName", "name"},
};

constexpr std::array contents{
    NamePair{"deadline", "Time"},
    NamePair{"disablingLabelsList", "ModeValueList"},
    NamePair{"enablingLabelsList", "ModeValueList"},
    NamePair{"max", "Time"},
    NamePair{"min", "Time"},
    NamePair{"scheduler", "TaskScheduler"},
    NamePair{"setLabelsList", "ModeValueList"},
};

template <std::size_t N>
std::string_view lookup(const std::array<NamePair, N>& table, std::string_view name, std::string_view otherwise) {
  for (const auto& [before, after] : table)
    if (before == name) return after;
  return otherwise;
}

}  // namespace

std::string_view itea_class(std::string_view package, std::string_view name) {
  for (const ClassName& entry : classes)
    if (entry.package == package && entry.before == name) return entry.after;
  return name;
}

std::string_view itea_feature(std::string_view name) { return lookup(features, name, name); }

std::string_view itea_content(std::string_view feature) { return lookup(contents, feature, ""); }

std::string_view itea_package(std::string_view class_name) {
  if (class_name.empty()) return "";
  for (const auto& [package, names] : packages)
    for (std::size_t at = names.find(class_name); at != std::string_view::npos; at = names.find(class_name, at + 1))
      if (names[at - 1] == ' ' && names[at + class_name.size()] == ' ') return package;
  return "";
}

std::string_view itea_package(std::string_view class_name, IteaRelease release) {
  if (class_name == "SchedulingSWUnit") return release < IteaRelease::v1_3_0 ? "sw" : "os";
  return itea_package(class_name);
}

std::string_view itea_class_name(std::string_view class_name, IteaRelease release) {
  for (const ClassName& entry : classes)
    if (entry.after == class_name && release <= entry.last) return entry.before;
  return class_name;
}

std::string_view itea_feature_name(std::string_view class_name, std::string_view feature, IteaRelease release) {
  struct Name {
    std::string_view feature, before, of;  // of one class, or of all
    IteaRelease last = IteaRelease::v1_3_0;
  };
  static constexpr Name names[] = {{"access", "accessEnum", "SemaphoreAccess"},
                                   {"buffered", "isBuffered", ""},
                                   {"default", "isDefault", ""},
                                   {"master", "isMaster", ""},
                                   {"maximumCycle", "maximumCyle", "", IteaRelease::v1_2_0},
                                   {"memory", "mem", "AbstractElementMapping"},
                                   {"memory", "mem", "SectionMapping"},
                                   {"memoryTypeDefinitions", "memTypeDefinitions", ""},
                                   {"name", "tagName", "Tag", IteaRelease::v1_2_0},
                                   {"ordered", "isOrdered", ""}};
  for (const Name& name : names)
    if (name.feature == feature && (name.of.empty() || name.of == class_name) && release <= name.last)
      return name.before;
  return feature;
}

std::string itea_namespace(std::string_view package, IteaRelease release) {
  std::string uri = package == "components" ? "http://" : "http://www.";
  uri += "amalthea.itea2.org/model/";
  uri += release == IteaRelease::v1_1_0 ? "1.1.0/" : release == IteaRelease::v1_2_0 ? "1.2.0/" : "1.3.0/";
  return uri.append(package);
}

IteaRelease itea_release(std::string_view namespace_uri) {
  constexpr std::string_view marker = "amalthea.itea2.org/model/";
  const std::size_t at = namespace_uri.find(marker);
  if (at == std::string_view::npos) return IteaRelease::none;
  const std::string_view release = namespace_uri.substr(at + marker.size(), 6);
  if (release == "1.1.0/") return IteaRelease::v1_1_0;
  if (release == "1.2.0/") return IteaRelease::v1_2_0;
  if (release == "1.3.0/") return IteaRelease::v1_3_0;
  return IteaRelease::none;
}

}  // namespace amalthea
