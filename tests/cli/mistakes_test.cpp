// SPDX-License-Identifier: Apache-2.0
// Typical mistakes in a small model: the command's messages, and that none of them passes. docs/reference/mistakes.md
// shows the outcomes; this test creates each model and compares the command with that table.

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace mistakes_test {

namespace {

struct Edit {
  std::string_view from, to;
};
struct Mistake {
  std::string_view name;
  std::vector<Edit> edits;
};

/// Its runnable accesses the label by which Monitor passes data to Control.
std::string with_access(std::string text, const std::string& runnable, const std::string& access) {
  const std::size_t from = text.find("<activityGraph>\n", text.find("<runnables xmi:id=\"" + runnable + "?"));
  return text.insert(
      from + std::string("<activityGraph>\n").size(),
      "        <items xsi:type=\"am:LabelAccess\" data=\"Checked?type=Label\" access=\"" + access + "\"/>\n");
}

/// The sample with an event chain, a limit on its age and one on the delay of a task: everything holds, guaranteed.
std::string sound_model() {
  std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  text = test::replaced(text, "  <!-- Activation. -->\n", R"(  <eventModel>
    <events xsi:type="am:ProcessEvent" xmi:id="Monitor_starts?type=ProcessEvent" name="Monitor_starts" eventType="start" entity="Monitor?type=Task"/>
    <events xsi:type="am:ProcessEvent" xmi:id="Control_activates?type=ProcessEvent" name="Control_activates" eventType="activate" entity="Control?type=Task"/>
    <events xsi:type="am:ProcessEvent" xmi:id="Control_ends?type=ProcessEvent" name="Control_ends" eventType="terminate" entity="Control?type=Task"/>
  </eventModel>
  <!-- Activation. -->
)");
  text = test::replaced(text, R"(    <labels xmi:id="Image_host?type=Label")",
                        R"(    <labels xmi:id="Checked?type=Label" name="Checked" constant="false" bVolatile="false">
      <size value="4" unit="B"/>
    </labels>
    <labels xmi:id="Image_host?type=Label")");
  text = test::replaced(
      text, R"(    <memoryMapping abstractElement="Image_host?)",
      R"(    <memoryMapping abstractElement="Checked?type=Label" memory="DRAM?type=Memory" memoryPositionAddress="0x0"/>
    <memoryMapping abstractElement="Image_host?)");
  text = with_access(std::move(text), "Monitor_Function", "write");
  text = with_access(std::move(text), "Control_Preprocessing", "read");
  return test::replaced(text, "  <!-- Deadlines. -->\n  <constraintsModel>\n", R"(  <constraintsModel>
    <eventChains xmi:id="Watch?type=EventChain" name="Watch" stimulus="Monitor_starts?type=ProcessEvent" response="Control_ends?type=ProcessEvent"/>
    <timingConstraints xsi:type="am:EventChainLatencyConstraint" xmi:id="Watch_age?type=EventChainLatencyConstraint" name="Watch_age" scope="Watch?type=EventChain" type="Age">
      <maximum value="40" unit="ms"/>
    </timingConstraints>
    <timingConstraints xsi:type="am:DelayConstraint" xmi:id="Control_delay?type=DelayConstraint" name="Control_delay" mappingType="Reaction" source="Control_activates?type=ProcessEvent" target="Control_ends?type=ProcessEvent">
      <upper value="10" unit="ms"/>
    </timingConstraints>
)");
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all{
      // Software
      {"a misspelled task in its allocation",
       {{R"(<taskAllocation task="Control?type=Task")", R"(<taskAllocation task="Contrl?type=Task")"}}},
      {"a misspelled runnable in a call",
       {{R"(runnable="Monitor_Function?type=Runnable"/>)", R"(runnable="Monitor_Funktion?type=Runnable"/>)"}}},
      {"a misspelled stimulus in a task", {{R"(stimuli="every_2ms?)", R"(stimuli="every_2_ms?)"}}},
      {"a reference without its type",
       {{R"(runnable="Monitor_Function?type=Runnable"/>)", R"(runnable="Monitor_Function"/>)"}}},
      {"a reference with a wrong type",
       {{R"(runnable="Monitor_Function?type=Runnable"/>)", R"(runnable="Monitor_Function?type=Task"/>)"}}},
      {"a misspelled class", {{R"(<items xsi:type="am:Ticks">)", R"(<items xsi:type="am:Tick">)"}}},
      {"a misspelled class of a call",
       {{R"(<items xsi:type="am:RunnableCall")", R"(<items xsi:type="am:RunableCall")"}}},
      {"a misspelled element",
       {{R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000")",
         R"(<defaults xsi:type="am:DiscreteValueStatistics" lowerBound="200000")"}}},
      {"a misspelled attribute", {{R"(upperBound="300000")", R"(uperBound="300000")"}}},
      {"a number of ticks with an exponent", {{R"(upperBound="300000")", R"(upperBound="3e5")"}}},
      {"negative ticks", {{R"(upperBound="300000")", R"(upperBound="-300000")"}}},
      {"bounds of ticks in the wrong order",
       {{R"(lowerBound="200000" upperBound="300000")", R"(lowerBound="300000" upperBound="200000")"}}},
      {"ticks without their value",
       {{R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>)",
         ""}}},
      {"a runnable that executes nothing",
       {{R"(<items xsi:type="am:Ticks">
          <default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>
        </items>)",
         ""}}},
      {"a task that calls nothing",
       {{R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/>)", ""}}},
      {"a task without a stimulus", {{R"( stimuli="every_2ms?type=PeriodicStimulus")", ""}}},
      {"an offload that is never triggered",
       {{R"(<items xsi:type="am:InterProcessTrigger" stimulus="Vision_request?type=InterProcessStimulus"/>)", ""}}},
      {"a wait for an event that nobody sets",
       {{R"(<items xsi:type="am:SetEvent" process="Control?type=Task">
          <eventMask events="Vision_done?type=OsEvent"/>
        </items>)",
         ""}}},
      {"a misspelled literal", {{R"(waitingBehaviour="passive")", R"(waitingBehaviour="pasive")"}}},
      {"an activation limit that is reached",
       {{R"(stimuli="every_2ms?type=PeriodicStimulus" preemption="preemptive" multipleTaskActivationLimit="0")",
         R"(stimuli="every_2ms?type=PeriodicStimulus" preemption="preemptive" multipleTaskActivationLimit="1")"},
        {R"(upperBound="300000")", R"(upperBound="3000000")"}}},
      {"a negative activation limit",
       {{R"(stimuli="every_2ms?type=PeriodicStimulus" preemption="preemptive" multipleTaskActivationLimit="0")",
         R"(stimuli="every_2ms?type=PeriodicStimulus" preemption="preemptive" multipleTaskActivationLimit="-1")"}}},
      {"two tasks with the same name",
       {{R"(xmi:id="Monitor?type=Task" name="Monitor")", R"(xmi:id="Control?type=Task" name="Control")"}}},
      {"ticks that were never filled in",
       {{R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>)",
         R"(<default xsi:type="am:DiscreteValueConstant"/>)"}}},
      {"ticks without an upper bound",
       {{R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>)",
         R"(<default xsi:type="am:DiscreteValueBoundaries" lowerBound="200000"/>)"}}},
      {"a normal distribution without an upper bound",
       {{R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>)",
         R"(<default xsi:type="am:DiscreteValueGaussDistribution" mean="250000.0" sd="1000.0"/>)"}}},
      {"an average above the upper bound",
       {{R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>)",
         R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="2500000.0"/>)"}}},
      {"ticks for one kind of unit twice",
       {{R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>)",
         R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/><extended key="Cpu?type=ProcessingUnitDefinition"><value xsi:type="am:DiscreteValueConstant" value="1"/></extended><extended key="Cpu?type=ProcessingUnitDefinition"><value xsi:type="am:DiscreteValueConstant" value="300000"/></extended>)"}}},
      {"an empty execution need",
       {{R"(<items xsi:type="am:Ticks">
          <default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>
        </items>)",
         R"(<items xsi:type="am:ExecutionNeed"/>)"}}},
      {"a called runnable without content",
       {{R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/>)",
         R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/><items xsi:type="am:RunnableCall" runnable="Stub?type=Runnable"/>)"},
        {R"(<runnables xmi:id="Monitor_Function?type=Runnable")",
         R"(<runnables xmi:id="Stub?type=Runnable" name="Stub"/><runnables xmi:id="Monitor_Function?type=Runnable")"}}},
      {"a label without a size", {{R"(<size value="64" unit="kB"/>)", ""}}},
      {"a task that only accesses labels",
       {{R"(<items xsi:type="am:Ticks">
          <default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>
        </items>)",
         R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="write"/>)"}}},
      {"accesses in the wrong order",
       {{R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="write"/>)",
         R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="write"><statistic><value xsi:type="am:MinAvgMaxStatistic" min="9" avg="5.0" max="1"/></statistic></items>)"}}},
      {"two runnables with the same name",
       {{R"(<labels xmi:id="Image_host?type=Label")",
         R"(<runnables name="Monitor_Function"/><labels xmi:id="Image_host?type=Label")"}}},
      // Stimuli
      {"a misspelled unit", {{R"(<recurrence value="2" unit="ms"/>)", R"(<recurrence value="2" unit="mss"/>)"}}},
      {"a period without a unit", {{R"(<recurrence value="2" unit="ms"/>)", R"(<recurrence value="2"/>)"}}},
      {"a period of zero", {{R"(<recurrence value="2" unit="ms"/>)", R"(<recurrence value="0" unit="ms"/>)"}}},
      {"a negative period", {{R"(<recurrence value="2" unit="ms"/>)", R"(<recurrence value="-2" unit="ms"/>)"}}},
      {"a missing period", {{R"(<recurrence value="2" unit="ms"/>)", ""}}},
      {"a period with a decimal comma",
       {{R"(<recurrence value="2" unit="ms"/>)", R"(<recurrence value="2,5" unit="ms"/>)"}}},
      {"an offset of 0 without a unit",
       {{R"(<recurrence value="2" unit="ms"/>)", R"(<offset value="0"/><recurrence value="2" unit="ms"/>)"}}},
      {"a jitter without bounds",
       {{R"(<recurrence value="2" unit="ms"/>)",
         R"(<recurrence value="2" unit="ms"/><jitter xsi:type="am:TimeBoundaries"/>)"}}},
      {"a minimum distance above the period",
       {{R"(<recurrence value="2" unit="ms"/>)",
         R"(<recurrence value="2" unit="ms"/><minDistance value="3" unit="ms"/>)"}}},
      // Hardware
      {"a misspelled unit of a frequency",
       {{R"(<defaultValue value="1.0" unit="GHz"/>)", R"(<defaultValue value="1.0" unit="Ghz"/>)"}}},
      {"a frequency of zero",
       {{R"(<defaultValue value="1.0" unit="GHz"/>)", R"(<defaultValue value="0" unit="GHz"/>)"}}},
      {"a core without a clock",
       {{R"( name="Core" frequencyDomain="Cpu_Clock?type=FrequencyDomain")", R"( name="Core")"}}},
      {"a core without a definition", {{R"( definition="Cpu?type=ProcessingUnitDefinition">)", ">"}}},
      {"a core with the definition of a cache",
       {{R"( definition="Cpu?type=ProcessingUnitDefinition">)", R"( definition="Lines?type=CacheDefinition">)"}}},
      {"a GPU without puType", {{R"( puType="GPU")", ""}}},
      {"a misspelled puType", {{R"( puType="GPU")", R"( puType="GUP")"}}},
      {"a core without access to the memory",
       {{R"(<accessElements name="Core_to_DRAM" destination="DRAM?type=Memory">
          <readLatency xsi:type="am:DiscreteValueConstant" value="20"/>
          <writeLatency xsi:type="am:DiscreteValueConstant" value="20"/>
        </accessElements>)",
         ""}}},
      {"a negative latency",
       {{R"(<readLatency xsi:type="am:DiscreteValueConstant" value="20"/>)",
         R"(<readLatency xsi:type="am:DiscreteValueConstant" value="-20"/>)"}}},
      {"an unknown GPU platform", {{R"(value="tx2")", R"(value="tx3")"}}},
      {"a GPU without a platform",
       {{R"(<customProperties key="gpu.platform">
          <value xsi:type="am:StringObject" value="tx2"/>
        </customProperties>)",
         ""}}},
      {"a latency without an upper bound",
       {{R"(<readLatency xsi:type="am:DiscreteValueConstant" value="20"/>)",
         R"(<readLatency xsi:type="am:DiscreteValueBoundaries" lowerBound="20"/>)"}}},
      {"a latency that was never filled in",
       {{R"(<readLatency xsi:type="am:DiscreteValueConstant" value="20"/>)",
         R"(<readLatency xsi:type="am:DiscreteValueConstant"/>)"}}},
      {"two different accesses to a memory",
       {{R"(<accessElements name="Core_to_DRAM")",
         R"(<accessElements name="Fast" destination="DRAM?type=Memory"><readLatency xsi:type="am:DiscreteValueConstant" value="1"/><writeLatency xsi:type="am:DiscreteValueConstant" value="1"/></accessElements><accessElements name="Core_to_DRAM")"}}},
      // Mapping
      {"a misspelled memory in a mapping",
       {{R"(abstractElement="Image_host?type=Label" memory="DRAM?type=Memory")",
         R"(abstractElement="Image_host?type=Label" memory="DRM?type=Memory")"}}},
      {"a label without a memory",
       {{R"(<memoryMapping abstractElement="Image_host?type=Label" memory="DRAM?type=Memory" memoryPositionAddress="0x0"/>)",
         ""}}},
      {"a misspelled scheduler in an allocation",
       {{R"(<taskAllocation task="Control?type=Task" scheduler="Cpu_Scheduler?type=TaskScheduler")",
         R"(<taskAllocation task="Control?type=Task" scheduler="Cpu_Sheduler?type=TaskScheduler")"}}},
      {"a task without an allocation",
       {{R"(<taskAllocation task="Vision?type=Task" scheduler="Gpu_Scheduler?type=TaskScheduler" affinity="GPU?type=ProcessingUnit"/>)",
         ""}}},
      {"a scheduler that is responsible for nothing",
       {{R"(<schedulerAllocation scheduler="Cpu_Scheduler?type=TaskScheduler" responsibility="Core?type=ProcessingUnit" executingPU="Core?type=ProcessingUnit"/>)",
         ""}}},
      {"a scheduler that is responsible for a cache",
       {{R"(responsibility="Core?type=ProcessingUnit")", R"(responsibility="L2?type=Cache")"}}},
      {"a task with two allocations",
       {{R"(<taskAllocation task="Vision?type=Task")",
         R"(<taskAllocation task="Monitor?type=Task" scheduler="Gpu_Scheduler?type=TaskScheduler"/>
    <taskAllocation task="Vision?type=Task")"}}},
      {"a task with affinity to a unit of another scheduler",
       {{R"(scheduler="Cpu_Scheduler?type=TaskScheduler" affinity="Core?type=ProcessingUnit")",
         R"(scheduler="Cpu_Scheduler?type=TaskScheduler" affinity="GPU?type=ProcessingUnit")"}}},
      {"a task without a priority",
       {{R"(<schedulingParameters key="priority?type=SchedulingParameterDefinition">
        <value xsi:type="am:IntegerObject" value="1"/>
      </schedulingParameters>)",
         ""}}},
      {"a priority that is not a number",
       {{R"(<value xsi:type="am:IntegerObject" value="1"/>)", R"(<value xsi:type="am:StringObject" value="high"/>)"}}},
      {"an unknown scheduling algorithm",
       {{R"(name="FixedPriorityPreemptive" processParameters)", R"(name="FixPrio" processParameters)"},
        {R"(xmi:id="FixedPriorityPreemptive?type)", R"(xmi:id="FixPrio?type)"},
        {R"(definition="FixedPriorityPreemptive?type)", R"(definition="FixPrio?type)"}}},
      {"a scheduler without a definition", {{R"( definition="FixedPriorityPreemptive?type=SchedulerDefinition")", ""}}},
      {"a label in two memories",
       {{R"(<modules xsi:type="am:Memory")",
         R"(<modules xsi:type="am:Memory" name="Other"/><modules xsi:type="am:Memory")"},
        {R"(<memoryMapping abstractElement="Image_device?type=Label")",
         R"(<memoryMapping abstractElement="Image_host?type=Label" memory="Other?type=Memory"/><memoryMapping abstractElement="Image_device?type=Label")"}}},
      {"a runnable on another scheduler than its task",
       {{R"(<taskAllocation task="Vision?type=Task")",
         R"(<runnableAllocation entity="Monitor_Function?type=Runnable" scheduler="Gpu_Scheduler?type=TaskScheduler"/><taskAllocation task="Vision?type=Task")"}}},
      {"a second allocation of a scheduler",
       {{R"(<taskAllocation task="Vision?type=Task")",
         R"(<schedulerAllocation scheduler="Cpu_Scheduler?type=TaskScheduler" responsibility="GPU?type=ProcessingUnit"/><taskAllocation task="Vision?type=Task")"}}},
      {"two different priorities of a task",
       {{R"(<value xsi:type="am:IntegerObject" value="1"/>)",
         R"(<value xsi:type="am:IntegerObject" value="1"/></schedulingParameters><schedulingParameters key="priority?type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" value="3"/>)"}}},
      {"a priority that was never filled in", {{R"(<value xsi:type="am:IntegerObject" value="1"/>)", ""}}},
      {"an access that leads nowhere",
       {{R"(name="Core_to_DRAM" destination="DRAM?type=Memory")", R"(name="Core_to_DRAM")"}}},
      {"a latency for one direction only", {{R"(<readLatency xsi:type="am:DiscreteValueConstant" value="20"/>)", ""}}},
      // Offloads
      {"an awaited event that is never cleared",
       {{R"(        <items xsi:type="am:ClearEvent">
          <eventMask events="Vision_done?type=OsEvent"/>
        </items>
)",
         ""}}},
      {"an offload without a wait",
       {{R"(<items xsi:type="am:WaitEvent" waitingBehaviour="passive">)", R"(<items xsi:type="am:ClearEvent">)"}}},
      {"an event that is set before the kernel",
       {{R"(        <items xsi:type="am:RunnableCall" runnable="Vision_Function?type=Runnable"/>
)",
         ""},
        {R"(      </activityGraph>
    </tasks>
    <runnables)",
         R"(        <items xsi:type="am:RunnableCall" runnable="Vision_Function?type=Runnable"/>
      </activityGraph>
    </tasks>
    <runnables)"}}},
      {"a device task with a period of its own",
       {{R"(name="Vision" stimuli=")", R"(name="Vision" stimuli="every_10ms?type=PeriodicStimulus )"}}},
      {"an event that is cleared behind the trigger",
       {{R"(<items xsi:type="am:InterProcessTrigger" stimulus="Vision_request?type=InterProcessStimulus"/>)",
         R"(<items xsi:type="am:InterProcessTrigger" stimulus="Vision_request?type=InterProcessStimulus"/>
        <items xsi:type="am:ClearEvent"><eventMask events="Vision_done?type=OsEvent"/></items>)"}}},
      {"a trigger that activates nothing",
       {{R"(name="Vision" stimuli="Vision_request?type=InterProcessStimulus")",
         R"(name="Vision" stimuli="every_10ms?type=PeriodicStimulus")"}}},
      {"a copy without the label that it writes",
       {{R"(<items xsi:type="am:LabelAccess" data="Image_device?type=Label" access="write"/>)", ""}}},
      {"a copy to a smaller label",
       {{R"(name="Image_device" constant="false" bVolatile="false">
      <size value="64" unit="kB"/>)",
         R"(name="Image_device" constant="false" bVolatile="false">
      <size value="2" unit="B"/>)"}}},
      {"a share of MPS without blocks",
       {{R"(name="Vision" stimuli="Vision_request?type=InterProcessStimulus" preemption="preemptive" multipleTaskActivationLimit="0">)",
         R"(name="Vision" stimuli="Vision_request?type=InterProcessStimulus" preemption="preemptive" multipleTaskActivationLimit="0"><customProperties key="gpu.mpsShare"><value xsi:type="am:StringObject" value="50"/></customProperties>)"}}},
      // Constraints
      {"a deadline without limitType",
       {{R"(limitType="UpperLimit" metric="ResponseTime")", R"(metric="ResponseTime")"}}},
      {"a deadline without a metric",
       {{R"(limitType="UpperLimit" metric="ResponseTime")", R"(limitType="UpperLimit")"}}},
      {"a misspelled metric", {{R"(metric="ResponseTime")", R"(metric="ResponsTime")"}}},
      {"a deadline without a value", {{R"(<limitValue value="10" unit="ms"/>)", ""}}},
      {"a deadline without a process",
       {{R"( name="Deadline_Control" process="Control?type=Task")", R"( name="Deadline_Control")"}}},
      {"a deadline of a process that does not exist",
       {{R"(name="Deadline_Control" process="Control?type=Task")",
         R"(name="Deadline_Control" process="Controller?type=Task")"}}},
      {"a lower limit instead of an upper one", {{R"(limitType="UpperLimit")", R"(limitType="LowerLimit")"}}},
      {"a deadline that is too short",
       {{R"(<limitValue value="10" unit="ms"/>)", R"(<limitValue value="4" unit="ms"/>)"}}},
      {"a metric that is not supported",
       {{R"(metric="ResponseTime")", R"(metric="CacheHit")"},
        {"TimeRequirementLimit", "CountRequirementLimit"},
        {R"(<limitValue value="10" unit="ms"/>)", ""}}},
      {"a latency constraint that is too tight",
       {{R"(<maximum value="40" unit="ms"/>)", R"(<maximum value="4" unit="ms"/>)"}}},
      {"a latency constraint without limits", {{R"(<maximum value="40" unit="ms"/>)", ""}}},
      {"a latency constraint without a chain", {{R"( scope="Watch?type=EventChain")", ""}}},
      {"a misspelled event in a chain", {{R"(stimulus="Monitor_starts?)", R"(stimulus="Monitor_start?)"}}},
      {"an event without a process", {{R"(eventType="start" entity="Monitor?type=Task")", R"(eventType="start")"}}},
      {"a delay constraint that is too tight",
       {{R"(<upper value="10" unit="ms"/>)", R"(<upper value="4" unit="ms"/>)"}}},
      {"a delay constraint without limits", {{R"(<upper value="10" unit="ms"/>)", ""}}},
      {"a minimum latency without a value",
       {{R"(<maximum value="40" unit="ms"/>)", R"(<minimum unit="ms"/><maximum value="40" unit="ms"/>)"}}},
      {"a delay constraint without a mapping", {{R"( mappingType="Reaction")", ""}}},
      {"a delay to an event without a type",
       {{R"( eventType="terminate" entity="Control?type=Task")", R"( entity="Control?type=Task")"}}},
      {"a delay constraint without a target", {{R"( target="Control_ends?type=ProcessEvent")", ""}}},
      // Files
      {"a truncated file", {{"</am:Amalthea>", ""}}},
      {"the namespace of another version", {{"amalthea/3.3.0", "amalthea/0.8.0"}}},
      {"the namespace of an unknown version", {{"amalthea/3.3.0", "amalthea/9.9.9"}}},
  };
  return all;
}

std::string with(const Mistake& mistake) {
  std::string text = sound_model();
  for (const Edit& edit : mistake.edits) text = test::replaced(text, edit.from, edit.to);
  return text;
}

struct Outcome {
  std::string verdict;  ///< "refused" where there is no result
  int exit_code = 0;
  std::string said;  ///< what says so: ids of the findings that matter, or the names of limits
};

Outcome outcome_of(const std::string& text) {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  test::write_text(model, text);
  const auto run = test::amalthea({"analyze", model, "--format", "json"});
  Outcome outcome{"refused", run.exit_code, ""};
  const auto add = [&outcome](const std::string& word) {
    if (outcome.said.find(word) == std::string::npos) outcome.said += (outcome.said.empty() ? "" : ", ") + word;
  };
  // Errors and what is unknown first; assumptions where there is nothing else.
  std::istringstream lines(run.err);
  for (std::string line; std::getline(lines, line);)
    if (const auto id = line.rfind(" [AM"); line.find(" error: ") != line.npos && id != line.npos)
      add(line.substr(id + 2, 6));
  if (run.out.empty()) return outcome;
  const auto json = nlohmann::json::parse(run.out);
  outcome.verdict = json["verdict"].get<std::string>();
  for (const auto& limit : json["limits"])
    if (const auto name = limit["name"].get<std::string>();
        limit["verdict"] != "met" && limit["verdict"] != "guaranteed")
      add(limit["kind"] == "finding" ? name.substr(0, 6) : name);
  for (const auto& assumption : json["assumptions"])
    if (assumption["rule"].is_string()) add(assumption["rule"].get<std::string>() + " (assumed)");
  return outcome;
}

std::string row_of(const Mistake& mistake, const Outcome& outcome) {
  return fmt::format("| {} | {} | {} | {} |", mistake.name, outcome.verdict, outcome.exit_code,
                     outcome.said.empty() ? "–" : outcome.said);
}

}  // namespace

TEST_CASE("the base model of the typical mistakes is guaranteed") {
  const Outcome outcome = outcome_of(sound_model());
  CHECK(outcome.verdict == "guaranteed");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.said == "");
}

TEST_CASE("messages for typical mistakes match docs/reference/mistakes.md") {
  REQUIRE(mistakes().size() >= 50);
  const std::string documented = test::read_text(AMALTHEA_SOURCE_DIR "/docs/reference/mistakes.md");
  std::string rows;
  for (const Mistake& mistake : mistakes()) {
    const std::string row = row_of(mistake, outcome_of(with(mistake)));
    rows += row + "\n";
    INFO(row);
    CHECK(documented.find(row + "\n") != std::string::npos);
  }
  // AMALTHEA_PRINT=1: the table as it is, to be looked at and put into the documentation.
  if (std::getenv("AMALTHEA_PRINT") != nullptr) fmt::print("{}", rows);
}

}  // namespace mistakes_test
