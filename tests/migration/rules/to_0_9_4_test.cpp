// SPDX-License-Identifier: Apache-2.0
// What changed from 0.9.3 to 0.9.4: modes as text, deadlines of runnables, aliases.

#include <catch2/catch.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/small_model.hpp"

namespace rules_to_0_9_4_test {

namespace {

constexpr std::string_view modes = R"(<swModel>
    <runnables name="R"><runnableItems xsi:type="am:ModeLabelAccess" data="m?type=ModeLabel" access="write"
        modeValue="M/is+on?type=ModeLiteral"/>
      <runnableItems xsi:type="am:RunnableModeSwitch"><entries><condition>
        <entries xsi:type="am:ModeValue" valueProvider="m?type=ModeLabel" value="M/off?type=ModeLiteral"/>
        <entries xsi:type="am:ModeValueConjunction">
          <entries valueProvider="m?type=ModeLabel" value="M/is+on?type=ModeLiteral"/>
        </entries></condition></entries></runnableItems>
    </runnables>
    <modes name="M"><literals name="off"/><literals name="is on"/></modes>
    <modeLabels name="m" initialValue="M/off?type=ModeLiteral"/>
  </swModel>
  <stimuliModel>
    <stimuli xsi:type="am:InterProcessStimulus" name="S">
      <setModeValueList><entries valueProvider="m?type=ModeLabel" value="M/is+on?type=ModeLiteral"/></setModeValueList>
      <enablingModeValueList>
        <entries xsi:type="am:ModeValue" valueProvider="m?type=ModeLabel" value="M/off?type=ModeLiteral"/>
      </enablingModeValueList>
    </stimuli>
  </stimuliModel>)";

}  // namespace

TEST_CASE("mode values become literal names and a mode label gets its mode") {
  const auto converted = test::convert("0.9.3", modes, "0.9.4");
  CHECK(converted.has("/swModel/modes.0 : EnumMode"));
  CHECK(converted.has("/swModel/modeLabels.0 >mode = /swModel/modes.0"));
  CHECK(converted.has("/swModel/modeLabels.0 @initialValue = off"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0 @access = set"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0 @value = is on"));
  CHECK(converted.has("/stimuliModel/stimuli.0/setModeValueList/entries.0 : ModeAssignment"));
  CHECK(converted.has("/stimuliModel/stimuli.0/setModeValueList/entries.0 @value = is on"));
  CHECK(converted.has("/stimuliModel/stimuli.0/setModeValueList/entries.0 >label = /swModel/modeLabels.0"));
}

TEST_CASE("mode conditions state equality") {
  const auto converted = test::convert("0.9.3", modes, "0.9.4");
  const std::string at = "/swModel/runnables.0/runnableItems.1/entries.0/condition";
  CHECK(converted.has(at + " : ModeConditionDisjunction"));
  CHECK(converted.has(at + "/entries.0 : ModeCondition"));
  CHECK(converted.has(at + "/entries.0 @relation = EQUAL"));
  CHECK(converted.has(at + "/entries.0 @value = off"));
  CHECK(converted.has(at + "/entries.1 : ModeConditionConjunction"));
  CHECK(converted.has(at + "/entries.1/entries.0 >label = /swModel/modeLabels.0"));
  CHECK(converted.has("/stimuliModel/stimuli.0/executionCondition/entries.0 @value = off"));
}

TEST_CASE("modes of enumerations survive a round trip to references") {
  const auto there = test::convert("0.9.3", modes, "0.9.4");
  const auto back = test::convert("0.9.4", test::content_of(there.text()), "0.9.3");
  REQUIRE(back.done);
  const auto original = test::convert("0.9.3", modes, "0.9.3");
  CHECK(test::differences(back.dump, original.dump).empty());
}

TEST_CASE("modes in the new form are unchanged in a file with an older version") {
  const auto there = test::convert("0.9.3", modes, "0.9.4");
  const auto again = test::convert("0.9.3", test::content_of(there.text()), "0.9.4");
  CHECK(test::differences(again.dump, there.dump).empty());
}

TEST_CASE("disabling modes become the negated execution condition") {
  const auto converted = test::convert("0.9.3", R"(<swModel>
      <modes name="M"><literals name="a"/><literals name="b"/></modes><modeLabels name="m" initialValue="M/a?type=ModeLiteral"/>
      <modeLabels name="n" initialValue="M/a?type=ModeLiteral"/></swModel>
    <stimuliModel><stimuli xsi:type="am:InterProcessStimulus" name="S">
      <enablingModeValueList>
        <entries xsi:type="am:ModeValue" valueProvider="m?type=ModeLabel" value="M/a?type=ModeLiteral"/>
      </enablingModeValueList>
      <disablingModeValueList>
        <entries xsi:type="am:ModeValue" valueProvider="n?type=ModeLabel" value="M/b?type=ModeLiteral"/>
      </disablingModeValueList></stimuli></stimuliModel>)",
                                       "0.9.4");
  const std::string at = "/stimuliModel/stimuli.0/executionCondition/entries.0";
  CHECK(converted.has(at + " : ModeConditionConjunction"));
  CHECK(converted.has(at + "/entries.0 @relation = EQUAL"));
  CHECK(converted.has(at + "/entries.1 @relation = NOT_EQUAL"));
  CHECK(converted.has(at + "/entries.1 @value = b"));
  CHECK_FALSE(test::holds(converted.text(), "disabling"));
}

TEST_CASE("the deadline of a runnable becomes a requirement and is restored") {
  constexpr std::string_view model =
      R"(<swModel><runnables name="R one"><deadline value="5" unit="ms"/></runnables></swModel>)";
  const auto converted = test::convert("0.9.3", model, "0.9.4");
  CHECK(converted.has("/constraintsModel/requirements.0 : RunnableRequirement"));
  CHECK(converted.has("/constraintsModel/requirements.0 @name = deadline"));
  CHECK(converted.has("/constraintsModel/requirements.0 >runnable = /swModel/runnables.0"));
  CHECK(converted.has("/constraintsModel/requirements.0/limit @limitType = UpperLimit"));
  CHECK(converted.has("/constraintsModel/requirements.0/limit @metric = ResponseTime"));
  CHECK(converted.has("/constraintsModel/requirements.0/limit/limitValue @value = 5"));
  const auto back = test::convert("0.9.4", test::content_of(converted.text()), "0.9.3");
  CHECK(back.has("/swModel/runnables.0/deadline @unit = ms"));
  CHECK_FALSE(test::holds(back.text(), "constraintsModel"));
}

TEST_CASE("mappings of types to platforms become aliases and ABH becomes AHB and both are restored") {
  const auto converted = test::convert("0.9.3", R"(<swModel>
      <typeDefinitions xsi:type="am:BaseTypeDefinition" name="t"><dataMapping platformName="C" platformType="int"/></typeDefinitions>
    </swModel><hwModel><structures name="s"><ports name="p" portInterface="ABH"/></structures></hwModel>)",
                                       "0.9.4");
  CHECK(converted.has("/swModel/typeDefinitions.0/aliases.0 : Alias"));
  CHECK(converted.has("/swModel/typeDefinitions.0/aliases.0 @target = C"));
  CHECK(converted.has("/swModel/typeDefinitions.0/aliases.0 @alias = int"));
  CHECK(converted.has("/hwModel/structures.0/ports.0 @portInterface = AHB"));
  const auto back = test::convert("0.9.4", R"(<swModel>
      <typeDefinitions xsi:type="am:BaseTypeDefinition" name="t"><aliases target="C" alias="int"/></typeDefinitions>
    </swModel><hwModel><structures name="s"><ports name="p" portInterface="AHB"/></structures></hwModel>)",
                                  "0.9.3");
  CHECK(back.has("/swModel/typeDefinitions.0/dataMapping.0 @platformType = int"));
  CHECK(back.has("/hwModel/structures.0/ports.0 @portInterface = ABH"));
}

}  // namespace rules_to_0_9_4_test
