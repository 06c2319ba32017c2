// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/graph/boost_graph.hpp"
#include "amalthea/graph/system.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/platform_models.hpp"
#include "tests/support/test_models.hpp"

namespace building_stimulus_test {

using namespace amalthea;

namespace {

constexpr std::string_view every_2ms =
    "<stimuli xsi:type=\"am:PeriodicStimulus\" xmi:id=\"every_2ms?type=PeriodicStimulus\" name=\"every_2ms\">\n"
    "      <recurrence value=\"2\" unit=\"ms\"/>\n    </stimuli>";

std::string minimal_with(std::string_view stimulus) {
  return test::replaced(test::read_text(test::sample("offload-minimal.amxmi")), every_2ms, stimulus);
}

struct Built {
  std::optional<System> system;
  std::vector<std::string> findings;  ///< "id: message"
};

Built build(std::string text) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(std::move(text), diagnostics);
  Built built;
  built.system = importer::build_system(model, {}, diagnostics);
  for (const auto& finding : diagnostics.all())
    built.findings.push_back(fmt::format("{}: {}", finding.id, finding.message));
  return built;
}

bool has(const std::vector<std::string>& lines, std::string_view line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

std::string ms(std::string_view tag, int value) { return fmt::format("<{} value=\"{}\" unit=\"ms\"/>", tag, value); }

/// A model of the version with one task that the stimulus S of this class activates.
std::string activated(Version version, std::string_view cls, std::string_view attributes, std::string_view content,
                      std::string_view more = "") {
  std::string text = test::replaced(test::platform_model(version), "<tasks name=\"T\"",
                                    fmt::format("<tasks name=\"T\" stimuli=\"S?type={}\"", cls));
  return test::replaced(std::move(text), "</am:Amalthea>",
                        fmt::format("<stimuliModel><stimuli xsi:type=\"am:{}\" name=\"S\" {}>{}</stimuli>{}"
                                    "</stimuliModel></am:Amalthea>",
                                    cls, attributes, content, more));
}

/// The result for that stimulus.
template <typename Kind>
Kind read(const std::string& text) {
  const auto built = build(text);
  for (const std::string& finding : built.findings) UNSCOPED_INFO(finding);
  REQUIRE(built.system.has_value());
  REQUIRE(built.system->stimuli.size() == 1);
  CHECK(built.system->stimuli.front().activates == std::vector<TaskIndex>{0});
  REQUIRE(std::holds_alternative<Kind>(built.system->stimuli.front().occurrence));
  return std::get<Kind>(built.system->stimuli.front().occurrence);
}

constexpr Duration milli(std::int64_t value) { return Duration::milliseconds(value); }
constexpr std::int64_t milli_ps = 1'000'000'000;

std::string bounds_before_0_9_3(int lower, int upper) {
  return fmt::format(
      "<lowerBound xsi:type=\"am:TimeObject\" value=\"{}\" unit=\"ms\"/><upperBound "
      "xsi:type=\"am:TimeObject\" value=\"{}\" unit=\"ms\"/>",
      lower, upper);
}

bool has_id(const std::vector<std::string>& findings, std::string_view id) {
  return std::any_of(findings.begin(), findings.end(), [id](const std::string& line) { return line.starts_with(id); });
}

}  // namespace

TEST_CASE("jitter and minimum distance of a stimulus are read and an empty condition is ignored") {
  const auto built = build(minimal_with(
      "<stimuli xsi:type=\"am:PeriodicStimulus\" xmi:id=\"every_2ms?type=PeriodicStimulus\" name=\"every_2ms\">"
      "<executionCondition/><offset value=\"1\" unit=\"ms\"/><recurrence value=\"2\" unit=\"ms\"/>"
      "<jitter xsi:type=\"am:TimeConstant\"><value value=\"1\" unit=\"us\"/></jitter><minDistance value=\"3\" "
      "unit=\"us\"/>"
      "</stimuli>"));
  REQUIRE(built.system.has_value());
  CHECK(std::none_of(built.findings.begin(), built.findings.end(),
                     [](const std::string& line) { return line.starts_with("AM0408"); }));
  const auto& periodic = std::get<Periodic>(built.system->stimuli.at(1).occurrence);
  CHECK(periodic.period == Duration::milliseconds(2));
  CHECK(periodic.offset == Duration::milliseconds(1));
  CHECK((periodic.jitter.lower == 1'000'000 && periodic.jitter.upper == 1'000'000));
  CHECK(periodic.minimum_distance == Duration::microseconds(3));
  CHECK_FALSE(built.system->stimuli.at(1).condition.has_value());
}

TEST_CASE("a trigger whose counter skips occurrences is a branch and one that skips none is not") {
  constexpr std::string_view trigger =
      "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"Vision_request?type=InterProcessStimulus\"/>";
  const auto with = [&](std::string_view counter) {
    const std::string_view open = trigger.substr(0, trigger.size() - 2);
    return build(test::replaced(test::read_text(test::sample("offload-minimal.amxmi")), trigger,
                                fmt::format("{}>{}</items>", open, counter)));
  };
  const auto branches = [](const auto& built) {
    REQUIRE(built.system.has_value());
    const auto vertices = boost::make_iterator_range(boost::vertices(built.system->graph.boost()));
    return std::count_if(vertices.begin(), vertices.end(), [&](NodeIndex node) {
      return std::holds_alternative<Branch>(built.system->graph[node].activity);
    });
  };
  CHECK(branches(with("<counter prescaler=\"2\"/>")) == 1);
  CHECK(branches(with("<counter prescaler=\"1\" offset=\"0\"/>")) == 0);
}

TEST_CASE("a periodic stimulus counted by a clock is reported and its recurrence is used as time") {
  // The structure of 0.8.1 in a file of a later version, as files of a development cycle have it.
  const auto built = build(minimal_with(
      "<clocks xsi:type=\"am:ClockTriangleFunction\" name=\"crank\" "
      "xmi:id=\"crank?type=ClockTriangleFunction\"/><stimuli xsi:type=\"am:PeriodicStimulus\" "
      "xmi:id=\"every_2ms?type=PeriodicStimulus\" name=\"every_2ms\" clock=\"crank?type=ClockTriangleFunction\">"
      "<recurrence value=\"2\" unit=\"ms\"/></stimuli>"));
  REQUIRE(built.system.has_value());
  CHECK(has(built.findings,
            "AM0416: stimulus \"every_2ms\" counts ticks of the clock \"crank\", which is not simulated; the analysis "
            "uses its recurrence as a time; state the time between two occurrences"));
}

TEST_CASE("stimuli under their names before 0.8.1 activate like current ones") {
  auto text = minimal_with(
      "<stimuli xsi:type=\"am:Periodic\" xmi:id=\"every_2ms?type=Periodic\" name=\"every_2ms\"><recurrence value=\"2\" "
      "unit=\"ms\"/></stimuli>");
  text = test::replaced(text, "stimuli=\"every_2ms?type=PeriodicStimulus\"", "stimuli=\"every_2ms?type=Periodic\"");
  const auto built = build(text);
  REQUIRE(built.system.has_value());
  CHECK(std::get<Periodic>(built.system->stimuli.at(1).occurrence).period == Duration::milliseconds(2));
  CHECK(built.system->stimuli.at(1).activates.size() == 1);
}

TEST_CASE("unreadable values stop an analysis only if they affect timing") {
  const std::string odd =
      "<stimuli xsi:type=\"am:VariableRateStimulus\" name=\"unused\"><step value=\"x\" unit=\"ms\"/></stimuli>";
  CHECK(build(minimal_with(std::string(every_2ms) + odd)).system.has_value());
  const auto built = build(minimal_with(
      "<stimuli xsi:type=\"am:PeriodicStimulus\" xmi:id=\"every_2ms?type=PeriodicStimulus\" name=\"every_2ms\">"
      "<recurrence value=\"x\" unit=\"ms\"/></stimuli>"));
  CHECK_FALSE(built.system.has_value());
  CHECK(has(built.findings, "AM0210: unreadable value in <recurrence>: \"x\" is not an integer"));
}

TEST_CASE("jitter has its bounds and shape in every version and negative jitter moves the offset") {
  const auto look = [](const Periodic& periodic) {
    CHECK(periodic.period == milli(10));
    CHECK(periodic.offset == milli(4));
    CHECK((periodic.jitter.lower == 0 && periodic.jitter.average == 2 * milli_ps &&
           periodic.jitter.upper == 4 * milli_ps));
  };
  const std::string period = ms("offset", 5) + ms("recurrence", 10);
  look(read<Periodic>(activated(Version::v0_8_0, "Periodic", "",
                                period + "<stimulusDeviation>" + bounds_before_0_9_3(-1, 3) + "</stimulusDeviation>")));
  look(read<Periodic>(activated(Version::v0_9_0, "PeriodicStimulus", "",
                                period + "<jitter>" + bounds_before_0_9_3(-1, 3) + "</jitter>")));
  const std::string uniform =
      "<jitter xsi:type=\"am:TimeUniformDistribution\">" + ms("lowerBound", -1) + ms("upperBound", 3) + "</jitter>";
  for (const Version version : {Version::v0_9_3, Version::v1_2_0, Version::v3_3_0})
    look(read<Periodic>(activated(version, "PeriodicStimulus", "", period + uniform)));
  // Without an offset the first one counts from the next period.
  CHECK(read<Periodic>(activated(Version::v3_3_0, "PeriodicStimulus", "", ms("recurrence", 10) + uniform)).offset ==
        milli(9));
}

TEST_CASE("sporadic stimuli are read in every version") {
  const auto look = [](const Sporadic& sporadic) {
    CHECK(sporadic.offset == milli(2));
    CHECK((sporadic.distance.lower == milli_ps && sporadic.distance.upper == 3 * milli_ps));
  };
  for (const auto& [version, cls, tag] :
       {std::tuple<Version, std::string_view, std::string_view>{Version::v0_8_0, "Sporadic", "stimulusDeviation"},
        {Version::v0_8_1, "SporadicStimulus", "stimulusDeviation"},
        {Version::v0_8_3, "RelativePeriodicStimulus", "nextOccurrence"},
        {Version::v0_9_2, "RelativePeriodicStimulus", "nextOccurrence"}})
    look(read<Sporadic>(
        activated(version, cls, "", ms("offset", 2) + fmt::format("<{0}>{1}</{0}>", tag, bounds_before_0_9_3(1, 3)))));
  look(read<Sporadic>(activated(Version::v3_3_0, "RelativePeriodicStimulus", "",
                                ms("offset", 2) + "<nextOccurrence xsi:type=\"am:TimeBoundaries\">" +
                                    ms("lowerBound", 1) + ms("upperBound", 3) + "</nextOccurrence>")));
  const auto built = build(activated(Version::v3_3_0, "RelativePeriodicStimulus", "", ms("offset", 2)));
  CHECK_FALSE(built.system.has_value());
  CHECK(has_id(built.findings, "AM0331"));
}

TEST_CASE("synthetic stimuli are read in every version with occurrences in order of time") {
  const auto look = [](const Synthetic& synthetic) {
    CHECK((synthetic.period == milli(9) && synthetic.offset == milli(1)));
    CHECK(synthetic.occurrences == std::vector<Duration>{milli(2), milli(4)});
  };
  for (const auto& [version, cls] :
       {std::pair<Version, std::string_view>{Version::v0_8_0, "Synthetic"}, {Version::v0_8_2, "SyntheticStimulus"}})
    look(read<Synthetic>(activated(version, cls, "",
                                   ms("offset", 1) + ms("period", 9) + "<triggerTimes>" + ms("timestamps", 4) +
                                       ms("timestamps", 2) + "</triggerTimes>")));
  for (const Version version : {Version::v0_9_3, Version::v3_3_0})
    look(read<Synthetic>(
        activated(version, "PeriodicSyntheticStimulus", "",
                  ms("offset", 1) + ms("recurrence", 9) + ms("occurrenceTimes", 4) + ms("occurrenceTimes", 2))));
  for (const int outside : {9, -1}) {
    const auto built = build(activated(Version::v3_3_0, "PeriodicSyntheticStimulus", "",
                                       ms("recurrence", 9) + ms("occurrenceTimes", outside)));
    CHECK_FALSE(built.system.has_value());
    CHECK(has_id(built.findings, "AM0332"));
  }
}

TEST_CASE("bursts and single occurrences are read") {
  const std::string times =
      ms("offset", 1) + ms("recurrence", 20) + ms("burstLength", 8) + ms("occurrenceMinDistance", 2);
  for (const Version version : {Version::v0_9_3, Version::v1_2_0, Version::v3_3_0}) {
    const auto burst = read<Burst>(activated(version, "PeriodicBurstStimulus", "occurrenceCount=\"3\"", times));
    CHECK((burst.period == milli(20) && burst.offset == milli(1) && burst.length == milli(8) &&
           burst.minimum_distance == milli(2) && burst.occurrences == 3));
  }
  for (const std::string& wrong :
       {ms("recurrence", 20) + ms("burstLength", 21), ms("recurrence", 20) + ms("burstLength", -1)}) {
    const auto built = build(activated(Version::v3_3_0, "PeriodicBurstStimulus", "", wrong));
    CHECK_FALSE(built.system.has_value());
    CHECK(has_id(built.findings, "AM0330"));
  }
  CHECK(read<Single>(activated(Version::v0_8_0, "Single", "", ms("activation", 3))).occurrence == milli(3));
  CHECK(read<Single>(activated(Version::v3_3_0, "SingleStimulus", "", ms("occurrence", 3))).occurrence == milli(3));
}

TEST_CASE("arrival curves are read in every version with one entry per number of occurrences") {
  const auto entry = [](std::string_view tag, std::string_view attribute, int count, int lower, int upper) {
    return fmt::format("<{0} {1}=\"{2}\">{3}{4}</{0}>", tag, attribute, count, ms("lowerTimeBorder", lower),
                       ms("upperTimeBorder", upper));
  };
  const auto look = [&](Version version, std::string_view cls, std::string_view tag, std::string_view attribute) {
    const auto curve = read<ArrivalCurve>(
        activated(version, cls, "",
                  entry(tag, attribute, 3, 6, 40) + entry(tag, attribute, 2, 2, 30) + entry(tag, attribute, 2, 1, 20)));
    REQUIRE(curve.entries.size() == 2);
    CHECK((curve.entries[0].count == 2 && curve.entries[0].lower == milli(2) && curve.entries[0].upper == milli(20)));
    CHECK((curve.entries[1].count == 3 && curve.entries[1].lower == milli(6) && curve.entries[1].upper == milli(40)));
  };
  look(Version::v0_8_0, "ArrivalCurve", "arrivalCurveEntries", "numberOfEvents");
  look(Version::v0_9_3, "ArrivalCurveStimulus", "entries", "numberOfOccurrences");
  look(Version::v3_3_0, "ArrivalCurveStimulus", "entries", "numberOfOccurrences");
  const auto twice = [&](int lower) {
    return build(activated(
        Version::v3_3_0, "ArrivalCurveStimulus", "",
        entry("entries", "numberOfOccurrences", 2, 2, 30) + entry("entries", "numberOfOccurrences", 2, lower, 30)));
  };
  CHECK(has_id(twice(9).findings, "AM0529"));
  CHECK_FALSE(has_id(twice(2).findings, "AM0529"));
  const auto impossible = build(
      activated(Version::v3_3_0, "ArrivalCurveStimulus", "",
                entry("entries", "numberOfOccurrences", 2, 5, 9) + entry("entries", "numberOfOccurrences", 3, 1, 8)));
  CHECK_FALSE(impossible.system.has_value());
  CHECK(has_id(impossible.findings, "AM0333"));
  const auto alone = build(
      activated(Version::v3_3_0, "ArrivalCurveStimulus", "",
                entry("entries", "numberOfOccurrences", 2, 5, 9) + entry("entries", "numberOfOccurrences", 1, 5, 9)));
  REQUIRE(alone.system.has_value());
  CHECK(has_id(alone.findings, "AM0430"));
}

TEST_CASE("a variable rate is read and becomes periodic with a constant clock") {
  const std::string rate = ms("step", 5) +
                           "<occurrencesPerStep xsi:type=\"am:ContinuousValueBoundaries\" "
                           "lowerBound=\"1.5\" upperBound=\"2.5\"/>";
  const auto plain =
      read<VariableRate>(activated(Version::v3_3_0, "VariableRateStimulus", "maxIncreasePerStep=\"0.5\"", rate));
  CHECK((plain.step == milli(5) && plain.occurrences.lower == 1'500'000 && plain.occurrences.upper == 2'500'000));
  CHECK((plain.largest_increase == 0.5 && !plain.largest_decrease));
  const auto old = read<VariableRate>(
      activated(Version::v0_8_3, "VariableRateStimulus", "",
                ms("step", 5) + "<occurrencesPerStep><lowerBound xsi:type=\"am:DoubleObject\" value=\"1.5\"/>"
                                "<upperBound xsi:type=\"am:DoubleObject\" value=\"2.5\"/></occurrencesPerStep>"
                                "<maxDecreasePerStep value=\"0.25\"/>"));
  CHECK((old.occurrences.upper == 2'500'000 && old.largest_decrease == 0.25));

  const auto with_clock = [&](std::string_view peak) {
    return activated(Version::v3_3_0, "VariableRateStimulus", "",
                     rate +
                         "<scenario clock=\"C?type=ClockFunction\" samplingOffset=\"2.0\" "
                         "samplingRecurrence=\"4.0\"/>",
                     fmt::format("<clocks xsi:type=\"am:ClockFunction\" name=\"C\" curveType=\"sine\"><peakToPeak "
                                 "value=\"{}\" unit=\"kHz\"/><yOffset value=\"2.0\" unit=\"kHz\"/></clocks>",
                                 peak));
  };
  const auto periodic = read<Periodic>(with_clock("0.0"));
  CHECK((periodic.period == milli(2) && periodic.offset == milli(1)));
  CHECK_FALSE(has_id(build(with_clock("0.0")).findings, "AM0524"));
  CHECK(has_id(build(test::replaced(with_clock("0.0"), "\"4.0\"", "\"400.0\"")).findings, "AM0524"));
  CHECK(has_id(build(test::replaced(with_clock("0.0"), "\"4.0\"", "\"3.0\"")).findings, "AM0524"));
  // A clock that does not state how far it varies is not constant.
  for (const char* peak : {"", "<peakToPeak unit=\"kHz\"/>"})
    CHECK(std::holds_alternative<VariableRate>(
        build(test::replaced(with_clock("0.0"), "<peakToPeak value=\"0.0\" unit=\"kHz\"/>", peak))
            .system->stimuli.front()
            .occurrence));
  const auto built = build(with_clock("1.0"));
  REQUIRE(built.system.has_value());
  CHECK(std::holds_alternative<VariableRate>(built.system->stimuli.front().occurrence));
  CHECK(has_id(built.findings, "AM0431"));
  CHECK(has_id(build(activated(Version::v3_3_0, "VariableRateStimulus", "", ms("step", 5))).findings, "AM0334"));

  // What periodic stimuli with a clock have become in 0.8.3, and in 0.9.5.
  const std::string triangle = "<clocks xsi:type=\"am:ClockTriangleFunction\" name=\"C\"/>";
  const auto converted =
      activated(Version::v0_9_2, "VariableRateStimulus", "",
                "<scenario clock=\"C?type=ClockTriangleFunction\">" + ms("recurrence", 7) + "</scenario>", triangle);
  CHECK(read<Periodic>(converted).period == milli(7));
  CHECK(has_id(build(converted).findings, "AM0416"));
  CHECK(read<Periodic>(activated(Version::v3_3_0, "VariableRateStimulus", "",
                                 ms("step", 5) + "<scenario clock=\"C?type=ClockFunction\"/>",
                                 "<clocks xsi:type=\"am:ClockFunction\" name=\"C\"/>"))
            .period == milli(5));
}

TEST_CASE("a stimulus sets modes and depends on them and a disabling condition is inverted") {
  const std::string modes =
      "<modes name=\"Gear\"><literals name=\"P\"/><literals name=\"R\"/><literals name=\"D\"/></modes><modeLabels "
      "name=\"gear\" mode=\"Gear?type=EnumMode\"/></swModel>";
  const auto with = [&](Version version, std::string_view type, std::string_view content) {
    const std::string typed = type == "Mode" ? "<modes " : "<modes xsi:type=\"am:EnumMode\" ";
    const std::string label = test::replaced(test::replaced(modes, "<modes ", typed), "Gear?type=EnumMode",
                                             fmt::format("Gear?type={}", type));
    std::string text = activated(version, "PeriodicStimulus", "", ms("recurrence", 10) + std::string(content));
    return build(test::replaced(std::move(text), "</swModel>", label));
  };
  const auto today = with(Version::v3_3_0, "EnumMode",
                          "<setModeValueList><entries label=\"gear?type=ModeLabel\" value=\"D\"/></setModeValueList>"
                          "<executionCondition><entries xsi:type=\"am:ModeValueCondition\" relation=\"EQUAL\" "
                          "label=\"gear?type=ModeLabel\" value=\"R\"/></executionCondition>");
  for (const std::string& finding : today.findings) UNSCOPED_INFO(finding);
  REQUIRE(today.system.has_value());
  const Stimulus& stimulus = today.system->stimuli.front();
  REQUIRE(stimulus.sets.size() == 1);
  CHECK((stimulus.sets[0].mode == 0 && stimulus.sets[0].value == 2));
  REQUIRE(stimulus.condition.has_value());
  CHECK(describe(*today.system, *stimulus.condition) == "gear = R");

  const auto before = with(Version::v0_8_3, "Mode",
                           "<disablingModeValueList><entries xsi:type=\"am:ModeValueConjunction\">"
                           "<entries valueProvider=\"gear?type=ModeLabel\" value=\"Gear/R?type=ModeLiteral\"/>"
                           "</entries><entries xsi:type=\"am:ModeValue\" valueProvider=\"gear?type=ModeLabel\" "
                           "value=\"Gear/D?type=ModeLiteral\"/></disablingModeValueList>");
  for (const std::string& finding : before.findings) UNSCOPED_INFO(finding);
  REQUIRE(before.system.has_value());
  REQUIRE(before.system->stimuli.front().condition.has_value());
  CHECK(describe(*before.system, *before.system->stimuli.front().condition) == "gear != R and gear != D");
}

TEST_CASE("an event stimulus is triggered after every activity that causes its event, and before a read") {
  const auto with = [](std::string_view event) {
    std::string text = test::replaced(
        test::read_text(test::sample("offload-minimal.amxmi")), every_2ms,
        "<stimuli xsi:type=\"am:EventStimulus\" xmi:id=\"every_2ms?type=PeriodicStimulus\" name=\"seen\" "
        "triggeringEvents=\"E\"><counter prescaler=\"2\" offset=\"1\"/></stimuli>");
    return build(test::replaced(std::move(text), "<stimuliModel>",
                                fmt::format("<eventModel><events xmi:id=\"E\" name=\"E\" {}/></eventModel>"
                                            "<stimuliModel>",
                                            event)));
  };
  const auto names = [](const Built& built) {
    for (const std::string& finding : built.findings) UNSCOPED_INFO(finding);
    REQUIRE(built.system.has_value());
    const Stimulus& stimulus = built.system->stimuli.at(1);
    CHECK(std::holds_alternative<EventDriven>(stimulus.occurrence));
    CHECK((stimulus.counter.prescaler == 2 && stimulus.counter.offset == 1));
    std::vector<std::string> bodies;
    for (const NodeIndex node : built.system->tasks.at(0).body)
      bodies.push_back(
          fmt::format("{} {}", kind_name(built.system->graph[node].activity), built.system->graph[node].name));
    return bodies;
  };
  const auto after = [](const std::vector<std::string>& lines, std::string_view line) {
    const auto found = std::find(lines.begin(), lines.end(), line);
    REQUIRE(found != lines.end());
    return *std::next(found);
  };
  const auto written = names(with("xsi:type=\"am:LabelEvent\" entity=\"Image_host?type=Label\" eventType=\"write\""));
  CHECK(after(written, "write Image_host") == "trigger seen");
  CHECK(after(written, "read Result_host") != "trigger seen");
  const auto read = names(with("xsi:type=\"am:LabelEvent\" entity=\"Result_host?type=Label\" eventType=\"read\""));
  CHECK(after(read, "trigger seen") == "read Result_host");
  const auto ended = names(
      with("xsi:type=\"am:RunnableEvent\" entity=\"Control_Postprocessing?type=Runnable\" eventType=\"terminate\""));
  CHECK(ended.back() == "trigger seen");
  CHECK(std::count(ended.begin(), ended.end(), "trigger seen") == 1);
  const auto sent = with("xsi:type=\"am:ChannelEvent\" eventType=\"send\"");
  CHECK(has_id(sent.findings, "AM0432"));
}

TEST_CASE("what causes the event of an event stimulus and is not simulated is reported once") {
  const std::string modes =
      "<modes xsi:type=\"am:NumericMode\" name=\"N\"/><modeLabels name=\"m\" mode=\"N?type=NumericMode\" "
      "initialValue=\"0\"/><modeLabels name=\"n\" mode=\"N?type=NumericMode\" initialValue=\"0\"/></swModel>";
  const auto with = [&](std::string_view event, std::string_view activities, std::string_view sets = "") {
    std::string text = test::replaced(test::read_text(test::sample("offload-minimal.amxmi")), "</swModel>",
                                      fmt::format("<runnables name=\"Added\"><activityGraph>{}</activityGraph>"
                                                  "</runnables>{}",
                                                  activities, modes));
    text = test::replaced(std::move(text), "<items xsi:type=\"am:RunnableCall\" runnable=\"Control_Preprocessing",
                          "<items xsi:type=\"am:RunnableCall\" runnable=\"Added?type=Runnable\"/><items "
                          "xsi:type=\"am:RunnableCall\" runnable=\"Control_Preprocessing");
    text =
        test::replaced(std::move(text), every_2ms,
                       fmt::format("<stimuli xsi:type=\"am:EventStimulus\" xmi:id=\"every_2ms?type=PeriodicStimulus\" "
                                   "name=\"seen\" triggeringEvents=\"E\"/><stimuli xsi:type=\"am:SingleStimulus\" "
                                   "name=\"start\">{}{}</stimuli>",
                                   sets, ms("occurrence", 1)));
    text = test::replaced(
        std::move(text), "<stimuliModel>",
        fmt::format("<eventModel><events xmi:id=\"E\" name=\"E\" {}/></eventModel><stimuliModel>", event));
    return build(text);
  };
  const auto open = [&](const Built& built, std::string_view why) {
    for (const std::string& finding : built.findings) UNSCOPED_INFO(finding);
    REQUIRE(built.system.has_value());
    return std::count_if(built.findings.begin(), built.findings.end(), [&](const std::string& finding) {
      return finding.find("AM0432") != finding.npos && finding.find(why) != finding.npos;
    });
  };
  const auto label = [](std::string_view access, std::string_view statistic) {
    return fmt::format("<items xsi:type=\"am:LabelAccess\" data=\"Image_host?type=Label\" access=\"{}\">{}</items>",
                       access, statistic);
  };
  constexpr std::string_view thrice =
      "<statistic><value xsi:type=\"am:SingleValueStatistic\" value=\"3.0\"/></statistic>";
  constexpr std::string_view once =
      "<statistic><value xsi:type=\"am:SingleValueStatistic\" value=\"1.0\"/></statistic>";
  constexpr std::string_view read = "xsi:type=\"am:LabelEvent\" entity=\"Image_host?type=Label\" eventType=\"read\"";
  CHECK(open(with(read, label("read", once)), "") == 0);
  CHECK(open(with(read, label("read", thrice) + label("read", thrice)), "accesses") == 1);
  CHECK(open(with(read, label("write", thrice)), "") == 0);

  const auto mode = [](std::string_view label_name, std::string_view access) {
    return fmt::format("<items xsi:type=\"am:ModeLabelAccess\" data=\"{}?type=ModeLabel\" access=\"{}\" value=\"1\"/>",
                       label_name, access);
  };
  const auto changes = [](std::string_view type) {
    return fmt::format("xsi:type=\"am:ModeLabelEvent\" entity=\"m?type=ModeLabel\" eventType=\"{}\"", type);
  };
  CHECK(open(with(changes("_all_"), mode("m", "set")), "") == 0);
  CHECK(open(with(changes("_all_"), mode("m", "set") + mode("m", "read")), "reads of mode labels") == 1);
  CHECK(open(with(changes("_all_"), mode("m", "set") + mode("n", "read")), "") == 0);
  CHECK(open(with(changes("write"), mode("m", "set") + mode("m", "read")), "") == 0);
  const auto set_by_stimulus = [](std::string_view label_name) {
    return fmt::format("<setModeValueList><entries label=\"{}?type=ModeLabel\" value=\"1\"/></setModeValueList>",
                       label_name);
  };
  CHECK(open(with(changes("write"), mode("m", "set"), set_by_stimulus("m")), "a stimulus sets") == 1);
  CHECK(open(with(changes("write"), mode("m", "set"), set_by_stimulus("n")), "") == 0);
  CHECK(open(with(changes("increment"), mode("m", "increment"), set_by_stimulus("m")), "") == 0);

  const auto runs = [](std::string_view type) {
    return fmt::format("xsi:type=\"am:RunnableEvent\" entity=\"Added?type=Runnable\" eventType=\"{}\"", type);
  };
  CHECK(open(with(runs("_all_"), mode("m", "set")), "suspended") == 1);
  CHECK(open(with(runs("start"), mode("m", "set")), "") == 0);
}

TEST_CASE("custom stimuli are reported if a task depends on them") {
  const auto built = build(activated(Version::v3_3_0, "CustomStimulus", "description=\"d\"", ""));
  CHECK_FALSE(built.system.has_value());
  CHECK(has_id(built.findings, "AM0310"));
}

}  // namespace building_stimulus_test
