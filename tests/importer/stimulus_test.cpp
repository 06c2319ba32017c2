#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/graph/system.hpp"
#include "importer/system_builder.hpp"
#include "tests/support/test_models.hpp"

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

}  // namespace

TEST_CASE("jitter and minimum distance of a stimulus are beside its period; an empty condition is none") {
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
  CHECK(periodic.minimum_distance == Duration::microseconds(3));
  CHECK_FALSE(built.system->stimuli.at(1).condition.has_value());
}

TEST_CASE("a trigger with a counter that lets only some pass is a branch, one that lets all pass is none") {
  constexpr std::string_view trigger =
      "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"Vision_request?type=InterProcessStimulus\"/>";
  const auto with = [&](std::string_view counter) {
    const std::string_view open = trigger.substr(0, trigger.size() - 2);
    return build(test::replaced(test::read_text(test::sample("offload-minimal.amxmi")), trigger,
                                fmt::format("{}>{}</items>", open, counter)));
  };
  const auto branches = [](const auto& built) {
    REQUIRE(built.system.has_value());
    const auto vertices = boost::make_iterator_range(boost::vertices(built.system->graph));
    return std::count_if(vertices.begin(), vertices.end(), [&](NodeIndex node) {
      return std::holds_alternative<Branch>(built.system->graph[node].activity);
    });
  };
  CHECK(branches(with("<counter prescaler=\"2\"/>")) == 1);
  CHECK(branches(with("<counter prescaler=\"1\" offset=\"0\"/>")) == 0);
}

TEST_CASE("a periodic stimulus that is counted by a clock is told; its recurrence is taken as time") {
  // The structure of 0.8.1 in a file of a later version, as files of a development cycle have it.
  const auto built = build(minimal_with(
      "<clocks xsi:type=\"am:ClockTriangleFunction\" name=\"crank\" "
      "xmi:id=\"crank?type=ClockTriangleFunction\"/><stimuli xsi:type=\"am:PeriodicStimulus\" "
      "xmi:id=\"every_2ms?type=PeriodicStimulus\" name=\"every_2ms\" clock=\"crank?type=ClockTriangleFunction\">"
      "<recurrence value=\"2\" unit=\"ms\"/></stimuli>"));
  REQUIRE(built.system.has_value());
  CHECK(has(built.findings,
            "AM0416: stimulus \"every_2ms\" is counted by the clock \"crank\", which is not simulated; its "
            "recurrence is taken as time"));
}

TEST_CASE("stimuli under their names before 0.8.1 activate as those of today") {
  auto text = minimal_with(
      "<stimuli xsi:type=\"am:Periodic\" xmi:id=\"every_2ms?type=Periodic\" name=\"every_2ms\"><recurrence value=\"2\" "
      "unit=\"ms\"/></stimuli>");
  text = test::replaced(text, "stimuli=\"every_2ms?type=PeriodicStimulus\"", "stimuli=\"every_2ms?type=Periodic\"");
  const auto built = build(text);
  REQUIRE(built.system.has_value());
  CHECK(std::get<Periodic>(built.system->stimuli.at(1).occurrence).period == Duration::milliseconds(2));
  CHECK(built.system->stimuli.at(1).activates.size() == 1);
}

TEST_CASE("values that cannot be read stop an analysis only where they matter") {
  const std::string odd =
      "<stimuli xsi:type=\"am:VariableRateStimulus\" name=\"unused\"><step value=\"x\" unit=\"ms\"/></stimuli>";
  CHECK(build(minimal_with(std::string(every_2ms) + odd)).system.has_value());
  const auto built = build(minimal_with(
      "<stimuli xsi:type=\"am:PeriodicStimulus\" xmi:id=\"every_2ms?type=PeriodicStimulus\" name=\"every_2ms\">"
      "<recurrence value=\"x\" unit=\"ms\"/></stimuli>"));
  CHECK_FALSE(built.system.has_value());
  CHECK(has(built.findings, "AM0210: unreadable value in <recurrence>: \"x\" is not an integer"));
}
