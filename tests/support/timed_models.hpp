// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The same small system with timing in every AMALTHEA version, on the platform of platform_models.hpp: tasks T (every
/// 2 ms, calls R and S) and U (every 4 ms, calls R), the interrupt service routine I (every 4 ms, calls S), an event
/// chain of U with a limit of 20 ms on its age. R and S execute 0.5 ms and 0.25 ms on the core C1, where all of
/// them run.

#include <string>
#include <string_view>

#include <fmt/core.h>

#include "amalthea/metamodel.hpp"
#include "tests/support/platform_models.hpp"
#include "tests/support/test_models.hpp"

namespace test {

inline std::string timed_software(amalthea::Version version) {
  using amalthea::Version;
  const std::string_view stimulus = version <= Version::v0_8_0 ? "Periodic" : "PeriodicStimulus";
  // Up to 0.9.2 the cores execute two instructions per cycle, then ticks are stated.
  const auto runnable = [version](std::string_view name, int cycles) {
    const int instructions = 2 * cycles;
    std::string item;
    if (version <= Version::v0_7_1)
      item = fmt::format(R"(<runnableItems xsi:type="am:InstructionsConstant" value="{}"/>)", instructions);
    else if (version <= Version::v0_8_3)
      item = fmt::format(
          R"(<runnableItems xsi:type="am:RunnableInstructions"><default xsi:type="am:InstructionsConstant" value="{}"/></runnableItems>)",
          instructions);
    else if (version <= Version::v0_9_2)
      item = fmt::format(
          R"(<runnableItems xsi:type="am:ExecutionNeed"><default key="Instructions"><value xsi:type="am:NeedConstant" value="{}"/></default></runnableItems>)",
          instructions);
    else if (version <= Version::v0_9_4)
      item = fmt::format(
          R"(<runnableItems xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="{}"/></runnableItems>)",
          cycles);
    else
      item = fmt::format(
          R"(<{0}><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="{1}"/></items></{0}>)",
          version == Version::v0_9_5 ? "callGraph" : "activityGraph", cycles);
    return fmt::format("    <runnables name=\"{}\">{}</runnables>\n", name, item);
  };
  const auto process = [&](std::string_view tag, std::string_view name, std::string_view stimulus_name,
                           std::string_view priority, std::initializer_list<std::string_view> calls) {
    std::string items;
    for (const std::string_view call : calls)
      items += fmt::format(R"(<{} xsi:type="am:{}" runnable="{}?type=Runnable"/>)",
                           version <= Version::v0_9_4 ? "calls" : "items",
                           version <= Version::v0_9_4 ? "TaskRunnableCall" : "RunnableCall", call);
    if (version <= Version::v0_9_4)
      items = fmt::format(
          R"(<callGraph><graphEntries xsi:type="am:CallSequence" name="">{}</graphEntries></callGraph>)", items);
    else
      items = fmt::format("<{0}>{1}</{0}>", version == Version::v0_9_5 ? "callGraph" : "activityGraph", items);
    return fmt::format("    <{0} name=\"{1}\" stimuli=\"{2}?type={3}\"{4}>{5}</{0}>\n", tag, name, stimulus_name,
                       stimulus, version <= Version::v0_7_1 ? fmt::format(" priority=\"{}\"", priority) : "", items);
  };
  const auto periodic = [&](std::string_view name, int period) {
    return fmt::format("    <stimuli xsi:type=\"am:{}\" name=\"{}\"><recurrence value=\"{}\" unit=\"ms\"/></stimuli>\n",
                       stimulus, name, period);
  };
  return "  <swModel>\n" + process("tasks", "T", "P2", "3", {"R", "S"}) + process("tasks", "U", "P4", "2", {"R"}) +
         process("isrs", "I", "P4", "4", {"S"}) + runnable("R", 50'000) + runnable("S", 25'000) +
         "    <labels name=\"L\"/>\n  </swModel>\n  <stimuliModel>\n" + periodic("P2", 2) + periodic("P4", 4) +
         "  </stimuliModel>";
}

inline std::string timed_constraints(amalthea::Version version) {
  return fmt::format(
      R"(  <eventModel>
    <events xsi:type="am:ProcessEvent" name="begin" eventType="start" entity="U?type=Task"/>
    <events xsi:type="am:ProcessEvent" name="end" eventType="terminate" entity="U?type=Task"/>
  </eventModel>
  <constraintsModel>
    <eventChains name="C" stimulus="begin?type=ProcessEvent" response="end?type=ProcessEvent"/>
    <timingConstraints xsi:type="am:{}" name="Fresh" scope="C?type=EventChain"{}>
      <maximum value="20" unit="ms"/>
    </timingConstraints>
  </constraintsModel>)",
      version == amalthea::Version::v0_7_0 ? "AgeConstraint" : "EventChainLatencyConstraint",
      version == amalthea::Version::v0_7_0 ? "" : " type=\"Age\"");
}

inline std::string timed_mapping(amalthea::Version version) {
  using amalthea::Version;
  std::string text = mapping(version);
  // The second task is mapped like the first, with a lower priority.
  const std::size_t begin = text.find("<taskAllocation");
  const std::string_view close = version <= Version::v0_8_0 ? "/>" : "</taskAllocation>";
  const std::size_t end = text.find(close, begin) + close.size();
  std::string second = replaced(text.substr(begin, end - begin), "T?type=Task\"", "U?type=Task\"");
  if (version >= Version::v2_0_0)
    second = replaced(second, "value=\"3\"", "value=\"2\"");
  else if (version > Version::v0_7_1)
    second = replaced(second, "priority=\"3\"", "priority=\"2\"");
  const std::string controller =
      version <= Version::v0_8_0
          ? R"(<coreAllocation scheduler="IC?type=InterruptController" core="C1?type=Core"/>)"
          : fmt::format(R"(<schedulerAllocation scheduler="IC?type=InterruptController" responsibility="C1?type={}"/>)",
                        version < Version::v0_9_0 ? "Core" : "ProcessingUnit");
  text.insert(end, second);
  text = replaced(text, "</mappingModel>", controller + "</mappingModel>");
  // Up to 0.8.0 a task cannot be mapped to one of several cores.
  return version <= Version::v0_8_0 ? replaced(text, "core=\"C0?type=Core C1?type=Core\"", "core=\"C1?type=Core\"")
                                    : text;
}

/// The whole model.
inline std::string timed_model(amalthea::Version version) {
  return root_of(version, timed_software(version) + "\n" +
                              (version < amalthea::Version::v0_9_0 ? old_hardware(version) : new_hardware(version)) +
                              "\n" + operating_system(version) + "\n" + timed_constraints(version) + "\n" +
                              timed_mapping(version));
}

/// The same without constraints, so that a sub-model for them must be created.
inline std::string timed_model_without_constraints(amalthea::Version version) {
  return replaced(timed_model(version), timed_constraints(version), "");
}

}  // namespace test
