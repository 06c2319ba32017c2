// SPDX-License-Identifier: Apache-2.0
// What changed from 1.2.0 to 2.0.0: definitions of schedulers, conditions.

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace rules_to_2_0_0_test {

namespace {

constexpr std::string_view schedulers = R"(<swModel><tasks name="T"/></swModel>
  <osModel><operatingSystems name="Os">
    <taskSchedulers name="Gpu"><schedulingAlgorithm xsi:type="am:UserSpecificSchedulingAlgorithm">
      <parameterExtensions key="slice" value="1 ms"/></schedulingAlgorithm></taskSchedulers>
    <taskSchedulers name="Cpu"><schedulingAlgorithm xsi:type="am:FixedPriorityPreemptive"/>
      <parentAssociation parent="Gpu?type=TaskScheduler"><schedulingParameters priority="3"/></parentAssociation></taskSchedulers>
    <interruptControllers name="Ic"><schedulingAlgorithm xsi:type="am:PriorityBased"/></interruptControllers>
  </operatingSystems></osModel>
  <mappingModel><taskAllocation task="T?type=Task" scheduler="Cpu?type=TaskScheduler">
    <schedulingParameters priority="7"><maxBudget value="2" unit="ms"/></schedulingParameters>
    <parameterExtensions key="Note" value="x"/></taskAllocation></mappingModel>)";

}  // namespace

TEST_CASE("scheduler algorithms become definitions by name") {
  const auto converted = test::convert("1.2.0", schedulers, "2.0.0");
  CHECK(converted.has("/osModel/schedulerDefinitions.0 @name = FixedPriorityPreemptive"));
  CHECK(converted.has("/osModel/schedulerDefinitions.1 @name = PriorityBased"));
  CHECK(converted.has("/osModel/schedulerDefinitions.2 @name = UserSpecificSchedulingAlgorithm1"));
  CHECK(converted.has("/osModel/operatingSystems.0/taskSchedulers.0 >definition = /osModel/schedulerDefinitions.2"));
  CHECK(converted.has("/osModel/operatingSystems.0/taskSchedulers.1 >definition = /osModel/schedulerDefinitions.0"));
  CHECK(
      converted.has("/osModel/operatingSystems.0/interruptControllers.0 >definition = "
                    "/osModel/schedulerDefinitions.1"));
}

TEST_CASE("scheduling parameters get definitions and custom ones are marked as extended") {
  const auto converted = test::convert("1.2.0", schedulers, "2.0.0");
  CHECK(converted.has("/osModel/schedulingParameterDefinitions.0 @name = priority"));
  CHECK(converted.has("/osModel/schedulingParameterDefinitions.0 @type = Integer"));
  CHECK(converted.has("/osModel/schedulingParameterDefinitions.1 @name = maxBudget"));
  CHECK(converted.has("/osModel/schedulingParameterDefinitions.2 @name = extended: Note"));
  CHECK(converted.has("/osModel/schedulingParameterDefinitions.3 @name = extended: slice"));
  CHECK(converted.has("/osModel/schedulingParameterDefinitions.3 @mandatory = false"));
  CHECK(
      converted.has("/osModel/schedulerDefinitions.2 >algorithmParameters.0 = "
                    "/osModel/schedulingParameterDefinitions.3"));
  CHECK(
      converted.has("/osModel/schedulerDefinitions.0 >processParameters.0 = "
                    "/osModel/schedulingParameterDefinitions.0"));
  const std::string gpu = "/osModel/operatingSystems.0/taskSchedulers.0/schedulingParameters.0";
  CHECK(converted.has(gpu + "/value : StringObject"));
  CHECK(converted.has(gpu + "/value @value = 1 ms"));
  const std::string allocation = "/mappingModel/taskAllocation.0/schedulingParameters.";
  CHECK(converted.has(allocation + "0 >key = /osModel/schedulingParameterDefinitions.0"));
  CHECK(converted.has(allocation + "0/value : IntegerObject"));
  CHECK(converted.has(allocation + "0/value @value = 7"));
  CHECK(converted.has(allocation + "1/value : Time"));
  CHECK(converted.has(allocation + "1/value @unit = ms"));
  CHECK(converted.has(allocation + "2/value @value = x"));
  CHECK(
      converted.has("/osModel/operatingSystems.0/taskSchedulers.1/parentAssociation/schedulingParameters.0/value "
                    "@value = 3"));
}

TEST_CASE("definitions are in the file of the schedulers and allocations in other files refer to them") {
  const test::TemporaryFolder folder;
  const auto file = [&](std::string_view name, std::string_view content) {
    const std::string path = fmt::format("{}/{}.amxmi", folder.path(), name);
    test::write_text(path, fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<am:Amalthea xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:am="http://app4mc.eclipse.org/amalthea/1.2.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{}</am:Amalthea>
)",
                                       content));
    return path;
  };
  const auto mapping =
      file("mapping", R"(<mappingModel><taskAllocation><scheduler href="amlt:/#Cpu?type=TaskScheduler"/>
      <schedulingParameters priority="7"/></taskAllocation></mappingModel>)");
  const auto system = file("system", R"(<osModel><operatingSystems name="Os"><taskSchedulers name="Cpu">
      <schedulingAlgorithm xsi:type="am:OSEK"/></taskSchedulers></operatingSystems></osModel>)");
  const auto converted = test::convert_files({mapping, system}, "2.0.0");
  REQUIRE(converted.texts.size() == 2);
  CHECK(test::holds(converted.texts[0], R"(<key href="amlt:/#priority?type=SchedulingParameterDefinition"/>)"));
  CHECK_FALSE(test::holds(converted.texts[0], "osModel"));
  CHECK(test::holds(converted.texts[1], R"(name="Cpu" definition="OSEK?type=SchedulerDefinition")"));
  CHECK(test::holds(converted.texts[1], R"(<schedulingParameterDefinitions xmi:id="priority?type)"));
}

TEST_CASE("a priority of 0 is omitted and the size of a quantum becomes a time") {
  const auto converted = test::convert("1.2.0", R"(<osModel><operatingSystems name="Os"><taskSchedulers name="P">
      <schedulingAlgorithm xsi:type="am:PfairPD2" quantSizeNs="500"/></taskSchedulers></operatingSystems></osModel>
    <mappingModel><taskAllocation scheduler="P?type=TaskScheduler"><schedulingParameters priority="0"/></taskAllocation></mappingModel>)",
                                       "2.0.0");
  CHECK_FALSE(test::holds(converted.dump, "/mappingModel/taskAllocation.0/schedulingParameters"));
  const std::string value = "/osModel/operatingSystems.0/taskSchedulers.0/schedulingParameters.0/value";
  CHECK(converted.has(value + " @value = 500"));
  CHECK(converted.has(value + " @unit = ns"));
  CHECK(converted.has("/osModel/schedulingParameterDefinitions.0 @name = quantSize"));
}

TEST_CASE("scheduling in the new form is unchanged in a file with an older version") {
  const auto there = test::convert("1.2.0", schedulers, "2.0.0");
  CHECK(test::convert("1.2.0", test::content_of(there.text()), "2.0.0").dump == there.dump);
}

TEST_CASE("definitions with the name of an algorithm are restored to it") {
  const auto there = test::convert("1.2.0", schedulers, "2.0.0");
  const auto back = test::convert("2.0.0", test::content_of(there.text()), "1.2.0");
  REQUIRE(back.done);
  CHECK(test::differences(back.dump, test::convert("1.2.0", schedulers, "1.2.0").dump).empty());
}

TEST_CASE("execution conditions get the general class and those on modes are restored") {
  constexpr std::string_view model = R"(<swModel>
      <tasks name="T"><activityGraph><items xsi:type="am:WhileLoop"><condition>
        <entries xsi:type="am:ModeValueCondition" label="m?type=ModeLabel" value="a"/></condition></items></activityGraph></tasks>
      <runnables name="R"><executionCondition><entries xsi:type="am:ModeConditionConjunction">
        <entries xsi:type="am:ModeValueCondition" label="m?type=ModeLabel" value="a"/></entries></executionCondition></runnables>
      <modeLabels name="m"/></swModel>)";
  const auto converted = test::convert("1.2.0", model, "2.0.0");
  CHECK(converted.has("/swModel/tasks.0/activityGraph/items.0/condition : ConditionDisjunction"));
  CHECK(converted.has("/swModel/runnables.0/executionCondition : ConditionDisjunction"));
  CHECK(converted.has("/swModel/runnables.0/executionCondition/entries.0 : ConditionConjunction"));
  CHECK(converted.has("/swModel/runnables.0/executionCondition/entries.0/entries.0 : ModeValueCondition"));
  const auto back = test::convert("2.0.0", test::content_of(converted.text()), "1.2.0");
  REQUIRE(back.done);
  CHECK(test::differences(back.dump, test::convert("1.2.0", model, "1.2.0").dump).empty());
}

TEST_CASE("a switch on modes is restored to a ModeSwitch and one on channels is not") {
  const auto with = [](std::string_view condition) {
    return test::convert("3.3.0",
                         fmt::format(R"(<swModel><tasks name="T"><activityGraph><items xsi:type="am:Switch">
        <entries name="e"><condition><entries {}/></condition></entries><defaultEntry/></items></activityGraph></tasks>
        <modeLabels name="m"/><channels name="c"/></swModel>)",
                                     condition),
                         "1.2.0");
  };
  const auto modes = with(R"(xsi:type="am:ModeValueCondition" label="m?type=ModeLabel" value="a")");
  REQUIRE(modes.done);
  CHECK(modes.has("/swModel/tasks.0/activityGraph/items.0 : ModeSwitch"));
  CHECK(modes.has("/swModel/tasks.0/activityGraph/items.0/entries.0/condition : ModeConditionDisjunction"));
  CHECK_FALSE(with(R"(xsi:type="am:ChannelFillCondition" channel="c?type=Channel")").done);
}

}  // namespace rules_to_2_0_0_test
