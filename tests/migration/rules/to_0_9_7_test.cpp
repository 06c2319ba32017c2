// SPDX-License-Identifier: Apache-2.0
// What changed from 0.9.5 to 0.9.7, and on to 1.2.0.

#include <catch2/catch.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace rules_to_0_9_7_test {

TEST_CASE("call graphs become activity graphs even in files of 0.9.6 and are restored") {
  constexpr std::string_view model =
      R"(<swModel><tasks name="T"><callGraph><items xsi:type="am:SchedulePoint"/></callGraph></tasks>
      <runnables name="R"><callGraph/></runnables></swModel>)";
  for (const std::string_view from : {"0.9.5", "0.9.6"}) {
    const auto converted = test::convert(from, model, "0.9.7");
    CHECK(converted.has("/swModel/tasks.0/activityGraph : ActivityGraph"));
    CHECK(converted.has("/swModel/tasks.0/activityGraph/items.0 : SchedulePoint"));
    CHECK(converted.has("/swModel/runnables.0/activityGraph : ActivityGraph"));
    CHECK_FALSE(test::holds(converted.text(), "callGraph"));
  }
  const auto there = test::convert("0.9.5", model, "0.9.7");
  const auto back = test::convert("0.9.7", test::content_of(there.text()), "0.9.5");
  REQUIRE(back.done);
  CHECK(test::differences(back.dump, test::convert("0.9.5", model, "0.9.5").dump).empty());
}

TEST_CASE("event chain segments become sequential items and strands parallel ones and are restored") {
  constexpr std::string_view model =
      R"(<eventModel><events xsi:type="am:CustomEvent" name="a"/><events xsi:type="am:CustomEvent" name="b"/></eventModel>
    <constraintsModel>
      <eventChains name="C" stimulus="a?type=CustomEvent" response="b?type=CustomEvent">
        <segments xsi:type="am:EventChainContainer">
          <eventChain name="inner" stimulus="a?type=CustomEvent" response="b?type=CustomEvent">
            <strands xsi:type="am:EventChainReference" eventChain="D?type=EventChain"/></eventChain></segments>
      </eventChains>
      <eventChains name="D" stimulus="a?type=CustomEvent" response="b?type=CustomEvent"/>
    </constraintsModel>)";
  const auto converted = test::convert("0.9.5", model, "0.9.7");
  CHECK(converted.has("/constraintsModel/eventChains.0 @itemType = sequence"));
  CHECK(converted.has("/constraintsModel/eventChains.0/items.0/eventChain @itemType = parallel"));
  CHECK(
      converted.has("/constraintsModel/eventChains.0/items.0/eventChain/items.0 >eventChain = "
                    "/constraintsModel/eventChains.1"));
  const auto back = test::convert("0.9.7", test::content_of(converted.text()), "0.9.5");
  REQUIRE(back.done);
  CHECK(test::differences(back.dump, test::convert("0.9.5", model, "0.9.5").dump).empty());
}

TEST_CASE("an event chain with segments and strands gets the strands as its last item") {
  const auto converted = test::convert("0.9.5", R"(<constraintsModel><eventChains name="C">
      <segments xsi:type="am:EventChainReference"/><strands xsi:type="am:EventChainReference"/>
    </eventChains></constraintsModel>)",
                                       "0.9.7");
  CHECK(converted.has("/constraintsModel/eventChains.0 @itemType = sequence"));
  CHECK(converted.has("/constraintsModel/eventChains.0/items.1 : EventChainContainer"));
  CHECK(converted.has("/constraintsModel/eventChains.0/items.1/eventChain @itemType = parallel"));
  CHECK(converted.has("/constraintsModel/eventChains.0/items.1/eventChain/items.0 : EventChainReference"));
}

TEST_CASE("components get processes and ports with an interface and are restored") {
  constexpr std::string_view model = R"(<swModel><tasks name="T"/></swModel><componentsModel>
      <components name="C" tasks="T?type=Task"><ports xsi:type="am:InterfacePort" name="p" kind="provides" interfaceName="I"/></components>
      <components xsi:type="am:Composite" name="D"><componentInstances name="c" type="C?type=Component"/>
        <connectors name="k"><sourcePort instance="c?type=ComponentInstance" port="C/p?type=InterfacePort"/></connectors></components>
    </componentsModel>)";
  const auto converted = test::convert("0.9.5", model, "0.9.7");
  CHECK(converted.has("/componentsModel/components.0 >processes.0 = /swModel/tasks.0"));
  CHECK(converted.has("/componentsModel/components.0/ports.0 : ComponentPort"));
  CHECK(converted.has("/componentsModel/components.0/ports.0 @kind = provides"));
  CHECK(converted.has("/componentsModel/components.0/ports.0 >interface = /componentsModel/interfaces.0"));
  CHECK(converted.has("/componentsModel/interfaces.0 : MainInterface"));
  CHECK(converted.has("/componentsModel/interfaces.0 @name = I"));
  CHECK(
      converted.has("/componentsModel/components.1/connectors.0/sourcePort >port = "
                    "/componentsModel/components.0/ports.0"));
  const auto back = test::convert("0.9.7", test::content_of(converted.text()), "0.9.5");
  CHECK(back.has("/componentsModel/components.0/ports.0 @interfaceName = I"));
  CHECK(back.has("/componentsModel/components.0 >tasks.0 = /swModel/tasks.0"));
}

TEST_CASE("conditions that compare a mode label with a value get their new name") {
  const auto converted = test::convert("0.9.5", R"(<swModel><runnables name="R"><executionCondition>
      <entries xsi:type="am:ModeCondition" label="m?type=ModeLabel" value="a" relation="EQUAL"/></executionCondition></runnables>
      <modeLabels name="m"/></swModel>)",
                                       "0.9.7");
  CHECK(converted.has("/swModel/runnables.0/executionCondition/entries.0 : ModeValueCondition"));
  CHECK(converted.has("/swModel/runnables.0/executionCondition/entries.0 >label = /swModel/modeLabels.0"));
}

TEST_CASE("measurements and deadline events are kept as properties where 1.0.0 lacks them") {
  const auto converted = test::convert("0.9.9", R"(<swModel><tasks name="T"/></swModel>
    <eventModel><events xsi:type="am:ProcessEvent" name="e" eventType="deadline" entity="T?type=Task"/></eventModel>
    <measurementModel><measurements xsi:type="am:TaskMeasurement" task="T?type=Task"><runtimes value="7" unit="ms"/></measurements></measurementModel>)",
                                       "1.0.0");
  CHECK(converted.done);
  CHECK(test::holds(converted.text(), "amalthea-converted.0.9.9.measurementModel"));
  CHECK(test::holds(converted.text(), "runtimes"));
  CHECK(test::holds(converted.text(), "amalthea-converted.0.9.9.eventType"));
  CHECK_FALSE(test::holds(converted.dump, "\n/measurementModel"));
}

TEST_CASE("interruptible groups state so only since 1.2.0") {
  const auto back = test::convert("1.2.0", R"(<swModel><tasks name="T"><activityGraph>
      <items xsi:type="am:Group" name="G" ordered="true" interruptible="true"/></activityGraph></tasks></swModel>)",
                                  "1.1.0");
  REQUIRE(back.done);
  CHECK_FALSE(test::holds(back.text(), "interruptible"));
  const auto not_back = test::convert("1.2.0", R"(<swModel><tasks name="T"><activityGraph>
      <items xsi:type="am:Group" name="G" ordered="true" interruptible="false"/></activityGraph></tasks></swModel>)",
                                      "1.1.0");
  CHECK_FALSE(not_back.done);
}

}  // namespace rules_to_0_9_7_test
