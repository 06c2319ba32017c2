// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "reference/releases.hpp"
#include "reference/text_test.hpp"

using namespace reference;
using namespace reference::text;

namespace {

/// The first occurrences of a stimulus, in microseconds.
std::vector<double> first(const std::string& type, const std::string& inside, Behaviour behaviour, std::size_t count,
                          bool any_offsets = false) {
  Text text;
  text.stimulus(type, "X", inside);
  const auto model = read(text.amxmi());
  Releases releases(model, 0, behaviour, any_offsets);
  std::vector<double> out;
  while (out.size() < count && releases.next() < never) {
    out.push_back(static_cast<double>(releases.next()) / static_cast<double>(us));
    releases.pop();
  }
  return out;
}

const Behaviour least(Behaviour::Rule::least), most(Behaviour::Rule::most);
using V = std::vector<double>;

std::string range(const std::string& tag, int lower, int upper) {
  return "<" + tag + " xsi:type=\"am:TimeUniformDistribution\">" + time("lowerBound", lower) +
         time("upperBound", upper) + "</" + tag + ">";
}

}  // namespace

TEST_CASE("periodic stimuli occur at offset and period, plus jitter", "[releases]") {
  const auto periodic = time("recurrence", 10) + time("offset", 3);
  CHECK(first("PeriodicStimulus", periodic, least, 3) == V{3, 13, 23});
  CHECK(first("PeriodicStimulus", periodic + range("jitter", 0, 4), most, 3) == V{7, 17, 27});
  CHECK(first("PeriodicStimulus", periodic + range("jitter", -2, 4), least, 3) == V{1, 11, 21});
  CHECK(first("PeriodicStimulus", time("recurrence", 10), most, 2, true)[0] == Approx(9.999999));
}

TEST_CASE("occurrences keep their order under a jitter beyond the period, and a minimum distance", "[releases]") {
  const auto wide = time("recurrence", 10) + range("jitter", 0, 25);
  for (int seed = 0; seed < 200; ++seed) {
    const Behaviour chance(Behaviour::Rule::corners, static_cast<std::uint64_t>(seed));
    const auto all = first("PeriodicStimulus", wide, chance, 20),
               apart = first("PeriodicStimulus", wide + time("minDistance", 4), chance, 20);
    CHECK(std::is_sorted(all.begin(), all.end()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto nominal = 10 * static_cast<double>(i);
      CHECK((all[i] >= nominal && all[i] <= nominal + 25));  // the i-th of all
      if (i > 0) CHECK(apart[i] - apart[i - 1] > 4 - 1e-6);
    }
  }
}

TEST_CASE("sporadic, synthetic, single and burst stimuli", "[releases]") {
  CHECK(first("RelativePeriodicStimulus", time("offset", 2) + range("nextOccurrence", 5, 8), least, 3) == V{2, 7, 12});
  CHECK(first("RelativePeriodicStimulus", range("nextOccurrence", 5, 8), most, 3) == V{0, 8, 16});
  CHECK(first("PeriodicSyntheticStimulus",
              time("recurrence", 20) + time("occurrenceTimes", 1) + time("occurrenceTimes", 4), least,
              4) == V{1, 4, 21, 24});
  CHECK(first("SingleStimulus", time("occurrence", 7), least, 4) == V{7});
  const auto burst = time("recurrence", 50) + time("burstLength", 12) + time("occurrenceMinDistance", 3);
  CHECK(first("PeriodicBurstStimulus\" occurrenceCount=\"3", burst, least, 4) == V{0, 3, 6, 50});
  CHECK(first("PeriodicBurstStimulus\" occurrenceCount=\"3", burst, most, 4) == V{6, 9, 12, 56});
}

TEST_CASE("an arrival curve limits every number of successive occurrences", "[releases]") {
  const auto entry = [](int count, int lower, int upper) {
    return "<entries numberOfOccurrences=\"" + std::to_string(count) + "\">" + time("lowerTimeBorder", lower) +
           (upper > 0 ? time("upperTimeBorder", upper) : "") + "</entries>";
  };
  const auto curve = entry(2, 2, 0) + entry(3, 10, 30);
  CHECK(first("ArrivalCurveStimulus", curve, least, 5) == V{0, 2, 10, 12, 20});
  for (int seed = 0; seed < 200; ++seed) {
    const auto all =
        first("ArrivalCurveStimulus", curve, Behaviour(Behaviour::Rule::corners, static_cast<std::uint64_t>(seed)), 20);
    for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i] - all[i - 1] > 2 - 1e-6);
    for (std::size_t i = 2; i < all.size(); ++i)
      CHECK((all[i] - all[i - 2] > 10 - 1e-6 && all[i] - all[i - 2] < 30 + 1e-6));
  }
  CHECK_THROWS_AS(first("ArrivalCurveStimulus", entry(2, 20, 0) + entry(3, 10, 30), least, 5), Refused);
}

TEST_CASE("a variable rate spreads its occurrences over each step", "[releases]") {
  const auto rate =
      time("step", 10) +
      "<occurrencesPerStep xsi:type=\"am:ContinuousValueBoundaries\" lowerBound=\"2.0\" upperBound=\"5.0\"/>";
  CHECK(first("VariableRateStimulus", rate, least, 4) == V{0, 5, 10, 15});
  CHECK(first("VariableRateStimulus", rate, most, 6) == V{0, 2, 4, 6, 8, 10});
}

TEST_CASE("conditions enable stimuli, and stimuli set modes", "[releases]") {
  Text text;
  text.scheduler("S0", "FixedPriorityPreemptive");
  text.stimulus("SingleStimulus", "Y",
                "<setModeValueList><entries label=\"M?type=ModeLabel\" value=\"1\"/></setModeValueList>" +
                    time("occurrence", 15));
  text.periodic("X", 10, 0, condition("executionCondition", "EQUAL", 1))
      .task("A", "S0", 1, "X?type=PeriodicStimulus", work(1));
  CHECK(times(text, "A", 40 * us).size() == 2);  // at 20 and 30
}

TEST_CASE("an event stimulus occurs with its events", "[releases]") {
  Text text;
  text.scheduler("S0", "FixedPriorityPreemptive").runnable("R", work(2) + label("write", "L2"));
  text.event_model =
      "<events xsi:type=\"am:LabelEvent\" name=\"W\" entity=\"L2?type=Label\" eventType=\"write\"/><events "
      "xsi:type=\"am:CustomEvent\" name=\"K\"/>";
  text.stimulus("EventStimulus\" triggeringEvents=\"W?type=LabelEvent K?type=CustomEvent", "X", "");
  text.task("A", "S0", 2, "20", call("R") + item("CustomEventTrigger", "event=\"K?type=CustomEvent\""))
      .task("B", "S0", 1, "X?type=EventStimulus", work(1));
  CHECK(times(text, "B", 20 * us) == V{1, 2});
}
