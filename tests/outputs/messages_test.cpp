// SPDX-License-Identifier: Apache-2.0
// Messages name the right place, cause and remedy.

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace messages_test {

namespace {

/// What `analyze` prints about a changed model: results, then findings.
std::string said(const std::string& text, std::vector<std::string> options = {}) {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/model.amxmi";
  test::write_text(file, text);
  options.insert(options.begin(), {"analyze", file});
  const auto result = test::amalthea(options);
  return result.out + result.err;
}

bool has(const std::string& text, std::string_view part) {
  INFO(text);
  INFO(part);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

std::string limits(const char* name) { return test::read_text(test::data("limits/" + std::string(name) + ".amxmi")); }

}  // namespace

TEST_CASE("an access that states another communication leaves the limits of its chains open") {
  const auto stating = [](std::string_view data, std::string_view implementation) {
    const std::string access = "data=\"" + std::string(data) + "?type=Label\" access=\"read\"";
    return test::replaced(test::read_text(test::sample("chains.amxmi")), access,
                          access + " implementation=\"" + std::string(implementation) + "\"");
  };
  const std::string text = stating("Path", "timed");
  CHECK(has(said(text),
            "judged for implicit communication, but this access states the implementation timed; use "
            "--communication let [AM0497]"));
  CHECK(said(text, {"--communication", "let"}).find("AM0497") == std::string::npos);
  CHECK(said(stating("Path", "implicit")).find("AM0497") == std::string::npos);
}

TEST_CASE("buffered sender-receiver communication leaves limits open that are judged for another one") {
  const auto stating = [](std::string_view buffered) {
    return test::replaced(
        test::read_text(test::sample("chains.amxmi")),
        "<items xsi:type=\"am:LabelAccess\" data=\"Path?type=Label\" access=\"read\"/>",
        "<items xsi:type=\"am:SenderReceiverRead\" label=\"Path?type=Label\"" + std::string(buffered) + "/>");
  };
  const std::string buffered = stating(" buffered=\"true\"");
  const std::string judged = said(buffered, {"--communication", "explicit"});
  has(judged, "judged for explicit communication, but this access is buffered; use --communication implicit [AM0497]");
  has(judged, "Verdict: unknown");
  CHECK(said(buffered, {"--communication", "let"}).find("AM0497") != std::string::npos);
  CHECK(said(buffered).find("AM0497") == std::string::npos);
  for (const std::string_view unstated : {"", " buffered=\"false\""})
    CHECK(said(stating(unstated), {"--communication", "explicit"}).find("AM0497") == std::string::npos);
}

TEST_CASE("an access that states another communication leaves process chains and constraints on it open") {
  const std::string chains = test::replaced(
      test::replaced(test::read_text(test::sample("chains.amxmi")), "<labels name=\"Speed\">",
                     "<processChains name=\"Both\" processes=\"Sense?type=Task Plan?type=Task\"/>"
                     "<labels name=\"Speed\">"),
      "<requirements xsi:type=\"am:ProcessRequirement\" name=\"Deadline_Sense\"",
      R"(<requirements xsi:type="am:ProcessChainRequirement" name="R" processChain="Both?type=ProcessChain">
        <limit xsi:type="am:TimeRequirementLimit" limitType="UpperLimit" metric="ResponseTime">
        <limitValue value="90" unit="ms"/></limit></requirements>
        <requirements xsi:type="am:ProcessRequirement" name="Deadline_Sense")");
  const std::string read = "data=\"Speed?type=Label\" access=\"read\"";
  CHECK(said(chains).find("AM0497") == std::string::npos);
  // The option does not concern it.
  has(said(test::replaced(chains, read, read + " implementation=\"timed\""), {"--communication", "let"}),
      "the requirement of process chain \"Both\" is judged for implicit communication");

  const std::string constraints = test::read_text(test::sample("constraints.amxmi"));
  CHECK(said(constraints).find("AM0497") == std::string::npos);
  const std::string timed = said(test::replaced(constraints, read, read + " implementation=\"timed\""));
  has(timed, "DataAgeConstraint \"SpeedAge\" is judged for explicit communication");
  has(timed, "DataCoherencyGroup \"SpeedAndAngle\" is judged for explicit communication");
  has(timed, "EventSynchronizationConstraint \"WrittenTogether\" is judged for explicit communication");
}

TEST_CASE("an access by a copy of a GPU that states another communication leaves the limits of its chains open") {
  const std::string host = R"(name="Monitor_Function" callback="false" service="false">
      <activityGraph>)";
  std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  const std::string copied = R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="read")";
  text = test::replaced(text, host,
                        host + R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="write"/>)");
  text = test::replaced(text, "<constraintsModel>", R"(<eventModel>
      <events xsi:type="am:ProcessEvent" name="Starts" entity="Monitor?type=Task" eventType="start"/>
      <events xsi:type="am:ProcessEvent" name="Ends" entity="Vision?type=Task" eventType="terminate"/></eventModel>
      <constraintsModel><eventChains name="Ch" stimulus="Starts?type=ProcessEvent" response="Ends?type=ProcessEvent"/>
      <timingConstraints xsi:type="am:EventChainLatencyConstraint" name="Lim" scope="Ch?type=EventChain"
        type="Reaction"><maximum value="100" unit="ms"/></timingConstraints>)");
  CHECK(said(text).find("AM0497") == std::string::npos);
  has(said(test::replaced(text, copied, copied + " implementation=\"timed\"")),
      "event chain \"Ch\" is limited and judged for implicit communication");
}

TEST_CASE("a value of another version names the version that the file states") {
  const std::string model =
      test::replaced(test::replaced(limits("guaranteed"), "amalthea/3.3.0", "amalthea/2.2.0"), "<osModel>",
                     "<osModel><semaphores name=\"S\" semaphoreType=\"Mutex\" initialValue=\"0\" maxValue=\"1\"/>");
  const std::string text = said(model);
  has(text, "but the file states 2.2.0");
  CHECK(text.find("states 2.1.0") == std::string::npos);
}

TEST_CASE("a frequency that is too large is not called zero") {
  const std::string text =
      said(test::replaced(limits("guaranteed"), "value=\"1\" unit=\"GHz\"", "value=\"1e9\" unit=\"GHz\""));
  has(text, "\"1e9 GHz\" is too large for a frequency (at most 9000000 GHz) [AM0210]");
  has(said(test::replaced(limits("guaranteed"), "value=\"1\" unit=\"GHz\"", "value=\"0\" unit=\"GHz\"")),
      "\"0 GHz\" is not a frequency above zero [AM0210]");
}

TEST_CASE("a scheduler with two allocations may be executed on a unit of either") {
  CHECK(said(limits("hole-for-all")).find("AM0610") == std::string::npos);
  const std::string other =
      said(test::replaced(limits("guaranteed"), "responsibility=\"C0?type=ProcessingUnit\" executingPU=\"C0?",
                          "responsibility=\"C0?type=ProcessingUnit\" executingPU=\"C1?"));
  has(other,
      "scheduler \"S0\" is executed on \"C1\", but scheduler \"S1\" is responsible for that unit; name a unit of "
      "\"S0\" as executingPU, or make it responsible for \"C1\" [AM0610]");
}

TEST_CASE("what an overloaded core does is called polling only where a task polls") {
  const std::string passive = said(limits("unbounded"));
  has(passive, "core \"C0\" has a long-run utilization of 130.0 % at worst-case execution times; map less work");
  CHECK(passive.find("polling") == std::string::npos);
  CHECK(said(limits("server")).find("polling") == std::string::npos);
  const std::string active = said(test::replaced(
      test::replaced(limits("gpu-assumed"), "waitingBehaviour=\"passive\"", "waitingBehaviour=\"active\""),
      "<recurrence value=\"10\"", "<recurrence value=\"3\""));
  has(active, ", including polling for GPU work; map less work");
}

TEST_CASE("a deadline that is too short says which unit was tried and whether another suffices") {
  const std::string late = "<limitValue value=\"10\" unit=\"ms\"/>", early = "<limitValue value=\"2\" unit=\"ms\"/>";
  const std::string model = test::replaced(limits("guaranteed"), late, early);
  has(said(model),
      "task \"Slow\" needs up to 3 ms on \"C0\", even without interference, but its deadline is 2 ms; no other "
      "core is fast enough either, so shorten the task or extend the deadline [AM0602]");
  // The other core gets a clock of its own, four times as fast.
  const std::string faster = test::replaced(
      test::replaced(model, "name=\"C1\" frequencyDomain=\"Clock?", "name=\"C1\" frequencyDomain=\"Fast_Clock?"),
      "<domains ",
      "<domains xsi:type=\"am:FrequencyDomain\" name=\"Fast_Clock\"><defaultValue value=\"4\" "
      "unit=\"GHz\"/></domains><domains ");
  has(said(faster), "its mapping allows no faster unit, so map it to a faster core, shorten the task");
}

TEST_CASE("a chain without latencies says what its task lacks") {
  const std::string model = limits("chain");
  has(said(test::replaced(
          model, "<recurrence value=\"5\" unit=\"ms\"/>",
          "<recurrence value=\"5\" unit=\"ms\"/><jitter xsi:type=\"am:TimeBoundaries\"><lowerBound value=\"0\" "
          "unit=\"ms\"/><upperBound value=\"1\" unit=\"ms\"/></jitter>")),
      "the stimulus \"p5\" of task \"Sense\" has jitter; latencies under LET need strictly periodic releases");
  has(said(test::replaced(model, "stimuli=\"p5?type=PeriodicStimulus\"",
                          "stimuli=\"p5?type=PeriodicStimulus p10?type=PeriodicStimulus\"")),
      "task \"Sense\" has 2 stimuli; latencies under LET need");
  has(said(test::replaced(model, " stimuli=\"p5?type=PeriodicStimulus\"", "")),
      "task \"Sense\" has no stimulus; latencies");
}

TEST_CASE("a GPU without a profile is told what to state") {
  has(said(limits("gpu-assumed")), "has no custom property gpu.platform, so it is assumed to behave as the profile \"");
}

TEST_CASE("a simulation of what occurs once does not claim a length") {
  const std::string once = test::replaced(
      limits("guaranteed"),
      "<stimuli xsi:type=\"am:PeriodicStimulus\" name=\"p5\"><recurrence value=\"5\" unit=\"ms\"/></stimuli>",
      "<stimuli xsi:type=\"am:SingleStimulus\" name=\"p5\"/>");
  const std::string text = said(test::replaced(
      test::replaced(
          test::replaced(
              once,
              "<stimuli xsi:type=\"am:PeriodicStimulus\" name=\"p10\"><recurrence value=\"10\" unit=\"ms\"/></stimuli>",
              "<stimuli xsi:type=\"am:SingleStimulus\" name=\"p10\"/>"),
          "p5?type=PeriodicStimulus", "p5?type=SingleStimulus"),
      "p10?type=PeriodicStimulus", "p10?type=SingleStimulus"));
  has(text, "Simulated what occurs at time 0 with worst execution times");
  CHECK(text.find("1 ps") == std::string::npos);
}

TEST_CASE("an unmapped model says how it gets a first mapping or why it cannot") {
  const auto mappable = test::amalthea({"analyze", test::sample("unmapped.amxmi")});
  CHECK(mappable.exit_code == 1);
  has(mappable.err,
      "amalthea explore MODEL -o MAPPED.amxmi makes a first mapping, and searches for a better one [AM0493]");
  const std::string text = test::read_text(test::sample("unmapped.amxmi"));
  const std::size_t begin = text.find("<hwModel>"), end = text.find("</hwModel>");
  REQUIRE(end != std::string::npos);
  const std::string bare = said(text.substr(0, begin) + text.substr(end + 10));
  has(bare, "explore cannot map the tasks that the model leaves unmapped: ");
  has(bare, "[AM0573]");
  CHECK(bare.find("AM0493") == std::string::npos);
}

}  // namespace messages_test
