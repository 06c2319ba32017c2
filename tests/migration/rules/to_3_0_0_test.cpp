// SPDX-License-Identifier: Apache-2.0
// What changed from 2.2.0 to 3.0.0: one kind of switches, types by reference.

#include <catch2/catch.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/small_model.hpp"

namespace rules_to_3_0_0_test {

TEST_CASE("mode switches and conditions get the general class") {
  const auto converted =
      test::convert("2.2.0", R"(<swModel><tasks name="T"><activityGraph><items xsi:type="am:ModeSwitch">
      <entries name="e"><condition><entries xsi:type="am:ModeConditionConjunction">
        <entries xsi:type="am:ModeValueCondition" label="m?type=ModeLabel" value="a"/></entries></condition></entries>
      <defaultEntry><items xsi:type="am:SchedulePoint"/></defaultEntry></items></activityGraph></tasks>
      <modeLabels name="m"/></swModel>)",
                    "3.0.0");
  const std::string at = "/swModel/tasks.0/activityGraph/items.0";
  CHECK(converted.has(at + " : Switch"));
  CHECK(converted.has(at + "/entries.0 : SwitchEntry"));
  CHECK(converted.has(at + "/entries.0/condition : ConditionDisjunction"));
  CHECK(converted.has(at + "/entries.0/condition/entries.0 : ConditionConjunction"));
  CHECK(converted.has(at + "/defaultEntry : SwitchDefault"));
  CHECK(converted.has(at + "/defaultEntry/items.0 : SchedulePoint"));
}

TEST_CASE("contained types of labels and channels become references and are restored") {
  constexpr std::string_view model = R"(<swModel>
      <labels name="l"><dataType xsi:type="am:TypeRef" typeDef="t?type=BaseTypeDefinition"/></labels>
      <channels name="c"><elementType xsi:type="am:TypeRef" typeDef="t?type=BaseTypeDefinition"/></channels>
      <typeDefinitions xsi:type="am:BaseTypeDefinition" name="t"/></swModel>)";
  const auto converted = test::convert("2.2.0", model, "3.0.0");
  CHECK(converted.has("/swModel/labels.0 >dataType = /swModel/typeDefinitions.0"));
  CHECK(converted.has("/swModel/channels.0 >elementType = /swModel/typeDefinitions.0"));
  const auto back = test::convert("3.0.0", test::content_of(converted.text()), "2.2.0");
  REQUIRE(back.done);
  CHECK(test::differences(back.dump, test::convert("2.2.0", model, "2.2.0").dump).empty());
}

TEST_CASE("a type written inside a label is defined with a separate name") {
  const auto converted = test::convert("2.2.0", R"(<swModel>
      <labels name="l"><dataType xsi:type="am:Array" numberElements="4">
        <dataType xsi:type="am:TypeRef" typeDef="l_dataType?type=BaseTypeDefinition"/></dataType></labels>
      <typeDefinitions xsi:type="am:BaseTypeDefinition" name="l_dataType"/></swModel>)",
                                       "3.0.0");
  CHECK(converted.has("/swModel/labels.0 >dataType = /swModel/typeDefinitions.1"));
  CHECK(converted.has("/swModel/typeDefinitions.1 : DataTypeDefinition"));
  CHECK(converted.has("/swModel/typeDefinitions.1 @name = l_dataType_2"));
  CHECK(converted.has("/swModel/typeDefinitions.1/dataType @numberElements = 4"));
  CHECK(converted.has("/swModel/typeDefinitions.1/dataType/dataType >typeDef = /swModel/typeDefinitions.0"));
}

TEST_CASE("component interfaces spell dataType with a capital and are restored") {
  const auto converted =
      test::convert("2.2.0", R"(<swModel><typeDefinitions xsi:type="am:BaseTypeDefinition" name="t"/></swModel>
      <componentsModel><interfaces name="i" datatype="t?type=BaseTypeDefinition"><subInterfaces name="s" datatype="t?type=BaseTypeDefinition"/></interfaces></componentsModel>)",
                    "3.0.0");
  CHECK(converted.has("/componentsModel/interfaces.0 >dataType = /swModel/typeDefinitions.0"));
  CHECK(converted.has("/componentsModel/interfaces.0/subInterfaces.0 >dataType = /swModel/typeDefinitions.0"));
  CHECK(test::convert("3.0.0", test::content_of(converted.text()), "2.2.0")
            .has("/componentsModel/interfaces.0 >datatype = /swModel/typeDefinitions.0"));
}

TEST_CASE("owned semaphores state their ownership only since 3.0.0") {
  const auto back = test::convert(
      "3.0.0", R"(<osModel><semaphores name="s" initialValue="1" maxValue="1" ownership="true"/></osModel>)", "2.2.0");
  CHECK(back.done);
  CHECK_FALSE(test::convert("3.0.0", R"(<osModel><semaphores name="s" ownership="false"/></osModel>)", "2.2.0").done);
}

}  // namespace rules_to_3_0_0_test
