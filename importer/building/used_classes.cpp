// SPDX-License-Identifier: Apache-2.0
#include "importer/building/used_classes.hpp"

#include <algorithm>
#include <array>

namespace amalthea::importer {
namespace {

constexpr std::array<std::string_view, 273> used{
    // sub-models and the root
    "Amalthea", "SWModel", "HWModel", "OSModel", "StimuliModel", "EventModel", "ConstraintsModel", "MappingModel",
    "PropertyConstraintsModel",
    // software
    "Task", "Runnable", "Label", "OsEvent", "Section", "ActivityGraph", "CallGraph", "CallSequence", "Group",
    "RunnableCall", "TaskRunnableCall", "DeviationRunnableItem", "LabelAccess", "Ticks", "TicksEntry", "ExecutionNeed",
    "ExecutionNeedExtended", "NeedEntry", "NeedConstant", "NeedDeviation", "RunnableInstructions",
    "RunnableInstructionsEntry", "InstructionsConstant", "InstructionsDeviation", "InstructionFetch",
    "InterProcessTrigger", "InterProcessActivation", "SetEvent", "ClearEvent", "WaitEvent", "EventMask",
    "AsynchronousServerCall", "ChannelReceive", "ChannelSend", "CustomEventTrigger", "EnforcedMigration",
    "GetResultServerCall", "ISR", "SchedulePoint", "SenderReceiverRead", "SenderReceiverWrite", "SynchronousServerCall",
    "Tag", "TerminateProcess", "TransmissionPolicy", "LabelAccessStatistic", "MinAvgMaxStatistic",
    "RunEntityCallStatistic",
    // values
    "Time", "SignedTime", "Frequency", "DataSize", "DataUnit", "DataRate", "Deviation", "Boundaries",
    "UniformDistribution", "GaussDistribution", "WeibullEstimators", "WeibullParameters", "BetaDistribution",
    "CustomProperty", "StringObject", "IntegerObject", "LongObject", "BigIntegerObject", "FloatObject", "DoubleObject",
    "BooleanObject", "TimeObject", "ReferenceObject", "ListObject", "MapObject", "SignedTimeObject",
    // stimuli
    "PeriodicStimulus", "Periodic", "SingleStimulus", "Single", "InterProcessStimulus", "InterProcess", "ArrivalCurve",
    "ArrivalCurveEntry", "ArrivalCurveStimulus", "ClockFunction", "ClockStep", "ClockStepList", "CustomStimulus",
    "EventStimulus", "PeriodicBurstStimulus", "PeriodicEvent", "PeriodicSyntheticStimulus", "ProcessPrototype",
    "RelativePeriodicStimulus", "Scenario", "Sporadic", "SporadicStimulus", "StimulusEvent", "Synthetic",
    "SyntheticStimulus", "TimestampList", "VariableRateStimulus",
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
    "SectionMapping", "ConstantBandwidthServerWithCASH", "DeadlineMonotonic", "EarliestDeadlineFirst",
    "EarlyReleaseFairPD2", "FixedPriorityPreemptiveWithBudgetEnforcement", "ISRAllocation", "InterruptController",
    "LeastLocalRemainingExecutionTimeFirst", "OsAPIInstructions", "OsAPIOverhead", "OsISRInstructions", "OsISROverhead",
    "OsInstructions", "OsOverhead", "PartlyEarlyReleaseFairPD2", "PartlyPFairPD2", "PfairPD2", "RateMonotonic",
    "RunnableAllocation", "SchedulerAssociation", "OsBuffering", "OsDataConsistency", "DataStability", "Semaphore",
    "SemaphoreAccess", "SporadicServer",
    // modes and conditions
    "ArithmeticExpression", "ChannelFillCondition", "ConditionDisjunction", "Counter", "EnumMode", "IntegerConst",
    "LocalModeCondition", "LocalModeLabelAssignment", "ModeAssignment", "ModeCondition", "ModeConditionDisjunction",
    "ModeLabel", "ModeLabelAccess", "ModeLabelAssignment", "ModeLabelCondition", "ModeLiteral", "ModeSwitch",
    "ModeSwitchDefault", "ModeSwitchEntry", "ModeValue", "ModeValueCondition", "ModeValueDisjunction", "ModeValueList",
    "ModeValueListEntry", "ProbabilityGroup", "ProbabilityRunnableItem", "ProbabilitySwitch", "ProbabilitySwitchEntry",
    "ProbabiltitySwitch", "RunnableModeSwitch", "RunnableProbabilitySwitch", "Switch", "SwitchDefault", "SwitchEntry",
    "WhileLoop",
    // chains, limits and constraints
    "EventChain", "SubEventChain", "EventChainReference", "EventChainContainer", "ProcessEvent", "RunnableEvent",
    "LabelEvent", "ProcessRequirement", "TimeRequirementLimit", "AgeConstraint", "ArchitectureRequirement",
    "CPUPercentageRequirementLimit", "ChannelEvent", "ComponentEvent", "CountRequirementLimit", "CustomEvent",
    "DataAgeConstraint", "DataAgeCycle", "DataCoherencyGroup", "DataStabilityGroup", "DelayConstraint",
    "EventChainLatencyConstraint", "EventChainSynchronizationConstraint", "EventSet", "EventSynchronizationConstraint",
    "FrequencyRequirementLimit", "ModeLabelEvent", "OrderConstraint", "PercentageRequirementLimit",
    "PhysicalSectionConstraint", "ProcessChainEvent", "ProcessChainRequirement", "ProcessRunnableGroup",
    "ProcessRunnableGroupEntry", "ReactionConstraint", "RepetitionConstraint", "RunnableEntityGroup",
    "RunnableRequirement", "RunnableSequencingConstraint", "SemaphoreEvent", "SynchronisationConstraint"};

}  // namespace

bool is_used_by_analysis(std::string_view class_name) {
  // Cycles of Ticks and latencies, in all their kinds.
  if (class_name.starts_with("DiscreteValue")) return true;
  return std::find(used.begin(), used.end(), class_name) != used.end();
}

}  // namespace amalthea::importer
