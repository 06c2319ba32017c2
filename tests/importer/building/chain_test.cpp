// SPDX-License-Identifier: Apache-2.0
// Event chains with a hole in them, from the file to the verdict.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/analysis.hpp"
#include "engine/verdict.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace building_chain_test {

using namespace amalthea;
using engine::LimitVerdict;

namespace {

/// Tasks A and B on two cores, every 10 ms: A reads X and writes D, B reads D and writes Y. The chain leads from the
/// read of X to the write of Y.
constexpr std::string_view sound = R"(<swModel>
<tasks name="A" preemption="preemptive" stimuli="P?type=PeriodicStimulus"><activityGraph>
<items xsi:type="am:RunnableCall" runnable="RA?type=Runnable"/>
</activityGraph></tasks>
<tasks name="B" preemption="preemptive" stimuli="P?type=PeriodicStimulus"><activityGraph>
<items xsi:type="am:RunnableCall" runnable="RB?type=Runnable"/>
</activityGraph></tasks>
<runnables name="RA"><activityGraph>
<items xsi:type="am:LabelAccess" data="X?type=Label" access="read"/>
<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="1000"/></items>
<items xsi:type="am:LabelAccess" data="D?type=Label" access="write"/>
</activityGraph></runnables>
<runnables name="RB"><activityGraph>
<items xsi:type="am:LabelAccess" data="D?type=Label" access="read"/>
<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="1000"/></items>
<items xsi:type="am:LabelAccess" data="Y?type=Label" access="write"/>
</activityGraph></runnables>
<labels name="X"><size value="4" unit="B"/></labels>
<labels name="D"><size value="4" unit="B"/></labels>
<labels name="Y"><size value="4" unit="B"/></labels>
<processChains name="PC" processes="A?type=Task B?type=Task"/>
</swModel>
<hwModel><definitions xsi:type="am:ProcessingUnitDefinition" name="Cpu" puType="CPU"/><structures name="S" structureType="System">
<modules xsi:type="am:ProcessingUnit" name="C0" frequencyDomain="Clk?type=FrequencyDomain" definition="Cpu?type=ProcessingUnitDefinition"/>
<modules xsi:type="am:ProcessingUnit" name="C1" frequencyDomain="Clk?type=FrequencyDomain" definition="Cpu?type=ProcessingUnitDefinition"/>
</structures><domains xsi:type="am:FrequencyDomain" name="Clk"><defaultValue value="1" unit="GHz"/></domains></hwModel>
<osModel><operatingSystems name="Os">
<taskSchedulers name="S0" definition="OSEK?type=SchedulerDefinition"/>
<taskSchedulers name="S1" definition="OSEK?type=SchedulerDefinition"/>
</operatingSystems><schedulerDefinitions name="OSEK"/></osModel>
<stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="P"><recurrence value="10" unit="ms"/></stimuli></stimuliModel>
<eventModel>
<events xsi:type="am:LabelEvent" name="X_read" entity="X?type=Label" eventType="read"/>
<events xsi:type="am:RunnableEvent" name="RB_starts" entity="RB?type=Runnable" eventType="start"/>
<events xsi:type="am:LabelEvent" name="Y_written" entity="Y?type=Label" eventType="write"/>
</eventModel>
<constraintsModel>
<eventChains name="EC" stimulus="X_read?type=LabelEvent" response="Y_written?type=LabelEvent" itemType="sequence">
<items xsi:type="am:EventChainContainer"><eventChain name="one" stimulus="X_read?type=LabelEvent" response="RB_starts?type=RunnableEvent"/></items>
<items xsi:type="am:EventChainContainer"><eventChain name="two" stimulus="RB_starts?type=RunnableEvent" response="Y_written?type=LabelEvent"/></items>
</eventChains>
<timingConstraints xsi:type="am:EventChainLatencyConstraint" name="Limit" type="Reaction" scope="EC?type=EventChain"><maximum value="100" unit="ms"/></timingConstraints>
<requirements xsi:type="am:ProcessChainRequirement" name="Along" processChain="PC?type=ProcessChain"><limit xsi:type="am:TimeRequirementLimit" limitType="UpperLimit" metric="EndToEnd"><limitValue value="100" unit="ms"/></limit></requirements>
</constraintsModel>
<mappingModel>
<schedulerAllocation scheduler="S0?type=TaskScheduler" responsibility="C0?type=ProcessingUnit"/>
<schedulerAllocation scheduler="S1?type=TaskScheduler" responsibility="C1?type=ProcessingUnit"/>
<taskAllocation task="A?type=Task" scheduler="S0?type=TaskScheduler"/>
<taskAllocation task="B?type=Task" scheduler="S1?type=TaskScheduler"/>
</mappingModel>)";

using Changes = std::vector<std::pair<std::string, std::string>>;

struct Judged {
  System system;
  engine::Results results;
  Diagnostics findings;
  std::string text;
};

Judged judged(const Changes& changes) {
  Judged all;
  all.text = test::model_text(sound);
  for (const auto& [from, to] : changes) all.text = test::replaced(std::move(all.text), from, to);
  const Model model = test::model_from_text(all.text, all.findings);
  auto system = importer::build_system(model, {}, all.findings);
  for (const auto& finding : all.findings.all()) UNSCOPED_INFO(format(finding));
  REQUIRE(system.has_value());
  all.system = std::move(*system);
  auto results = engine::analyze(all.system, {}, all.findings);
  REQUIRE(results.has_value());
  all.results = std::move(*results);
  return all;
}

/// The limit of the chain is unknown, and so is the model, with a finding that begins at this text.
void check_hole(const Changes& changes, std::string_view reason, std::string_view place) {
  const Judged all = judged(changes);
  REQUIRE(all.results.chains.size() == 1);
  for (const auto communication :
       {engine::Communication::implicit, engine::Communication::explicit_access, engine::Communication::let}) {
    const auto& judgement = all.results.chains[0].limits.front().by(communication);
    CHECK(judgement.verdict == LimitVerdict::unknown);
    CHECK_THAT(judgement.reason, Catch::Contains(std::string(reason)));
  }
  CHECK_FALSE(all.results.chains[0].implicit);
  const auto findings = test::with_id(all.findings, "AM0665");
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0].message, Catch::Contains(std::string(reason)));
  const auto at = all.text.find(place);
  REQUIRE(at != std::string::npos);
  CHECK(findings[0].location.line == std::count(all.text.begin(), all.text.begin() + static_cast<long>(at), '\n') + 1);
  CHECK(engine::assess(all.system, all.results, all.findings).verdict == engine::OverallVerdict::unknown);
}

constexpr const char* second_part =
    R"(<items xsi:type="am:EventChainContainer"><eventChain name="two" stimulus="RB_starts?type=RunnableEvent" response="Y_written?type=LabelEvent"/></items>)";

}  // namespace

TEST_CASE("event chains: a sound chain and process chain are guaranteed") {
  const Judged all = judged({});
  CHECK(all.results.chains[0].limits.front().implicit.guaranteed == true);
  CHECK(all.results.requirements[0].guaranteed == true);
  CHECK(engine::assess(all.system, all.results, all.findings).verdict == engine::OverallVerdict::guaranteed);
}

TEST_CASE("event chains: of all events of the first process its activation is the first") {
  for (const auto& [type, from_activation] :
       {std::pair("", true), std::pair(R"( eventType="activate")", true), std::pair(R"( eventType="start")", false)}) {
    const Judged all = judged(
        {{R"(<events xsi:type="am:LabelEvent" name="X_read" entity="X?type=Label" eventType="read"/>)",
          fmt::format(R"(<events xsi:type="am:ProcessEvent" name="A_does" entity="A?type=Task"{}/>)", type)},
         {R"(name="EC" stimulus="X_read?type=LabelEvent")", R"(name="EC" stimulus="A_does?type=ProcessEvent")"},
         {R"(name="one" stimulus="X_read?type=LabelEvent")", R"(name="one" stimulus="A_does?type=ProcessEvent")"}});
    CHECK(all.system.chains[0].from_activation == from_activation);
  }
}

TEST_CASE("event chains: an event that never occurs is a hole at its place") {
  SECTION("because of its process") {
    check_hole({{R"(name="RB_starts" entity)", R"(name="RB_starts" process="A?type=Task" entity)"}},
               "the event \"RB_starts\" of its chain never occurs in \"A\"", R"(<events xsi:type="am:RunnableEvent")");
  }
  SECTION("because of its processing unit") {
    check_hole({{R"(name="RB_starts" entity)", R"(name="RB_starts" processingUnit="C0?type=ProcessingUnit" entity)"}},
               "the event \"RB_starts\" of its chain never occurs in \"B\"", R"(<events xsi:type="am:RunnableEvent")");
  }
  SECTION("because nothing accesses its label so") {
    check_hole(
        {{R"(<events xsi:type="am:RunnableEvent" name="RB_starts" entity="RB?type=Runnable" eventType="start"/>)",
          R"(<events xsi:type="am:LabelEvent" name="RB_starts" entity="Y?type=Label" eventType="read"/>)"},
         {R"(response="RB_starts?type=RunnableEvent")", R"(response="RB_starts?type=LabelEvent")"},
         {R"(stimulus="RB_starts?type=RunnableEvent")", R"(stimulus="RB_starts?type=LabelEvent")"}},
        "the event \"RB_starts\" of its chain never occurs", R"(<events xsi:type="am:LabelEvent" name="RB_starts")");
  }
}

TEST_CASE("event chains: a chain whose parts do not follow each other is a hole at its place") {
  SECTION("it contains itself") {
    check_hole({{second_part, R"(<items xsi:type="am:EventChainReference" eventChain="EC?type=EventChain"/>)"}},
               "event chain \"EC\" contains itself", "<eventChains");
  }
  SECTION("a part is empty") {
    check_hole({{second_part, R"(<items xsi:type="am:EventChainReference"/>)"}},
               "a part of event chain \"EC\" is missing", R"(<items xsi:type="am:EventChainReference")");
  }
  SECTION("it does not state where it ends") {
    check_hole({{R"( response="Y_written?type=LabelEvent" itemType)", " itemType"}},
               "event chain \"EC\" has no response", "<eventChains");
  }
  SECTION("it does not state where it begins") {
    check_hole({{R"(name="EC" stimulus="X_read?type=LabelEvent")", R"(name="EC")"}},
               "event chain \"EC\" has no stimulus", "<eventChains");
  }
  SECTION("parts are parallel") {
    check_hole({{R"(itemType="sequence")", R"(itemType="parallel")"}}, "event chain \"EC\" has parallel parts",
               R"(<items xsi:type="am:EventChainContainer")");
  }
  SECTION("it does not state how the parts follow, and they do not connect") {
    check_hole(
        {{R"( itemType="sequence")", ""},
         {R"(name="two" stimulus="RB_starts?type=RunnableEvent")", R"(name="two" stimulus="X_read?type=LabelEvent")"}},
        "event chain \"EC\" does not state whether its parts follow each other",
        R"(<items xsi:type="am:EventChainContainer"><eventChain name="two")");
  }
}

TEST_CASE("event chains: tasks that share no data are a hole at the chain and at the requirement") {
  const Changes no_data = {{R"(data="D?type=Label" access="write")", R"(data="X?type=Label" access="write")"}};
  check_hole(no_data, "\"A\" writes no label that \"B\" reads, and does not trigger it", "<eventChains");
  const Judged all = judged(no_data);
  CHECK(all.results.requirements[0].verdict == LimitVerdict::unknown);
  CHECK(all.results.requirements[0].reason == "\"A\" writes no label that \"B\" reads, and does not trigger it");
  const auto findings = test::with_id(all.findings, "AM0666");
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0].message, Catch::Contains("process chain \"PC\""));
}

TEST_CASE("event chains: data that some jobs pass on is no hole, and no limit is met") {
  const Judged all = judged(
      {{R"(data="D?type=Label" access="write"/>)",
        R"(data="D?type=Label" access="write"><statistic><value xsi:type="am:MinAvgMaxStatistic" min="0" avg="1" max="1"/></statistic></items>)"}});
  CHECK(all.results.chains[0].limits.front().implicit.verdict == LimitVerdict::unknown);
  CHECK(all.results.chains[0].limits.front().implicit.reason ==
        "not every job of \"A\" writes label \"D\", which its chain passes");
  CHECK(all.results.requirements[0].verdict == LimitVerdict::unknown);
  CHECK(test::with_id(all.findings, "AM0665").empty());
  CHECK(test::with_id(all.findings, "AM0666").empty());
}

TEST_CASE("event chains: a latency constraint without a type is not judged") {
  const Judged all = judged({{R"(name="Limit" type="Reaction")", R"(name="Limit")"}});
  CHECK(all.results.chains[0].limits.empty());
  REQUIRE(all.results.constraints.size() == 1);
  CHECK(all.results.constraints[0].verdict == LimitVerdict::unknown);
  CHECK_THAT(all.results.constraints[0].reason,
             Catch::Contains("does not state whether it limits the reaction or the age"));
  CHECK(test::with_id(all.findings, "AM0561").size() == 1);
}

TEST_CASE("event chains: accesses in a group without order may have any order") {
  const Judged all = judged({{R"(<runnables name="RA"><activityGraph>)",
                              R"(<runnables name="RA"><activityGraph><items xsi:type="am:Group" ordered="false">)"},
                             {R"(<items xsi:type="am:LabelAccess" data="D?type=Label" access="write"/>
</activityGraph>)",
                              R"(<items xsi:type="am:LabelAccess" data="D?type=Label" access="write"/></items>
</activityGraph>)"}});
  const engine::ChainResult& chain = all.results.chains[0];
  REQUIRE(chain.explicit_access);
  CHECK(chain.explicit_access->reaction == chain.implicit->reaction + Duration::milliseconds(10));
}

}  // namespace building_chain_test
