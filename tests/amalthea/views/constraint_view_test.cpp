// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/views/event_chains.hpp"
#include "amalthea/views/stimuli.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/view_text.hpp"

namespace views_constraint_view_test {

using namespace amalthea;

namespace {

std::string stimuli(std::string_view version, std::string_view content, std::string_view beside = "") {
  const Model model = test::model_of(version, fmt::format("<stimuliModel>{}</stimuliModel>{}", content, beside));
  Diagnostics diagnostics;
  const std::string text = test::stimuli_text(model, diagnostics);
  for (const auto& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));
  CHECK(diagnostics.all().empty());
  return text;
}

std::string constraints(std::string_view version, std::string_view content, std::string_view beside = "") {
  const Model model =
      test::model_of(version, fmt::format("{}<constraintsModel>{}</constraintsModel>", beside, content));
  Diagnostics diagnostics;
  const std::string text = test::constraints_text(model, diagnostics);
  for (const auto& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));
  CHECK(diagnostics.all().empty());
  return text;
}

std::string ms(std::string_view tag, int value) { return fmt::format("<{} value=\"{}\" unit=\"ms\"/>", tag, value); }

}  // namespace

// ---------------------------------------------------------------- stimuli

TEST_CASE("periodic stimuli are read under the names of all versions") {
  const std::string times = ms("offset", 1) + ms("recurrence", 10);
  const std::string deviation =
      "<lowerBound xsi:type=\"am:{0}\" value=\"0\" unit=\"ms\"/><upperBound "
      "xsi:type=\"am:{0}\" value=\"2\" unit=\"ms\"/><distribution xsi:type=\"am:UniformDistribution\"/>";
  const std::string expected = "S: periodic 10 ms + 1 ms jitter 0 ps..1 ms..2 ms uniform distance - activates [T]\n";
  const auto task = [](std::string_view cls) {
    return fmt::format("<swModel><tasks name=\"T\" stimuli=\"S?type={}\"/></swModel>", cls);
  };
  const auto old = [&](std::string_view cls, std::string_view tag) {
    return fmt::format("<stimuli xsi:type=\"am:{0}\" name=\"S\">{1}<{2}>{3}</{2}></stimuli>", cls, times, tag,
                       fmt::format(fmt::runtime(deviation), "TimeObject"));
  };
  CHECK(stimuli("0.7.2", old("Periodic", "stimulusDeviation"), task("Periodic")) == expected);
  CHECK(stimuli("0.8.1", old("PeriodicStimulus", "stimulusDeviation"), task("PeriodicStimulus")) == expected);
  CHECK(stimuli("0.9.0", old("PeriodicStimulus", "jitter"), task("PeriodicStimulus")) == expected);
  CHECK(stimuli("3.3.0",
                "<stimuli xsi:type=\"am:PeriodicStimulus\" name=\"S\">" + times +
                    "<jitter xsi:type=\"am:TimeUniformDistribution\">" + ms("lowerBound", 0) + ms("upperBound", 2) +
                    "</jitter></stimuli>",
                task("PeriodicStimulus")) == expected);
}

TEST_CASE("a clock belongs to a periodic stimulus before 0.8.3 and to a scenario since 0.8.3") {
  CHECK(stimuli("0.8.1",
                "<stimuli xsi:type=\"am:PeriodicStimulus\" name=\"S\" clock=\"C?type=ClockTriangleFunction\">" +
                    ms("recurrence", 5) + "</stimuli><clocks xsi:type=\"am:ClockTriangleFunction\" name=\"C\"/>") ==
        "S: periodic 5 ms + - jitter - distance - clock C activates []\n");
  CHECK(stimuli(
            "0.8.3",
            "<stimuli xsi:type=\"am:VariableRateStimulus\" name=\"S\">" + ms("step", 5) +
                "<occurrencesPerStep><lowerBound xsi:type=\"am:DoubleObject\" value=\"1.5\"/><upperBound "
                "xsi:type=\"am:DoubleObject\" value=\"2.5\"/></occurrencesPerStep><maxIncreasePerStep value=\"0.5\"/>"
                "<scenario clock=\"C?type=ClockSinusFunction\">" +
                ms("recurrence", 7) + "</scenario></stimuli><clocks xsi:type=\"am:ClockSinusFunction\" name=\"C\"/>") ==
        "S: variable 1.5..2..2.5 none per 5 ms up 0.5 down -1 scenario C 7 ms 0 1 activates []\n");
  CHECK(stimuli("0.9.5", "<stimuli xsi:type=\"am:VariableRateStimulus\" name=\"S\" maxIncreasePerStep=\"0.5\">" +
                             ms("step", 5) +
                             "<occurrencesPerStep xsi:type=\"am:ContinuousValueConstant\" value=\"2.0\"/>"
                             "<scenario clock=\"C?type=ClockFunction\" samplingOffset=\"2.0\"/></stimuli>"
                             "<clocks xsi:type=\"am:ClockFunction\" name=\"C\"/>") ==
        "S: variable 2..2..2 constant per 5 ms up 0.5 down -1 scenario C - 2 1 activates []\n");
}

TEST_CASE("single and sporadic and synthetic stimuli are read under the names of all versions") {
  for (const auto& [version, cls, tag] :
       {std::tuple<std::string_view, std::string_view, std::string_view>{"0.7.0", "Single", "activation"},
        {"0.8.2", "SingleStimulus", "activation"},
        {"0.8.3", "SingleStimulus", "occurrence"},
        {"3.3.0", "SingleStimulus", "occurrence"}})
    CHECK(stimuli(version, fmt::format("<stimuli xsi:type=\"am:{}\" name=\"S\">{}</stimuli>", cls, ms(tag, 3))) ==
          "S: single 3 ms activates []\n");
  const std::string bounds =
      "<lowerBound xsi:type=\"am:TimeObject\" value=\"1\" unit=\"ms\"/><upperBound "
      "xsi:type=\"am:TimeObject\" value=\"3\" unit=\"ms\"/>";
  for (const auto& [version, cls, tag] :
       {std::tuple<std::string_view, std::string_view, std::string_view>{"0.8.0", "Sporadic", "stimulusDeviation"},
        {"0.8.1", "SporadicStimulus", "stimulusDeviation"},
        {"0.8.3", "RelativePeriodicStimulus", "nextOccurrence"}})
    CHECK(stimuli(version, fmt::format("<stimuli xsi:type=\"am:{0}\" name=\"S\"><{1}>{2}</{1}></stimuli>", cls, tag,
                                       bounds)) == "S: relative 1 ms..2 ms..3 ms none + - activates []\n");
  const std::string times = ms("offset", 1);
  for (const std::string_view cls : {"Synthetic", "SyntheticStimulus"})
    CHECK(stimuli("0.8.1",
                  fmt::format("<stimuli xsi:type=\"am:{}\" name=\"S\">{}{}<triggerTimes>{}{}</triggerTimes></stimuli>",
                              cls, times, ms("period", 9), ms("timestamps", 2), ms("timestamps", 4))) ==
          "S: synthetic 9 ms + 1 ms at 2 ms at 4 ms activates []\n");
  CHECK(stimuli("1.0.0", fmt::format("<stimuli xsi:type=\"am:PeriodicSyntheticStimulus\" name=\"S\">{}{}{}{}</stimuli>",
                                     times, ms("recurrence", 9), ms("occurrenceTimes", 2), ms("occurrenceTimes", 4))) ==
        "S: synthetic 9 ms + 1 ms at 2 ms at 4 ms activates []\n");
}

TEST_CASE("burst and event and inter-process and arrival curve and custom stimuli are read") {
  const std::string entry = ms("lowerTimeBorder", 1) + ms("upperTimeBorder", 2);
  CHECK(stimuli("0.7.1", "<stimuli xsi:type=\"am:ArrivalCurve\" name=\"S\"><arrivalCurveEntries numberOfEvents=\"3\">" +
                             entry + "</arrivalCurveEntries></stimuli>") ==
        "S: arrivals 3 in 1 ms..2 ms activates []\n");
  CHECK(stimuli("1.2.0",
                "<stimuli xsi:type=\"am:ArrivalCurveStimulus\" name=\"S\"><entries numberOfOccurrences=\"3\">" + entry +
                    "</entries><entries/></stimuli>") == "S: arrivals 3 in 1 ms..2 ms 1 in -..- activates []\n");
  CHECK(stimuli("0.9.9", "<stimuli xsi:type=\"am:PeriodicBurstStimulus\" name=\"S\">" + ms("recurrence", 9) +
                             ms("burstLength", 2) + ms("occurrenceMinDistance", 1) + "</stimuli>") ==
        "S: burst 9 ms + - length 2 ms distance 1 ms count 0 activates []\n");
  const std::string events = "<eventModel><events xsi:type=\"am:ProcessEvent\" name=\"E\"/></eventModel>";
  CHECK(stimuli("0.8.0", "<stimuli xsi:type=\"am:EventStimulus\" name=\"S\" trigger=\"E?type=ProcessEvent\"/>",
                events) == "S: events [E] activates []\n");
  CHECK(stimuli("0.8.1",
                "<stimuli xsi:type=\"am:EventStimulus\" name=\"S\" triggeringEvents=\"E?type=ProcessEvent\">"
                "<counter prescaler=\"3\" offset=\"1\"/></stimuli>",
                events) == "S: events [E] every 3 from 1 activates []\n");
  CHECK(stimuli(
            "0.8.0",
            "<stimuli xsi:type=\"am:InterProcess\" name=\"S\"/><stimuli xsi:type=\"am:PeriodicEvent\" name=\"P\"/>") ==
        "S: inter-process activates []\nP: periodic event activates []\n");
  CHECK(stimuli("0.9.9", "<stimuli xsi:type=\"am:CustomStimulus\" name=\"S\" description=\"d\"/>") ==
        "S: custom activates []\n");
}

TEST_CASE("modes that enable a stimulus are read in every version") {
  const std::string before =
      "<swModel><modes name=\"M\"><literals name=\"on\"/></modes><modeLabels name=\"ML\" "
      "initialValue=\"M/on?type=ModeLiteral\"/></swModel>";
  const std::string after =
      "<swModel><modes xsi:type=\"am:EnumMode\" name=\"M\"><literals name=\"on\"/></modes><modeLabels "
      "name=\"ML\" mode=\"M?type=EnumMode\"/></swModel>";
  const std::string value = "valueProvider=\"ML?type=ModeLabel\" value=\"M/on?type=ModeLiteral\"";
  const std::string newer = "label=\"ML?type=ModeLabel\" relation=\"EQUAL\" value=\"on\"";
  const auto with = [](std::string_view content) {
    return fmt::format("<stimuli xsi:type=\"am:CustomStimulus\" name=\"S\">{}</stimuli>", content);
  };
  const std::string expected = "S: custom if ML == on activates []\n";
  CHECK(stimuli("0.8.0", with("<enablingModeValueList><entries " + value + "/></enablingModeValueList>"), before) ==
        expected);
  CHECK(
      stimuli("0.8.3",
              with("<enablingModeValueList><entries xsi:type=\"am:ModeValue\" " + value + "/></enablingModeValueList>"),
              before) == expected);
  CHECK(stimuli("0.9.4",
                with("<executionCondition><entries xsi:type=\"am:ModeCondition\" " + newer + "/></executionCondition>"),
                after) == expected);
  CHECK(stimuli("2.0.0",
                with("<executionCondition><entries xsi:type=\"am:ModeValueCondition\" " + newer +
                     "/></executionCondition>"),
                after) == expected);
  CHECK(stimuli("0.8.3",
                with("<setModeValueList><entries " + value +
                     "/></setModeValueList><disablingModeValueList><entries "
                     "xsi:type=\"am:ModeValueConjunction\"><entries " +
                     value + "/><entries " + value +
                     "/></entries>"
                     "</disablingModeValueList>"),
                before) == "S: custom set ML = on unless ML == on && ML == on activates []\n");
}

// ---------------------------------------------------------------- events and chains

TEST_CASE("events state their type and their location") {
  const Model model = test::model_of(
      "0.8.3",
      "<swModel><tasks name=\"T\"/><runnables name=\"R\"/></swModel><hwModel/><eventModel>"
      "<events xsi:type=\"am:RunnableEvent\" name=\"a\" eventType=\"suspend\" entity=\"R?type=Runnable\" "
      "process=\"T?type=Task\" description=\"d\"/><events xsi:type=\"am:ProcessEvent\" name=\"b\"/>"
      "<events xsi:type=\"am:CustomEvent\" name=\"c\" eventType=\"what I say\"/><events xsi:type=\"am:EventSet\" "
      "name=\"d\" events=\"a?type=RunnableEvent b?type=ProcessEvent\"/></eventModel>");
  Diagnostics diagnostics;
  CHECK(test::constraints_text(model, diagnostics) ==
        "3 a suspend of R runnable - process T\n"
        "1 b _all_ of - runnable - process -\n"
        "10 c what I say of - runnable - process -\n"
        "11 d _all_ of - runnable - process -\n");
}

TEST_CASE("event chains are read in all three forms") {
  const std::string events =
      "<eventModel><events xsi:type=\"am:StimulusEvent\" name=\"a\"/><events "
      "xsi:type=\"am:StimulusEvent\" name=\"b\"/><events xsi:type=\"am:StimulusEvent\" name=\"c\"/></eventModel>";
  const auto ends = [](std::string_view from, std::string_view to) {
    return fmt::format("stimulus=\"{}?type=StimulusEvent\" response=\"{}?type=StimulusEvent\"", from, to);
  };
  const std::string chain_x = fmt::format("<eventChains name=\"X\" {}/>", ends("b", "c"));
  const std::string expected =
      "8 a _all_ of - runnable - process -\n"
      "8 b _all_ of - runnable - process -\n"
      "8 c _all_ of - runnable - process -\n"
      "chain C: a -> c\n  then\n    chain : a -> b\n  then X\nchain X: b -> c\n";
  CHECK(constraints(
            "0.8.0",
            fmt::format(
                "<eventChains name=\"C\" {}><segments xsi:type=\"am:SubEventChain\"><eventChain {}/></segments>"
                "<segments xsi:type=\"am:EventChainReference\" eventChain=\"X?type=EventChain\"/></eventChains>{}",
                ends("a", "c"), ends("a", "b"), chain_x),
            events) == expected);
  CHECK(constraints(
            "0.9.5",
            fmt::format(
                "<eventChains name=\"C\" {}><segments xsi:type=\"am:EventChainContainer\"><eventChain {}/></segments>"
                "<segments xsi:type=\"am:EventChainReference\" eventChain=\"X?type=EventChain\"/></eventChains>{}",
                ends("a", "c"), ends("a", "b"), chain_x),
            events) == expected);
  CHECK(constraints(
            "3.3.0",
            fmt::format("<eventChains name=\"C\" itemType=\"sequence\" {}><items xsi:type=\"am:EventChainContainer\">"
                        "<eventChain {}/></items><items xsi:type=\"am:EventChainReference\" "
                        "eventChain=\"X?type=EventChain\"/></eventChains>{}",
                        ends("a", "c"), ends("a", "b"), chain_x),
            events) == expected);
  const Model parallel = test::model_of("3.3.0",
                                        "<constraintsModel><eventChains name=\"C\" itemType=\"parallel\" "
                                        "minItemsCompleted=\"2\"/></constraintsModel>");
  Diagnostics diagnostics;
  CHECK(views::event_chains(parallel, diagnostics).at(0).arrangement == views::ChainArrangement::parallel);
  CHECK(views::event_chains(parallel, diagnostics).at(0).least_items_completed == 2);
}

// ---------------------------------------------------------------- constraints

TEST_CASE("latency and synchronization constraints of 0.7.0 are read like those of later versions") {
  const std::string beside = "<eventModel><events xsi:type=\"am:StimulusEvent\" name=\"a\"/></eventModel>";
  const std::string event = "8 a _all_ of - runnable - process -\n";
  const std::string chain = "<eventChains name=\"C\"/>";
  const std::string limits = ms("minimum", 1) + ms("maximum", 2);
  const std::string expected =
      event + "chain C: - -> -\nA: age of C 1 ms..2 ms\nS: synchronization [a][]  3 ms false\n";
  CHECK(constraints("0.7.0",
                    chain + "<timingConstraints xsi:type=\"am:AgeConstraint\" name=\"A\" scope=\"C?type=EventChain\">" +
                        limits +
                        "</timingConstraints><timingConstraints xsi:type=\"am:SynchronisationConstraint\" name=\"S\" "
                        "events=\"a?type=StimulusEvent\">" +
                        ms("tolerance", 3) + "</timingConstraints>",
                    beside) == expected);
  CHECK(constraints(
            "0.9.0",
            chain +
                "<timingConstraints xsi:type=\"am:EventChainLatencyConstraint\" name=\"A\" type=\"Age\" "
                "scope=\"C?type=EventChain\">" +
                limits +
                "</timingConstraints><timingConstraints xsi:type=\"am:EventSynchronizationConstraint\" name=\"S\" "
                "events=\"a?type=StimulusEvent\">" +
                ms("tolerance", 3) + "</timingConstraints>",
            beside) == expected);
}

TEST_CASE("delay and repetition and order and chain synchronization constraints are read") {
  CHECK(constraints(
            "0.7.1",
            "<eventChains name=\"C\"/><eventChains name=\"D\"/><timingConstraints xsi:type=\"am:DelayConstraint\" "
            "name=\"1\" "
            "mappingType=\"OneToOne\">" +
                ms("lower", 1) + ms("upper", 2) +
                "</timingConstraints><timingConstraints "
                "xsi:type=\"am:RepetitionConstraint\" name=\"2\" span=\"3\">" +
                ms("period", 4) + ms("jitter", 1) +
                "</timingConstraints><timingConstraints xsi:type=\"am:EventChainSynchronizationConstraint\" name=\"3\" "
                "scope=\"C?type=EventChain D?type=EventChain\" type=\"Response\" multipleOccurrencesAllowed=\"true\"/>"
                "<timingConstraints xsi:type=\"am:OrderConstraint\" name=\"4\"/>") ==
        "chain C: - -> -\nchain D: - -> -\n1: delay - -> - 1 ms..2 ms OneToOne\n"
        "2: repetition of - span 3 -..- jitter 1 ms period 4 ms\n3: synchronization [][C D] Response - true\n4: order "
        "- -> -\n");
}

TEST_CASE("affinity constraints are read for every kind of group") {
  const std::string software = "<swModel><runnables name=\"R\"/><runnables name=\"Q\"/></swModel>";
  const std::string group = "xsi:type=\"am:RunnableEntityGroup\" runnables=\"R?type=Runnable Q?type=Runnable\"";
  for (const auto& [version, tag] :
       {std::pair<std::string_view, std::string_view>{"0.7.1", "runnables"}, {"0.7.2", "group"}, {"3.3.0", "group"}})
    CHECK(constraints(version,
                      fmt::format("<affinityConstraints xsi:type=\"am:RunnablePairingConstraint\" name=\"A\"><{} {}/>"
                                  "<target xsi:type=\"am:TargetCore\"/></affinityConstraints>",
                                  tag, group),
                      software) == "affinity A 1 1 [R Q] on []\n");
  CHECK(constraints(
            "3.3.0",
            "<affinityConstraints xsi:type=\"am:ProcessSeparationConstraint\" name=\"A\"><groups "
            "xsi:type=\"am:TagGroup\" "
            "tag=\"G?type=Tag\"/><groups xsi:type=\"am:ProcessEntityGroup\" "
            "processes=\"T?type=Task\"/></affinityConstraints>"
            "<affinityConstraints xsi:type=\"am:DataPairingConstraint\" name=\"B\"><group "
            "xsi:type=\"am:LabelEntityGroup\" "
            "labels=\"L?type=Label\"/><target xsi:type=\"am:TargetMemory\" "
            "memories=\"M?type=Memory\"/></affinityConstraints>",
            "<commonElements><tags name=\"G\"/></commonElements><swModel><tasks name=\"T\"/><labels "
            "name=\"L\"/></swModel>"
            "<hwModel><structures name=\"s\"><modules xsi:type=\"am:Memory\" name=\"M\"/></structures></hwModel>") ==
        "affinity A 2 2 [] tag G [T]\naffinity B 1 3 [L] on [M]\n");
}

TEST_CASE("runnable sequencing constraints are read for every kind of group") {
  const std::string software = "<swModel><tasks name=\"T\"/><runnables name=\"R\"/><runnables name=\"Q\"/></swModel>";
  CHECK(constraints(
            "0.7.0",
            "<runnableSequencingConstraints name=\"S\" orderType=\"successor\"><runnableGroups "
            "groupingType=\"allOfThem\">"
            "<entries runnable=\"R?type=Runnable\" processScope=\"T?type=Task\"/></runnableGroups><runnableGroups>"
            "<entries runnable=\"Q?type=Runnable\"/></runnableGroups></runnableSequencingConstraints>",
            software) == "sequence successor in []: [R] in [T] [Q]\n");
  for (const std::string_view version : {"0.8.0", "0.8.1", "3.3.0"})
    CHECK(constraints(version,
                      "<runnableSequencingConstraints name=\"S\" orderType=\"successor\" processScope=\"T?type=Task\">"
                      "<runnableGroups runnables=\"R?type=Runnable\"/><runnableGroups runnables=\"Q?type=Runnable\"/>"
                      "</runnableSequencingConstraints>",
                      software) == "sequence successor in [T]: [R] [Q]\n");
}

TEST_CASE("constraints on data and sections are read") {
  CHECK(constraints("1.0.0",
                    "<dataAgeConstraints name=\"1\" runnable=\"R?type=Runnable\" label=\"L?type=Label\"><dataAge "
                    "xsi:type=\"am:DataAgeCycle\" minimumCycle=\"1\" "
                    "maximumCycle=\"2\"/></dataAgeConstraints><dataAgeConstraints "
                    "name=\"2\"><dataAge xsi:type=\"am:DataAgeTime\">" +
                        ms("minimumTime", 3) +
                        "</dataAge></dataAgeConstraints>"
                        "<dataCoherencyGroups name=\"3\" direction=\"input\" labels=\"L?type=Label\"><scope "
                        "xsi:type=\"am:RunnableScope\" "
                        "runnable=\"R?type=Runnable\"/></dataCoherencyGroups><dataStabilityGroups name=\"4\"/>"
                        "<physicalSectionConstraints name=\"5\" section=\"X?type=Section\"/>",
                    "<swModel><runnables name=\"R\"/><labels name=\"L\"/><sections name=\"X\"/></swModel>") ==
        "data age R L 1..2 -..-\ndata age - - -1..-1 3 ms..-\ndata coherency input [L] R\ndata stability  [] -\n"
        "physical section X []\n");
}

// ---------------------------------------------------------------- requirements

TEST_CASE("limits of every kind are read") {
  CHECK(constraints(
            "3.3.0",
            "<requirements xsi:type=\"am:ProcessRequirement\" name=\"1\" severity=\"Major\" "
            "process=\"T?type=Task\"><limit "
            "xsi:type=\"am:TimeRequirementLimit\" limitType=\"UpperLimit\" metric=\"ResponseTime\">" +
                ms("limitValue", 5) +
                "</limit></requirements><requirements xsi:type=\"am:RunnableRequirement\" name=\"2\"><limit "
                "xsi:type=\"am:CPUPercentageRequirementLimit\" limitType=\"LowerLimit\" metric=\"CPULoad\" "
                "limitValue=\"0.5\"/>"
                "</requirements><requirements xsi:type=\"am:ArchitectureRequirement\" name=\"3\"><limit "
                "xsi:type=\"am:CountRequirementLimit\" metric=\"Preemptions\" "
                "limitValue=\"7\"/></requirements><requirements "
                "xsi:type=\"am:ProcessChainRequirement\" name=\"4\"><limit xsi:type=\"am:PercentageRequirementLimit\" "
                "metric=\"CacheHitRatio\" limitValue=\"90.5\"/></requirements><requirements "
                "xsi:type=\"am:ProcessRequirement\" "
                "name=\"5\"><limit xsi:type=\"am:FrequencyRequirementLimit\" metric=\"CacheMissFrequency\"><limitValue "
                "value=\"2.0\" "
                "unit=\"kHz\"/></limit></requirements>",
            "<swModel><tasks name=\"T\"/></swModel>") ==
        "requirement 1 1 T severity 3 limit 1: time ResponseTime 5 ms\nrequirement 2 2 - severity 0 limit 2: CPULoad "
        "0.5 of -\n"
        "requirement 3 4 - severity 0 limit 0: Preemptions 7\nrequirement 4 3 - severity 0 limit 0: CacheHitRatio 90.5 "
        "%\n"
        "requirement 5 1 - severity 0 limit 0: CacheMissFrequency 2000 Hz\n");
}

TEST_CASE("the deadline of a runnable before 0.9.4 is read as a requirement") {
  const std::string before =
      constraints("0.9.3", "", "<swModel><runnables name=\"R\">" + ms("deadline", 5) + "</runnables></swModel>");
  const std::string after = constraints(
      "0.9.4",
      "<requirements xsi:type=\"am:RunnableRequirement\" name=\"deadline\" runnable=\"R?type=Runnable\"><limit "
      "xsi:type=\"am:TimeRequirementLimit\" limitType=\"UpperLimit\" metric=\"ResponseTime\">" +
          ms("limitValue", 5) + "</limit></requirements>",
      "<swModel><runnables name=\"R\"/></swModel>");
  CHECK(before == after);
  CHECK(before == "requirement deadline 2 R severity 0 limit 1: time ResponseTime 5 ms\n");
}

}  // namespace views_constraint_view_test
