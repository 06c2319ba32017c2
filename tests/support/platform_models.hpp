// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The same small platform in every AMALTHEA version: two cores (one at 200 MHz, one at 100 MHz, two instructions per
/// cycle), a memory that the first core reads in 8 and writes in 12 of its cycles, a crossbar, an operating system with
/// a task scheduler and an interrupt controller, a task, an interrupt service routine and a label, all mapped.

#include <string>
#include <string_view>

#include <fmt/core.h>

#include "amalthea/metamodel.hpp"
#include "tests/support/small_model.hpp"

namespace test {

inline std::string root_of(amalthea::Version version, std::string_view content) {
  return model_text(content, to_string(version));
}

inline std::string old_hardware(amalthea::Version version) {
  using amalthea::Version;
  const std::string frequency =
      version == Version::v0_7_0
          ? R"(<quartzes name="Q" frequency="100000000" type="STATIC"/>)"
          : R"(<quartzes name="Q" type="STATIC"><frequency value="100.0" unit="MHz"/></quartzes>)";
  const bool inside = version <= Version::v0_8_0;  // quartzes were parts of any node before 0.8.1
  const std::string_view byte = version <= Version::v0_7_2 ? "byte" : "B";
  const std::string memory_type =
      version == Version::v0_7_0
          ? R"(<memoryTypes name="Ram" type="RAM" size="4096"/>)"
          : fmt::format(R"(<memoryTypes name="Ram" type="RAM"><size value="4096" unit="{}"/></memoryTypes>)", byte);
  return fmt::format(R"(<hwModel>
  <coreTypes name="Fast" bitWidth="32" instructionsPerCycle="2"/>
  {}
  <networkTypes xsi:type="am:CrossbarSwitch" name="Bar" schedPolicy="RROBIN" bitWidth="32" conConnections="2"/>
  <accessPaths xsi:type="am:LatencyAccessPath" name="C0toM" source="C0?type=Core" target="M?type=Memory">
    <latencies xsi:type="am:LatencyConstant" accessType="R" quartz="Q?type=Quartz" value="4"/>
    <latencies xsi:type="am:LatencyConstant" accessType="W" quartz="Q?type=Quartz" value="6"/>
  </accessPaths>
  <system name="S">
    <ecus name="E">{}
      <microcontrollers name="U">
        <memories name="M" type="Ram?type=MemoryType"/>
        <networks name="N" type="Bar?type=CrossbarSwitch"/>
        <cores name="C0" coreType="Fast?type=CoreType">
          <prescaler name="P0" clockRatio="2.0" quartz="Q?type=Quartz"/>
        </cores>
        <cores name="C1" coreType="Fast?type=CoreType">
          <prescaler name="P1" clockRatio="1.0" quartz="Q?type=Quartz"/>
        </cores>
      </microcontrollers>
    </ecus>{}
  </system>
</hwModel>)",
                     memory_type, inside ? frequency : "", inside ? "" : frequency);
}

inline std::string new_hardware(amalthea::Version version) {
  const auto cycles = [version](std::string_view tag, int count) {
    return version <= amalthea::Version::v0_9_2
               ? fmt::format(R"(<{} xsi:type="am:LatencyConstant" cycles="{}"/>)", tag, count)
               : fmt::format(R"(<{} xsi:type="am:DiscreteValueConstant" value="{}"/>)", tag, count);
  };
  return fmt::format(R"(<hwModel>
  <definitions xsi:type="am:ProcessingUnitDefinition" name="Fast" puType="CPU" features="Instructions/IPC_2?type=HwFeature"/>
  <definitions xsi:type="am:MemoryDefinition" name="Ram"><size value="4096" unit="B"/></definitions>
  <definitions xsi:type="am:ConnectionHandlerDefinition" name="Bar" policy="RoundRobin"/>
  <featureCategories name="Instructions" featureType="performance"><features name="IPC_2" value="2.0"/></featureCategories>
  <structures name="S" structureType="System">
    <structures name="E" structureType="ECU">
      <structures name="U" structureType="Microcontroller">
        <modules xsi:type="am:Memory" name="M" definition="Ram?type=MemoryDefinition"/>
        <modules xsi:type="am:ConnectionHandler" name="N" definition="Bar?type=ConnectionHandlerDefinition"/>
        <modules xsi:type="am:ProcessingUnit" name="C0" frequencyDomain="Q2?type=FrequencyDomain" definition="Fast?type=ProcessingUnitDefinition">
          <accessElements name="C0toM" destination="M?type=Memory">{}{}</accessElements>
        </modules>
        <modules xsi:type="am:ProcessingUnit" name="C1" frequencyDomain="Q?type=FrequencyDomain" definition="Fast?type=ProcessingUnitDefinition"/>
      </structures>
    </structures>
  </structures>
  <domains xsi:type="am:FrequencyDomain" name="Q" clockGating="false"><defaultValue value="100.0" unit="MHz"/></domains>
  <domains xsi:type="am:FrequencyDomain" name="Q2" clockGating="false"><defaultValue value="200.0" unit="MHz"/></domains>
</hwModel>)",
                     cycles("readLatency", 8), cycles("writeLatency", 12));
}

inline std::string operating_system(amalthea::Version version) {
  using amalthea::Version;
  const auto algorithm = [version](std::string_view name) {
    return version < Version::v2_0_0 ? fmt::format(R"(<schedulingAlgorithm xsi:type="am:{}"/>)", name) : std::string{};
  };
  const auto definition = [version](std::string_view name) {
    return version < Version::v2_0_0 ? std::string{}
                                     : fmt::format(R"( definition="{}?type=SchedulerDefinition")", name);
  };
  const std::string unit =
      version <= Version::v0_8_0
          ? R"(<schedulingUnit xsi:type="am:SchedulingHWUnit"><delay value="5" unit="ns"/></schedulingUnit>)"
          : "";
  const std::string execution =
      version <= Version::v0_7_1 ? R"(<apiSetEvent xsi:type="am:OsExecutionInstructionsConstant" value="7"/>)"
      : version <= Version::v0_9_2
          ? R"(<apiSetEvent xsi:type="am:InstructionsConstant" value="7"/>)"
          : R"(<apiSetEvent><default xsi:type="am:DiscreteValueConstant" value="7"/></apiSetEvent>)";
  const std::string definitions = version < Version::v2_0_0 ? "" : R"(
  <schedulerDefinitions name="OSEK" processParameters="priority?type=SchedulingParameterDefinition"/>
  <schedulerDefinitions name="PriorityBased"/>
  <schedulingParameterDefinitions name="priority" type="Integer"/>)";
  return fmt::format(R"(<osModel>
  <semaphores name="Sem" {}="1" maxValue="2" priorityCeilingProtocol="true"/>
  <operatingSystems name="OS" overhead="Over?type={}">
    <taskSchedulers name="Sched"{}>{}{}</taskSchedulers>
    <interruptControllers name="IC"{}>{}</interruptControllers>
  </operatingSystems>
  <osOverheads name="Over"><apiOverhead>{}</apiOverhead></osOverheads>{}
</osModel>)",
                     version <= Version::v0_7_1 ? "initalValue" : "initialValue",
                     version <= Version::v0_9_2 ? "OsInstructions" : "OsOverhead", definition("OSEK"), unit,
                     algorithm("OSEK"), definition("PriorityBased"), algorithm("PriorityBased"), execution,
                     definitions);
}

inline std::string mapping(amalthea::Version version) {
  using amalthea::Version;
  const std::string_view core = version < Version::v0_9_0 ? "Core" : "ProcessingUnit";
  const std::string cores = fmt::format("C0?type={0} C1?type={0}", core);
  const std::string responsibility =
      version <= Version::v0_8_0
          ? fmt::format(R"(<coreAllocation scheduler="Sched?type=TaskScheduler" core="{}"/>)", cores)
          : fmt::format(
                R"(<schedulerAllocation scheduler="Sched?type=TaskScheduler" responsibility="{}" {}="C0?type={}"/>)",
                cores, version < Version::v0_9_0 ? "executingCore" : "executingPU", core);
  std::string task = R"(<taskAllocation task="T?type=Task" scheduler="Sched?type=TaskScheduler")";
  if (version <= Version::v0_7_1) {
    task += "/>";
  } else if (version <= Version::v0_8_0) {
    task += " priority=\"3\"/>";
  } else {
    task += fmt::format(R"( {}="C1?type={}">)", version < Version::v0_9_0 ? "coreAffinity" : "affinity", core);
    task += version < Version::v2_0_0 ? "<schedulingParameters priority=\"3\"/>"
                                      : "<schedulingParameters key=\"priority?type=SchedulingParameterDefinition\">"
                                        "<value xsi:type=\"am:IntegerObject\" value=\"3\"/></schedulingParameters>";
    task += "</taskAllocation>";
  }
  return fmt::format(R"(<mappingModel>
  {}
  {}
  <isrAllocation isr="I?type=ISR" controller="IC?type=InterruptController"{}/>
  <{} abstractElement="L?type=Label" memory="M?type=Memory" memoryPositionAddress="16"/>
</mappingModel>)",
                     responsibility, task, version <= Version::v0_7_1 ? "" : " priority=\"4\"",
                     version < Version::v0_8_0 ? "mapping xsi:type=\"am:AbstractElementMapping\"" : "memoryMapping");
}

/// The whole model.
inline std::string platform_model(amalthea::Version version) {
  using amalthea::Version;
  const std::string software =
      fmt::format("<swModel><tasks name=\"T\"{}/><isrs name=\"I\"/><labels name=\"L\"/></swModel>",
                  version <= Version::v0_7_1 ? " priority=\"3\"" : "");
  return root_of(version, software + "\n" +
                              (version < Version::v0_9_0 ? old_hardware(version) : new_hardware(version)) + "\n" +
                              operating_system(version) + "\n" + mapping(version));
}

}  // namespace test
