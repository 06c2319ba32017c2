// SPDX-License-Identifier: Apache-2.0
// The steps from 0.8.0 to 0.8.1, rule by rule, and to 0.8.2; models migrated by APP4MC and their authors.

#include <filesystem>
#include <map>
#include <set>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/emf_form.hpp"
#include "tests/migration/converted.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_models.hpp"

namespace rules_to_0_8_1_test {

namespace {

using test::Converted;

Converted convert(std::string_view content) { return test::convert("0.8.0", content, "0.8.1"); }

Converted back_again(const std::string& text) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.amxmi";
  test::write_text(path, text);
  return test::convert_files({path}, "0.8.0");
}

void check_way_back(std::string_view content) {
  const Converted back = back_again(convert(content).text());
  REQUIRE(back.done);
  CHECK(test::differences(test::convert("0.8.0", content, "0.8.0").dump, back.dump).empty());
}

/// The files of a random model in a folder.
std::vector<std::string> write_random_model(const std::string& folder, amalthea::Version version, std::uint64_t seed) {
  amalthea::EditableModel model;
  test::fill_with_random_model(model, version, seed);
  std::vector<std::string> paths;
  for (const auto& file : model.files()) {
    paths.push_back(fmt::format("{}/{}-{}-{}", folder, to_string(version), seed, file.path));
    test::write_text(paths.back(), write_emf_form(*file.root, version));
  }
  return paths;
}

constexpr amalthea::Version releases[] = {amalthea::Version::v0_7_1, amalthea::Version::v0_7_2,
                                          amalthea::Version::v0_8_0, amalthea::Version::v0_8_1};

}  // namespace

TEST_CASE("to 0.8.1: stimuli have new names and references follow in every form") {
  const char* const content = R"(
    <swModel><tasks name="T" stimuli="P?type=Periodic I?type=InterProcess"/>
      <customProperties key="k"><value xsi:type="am:ReferenceObject" value="P?type=Periodic"/></customProperties>
        </swModel>
    <stimuliModel>
      <stimuli xsi:type="am:Periodic" name="P"><recurrence value="10" unit="ms"/></stimuli>
      <stimuli xsi:type="am:InterProcess" name="I"/><stimuli xsi:type="am:ArrivalCurve" name="A"/>
      <stimuli xsi:type="am:Single" name="O"/><stimuli xsi:type="am:Sporadic" name="S" description="d"/>
      <stimuli xsi:type="am:Synthetic" name="Y"/><stimuli xsi:type="am:PeriodicEvent" name="V"/>
    </stimuliModel>
    <eventModel><events xsi:type="am:StimulusEvent" name="E" entity="V?type=PeriodicEvent"/></eventModel>)";
  const Converted converted = convert(content);
  const char* const classes[] = {"PeriodicStimulus", "InterProcessStimulus", "ArrivalCurveStimulus", "SingleStimulus",
                                 "SporadicStimulus", "SyntheticStimulus",    "VariableRateStimulus"};
  for (int i = 0; i < 7; ++i) CHECK(converted.has(fmt::format("/stimuliModel/stimuli.{} : {}", i, classes[i])));
  CHECK(converted.has("/stimuliModel/stimuli.0/recurrence @value = 10"));
  CHECK(converted.has("/swModel/tasks.0 >stimuli.0 = /stimuliModel/stimuli.0"));
  CHECK(converted.has("/swModel/tasks.0 >stimuli.1 = /stimuliModel/stimuli.1"));
  CHECK(converted.has("/swModel/customProperties.0/value >value = /stimuliModel/stimuli.0"));
  CHECK(converted.has("/eventModel/events.0 >entity = /stimuliModel/stimuli.6"));
  CHECK(converted.count("classes of stimuli have new names") == 7);
  check_way_back(content);
}

TEST_CASE("to 0.8.1: references to stimuli of other files follow too") {
  const Converted converted = convert(
      R"(<swModel><tasks name="T"><stimuli xsi:type="am:Periodic" href="amlt:/#P?type=Periodic"/></tasks></swModel>)");
  CHECK(converted.text().find(R"(<stimuli xsi:type="am:PeriodicStimulus" href="amlt:/#P?type=PeriodicStimulus"/>)") !=
        std::string::npos);
}

TEST_CASE("to 0.8.1: InterProcessTrigger triggers an InterProcessStimulus and other stimuli are kept as properties") {
  const Converted converted = convert(R"(<swModel><tasks name="T"><callGraph>
    <graphEntries xsi:type="am:CallSequence">
      <calls xsi:type="am:InterProcessActivation" stimulus="I?type=InterProcess"/>
      <calls xsi:type="am:InterProcessActivation" stimulus="P?type=Periodic"/>
      <calls xsi:type="am:InterProcessActivation">
        <stimulus xsi:type="am:InterProcess" href="amlt:/#F?type=InterProcess"/>
      </calls></graphEntries></callGraph></tasks></swModel>
    <stimuliModel><stimuli xsi:type="am:InterProcess" name="I"/><stimuli xsi:type="am:Periodic" name="P"/>
      </stimuliModel>)");
  const std::string calls = "/swModel/tasks.0/callGraph/graphEntries.0/calls.";
  CHECK(converted.has(calls + "0 : InterProcessTrigger"));
  CHECK(converted.has(calls + "0 >stimulus = /stimuliModel/stimuli.0"));
  CHECK(converted.has(calls + "1 : InterProcessTrigger"));
  CHECK(converted.has(calls + "1/customProperties.0 @key = amalthea-converted.0.8.0.stimulus"));
  CHECK(converted.text().find(R"(<stimulus href="amlt:/#F?type=InterProcessStimulus"/>)") != std::string::npos);
}

TEST_CASE("to 0.8.1: activations and triggering events are lists") {
  const char* const content = R"(<swModel><runnables name="R" activation="A?type=EventActivation"/>
    <activations xsi:type="am:EventActivation" name="A" trigger="E?type=LabelEvent"/></swModel>
    <stimuliModel><stimuli xsi:type="am:EventStimulus" name="S" trigger="E?type=LabelEvent"/></stimuliModel>
    <eventModel><events xsi:type="am:LabelEvent" name="E"/></eventModel>)";
  const Converted converted = convert(content);
  CHECK(converted.has("/swModel/runnables.0 >activations.0 = /swModel/activations.0"));
  CHECK(converted.has("/swModel/activations.0 >triggeringEvents.0 = /eventModel/events.0"));
  CHECK(converted.has("/stimuliModel/stimuli.0 >triggeringEvents.0 = /eventModel/events.0"));
  check_way_back(content);
}

TEST_CASE("to 0.8.1: modes that enable or disable a stimulus are a disjunction of ModeValues") {
  const char* const content = R"(<swModel><modes name="M"><literals name="on"/></modes>
    <modeLabels name="L" initialValue="M/on?type=ModeLiteral"/></swModel><stimuliModel>
    <stimuli xsi:type="am:EventStimulus" name="S">
      <setModeValueList><entries valueProvider="L?type=ModeLabel" value="M/on?type=ModeLiteral"/></setModeValueList>
      <enablingModeValueList><entries valueProvider="L?type=ModeLabel" value="M/on?type=ModeLiteral"/>
        </enablingModeValueList>
      <disablingModeValueList/></stimuli></stimuliModel>)";
  const Converted converted = convert(content);
  const std::string stimulus = "/stimuliModel/stimuli.0/";
  CHECK(converted.has(stimulus + "setModeValueList : ModeValueList"));
  CHECK(converted.has(stimulus + "setModeValueList/entries.0 : ModeValue"));
  CHECK(converted.has(stimulus + "enablingModeValueList : ModeValueDisjunction"));
  CHECK(converted.has(stimulus + "enablingModeValueList/entries.0 : ModeValue"));
  CHECK(converted.has(stimulus + "enablingModeValueList/entries.0 >value = /swModel/modes.0/literals.0"));
  CHECK(converted.has(stimulus + "disablingModeValueList : ModeValueDisjunction"));
  check_way_back(content);
}

TEST_CASE("to 0.8.1: the deadline of a periodic activation is a custom property") {
  const char* const content = R"(<swModel><activations xsi:type="am:PeriodicActivation" name="A">
    <deadline value="5" unit="ms"/></activations></swModel>)";
  const Converted converted = convert(content);
  CHECK(converted.has("/swModel/activations.0/customProperties.0 @key = deadline"));
  CHECK(converted.has("/swModel/activations.0/customProperties.0/value : TimeObject"));
  CHECK(converted.has("/swModel/activations.0/customProperties.0/value @value = 5"));
  CHECK(converted.has("/swModel/activations.0/customProperties.0/value @unit = ms"));
  check_way_back(content);
}

TEST_CASE("to 0.8.1: priority and osekTaskGroup of a process are custom properties unless 0") {
  const char* const content = R"(<swModel><isrs name="I" priority="7"/>
    <tasks name="T" priority="3" osekTaskGroup="2"/><tasks name="U" priority="0" osekTaskGroup="0"/>
    <processPrototypes name="P" priority="1"/></swModel>)";
  const Converted converted = convert(content);
  CHECK(converted.has("/swModel/tasks.0/customProperties.0 @key = priority"));
  CHECK(converted.has("/swModel/tasks.0/customProperties.0/value : StringObject"));
  CHECK(converted.has("/swModel/tasks.0/customProperties.0/value @value = 3"));
  CHECK(converted.has("/swModel/tasks.0/customProperties.1 @key = osekTaskGroup"));
  CHECK(converted.has("/swModel/tasks.0/customProperties.1/value @value = 2"));
  CHECK(converted.has("/swModel/isrs.0/customProperties.0/value @value = 7"));
  CHECK(converted.has("/swModel/processPrototypes.0/customProperties.0/value @value = 1"));
  CHECK(converted.dump.find("tasks.1/customProperties") == std::string::npos);
  CHECK(test::with_id(converted.diagnostics, "AM0701").size() == 4);
  check_way_back(content);
}

TEST_CASE("to 0.8.1: the priority of a task allocation is a scheduling parameter") {
  const char* const content = R"(<swModel><tasks name="T"/><isrs name="I"/></swModel><osModel><operatingSystems>
    <taskSchedulers name="S"/><interruptControllers name="C"/></operatingSystems></osModel><mappingModel>
    <taskAllocation task="T?type=Task" scheduler="S?type=TaskScheduler" priority="4"/>
    <taskAllocation task="T?type=Task" scheduler="S?type=TaskScheduler" priority="0"/>
    <isrAllocation isr="I?type=ISR" controller="C?type=InterruptController" priority="6"/></mappingModel>)";
  const Converted converted = convert(content);
  CHECK(converted.has("/mappingModel/taskAllocation.0/schedulingParameters @priority = 4"));
  CHECK(converted.dump.find("taskAllocation.1/") == std::string::npos);
  CHECK(converted.has("/mappingModel/isrAllocation.0 @priority = 6"));
  check_way_back(content);
}

TEST_CASE("to 0.8.1: a scheduler is allocated to the cores in its responsibility") {
  const char* const content = R"(<hwModel><system name="S"><ecus name="E"><microcontrollers name="M"><cores name="A"/>
    <cores name="B"/></microcontrollers></ecus></system></hwModel>
    <osModel><operatingSystems><taskSchedulers name="S"/></operatingSystems></osModel><mappingModel>
    <coreAllocation scheduler="S?type=TaskScheduler" core="A?type=Core B?type=Core"/></mappingModel>)";
  const Converted converted = convert(content);
  CHECK(converted.has("/mappingModel/schedulerAllocation.0 : SchedulerAllocation"));
  CHECK(
      converted.has("/mappingModel/schedulerAllocation.0 >responsibility.1 = "
                    "/hwModel/system/ecus.0/microcontrollers.0/cores.1"));
  check_way_back(content);
}

TEST_CASE("to 0.8.1: algorithm parameters are extensions and a quantum is unchanged") {
  const char* const content = R"(<osModel><operatingSystems>
    <taskSchedulers name="S"><schedulingAlgorithm xsi:type="am:UserSpecificSchedulingAlgorithm">
      <parameter key="k" value="v"/></schedulingAlgorithm></taskSchedulers>
    <taskSchedulers name="P"><schedulingAlgorithm xsi:type="am:PfairPD2" quantSizeNs="5"/></taskSchedulers>
    </operatingSystems></osModel>)";
  const Converted converted = convert(content);
  const std::string schedulers = "/osModel/operatingSystems.0/taskSchedulers.";
  CHECK(converted.has(schedulers + "0/schedulingAlgorithm/parameterExtensions.0 : ParameterExtension"));
  CHECK(converted.has(schedulers + "0/schedulingAlgorithm/parameterExtensions.0 @key = k"));
  CHECK(converted.has(schedulers + "0/schedulingAlgorithm/parameterExtensions.0 @value = v"));
  CHECK(converted.has(schedulers + "1/schedulingAlgorithm @quantSizeNs = 5"));
  check_way_back(content);
}

TEST_CASE("to 0.8.1: instructions of a scheduling unit are computation items of its scheduler") {
  const char* const content = R"(<osModel><operatingSystems>
    <taskSchedulers name="S" scheduleUnitPriority="3"><schedulingUnit xsi:type="am:SchedulingSWUnit" priority="5">
      <instructions xsi:type="am:InstructionsConstant" value="20"/><instructions xsi:type="am:InstructionsDeviation"/>
    </schedulingUnit></taskSchedulers></operatingSystems></osModel>)";
  const Converted converted = convert(content);
  const std::string scheduler = "/osModel/operatingSystems.0/taskSchedulers.0";
  CHECK(converted.has(scheduler + "/computationItems.0 : RunnableInstructions"));
  CHECK(converted.has(scheduler + "/computationItems.0/default @value = 20"));
  CHECK(converted.has(scheduler + "/computationItems.1/default : InstructionsDeviation"));
  CHECK(converted.has(scheduler + "/customProperties.0 @key = scheduleUnitPriority"));
  CHECK(converted.has(scheduler + "/customProperties.0/value @value = 3"));
  CHECK(converted.has(scheduler + "/customProperties.1 @key = SchedulingSWUnit___priority"));
  CHECK(converted.has(scheduler + "/customProperties.1/value @value = 5"));
  check_way_back(content);
}

TEST_CASE("to 0.8.1: delay and interrupt controller and properties of a scheduling unit are kept") {
  const Converted converted = convert(R"(<osModel><operatingSystems>
    <taskSchedulers name="H" scheduleUnitPriority="0"><schedulingUnit xsi:type="am:SchedulingHWUnit">
      <customProperties key="k"><value xsi:type="am:StringObject" value="v"/></customProperties>
      <delay value="9" unit="ns"/></schedulingUnit></taskSchedulers>
    <taskSchedulers name="S"><schedulingUnit xsi:type="am:SchedulingSWUnit" priority="0"
      interruptController="C?type=InterruptController"/></taskSchedulers>
    <interruptControllers name="C"/></operatingSystems></osModel>)");
  const std::string schedulers = "/osModel/operatingSystems.0/taskSchedulers.";
  CHECK(converted.has(schedulers + "0/customProperties.0 @key = SchedulingHWUnit_CustomProperty__k"));
  CHECK(converted.has(schedulers + "0/customProperties.1 @key = SchedulingHWUnit___delay"));
  CHECK(converted.has(schedulers + "0/customProperties.1/value : TimeObject"));
  CHECK(converted.has(schedulers + "0/customProperties.1/value @unit = ns"));
  CHECK(converted.has(schedulers + "1/customProperties.0 @key = amalthea-converted.0.8.0.interruptController"));
  CHECK(converted.has(schedulers + "1/customProperties.0/value @value = C?type=InterruptController"));
  check_way_back(R"(<osModel><operatingSystems><taskSchedulers name="H">
      <schedulingUnit xsi:type="am:SchedulingHWUnit"><delay value="9" unit="ns"/></schedulingUnit></taskSchedulers>
    </operatingSystems></osModel>)");
}

TEST_CASE("to 0.8.1: groups of runnables in sequencing constraints have the common class") {
  const char* const content = R"(<swModel><runnables name="R"/></swModel><constraintsModel>
    <runnableSequencingConstraints name="C"><runnableGroups runnables="R?type=Runnable"/>
      </runnableSequencingConstraints>
    <affinityConstraints xsi:type="am:RunnablePairingConstraint">
      <group xsi:type="am:RunnableEntityGroup" runnables="R?type=Runnable"/></affinityConstraints></constraintsModel>)";
  const Converted converted = convert(content);
  CHECK(converted.has("/constraintsModel/runnableSequencingConstraints.0/runnableGroups.0 : RunnableEntityGroup"));
  CHECK(
      converted.has("/constraintsModel/runnableSequencingConstraints.0/runnableGroups.0 >runnables.0 = "
                    "/swModel/runnables.0"));
  check_way_back(content);
}

TEST_CASE("to 0.8.1: a group of labels states its class") {
  const Converted converted = convert(R"(<constraintsModel>
    <affinityConstraints xsi:type="am:DataPairingConstraint"><group/></affinityConstraints></constraintsModel>)");
  CHECK(converted.text().find(R"(<group xsi:type="am:LabelEntityGroup"/>)") != std::string::npos);
}

TEST_CASE("to 0.8.1: quartzes move to the hardware system in their order") {
  const Converted converted = convert(R"(<hwModel><system name="S"><quartzes name="Q1"/><ecus name="E">
    <quartzes name="Q2"><frequency value="2" unit="MHz"/><quartzes name="Q3"/></quartzes>
    <microcontrollers name="M"><cores name="C"><prescaler name="P" quartz="Q2?type=Quartz"/></cores></microcontrollers>
    </ecus></system></hwModel>)");
  CHECK(converted.has("/hwModel/system/quartzes.0 @name = Q1"));
  CHECK(converted.has("/hwModel/system/quartzes.1 @name = Q2"));
  CHECK(converted.has("/hwModel/system/quartzes.1/frequency @unit = MHz"));
  CHECK(converted.has("/hwModel/system/quartzes.2 @name = Q3"));
  CHECK(converted.has(
      "/hwModel/system/ecus.0/microcontrollers.0/cores.0/prescaler >quartz = /hwModel/system/quartzes.1"));
  CHECK(converted.count("quartzes are in the hardware system") == 2);
}

TEST_CASE("to 0.8.1: referenced hardware within a quartz moves next to the quartz") {
  const Converted converted = convert(R"(<swModel><labels name="L"/></swModel><hwModel><system name="S"><ecus name="E">
    <quartzes name="Q"><memories name="M"/><memories name="N"/></quartzes></ecus></system></hwModel>
    <mappingModel><memoryMapping abstractElement="L?type=Label" memory="M?type=Memory"/></mappingModel>)");
  CHECK(converted.has("/mappingModel/memoryMapping.0 >memory = /hwModel/system/ecus.0/memories.0"));
  CHECK(converted.has("/hwModel/system/quartzes.0/customProperties.0 @key = amalthea-converted.0.8.0.memories"));
  CHECK(converted.dump.find("ecus.0/memories.1") == std::string::npos);
}

TEST_CASE("to 0.8.1: content of quartzes and access patterns are kept as properties") {
  const Converted converted = convert(R"(<hwModel><memoryTypes name="T" xAccessPattern="x"/>
    <system name="S"><quartzes name="Q"><memories name="M"/></quartzes></system></hwModel>)");
  CHECK(converted.has("/hwModel/memoryTypes.0/customProperties.0 @key = amalthea-converted.0.8.0.xAccessPattern"));
  CHECK(converted.has("/hwModel/system/quartzes.0/customProperties.0 @key = amalthea-converted.0.8.0.memories"));
}

TEST_CASE("to 0.8.1: a nested event chain is a SubEventChain in an EventChainContainer") {
  const char* const content = R"(<constraintsModel><eventChains name="A" stimulus="E?type=LabelEvent">
      <segments xsi:type="am:SubEventChain"><eventChain name="B" stimulus="E?type=LabelEvent">
        <strands xsi:type="am:SubEventChain"><eventChain name="C"/></strands></eventChain></segments>
      <segments xsi:type="am:EventChainReference" eventChain="D?type=EventChain"/></eventChains>
    <eventChains name="D"/></constraintsModel><eventModel><events xsi:type="am:LabelEvent" name="E"/></eventModel>)";
  const Converted converted = convert(content);
  const std::string chain = "/constraintsModel/eventChains.0";
  CHECK(converted.has(chain + "/segments.0 : EventChainContainer"));
  CHECK(converted.has(chain + "/segments.0/eventChain : SubEventChain"));
  CHECK(converted.has(chain + "/segments.0/eventChain @name = B"));
  CHECK(converted.has(chain + "/segments.0/eventChain >stimulus = /eventModel/events.0"));
  CHECK(converted.has(chain + "/segments.0/eventChain/strands.0/eventChain : SubEventChain"));
  CHECK(converted.has(chain + "/segments.1 >eventChain = /constraintsModel/eventChains.1"));
  CHECK(test::with_id(converted.diagnostics, "AM0701").empty());
  check_way_back(content);
}

TEST_CASE("to 0.8.1: references to inner event chains are custom properties") {
  const Converted converted = convert(R"(<constraintsModel><eventChains name="A">
      <segments xsi:type="am:SubEventChain"><eventChain name="B"/></segments></eventChains>
    <eventChains name="D"><segments xsi:type="am:EventChainReference" eventChain="B?type=EventChain"/></eventChains>
    <timingConstraints xsi:type="am:EventChainLatencyConstraint" name="L" scope="B?type=EventChain"/>

          <timingConstraints xsi:type="am:EventChainSynchronizationConstraint" name="S" scope="A?type=EventChain B?type=EventChain"/>
    </constraintsModel>)");
  const std::string model = "/constraintsModel/";
  CHECK(converted.has(model + "eventChains.1/segments.0/customProperties.0 @key = eventChain"));
  CHECK(converted.has(model + "eventChains.1/segments.0/customProperties.0/value @value = B?type=EventChain"));
  CHECK(converted.has(model + "timingConstraints.0/customProperties.0 @key = scope"));
  CHECK(converted.has(model + "timingConstraints.0/customProperties.0/value : ListObject"));
  CHECK(converted.has(model + "timingConstraints.0/customProperties.0/value/values.0 @value = B?type=EventChain"));
  CHECK(converted.has(model + "timingConstraints.1 >scope.0 = /constraintsModel/eventChains.0"));
  CHECK(converted.has(model + "timingConstraints.1/customProperties.0/value/values.0 @value = B?type=EventChain"));
  CHECK(converted.dump.find("timingConstraints.1 >scope.1") == std::string::npos);
}

TEST_CASE("to 0.8.1: a model in the new form is unchanged") {
  const Converted converted = convert(R"(<swModel><tasks name="T" stimuli="P?type=PeriodicStimulus"/></swModel>
    <stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="P">
      <enablingModeValueList><entries xsi:type="am:ModeValue"/></enablingModeValueList></stimuli></stimuliModel>
    <hwModel><system name="S"><quartzes name="Q"/></system></hwModel>
    <constraintsModel><eventChains name="A"><segments xsi:type="am:EventChainContainer"><eventChain name="B"/>
      </segments>
      </eventChains></constraintsModel>)");
  CHECK(converted.done);
  CHECK(converted.has("/constraintsModel/eventChains.0/segments.0/eventChain : SubEventChain"));
  for (const auto& rule : converted.rules) FAIL_CHECK(std::string(rule.rule));
}

TEST_CASE("to 0.8.2: only the namespace changes") {
  const Converted converted = test::convert("0.8.1", R"(<swModel><labels name="L"/><runnables name="R">
    <runnableItems xsi:type="am:LabelAccess" data="L?type=Label"/></runnables></swModel>)",
                                            "0.8.2");
  CHECK(converted.done);
  CHECK(converted.rules.empty());
  CHECK(converted.text().find("amalthea/0.8.2") != std::string::npos);
}

TEST_CASE("models of 0.8.0 convert like in APP4MC except for manual edits") {
  const std::string corpus = test::corpus_folder();
  const std::string history = corpus + "/app4mc/history/";
  // The delay of 1 ns, or of nothing, was given up by the authors together with the scheduling unit.
  const std::string scheduler = "/osModel/operatingSystems.0/taskSchedulers.0/customProperties.0";
  const std::set<std::string> delay = {
      "- " + scheduler + " : CustomProperty", "- " + scheduler + " @key = SchedulingHWUnit___delay",
      "- " + scheduler + "/value : TimeObject", "- " + scheduler + "/value @unit = ns"};
  std::map<std::string, std::set<std::string>> edits;
  edits["AMALTHEA_Democar.amxmi"] = delay;
  edits["AMALTHEA_Democar.amxmi"].insert("- " + scheduler + "/value @value = 1");
  for (int i = 4; i <= 7; ++i) {
    std::set<std::string>& edited = edits[fmt::format("modeling_example_feedback_loop_{}.amxmi", i)];
    edited = delay;
    edited.insert("- " + scheduler + "/value @value ~ 0");
    // They named the system and gave the quartz a unit.
    edited.insert({"- /hwModel/system # no-name?type=HwSystem", "+ /hwModel/system # System?type=HwSystem",
                   "- /hwModel/system @name ~ null", "+ /hwModel/system @name = System",
                   "- /hwModel/system/quartzes.0/frequency @unit ~ _undefined_",
                   "+ /hwModel/system/quartzes.0/frequency @unit = Hz"});
  }
  // They added a classifier and conditions that refer to it.
  std::set<std::string>& with_tasks = edits["AMALTHEA_Democar_MappingExample_withTasks.amxmi"];
  with_tasks = {"+ /commonElements/coreClassifiers.0 # FPU?type=CoreClassifier",
                "+ /commonElements/coreClassifiers.0 : CoreClassifier",
                "+ /commonElements/coreClassifiers.0 @description ~ null",
                "+ /commonElements/coreClassifiers.0 @name = FPU"};
  for (int i = 0; i < 7; ++i) {
    const std::string property = fmt::format("+ /swModel/tasks.{}/customProperties.0", i);
    with_tasks.insert({property + " : CustomProperty",
                       property + (i < 5 ? " @key = [ConstraintExclude] Exclude Targets with FPU"
                                         : " @key = [ConstraintInclude] Requires Targets with FPU"),
                       property + "/value : ReferenceObject",
                       property + "/value >value = /commonElements/coreClassifiers.0"});
  }
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(history + "0.8.0")) {
    ++models;
    const std::string name = entry.path().filename().string();
    const Converted converted = test::convert_files({entry.path().string()}, "0.8.1");
    REQUIRE(converted.done);
    for (const std::string& difference : test::differences(converted.dump, test::dump_of({history + "0.8.1/" + name})))
      if (edits[name].erase(difference) == 0) FAIL_CHECK(name << ": " << difference);
    CHECK(edits[name].empty());
    const Converted next = test::convert_files({history + "0.8.1/" + name}, "0.8.2");
    CHECK(test::differences(next.dump, test::dump_of({history + "0.8.2/" + name})).empty());
  }
  CHECK(models == 8);
}

TEST_CASE("models of 0.8.1 survive a round trip to 0.8.0") {
  const std::string corpus = test::corpus_folder();
  for (const auto& entry : std::filesystem::directory_iterator(corpus + "/app4mc/history/0.8.1")) {
    const std::string path = entry.path().string();
    const Converted back = test::convert_files({path}, "0.8.0");
    REQUIRE(back.done);
    const test::TemporaryFolder folder;
    test::write_text(folder.path() + "/model.amxmi", back.text());
    const Converted again = test::convert_files({folder.path() + "/model.amxmi"}, "0.8.1");
    CHECK(test::differences(again.dump, test::dump_of({path})).empty());
  }
}

TEST_CASE("random models of 0.7.1 to 0.8.1 convert to 0.8.2 and only content without counterpart is kept generically") {
  const std::set<std::string> without_counterpart = {
      "customProperties",                                 // of the operating system's instructions
      "source",           "target",   "hardwareContext",  // a quartz, which is no node of the hardware any more
      "memories",         "networks", "components",      "ports", "prescaler",  // of a quartz
      "xAccessPattern"};
  for (const amalthea::Version version : releases)
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const test::TemporaryFolder folder;
      const Converted converted = test::convert_files(write_random_model(folder.path(), version, seed), "0.8.2");
      CHECK(converted.done);
      for (const auto& rule : converted.rules) {
        if (rule.rule != "content without a counterpart") continue;
        for (const auto& place : rule.places) {
          const std::string what = place.what.substr(0, place.what.find(' '));
          INFO(to_string(version) << " seed " << seed << ": " << place.path << " " << place.what);
          CHECK(without_counterpart.count(what) == 1);
        }
      }
    }
}

TEST_CASE("EMF accepts random models of 0.7.1 to 0.8.1 converted to 0.8.2 with all references resolved", "[emf]") {
  test::EmfBatch emf;
  for (const amalthea::Version version : releases)
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const test::TemporaryFolder folder;
      const Converted converted = test::convert_files(write_random_model(folder.path(), version, seed), "0.8.2");
      REQUIRE(converted.done);
      std::vector<std::string> files;
      for (std::size_t i = 0; i < converted.texts.size(); ++i) {
        files.push_back(fmt::format("{}/{}-{}-{}.amxmi", emf.folder(), to_string(version), seed, i));
        test::write_text(files.back(), converted.texts[i]);
      }
      emf.expect_accepted(amalthea::Version::v0_8_2, files);
    }
  emf.run();
}

}  // namespace rules_to_0_8_1_test
