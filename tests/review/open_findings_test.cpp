// SPDX-License-Identifier: Apache-2.0
// Whom a finding reaches: who never runs, or is no longer linked to others, changes the timing of all that it could
// influence.

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/bounds/dependencies.hpp"
#include "engine/finding_consequences.hpp"
#include "review/open_findings.hpp"
#include "review/review.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace open_findings_test {

using namespace amalthea;
using test::replaced;

namespace {

using Names = std::set<std::string>;

std::string task(std::string_view name, std::string_view stimulus, std::string_view items) {
  return fmt::format(R"(<tasks name="{}" preemption="preemptive" stimuli="{}"><activityGraph>{}</activityGraph></tasks>
)",
                     name, stimulus, items);
}

const std::string ticks =
    R"(<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="1000"/></items>)";
const std::string request =
    R"(<items xsi:type="am:SemaphoreAccess" semaphore="Sem?type=Semaphore" access="request" waitingBehaviour="passive"/>)";
const std::string release = R"(<items xsi:type="am:SemaphoreAccess" semaphore="Sem?type=Semaphore" access="release"/>)";
const std::string set_mode =
    R"(<items xsi:type="am:ModeLabelAccess" data="ML?type=ModeLabel" access="set" value="on"/>)";
const std::string trigger = R"(<items xsi:type="am:InterProcessTrigger" stimulus="call?type=InterProcessStimulus"/>)";
const std::string custom = R"(<items xsi:type="am:CustomEventTrigger" event="Alarm?type=CustomEvent"/>)";
const std::string by_mode = R"(<items xsi:type="am:Switch"><entries name="on">)" + ticks + ticks +
                            R"(<condition><entries xsi:type="am:ModeValueCondition" label="ML?type=ModeLabel" )"
                            R"(value="on" relation="EQUAL"/></condition></entries></items>)";

/// On core C0: Irq (calls Far), First above Second. On C1: Far above Near, which uses the semaphore of Second. On C2:
/// Heard, activated by writes of First, above Moded, whose mode First sets. On C3: Raised, activated by an event of
/// Second. On C4, for itself: Alone.
std::string sound() {
  std::string allocations, schedulers, cores;
  for (int core = 0; core < 5; ++core) {
    cores += fmt::format(
        R"(<modules xsi:type="am:ProcessingUnit" name="C{}" frequencyDomain="Clk?type=FrequencyDomain" definition="Cpu?type=ProcessingUnitDefinition"/>)",
        core);
    schedulers += fmt::format(R"(<taskSchedulers name="S{}" definition="FPP?type=SchedulerDefinition"/>)", core);
    allocations += fmt::format(
        R"(<schedulerAllocation scheduler="S{0}?type=TaskScheduler" responsibility="C{0}?type=ProcessingUnit"/>)",
        core);
  }
  for (const auto& [name, core, priority] :
       {std::tuple("First", 0, 3), std::tuple("Second", 0, 2), std::tuple("Far", 1, 3), std::tuple("Near", 1, 2),
        std::tuple("Heard", 2, 2), std::tuple("Moded", 2, 1), std::tuple("Raised", 3, 1), std::tuple("Alone", 4, 1)})
    allocations += fmt::format(
        R"(<taskAllocation task="{}?type=Task" scheduler="S{}?type=TaskScheduler"><schedulingParameters key="priority?type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" value="{}"/></schedulingParameters></taskAllocation>
)",
        name, core, priority);
  return test::model_text(
      R"(<swModel><isrs name="Irq" stimuli="P10?type=PeriodicStimulus"><activityGraph>)" + trigger + ticks +
      "</activityGraph></isrs>\n" +
      task("First", "P5?type=PeriodicStimulus",
           ticks + R"(<items xsi:type="am:LabelAccess" data="L?type=Label" access="write"/>)" + set_mode) +
      task("Second", "P10?type=PeriodicStimulus", request + ticks + release + custom) +
      task("Far", "call?type=InterProcessStimulus", ticks) +
      task("Near", "P10?type=PeriodicStimulus", request + ticks + release) +
      task("Heard", "written?type=EventStimulus", ticks) + task("Moded", "P10?type=PeriodicStimulus", by_mode) +
      task("Raised", "raised?type=EventStimulus", ticks) + task("Alone", "P10?type=PeriodicStimulus", ticks) +
      R"(<labels name="L"><size value="4" unit="B"/></labels>
<modes xsi:type="am:EnumMode" name="M"><literals name="off"/><literals name="on"/></modes>
<modeLabels name="ML" initialValue="off" mode="M?type=EnumMode"/></swModel>
<hwModel><definitions xsi:type="am:ProcessingUnitDefinition" name="Cpu" puType="CPU"/><structures name="B" structureType="System">)" +
      cores +
      R"(</structures><domains xsi:type="am:FrequencyDomain" name="Clk"><defaultValue value="1" unit="GHz"/></domains></hwModel>
<osModel><semaphores name="Sem" semaphoreType="Mutex" initialValue="0" maxValue="1"/><operatingSystems name="Os">)" +
      schedulers +
      R"(<interruptControllers name="IC" definition="PriorityBased?type=SchedulerDefinition"/></operatingSystems>
<schedulerDefinitions name="FPP" processParameters="priority?type=SchedulingParameterDefinition"/><schedulerDefinitions name="PriorityBased"/>
<schedulingParameterDefinitions name="priority" type="Integer" mandatory="true"/></osModel>
<stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="P5"><recurrence value="5" unit="ms"/></stimuli>
<stimuli xsi:type="am:PeriodicStimulus" name="P10"><recurrence value="10" unit="ms"/></stimuli>
<stimuli xsi:type="am:InterProcessStimulus" name="call"/>
<stimuli xsi:type="am:EventStimulus" name="written" triggeringEvents="L_written?type=LabelEvent"/>
<stimuli xsi:type="am:EventStimulus" name="raised" triggeringEvents="Alarm?type=CustomEvent"/></stimuliModel>
<eventModel><events xsi:type="am:LabelEvent" name="L_written" entity="L?type=Label" eventType="write" process="First?type=Task"/>
<events xsi:type="am:CustomEvent" name="Alarm"/></eventModel>
<mappingModel><schedulerAllocation scheduler="IC?type=InterruptController" responsibility="C0?type=ProcessingUnit"/>
<isrAllocation isr="Irq?type=ISR" controller="IC?type=InterruptController" priority="1"/>
)" + allocations +
      "</mappingModel>");
}

struct Open {
  System system;
  Diagnostics findings;
};

Open open(const std::string& text) {
  Open all;
  const Model model = test::model_from_text(text, all.findings);
  auto system = review::build_checked(model, {}, all.findings);
  for (const Diagnostic& finding : all.findings.all()) UNSCOPED_INFO(format(finding));
  REQUIRE(system);
  review::apply_rules(model, &*system, all.findings);
  review::record_open_findings(model, all.findings, *system);
  all.system = std::move(*system);
  return all;
}

/// The processes that findings with this id, or any that leave something open, may concern.
Names reached(const std::string& text, std::string_view id = "") {
  const System system = open(text).system;
  const engine::Dependencies dependencies(system);
  Names names;
  for (const OpenFinding& open : system.open) {
    if (open.assumption || (!id.empty() && open.id != id)) continue;
    for (std::uint32_t i = 0; i < system.tasks.size(); ++i)
      if (open.parts.empty() || dependencies.reached_from(open.parts).contains({Part::Kind::task, i}))
        names.insert(system.tasks[i].name);
  }
  return names;
}

Names changed(std::string_view from, std::string_view to, std::string_view id) {
  return reached(replaced(sound(), from, to), id);
}

/// Far delays Near, which delays Second by the semaphore, and so First.
const Names of_call{"Far", "Near", "Second", "First", "Raised", "Heard", "Moded"};
const Names everyone{"Irq", "First", "Second", "Far", "Near", "Heard", "Moded", "Raised", "Alone"};

}  // namespace

TEST_CASE("a sound model leaves nothing open") { CHECK(reached(sound()).empty()); }

TEST_CASE("a process that never runs leaves open all that it would delay") {
  // Without a stimulus.
  const Names below_first{"First", "Second", "Far", "Near", "Raised", "Heard", "Moded"};
  const std::string of_first = R"(name="First" preemption="preemptive" stimuli="P5?type=PeriodicStimulus")";
  for (const std::string_view to :
       {R"(name="First" preemption="preemptive")", R"(name="First" preemption="preemptive" stimuli="")"})
    CHECK(changed(of_first, to, "AM0407") == below_first);
  CHECK(
      reached(
          replaced(
              replaced(sound(), of_first, R"(name="First" preemption="preemptive")"),
              R"(name="First" preemption="preemptive"><activityGraph>)",
              R"(name="First" preemption="preemptive"><stimuli xsi:type="am:PeriodicStimulus" href=""/><activityGraph>)"),
          "AM0407") == below_first);
  CHECK(changed(R"(<isrs name="Irq" stimuli="P10?type=PeriodicStimulus">)", R"(<isrs name="Irq">)", "AM0407") ==
        Names{"Irq", "First", "Second", "Far", "Near", "Heard", "Moded", "Raised"});
  // With one that never occurs.
  CHECK(changed(trigger, "", "AM0631") == of_call);
  CHECK(changed(R"( process="First?type=Task")", R"( process="Second?type=Task")", "AM0631") ==
        Names{"Heard", "Moded"});
  CHECK(changed(R"( triggeringEvents="L_written?type=LabelEvent")", "", "AM0631") == Names{"Heard", "Moded"});
  CHECK(changed(custom, "", "AM0631") == Names{"Raised"});
}

TEST_CASE("triggers in runnables that no process calls trigger nothing") {
  const std::string apart = replaced(sound(), trigger, "");
  CHECK(reached(
            replaced(apart, "<labels",
                     R"(<runnables name="Uncalled"><activityGraph>)" + trigger + "</activityGraph></runnables><labels"),
            "AM0631") == of_call);
}

TEST_CASE("a link to something unknown may concern every process") {
  CHECK(changed(R"(<items xsi:type="am:SemaphoreAccess" semaphore="Sem?type=Semaphore" access="request")",
                R"(<items xsi:type="am:SemaphoreAccess" access="request")", "AM0401") == everyone);
  CHECK(changed(custom, R"(<items xsi:type="am:CustomEventTrigger"/>)", "AM0401") == everyone);
}

TEST_CASE("a link that is not simulated concerns its target too") {
  // The mode label is known, the value that it would have is not.
  CHECK(changed(R"(access="set" value="on")", R"(access="set" value="17")", "AM0401") ==
        Names{"First", "Second", "Far", "Near", "Raised", "Heard", "Moded"});
}

TEST_CASE("a process or a runnable without any content may have been linked to all") {
  const std::string of_irq = R"(<isrs name="Irq" stimuli="P10?type=PeriodicStimulus"><activityGraph>)" + trigger +
                             ticks + "</activityGraph></isrs>";
  CHECK(changed(of_irq, R"(<isrs name="Irq" stimuli="P10?type=PeriodicStimulus"/>)", "AM0440") == everyone);
}

TEST_CASE("values that a mode does not have and conditions without a relation leave their processes open") {
  const Names moded{"Moded"};
  CHECK(changed(R"(value="on" relation="EQUAL")", R"(value="1" relation="EQUAL")", "AM0654") == moded);
  CHECK(changed(R"(value="on" relation="EQUAL")", R"(value="on")", "AM0654") == moded);
}

/// The ids of what leaves each of the chains open.
std::vector<Names> open_chains(const std::string& text) {
  const System system = open(text).system;
  std::vector<Names> ids(system.chains.size());
  for (const OpenFinding& one : system.open)
    for (const Part& part : one.parts)
      if (part.kind == Part::Kind::chain) ids[part.index].insert(one.id);
  return ids;
}

TEST_CASE("a part of an event chain that does not connect leaves all chains open that contain it") {
  const std::string chains =
      replaced(sound(), "</eventModel>",
               R"(<events xsi:type="am:ProcessEvent" name="go" entity="First?type=Task" eventType="activate"/>
<events xsi:type="am:ProcessEvent" name="heard" entity="Heard?type=Task" eventType="start"/>
<events xsi:type="am:ProcessEvent" name="alone" entity="Alone?type=Task" eventType="start"/></eventModel>
<constraintsModel><eventChains name="Inner" stimulus="go?type=ProcessEvent" response="heard?type=ProcessEvent"/>
<eventChains name="Outer" stimulus="go?type=ProcessEvent" response="heard?type=ProcessEvent" itemType="sequence">
<items xsi:type="am:EventChainReference" eventChain="Inner?type=EventChain"/></eventChains>
<eventChains name="Other" stimulus="go?type=ProcessEvent" response="heard?type=ProcessEvent"/></constraintsModel>)");
  // An event stimulus connects the writes of First with Heard.
  CHECK(open_chains(chains) == std::vector<Names>{{}, {}, {}});
  CHECK(open_chains(replaced(chains, R"(name="Outer" stimulus="go?type=ProcessEvent" response="heard)",
                             R"(name="Outer" stimulus="go?type=ProcessEvent" response="alone)")) ==
        std::vector<Names>{{"AM0640"}, {"AM0640"}, {}});
  CHECK(open_chains(replaced(chains, R"(name="Inner" stimulus="go?type=ProcessEvent")",
                             R"(name="Inner" stimulus="alone?type=ProcessEvent")")) ==
        std::vector<Names>{{"AM0640"}, {"AM0640"}, {}});
  CHECK(open_chains(replaced(chains, R"(name="Other" stimulus="go?type=ProcessEvent")",
                             R"(name="Other" stimulus="heard?type=ProcessEvent")")) ==
        std::vector<Names>{{}, {}, {"AM0641"}});
}

TEST_CASE("negative counts leave their task open") {
  CHECK(changed(R"(name="Alone" preemption="preemptive")",
                R"(name="Alone" preemption="preemptive" multipleTaskActivationLimit="-1")",
                "AM0517") == Names{"Alone"});
}

}  // namespace open_findings_test
