// SPDX-License-Identifier: Apache-2.0
#include "importer/building/used_classes.hpp"

#include <algorithm>
#include <array>

namespace amalthea::importer {
namespace {

constexpr std::array<std::string_view, 138> used{
    // sub-models and the root
    "Amalthea", "SWModel", "HWModel", "OSModel", "StimuliModel", "EventModel", "ConstraintsModel", "MappingModel",
    "PropertyConstraintsModel",
    // software
    "Task", "Runnable", "Label", "OsEvent", "Section", "ActivityGraph", "CallGraph", "CallSequence", "Group",
    "RunnableCall", "TaskRunnableCall", "DeviationRunnableItem", "LabelAccess", "Ticks", "TicksEntry", "ExecutionNeed",
    "ExecutionNeedExtended", "NeedEntry", "NeedConstant", "NeedDeviation", "RunnableInstructions",
    "RunnableInstructionsEntry", "InstructionsConstant", "InstructionsDeviation", "InterProcessTrigger",
    "InterProcessActivation", "SetEvent", "ClearEvent", "WaitEvent", "EventMask",
    // values
    "Time", "SignedTime", "Frequency", "DataSize", "DataUnit", "DataRate", "Deviation", "Boundaries",
    "UniformDistribution", "GaussDistribution", "WeibullEstimators", "WeibullParameters", "BetaDistribution",
    "CustomProperty", "StringObject", "IntegerObject", "LongObject", "BigIntegerObject", "FloatObject", "DoubleObject",
    "BooleanObject", "TimeObject", "ReferenceObject",
    // stimuli
    "PeriodicStimulus", "Periodic", "SingleStimulus", "Single", "InterProcessStimulus", "InterProcess",
    // hardware
    "HwStructure", "ProcessingUnit", "ProcessingUnitDefinition", "Memory", "MemoryDefinition", "Cache",
    "CacheDefinition", "ConnectionHandler", "ConnectionHandlerDefinition", "FrequencyDomain", "HwAccessElement",
    "HwAccessPath", "HwConnection", "HwPort", "HwFeature", "HwFeatureCategory", "HwSystem", "SystemType", "ECU",
    "ECUType", "Microcontroller", "MicrocontrollerType", "HwComponent", "Core", "CoreType", "MemoryType", "Network",
    "NetworkType", "Bus", "Bridge", "CrossbarSwitch", "Quartz", "Prescaler", "ComplexPort", "LatencyAccessPath",
    "LatencyConstant", "LatencyDeviation", "HwElementRef", "HwAccessPathRef", "AccessPathRef",
    // operating system and mapping
    "OperatingSystem", "VendorOperatingSystem", "TaskScheduler", "SchedulerDefinition", "SchedulingParameter",
    "SchedulingParameterDefinition", "SchedulingParameters", "ParameterExtension", "AlgorithmParameter",
    "FixedPriorityPreemptive", "FixedPriority", "OSEK", "SchedulingHWUnit", "SchedulingSWUnit", "SchedulerAllocation",
    "CoreAllocation", "TaskAllocation", "MemoryMapping", "AbstractElementMapping", "PhysicalSectionMapping",
    "SectionMapping",
    // chains and deadlines
    "EventChain", "SubEventChain", "EventChainReference", "EventChainContainer", "ProcessEvent", "RunnableEvent",
    "LabelEvent", "ProcessRequirement", "TimeRequirementLimit"};

}  // namespace

bool is_used_by_analysis(std::string_view class_name) {
  // Cycles of Ticks and latencies, in all their kinds.
  if (class_name.starts_with("DiscreteValue")) return true;
  return std::find(used.begin(), used.end(), class_name) != used.end();
}

}  // namespace amalthea::importer
