// SPDX-License-Identifier: Apache-2.0
// What changed from 0.9.4 to 0.9.5: one kind of call graphs, clocks.

#include <catch2/catch.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/small_model.hpp"

namespace rules_to_0_9_5_test {

namespace {

constexpr std::string_view graphs = R"(<swModel>
    <tasks name="T"><callGraph>
      <graphEntries xsi:type="am:CallSequence"><calls xsi:type="am:TaskRunnableCall" runnable="R?type=Runnable"/></graphEntries>
      <graphEntries xsi:type="am:ModeSwitch"><entries name="e"><items xsi:type="am:CallSequence" name="inner">
        <calls xsi:type="am:SchedulePoint"/></items></entries></graphEntries>
    </callGraph></tasks>
    <runnables name="R"><runnableItems xsi:type="am:Group" name="G"><items xsi:type="am:Ticks"/></runnableItems>
      <runnableItems xsi:type="am:RunnableProbabilitySwitch"/></runnables>
  </swModel>)";

}  // namespace

TEST_CASE("call sequences of tasks become ordered groups of runnable calls") {
  const auto converted = test::convert("0.9.4", graphs, "0.9.5");
  const std::string at = "/swModel/tasks.0/callGraph/items.0";
  CHECK(converted.has(at + " : Group"));
  CHECK(converted.has(at + " @name = CallSequence"));
  CHECK(test::holds(converted.text(), R"(ordered="true")"));
  CHECK(converted.has(at + "/items.0 : RunnableCall"));
  CHECK(converted.has(at + "/items.0 >runnable = /swModel/runnables.0"));
  CHECK(converted.has("/swModel/tasks.0/callGraph/items.1/entries.0/items.0 @name = inner"));
}

TEST_CASE("items of runnables become items of a call graph") {
  const auto converted = test::convert("0.9.4", graphs, "0.9.5");
  CHECK(converted.has("/swModel/runnables.0/callGraph/items.0 : Group"));
  CHECK(converted.has("/swModel/runnables.0/callGraph/items.0/items.0 : Ticks"));
  CHECK(converted.has("/swModel/runnables.0/callGraph/items.1 : ProbabilitySwitch"));
}

TEST_CASE("call graphs are restored to call sequences and items of runnables") {
  const auto there = test::convert("0.9.4", graphs, "0.9.5");
  const auto back = test::convert("0.9.5", test::content_of(there.text()), "0.9.4");
  REQUIRE(back.done);
  const auto original = test::convert("0.9.4", graphs, "0.9.4");
  CHECK(test::differences(back.dump, original.dump).empty());
}

TEST_CASE("old clocks and scenarios are kept as text under AMALTHEA's own key") {
  const auto converted = test::convert("0.9.4", R"(<stimuliModel>
      <stimuli xsi:type="am:VariableRateStimulus" name="V"><scenario clock="C?type=ClockSinusFunction">
        <recurrence value="10" unit="ms"/></scenario></stimuli>
      <clocks xsi:type="am:ClockSinusFunction" name="C" amplitude="1.5" yOffset="2.0"><period value="1" unit="s"/></clocks>
      <clocks xsi:type="am:ClockTriangleFunction" name="D" max="3.0" min="1.0"><shift value="2" unit="ms"/></clocks>
      <clocks xsi:type="am:ClockMultiplierList" name="E"><entries multiplier="4.0"><time value="5" unit="ms"/></entries></clocks>
    </stimuliModel>)",
                                       "0.9.5");
  const auto& text = converted.text();
  CHECK(test::holds(text, R"(key="old_definition_v0.9.4")"));
  CHECK(test::holds(text, R"(value="recurrence=10ms")"));
  CHECK(test::holds(text, R"(value="amplitude=1.5 yOffset=2.0 period=1s")"));
  CHECK(test::holds(text, R"(value="max=3.0 min=1.0 shift=2ms")"));
  CHECK(test::holds(text, R"(value="multiplier=4.0")"));
  CHECK(converted.has("/stimuliModel/clocks.0 @curveType = sine"));
  CHECK(converted.has("/stimuliModel/clocks.1 @curveType = triangle"));
  CHECK(converted.has("/stimuliModel/clocks.2 : ClockStepList"));
  CHECK(converted.has("/stimuliModel/clocks.2/entries.0 : ClockStep"));
  CHECK(converted.has("/stimuliModel/clocks.2/entries.0/time @value = 5"));
  CHECK(converted.has("/stimuliModel/stimuli.0/scenario >clock = /stimuliModel/clocks.0"));
  // What recurred still does: a step is mandatory, and says how often.
  CHECK(converted.has("/stimuliModel/stimuli.0/step @value = 10"));
  CHECK(converted.has("/stimuliModel/stimuli.0/step @unit = ms"));
}

}  // namespace rules_to_0_9_5_test
