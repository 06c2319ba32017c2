// SPDX-License-Identifier: Apache-2.0
// Timing constraints of models of all versions, from the file to the verdict.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/metamodel.hpp"
#include "engine/analysis.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/timed_models.hpp"

namespace building_constraint_test {

using namespace amalthea;

namespace {

struct Judged {
  System system;
  engine::Results results;
  Diagnostics findings;

  const engine::ConstraintResult* find(std::string_view name) const {
    for (std::size_t index = 0; index < system.constraints.size(); ++index)
      if (system.constraints[index].name == name) return &results.constraints[index];
    return nullptr;
  }
  engine::ConstraintResult operator[](std::string_view name) const {
    const auto* found = find(name);
    INFO("constraint " << name);
    REQUIRE(found != nullptr);
    return *found;
  }
};

Judged judged(std::string text) {
  Judged all;
  const Model model = test::model_from_text(std::move(text), all.findings);
  auto system = importer::build_system(model, {}, all.findings);
  for (const auto& finding : all.findings.all()) UNSCOPED_INFO(format(finding));
  REQUIRE(system.has_value());
  all.system = std::move(*system);
  auto results = engine::analyze(all.system, {}, all.findings);
  REQUIRE(results.has_value());
  all.results = std::move(*results);
  return all;
}

std::string sample_text() { return test::read_text(test::sample("constraints.amxmi")); }

/// The sample with replacements, each of the first place.
using Changes = std::vector<std::pair<std::string, std::string>>;
std::string changed(const Changes& changes) {
  std::string text = sample_text();
  for (const auto& [from, to] : changes) text = test::replaced(std::move(text), from, to);
  return text;
}

void check(std::string_view name, const Changes& changes, std::string_view verdict, std::string_view reason) {
  INFO(name);
  const Judged all = judged(changed(changes));
  const engine::ConstraintResult result = all[name];
  INFO(result.reason);
  CHECK(to_string(result.verdict) == verdict);
  CHECK(result.reason.find(reason) != std::string::npos);
  CHECK((result.guaranteed == false) == (verdict == "missed"));
  if (verdict == "met" || verdict == "missed") CHECK(result.judged > 0);
}

/// Also the finding says so, at the place of the constraint.
void check_unjudgeable(std::string_view name, const Changes& changes, std::string_view reason,
                       const char* id = "AM0561") {
  INFO(name);
  const std::string text = changed(changes);
  const Judged all = judged(text);
  const engine::ConstraintResult result = all[name];
  INFO(result.reason);
  CHECK(result.verdict == engine::LimitVerdict::unknown);
  CHECK_FALSE(result.guaranteed.has_value());
  CHECK(result.reason.find(reason) != std::string::npos);
  const auto findings = test::with_id(all.findings, id);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message.find(name) != std::string::npos);
  const std::size_t at = text.find(fmt::format("name=\"{}\"", name));
  CHECK(findings[0].location.line ==
        static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1));
}

}  // namespace

TEST_CASE("the sample has a constraint of every class and only the documented one is missed") {
  const Judged all = judged(sample_text());
  std::vector<std::string> classes;
  for (std::size_t index = 0; index < all.system.constraints.size(); ++index) {
    const TimingConstraint& constraint = all.system.constraints[index];
    INFO(constraint.name << ": " << all.results.constraints[index].reason);
    classes.push_back(constraint.class_name);
    CHECK(constraint.origin.known());
    CHECK(constraint.location.line > 0);
    CHECK((all.results.constraints[index].verdict == engine::LimitVerdict::met) ==
          (constraint.name != "SpeedAndAngle"));
  }
  CHECK(classes == std::vector<std::string>{"DelayConstraint", "RepetitionConstraint", "EventSynchronizationConstraint",
                                            "EventChainSynchronizationConstraint", "RunnableSequencingConstraint",
                                            "DataAgeConstraint", "DataCoherencyGroup", "DataStabilityGroup",
                                            "PhysicalSectionConstraint"});
  // The ninth class is a limit of its chain.
  REQUIRE(all.system.chains.size() == 2);
  REQUIRE(all.system.chains[0].limits.size() == 1);
  CHECK(all.system.chains[0].limits[0].name == "Fresh");
  for (const char* name : {"ActuatedInTime", "SensedRegularly", "WrittenTogether", "FilterFirst", "DataIsFast"}) {
    INFO(name);
    CHECK((all[name].guaranteed == true) == (std::string_view(name) != "WrittenTogether"));
  }
  CHECK(all["SpeedAndAngle"].guaranteed == false);
}

TEST_CASE("a delay is missed if no target occurs in time for every mapping") {
  check("ActuatedInTime", {}, "met", "none of ");
  const std::pair<std::string, std::string> tight = {"<upper value=\"10\" unit=\"ms\"/>",
                                                     "<upper value=\"8\" unit=\"ms\"/>"};
  check("ActuatedInTime", {tight}, "missed", "occurrence 1 of \"Tick\" at 0 ps matches the \"ActuateEnds\" 8.500");
  for (const char* mapping : {"Reaction", "UniqueReaction"}) {
    const std::pair<std::string, std::string> other = {"mappingType=\"OneToOne\"",
                                                       fmt::format("mappingType=\"{}\"", mapping)};
    check("ActuatedInTime", {other}, "met", "none of ");
    check("ActuatedInTime", {other, tight}, "missed",
          "occurrence 1 of \"Tick\" at 0 ps has no \"ActuateEnds\" in time");
  }
  check_unjudgeable("ActuatedInTime", {{"mappingType=\"OneToOne\"", "mappingType=\"_undefined_\""}}, "(mappingType)");
  check_unjudgeable("ActuatedInTime", {{" mappingType=\"OneToOne\"", ""}}, "(mappingType)");
  check_unjudgeable("ActuatedInTime",
                    {{"source=\"Tick?type=StimulusEvent\"", "source=\"ActuateEnds?type=ProcessEvent\""}},
                    "its target is its source");
  const char* const ends = "eventType=\"terminate\" entity=\"Actuate?type=Task\"";
  check_unjudgeable("ActuatedInTime", {{ends, "entity=\"Actuate?type=Task\""}},
                    "its target \"ActuateEnds\" does not state its eventType");
  check("ActuatedInTime", {{ends, "eventType=\"_all_\" entity=\"Actuate?type=Task\""}}, "missed", "matches the");
  check_unjudgeable("ActuatedInTime", {{" source=\"Tick?type=StimulusEvent\"", ""}}, "its source is missing");
  check_unjudgeable("ActuatedInTime", {{"<upper value=\"10\" unit=\"ms\"/>", ""}}, "neither a lower nor an upper limit",
                    "AM0560");
  check_unjudgeable("ActuatedInTime", {{"<upper value=\"10\" unit=\"ms\"/>", "<upper value=\"ten\" unit=\"ms\"/>"}},
                    "its upper cannot be read");
  check("ActuatedInTime",
        {{"eventType=\"terminate\" entity=\"Actuate?type=Task\"", "eventType=\"poll\" entity=\"Actuate?type=Task\""}},
        "missed", "no matching \"ActuateEnds\"");
}

TEST_CASE("a repetition is missed if distances differ from its period by more than the jitter") {
  check("SensedRegularly", {}, "met", "none of ");
  check("SensedRegularly", {{"<period value=\"5\"", "<period value=\"2\""}}, "missed",
        "occurrence 2 of \"SenseStarts\" at 5 ms occurs 5 ms after the one before; required: 2 ms between ideal "
        "occurrences");
  check("SensedRegularly", {{"span=\"1\"", "span=\"2\""}, {"<period value=\"5\"", "<period value=\"10\""}}, "met",
        "none of ");
  const std::string period = "<period value=\"5\" unit=\"ms\"/>";
  check_unjudgeable("SensedRegularly", {{period, period + "<lower value=\"1\" unit=\"ms\"/>"}},
                    "a period and other limits");
  check("SensedRegularly", {{period, period + "<upper value=\"5000\" unit=\"us\"/>"}}, "met", "none of ");
  check_unjudgeable("SensedRegularly", {{" event=\"SenseStarts?type=RunnableEvent\" span", " span"}},
                    "its event is missing");
  check_unjudgeable("SensedRegularly", {{"<period value=\"5\" unit=\"ms\"/>", ""}},
                    "no lower limit, upper limit or period", "AM0560");
  check("SensedRegularly", {{"<period value=\"5\" unit=\"ms\"/>", "<period value=\"90\" unit=\"s\"/>"}}, "missed",
        "required: 90 s");
}

TEST_CASE("events are synchronized within the tolerance") {
  const std::pair<std::string, std::string> tight = {"<tolerance value=\"1\" unit=\"ms\"/>",
                                                     "<tolerance value=\"10\" unit=\"ns\"/>"};
  const std::pair<std::string, std::string> multiple = {"multipleOccurrencesAllowed=\"false\" events",
                                                        "multipleOccurrencesAllowed=\"true\" events"};
  check("WrittenTogether", {}, "met", "none of ");
  check("WrittenTogether", {tight}, "missed", "occurrence 1 of \"SpeedWritten\" at 1.00002 ms");
  check("WrittenTogether", {multiple}, "met", "none of ");
  check("WrittenTogether", {multiple, tight}, "missed", "is in no window that contains every event");
  check_unjudgeable("WrittenTogether",
                    {{"events=\"SpeedWritten?type=LabelEvent AngleWritten?type=LabelEvent\"",
                      "events=\"SpeedWritten?type=LabelEvent\""}},
                    "it references only one event");
  check_unjudgeable("WrittenTogether",
                    {{"events=\"SpeedWritten?type=LabelEvent AngleWritten?type=LabelEvent\"",
                      "events=\"SpeedWritten?type=LabelEvent SpeedWritten?type=LabelEvent\""}},
                    "its event 2 is its event 1 again");
  // Another event of the same content.
  check_unjudgeable("WrittenTogether", {{"entity=\"Angle?type=Label\"", "entity=\"Speed?type=Label\""}},
                    "its event 2 is its event 1 again");
  check_unjudgeable("WrittenTogether", {{"<tolerance value=\"1\" unit=\"ms\"/>", ""}}, "no tolerance", "AM0560");
}

TEST_CASE("two chains are synchronized by their responses or stimuli") {
  check("RespondTogether", {}, "met", "none of ");
  check("RespondTogether", {{"<tolerance value=\"2\" unit=\"ms\"/>", "<tolerance value=\"500\" unit=\"us\"/>"}},
        "missed", "the responses of occurrence 1 of \"SenseStarts\" at 0 ps");
  check_unjudgeable("RespondTogether", {{" type=\"Response\"", ""}}, "it does not state whether");
  check_unjudgeable(
      "RespondTogether",
      {{"scope=\"SenseToOutput?type=EventChain SenseToCommand", "scope=\"SenseToOutput?type=EventChain SenseToOutput"}},
      "are the same one");
  check_unjudgeable("RespondTogether", {{"type=\"Response\"", "type=\"Stimulus\""}}, "no common response");
  // The chain to Output by Command, and the one that begins with Command: Command is written 7.5 ms after Sense starts.
  const Changes of_stimuli = {{"type=\"Response\"", "type=\"Stimulus\""},
                              {"name=\"SenseToCommand\" stimulus=\"SenseStarts?type=RunnableEvent\" "
                               "response=\"CommandWritten?type=LabelEvent\"",
                               "name=\"SenseToCommand\" stimulus=\"CommandWritten?type=LabelEvent\" "
                               "response=\"OutputWritten?type=LabelEvent\""}};
  Changes alone = of_stimuli;
  const std::string text = sample_text();
  const std::size_t begin = text.find("<items", text.find("name=\"SenseToCommand\"")),
                    end = text.find("</eventChains>", begin);
  alone.insert(alone.begin(), {text.substr(begin, end - begin) + "</eventChains>", "</eventChains>"});
  check("RespondTogether", alone, "missed", "the stimuli of occurrence 1 of \"OutputWritten\"");
  alone.push_back({"<tolerance value=\"2\" unit=\"ms\"/>", "<tolerance value=\"8\" unit=\"ms\"/>"});
  check("RespondTogether", alone, "met", "none of ");
}

TEST_CASE("a chain that contains itself is not synchronized") {
  const std::string text = sample_text();
  const std::size_t begin = text.find("<items", text.find("name=\"SenseToCommand\"")),
                    end = text.find("</eventChains>", begin);
  check_unjudgeable(
      "RespondTogether",
      {{text.substr(begin, end - begin) + "</eventChains>",
        "<items xsi:type=\"am:EventChainReference\" eventChain=\"SenseToCommand?type=EventChain\"/></eventChains>"}},
      "its event chain \"SenseToCommand\" contains itself");
}

TEST_CASE("runnables run in the order of their groups") {
  check("FilterFirst", {}, "met", "none of ");
  for (const char* order :
       {"immediateSuccessorStartSequence", "immediateSuccessorAnySequence", "immediateSuccessorEndSequence"})
    check("FilterFirst", {{"orderType=\"successor\"", fmt::format("orderType=\"{}\"", order)}}, "met", "none of ");
  check("FilterFirst",
        {{"runnables=\"Filter?type=Runnable\"", "runnables=\"Compute?type=Runnable\""},
         {"<runnableGroups runnables=\"Compute?type=Runnable\"/>\n    </runnable",
          "<runnableGroups runnables=\"Filter?type=Runnable\"/>\n    </runnable"}},
        "missed", "in job 1 of Control, runnable Compute at");
  check_unjudgeable("FilterFirst", {{" orderType=\"successor\"", ""}}, "(orderType)");
  check("FilterFirst",
        {{"orderType=\"successor\" processScope=\"Control?type=Task\"",
          "orderType=\"successor\" processScope=\"Sensor?type=Task\""}},
        "unknown", "no job in its scope");
}

TEST_CASE("data age is limited in time and in periods of its writer") {
  check("SpeedAge", {}, "met", "none of ");
  check("SpeedAge", {{"<maximumTime value=\"5\" unit=\"ms\"/>", "<maximumTime value=\"10\" unit=\"ns\"/>"}}, "missed",
        "read 1 of Speed in Control at 1.00004 ms finds the value written at 1.00002 ms, 20 ns old");
  check_unjudgeable("SpeedAge", {{"<maximumTime value=\"5\" unit=\"ms\"/>", ""}}, "neither minimumTime nor maximumTime",
                    "AM0560");
  const auto cycles = [](const char* attributes) {
    return Changes{
        {"<dataAge xsi:type=\"am:DataAgeTime\">\n        <maximumTime value=\"5\" unit=\"ms\"/>\n      </dataAge>",
         fmt::format("<dataAge xsi:type=\"am:DataAgeCycle\"{}/>", attributes)}};
  };
  check("SpeedAge", cycles(" minimumCycle=\"0\" maximumCycle=\"0\""), "met", "none of ");
  check("SpeedAge", cycles(" minimumCycle=\"1\" maximumCycle=\"0\""), "missed", "required: at least 5 ms");
  check_unjudgeable("SpeedAge", cycles(""), "neither minimumCycle nor maximumCycle", "AM0560");
  check_unjudgeable("SpeedAge", cycles(" maximumCycle=\"1\""), "its minimumCycle has no value");
  check_unjudgeable("SpeedAge", cycles(" minimumCycle=\"1\""), "its maximumCycle has no value");
  Changes two_writers = cycles(" minimumCycle=\"0\" maximumCycle=\"1\"");
  two_writers.push_back({"data=\"Command?type=Label\" access=\"write\"", "data=\"Speed?type=Label\" access=\"write\""});
  check("SpeedAge", two_writers, "unknown", "several processes write Speed");
}

TEST_CASE("group data is coherent if no other process accesses it in between") {
  check("SpeedAndAngle", {}, "missed",
        "job 1 of Control is incoherent, as another has written a label of the group at 6.00002");
  check("SpeedAndAngle", {{"labels=\"Speed?type=Label Angle?type=Label\"", "labels=\"Angle?type=Label\""}}, "met",
        "none of ");
  check("SpeedAndAngle",
        {{"direction=\"input\"", "direction=\"output\""},
         {"process=\"Control?type=Task\"", "process=\"Sensor?type=Task\""}},
        "met", "none of ");
  check("SpeedAndAngle",
        {{"<scope xsi:type=\"am:ProcessScope\" process=\"Control?type=Task\"/>",
          "<scope xsi:type=\"am:RunnableScope\" runnable=\"Filter?type=Runnable\"/>"}},
        "missed", "job 1 of Control");
  check("SpeedAndAngle",
        {{"<scope xsi:type=\"am:ProcessScope\" process=\"Control?type=Task\"/>",
          "<scope xsi:type=\"am:ComponentScope\" component=\"Unit?type=Component\"/>"},
         {"<constraintsModel>",
          "<componentsModel>\n<components name=\"Unit\" "
          "runnables=\"Filter?type=Runnable\"/>\n</componentsModel>\n<constraintsModel>"}},
        "missed", "job 1 of Control");
  check_unjudgeable("SpeedAndAngle", {{" direction=\"input\"", ""}}, "(direction)");
  check("SpeedAndAngle", {{"process=\"Control?type=Task\"", "process=\"Actuate?type=Task\""}}, "unknown",
        "no job in its scope");
}

TEST_CASE("data is stable if every read of a job yields the same value") {
  check("StableSpeed", {}, "met", "none of ");
  check("StableSpeed", {{"data=\"Angle?type=Label\" access=\"read\"", "data=\"Speed?type=Label\" access=\"read\""}},
        "missed", "job 1 of Control is not stable");
  const std::string text = sample_text();
  const std::size_t begin = text.find("<scope", text.find("<dataStabilityGroups")), end = text.find("/>", begin) + 2;
  const std::string group = "<dataStabilityGroups name=\"StableSpeed\" labels=\"Speed?type=Label\">\n      ";
  check_unjudgeable("StableSpeed", {{group + text.substr(begin, end - begin), group}}, "(scope)");
}

TEST_CASE("the labels of a section are mapped to its memories") {
  check("DataIsFast", {}, "met", "all of 4 mapped labels");
  check("DataIsFast", {{"memories=\"Fast?type=Memory\"", "memories=\"Slow?type=Memory\""}}, "missed",
        "label Speed lies in Fast");
  check("DataIsFast",
        {{"<physicalSectionMapping name=\"DataMapping\" origin=\"Data?type=Section\" memory=\"Fast?type=Memory\" "
          "startAddress=\"0\" endAddress=\"0\"/>",
          ""}},
        "unknown", "label Speed of section Data is not mapped to a memory");
  check_unjudgeable("DataIsFast", {{" section=\"Data?type=Section\" memories", " memories"}}, "its section is missing");
}

TEST_CASE("a limit of a constraint that was never filled in is not 0") {
  const auto unfilled = [](const char* limit, const std::string& value, const char* feature) {
    return Changes{{fmt::format("<{} value=\"{}\"", limit, value),
                    fmt::format("<{} unit=\"ms\"/><{} value=\"{}\"", feature, limit, value)}};
  };
  check_unjudgeable("Fresh", unfilled("maximum", "40", "minimum"), "its minimum has no value");
  check_unjudgeable("ActuatedInTime", unfilled("upper", "10", "lower"), "its lower has no value");
  check_unjudgeable("SensedRegularly", unfilled("period", "5", "lower"), "its lower has no value");
  check_unjudgeable("SpeedAge", unfilled("maximumTime", "5", "minimumTime"), "its minimumTime has no value");
  check_unjudgeable("WrittenTogether", {{"<tolerance value=\"1\" unit=\"ms\"/>", "<tolerance unit=\"ms\"/>"}},
                    "its tolerance has no value");
  // Nor is there a limit on the chain.
  CHECK(judged(changed(unfilled("maximum", "40", "minimum"))).system.chains[0].limits.empty());
}

TEST_CASE("a latency constraint whose chain is not a sequence of processes is still reported") {
  const std::string scope = " scope=\"SenseToOutput?type=EventChain\" type=\"Age\"";
  CHECK(judged(sample_text()).find("Fresh") == nullptr);
  check_unjudgeable("Fresh", {{scope, " type=\"Age\""}}, "(scope) is missing");
  check_unjudgeable("Fresh", {{"<maximum value=\"40\" unit=\"ms\"/>", ""}}, "neither a minimum nor a maximum",
                    "AM0560");
  check_unjudgeable("Fresh",
                    {{scope, " scope=\"Ticks?type=EventChain\" type=\"Age\""},
                     {"<timingConstraints",
                      "<eventChains name=\"Ticks\" stimulus=\"Tick?type=StimulusEvent\" "
                      "response=\"Tick?type=StimulusEvent\"/>\n<timingConstraints"}},
                    "no event of its event chain \"Ticks\"");
}

TEST_CASE("events that the simulation does not observe are named as the reason") {
  const auto with_event = [](const std::string& event) {
    return Changes{{"<events xsi:type=\"am:StimulusEvent\" xmi:id=\"Tick?type=StimulusEvent\" name=\"Tick\" "
                    "entity=\"every_10ms?type=PeriodicStimulus\"/>",
                    event},
                   {"source=\"Tick?type=StimulusEvent\"", "source=\"Tick\""}};
  };
  check_unjudgeable("ActuatedInTime",
                    with_event("<events xsi:type=\"am:ComponentEvent\" xmi:id=\"Tick\" name=\"Tick\"/>"),
                    "has the class ComponentEvent");
  check_unjudgeable(
      "ActuatedInTime",
      with_event("<events xsi:type=\"am:ModeLabelEvent\" xmi:id=\"Tick\" name=\"Tick\" eventType=\"read\"/>"),
      "reads of a mode label");
  check_unjudgeable("ActuatedInTime", with_event("<events xsi:type=\"am:CustomEvent\" xmi:id=\"Tick\" name=\"Tick\"/>"),
                    "a custom event that no stimulus uses");
  check_unjudgeable("ActuatedInTime",
                    with_event("<events xsi:type=\"am:ProcessEvent\" xmi:id=\"Tick\" name=\"Tick\" "
                               "eventType=\"activate\" entity=\"Idle?type=ISR\"/>"),
                    "has a reference (entity) to an element that is not in the model");
  check_unjudgeable(
      "ActuatedInTime",
      with_event("<events xsi:type=\"am:LabelEvent\" xmi:id=\"Tick\" name=\"Tick\" eventType=\"start\"/>"),
      "an eventType that LabelEvent does not support");
  // Nor are references of the constraint itself passed over.
  check_unjudgeable("WrittenTogether",
                    {{"AngleWritten?type=LabelEvent\">", "AngleWritten?type=LabelEvent Lost?type=LabelEvent\">"}},
                    "its events references an element that is not in the model");
  check_unjudgeable("FilterFirst",
                    {{"runnables=\"Filter?type=Runnable\"", "runnables=\"Filter?type=Runnable Lost?type=Runnable\""}},
                    "its runnables references an element that is not in the model");
  check_unjudgeable("SpeedAndAngle",
                    {{"labels=\"Speed?type=Label Angle?type=Label\"", "labels=\"Speed?type=Label Lost?type=Label\""}},
                    "its labels references an element that is not in the model");
  check_unjudgeable("RespondTogether",
                    {{"<items xsi:type=\"am:EventChainContainer\">\n",
                      "<items xsi:type=\"am:EventChainReference\" eventChain=\"Lost?type=EventChain\"/>\n<items "
                      "xsi:type=\"am:EventChainContainer\">\n"}},
                    "its event chain \"SenseToOutput\" has a segment that is not in the model");
}

// ---------------------------------------------------------------- versions

namespace {

/// T (every 2 ms) runs R, which writes L, and S, which reads L; the ISR I (every 4 ms) delays its first job by 0.25 ms.
std::string old_model(Version version, const std::string& constraints) {
  std::string text = test::timed_model_without_constraints(version);
  const auto access = [&](std::string_view runnable, std::string_view how) {
    const bool flat = version <= Version::v0_9_4;
    std::string before = fmt::format("<runnables name=\"{}\">", runnable);
    if (!flat) before += version == Version::v0_9_5 ? "<callGraph>" : "<activityGraph>";
    text = test::replaced(text, before,
                          before + fmt::format("<{} xsi:type=\"am:LabelAccess\" data=\"L?type=Label\" access=\"{}\"/>",
                                               flat ? "runnableItems" : "items", how));
  };
  access("R", "write");
  access("S", "read");
  if (version > Version::v0_7_0)
    text = test::replaced(text, "<labels name=\"L\"/>",
                          "<labels name=\"L\" section=\"Sec?type=Section\"/><sections name=\"Sec\"/>");
  return test::replaced(
      text, "</am:Amalthea>",
      "<eventModel>\n"
      "<events xsi:type=\"am:ProcessEvent\" name=\"activated\" eventType=\"activate\" entity=\"T?type=Task\"/>\n"
      "<events xsi:type=\"am:ProcessEvent\" name=\"started\" eventType=\"start\" entity=\"T?type=Task\"/>\n"
      "<events xsi:type=\"am:ProcessEvent\" name=\"ended\" eventType=\"terminate\" entity=\"T?type=Task\"/>\n"
      "</eventModel>\n<constraintsModel>\n" +
          constraints + "</constraintsModel>\n</am:Amalthea>");
}

std::string us(std::string_view tag, int value) { return fmt::format("<{} value=\"{}\" unit=\"us\"/>", tag, value); }

/// Every class that the version has; `tight`: so that all of them are missed.
std::string all_constraints(Version version, bool tight) {
  const std::string_view together =
      version == Version::v0_7_0 ? "SynchronisationConstraint" : "EventSynchronizationConstraint";
  std::string text;
  text +=
      "<timingConstraints xsi:type=\"am:DelayConstraint\" name=\"Delay\" source=\"activated?type=ProcessEvent\" "
      "target=\"ended?type=ProcessEvent\"" +
      std::string(version == Version::v0_7_0 ? ">" : " mappingType=\"Reaction\">") + us("upper", tight ? 900 : 1000) +
      "</timingConstraints>\n";
  text +=
      "<timingConstraints xsi:type=\"am:RepetitionConstraint\" name=\"Repetition\" "
      "event=\"activated?type=ProcessEvent\">" +
      us("lower", tight ? 2100 : 2000) + us("upper", 3000) + "</timingConstraints>\n";
  text += fmt::format(
      "<timingConstraints xsi:type=\"am:{}\" name=\"Together\" events=\"started?type=ProcessEvent "
      "ended?type=ProcessEvent\">{}</timingConstraints>\n",
      together, us("tolerance", tight ? 500 : 1000));
  if (version == Version::v0_7_0)
    text += fmt::format(
        "<timingConstraints xsi:type=\"am:OrderConstraint\" name=\"Order\" source=\"{}?type=ProcessEvent\" "
        "target=\"{}?type=ProcessEvent\"/>\n",
        tight ? "ended" : "started", tight ? "started" : "ended");
  const std::string first = tight ? "S" : "R", second = tight ? "R" : "S";
  if (version == Version::v0_7_0)
    text += fmt::format(
        "<runnableSequencingConstraints name=\"Sequence\" orderType=\"successor\">"
        "<runnableGroups groupingType=\"allOfThem\"><entries runnable=\"{}?type=Runnable\" "
        "processScope=\"T?type=Task\"/></runnableGroups>"
        "<runnableGroups groupingType=\"allOfThem\"><entries runnable=\"{}?type=Runnable\" "
        "processScope=\"T?type=Task\"/></runnableGroups>"
        "</runnableSequencingConstraints>\n",
        first, second);
  else
    text += fmt::format(
        "<runnableSequencingConstraints name=\"Sequence\" orderType=\"successor\" processScope=\"T?type=Task\">"
        "<runnableGroups runnables=\"{}?type=Runnable\"/><runnableGroups runnables=\"{}?type=Runnable\"/>"
        "</runnableSequencingConstraints>\n",
        first, second);
  text +=
      "<dataAgeConstraints name=\"Age\" runnable=\"S?type=Runnable\" label=\"L?type=Label\"><dataAge "
      "xsi:type=\"am:DataAgeTime\">" +
      us("maximumTime", tight ? 100 : 4000) + "</dataAge></dataAgeConstraints>\n";
  if (!tight) {
    text +=
        "<dataCoherencyGroups name=\"Coherency\" labels=\"L?type=Label\" direction=\"input\"><scope "
        "xsi:type=\"am:ProcessScope\" process=\"T?type=Task\"/></dataCoherencyGroups>\n";
    if (version > Version::v0_7_0)
      text +=
          "<dataStabilityGroups name=\"Stability\" labels=\"L?type=Label\"><scope xsi:type=\"am:RunnableScope\" "
          "runnable=\"S?type=Runnable\"/></dataStabilityGroups>\n";
  }
  if (version > Version::v0_7_0)
    text += fmt::format(
        "<physicalSectionConstraints name=\"Section\" section=\"Sec?type=Section\" memories=\"{}?type=Memory\"/>\n",
        tight ? "None" : "M");
  return text;
}

}  // namespace

TEST_CASE("every class of constraints is judged in every version") {
  for (std::size_t index = 0; index < version_count; ++index) {
    const auto version = static_cast<Version>(index);
    INFO(to_string(version));
    for (const bool tight : {false, true}) {
      INFO("tight: " << tight);
      std::string constraints = all_constraints(version, tight);
      if (tight && version > Version::v0_7_0)  // there is one memory; none of another name
        constraints = constraints.substr(0, constraints.find("<physicalSectionConstraints"));
      const Judged all = judged(old_model(version, constraints));
      std::size_t expected = tight ? 5 : 6;
      if (version == Version::v0_7_0) ++expected;              // order
      if (version > Version::v0_7_0 && !tight) expected += 2;  // stability, section
      CHECK(all.system.constraints.size() == expected);
      for (std::size_t i = 0; i < all.system.constraints.size(); ++i) {
        INFO(all.system.constraints[i].name << ": " << all.results.constraints[i].reason);
        CHECK(to_string(all.results.constraints[i].verdict) == (tight ? "missed" : "met"));
      }
    }
  }
}

TEST_CASE("AgeConstraint and ReactionConstraint of 0.7.0 limit the latency of their chains") {
  const std::string chain =
      "<eventChains name=\"C\" stimulus=\"started?type=ProcessEvent\" response=\"ended?type=ProcessEvent\"/>\n";
  for (const char* cls : {"AgeConstraint", "ReactionConstraint"}) {
    const auto constraint = [cls](std::string_view scope) {
      return fmt::format("<timingConstraints xsi:type=\"am:{}\" name=\"Latency\"{}>{}</timingConstraints>\n", cls,
                         scope, us("maximum", 5000));
    };
    const Judged limited = judged(old_model(Version::v0_7_0, chain + constraint(" scope=\"C?type=EventChain\"")));
    CHECK(limited.system.constraints.empty());
    REQUIRE(limited.system.chains.size() == 1);
    CHECK(limited.system.chains[0].limits.size() == 1);
    const Judged lost = judged(old_model(Version::v0_7_0, chain + constraint("")));
    REQUIRE(lost.system.constraints.size() == 1);
    CHECK(lost.system.constraints[0].class_name == cls);
    CHECK(lost["Latency"].verdict == engine::LimitVerdict::unknown);
  }
}

}  // namespace building_constraint_test
