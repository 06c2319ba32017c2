// SPDX-License-Identifier: Apache-2.0
// The step from 0.7.2 to 0.8.0, rule by rule.

#include <catch2/catch.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/test_models.hpp"

namespace rules_to_0_8_0_test {

namespace {

using test::Converted;

Converted convert(std::string_view content) { return test::convert("0.7.2", content, "0.8.0"); }

void check_way_back(std::string_view content) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.amxmi";
  test::write_text(path, convert(content).text());
  const Converted back = test::convert_files({path}, "0.7.2");
  REQUIRE(back.done);
  CHECK(test::differences(test::convert("0.7.2", content, "0.7.2").dump, back.dump).empty());
}

}  // namespace

TEST_CASE("to 0.8.0: mappings are memory mappings") {
  const char* const content = R"(<swModel><labels name="L"/></swModel>
    <hwModel><system name="S"><memories name="M"/></system></hwModel><mappingModel>
    <mapping xsi:type="am:AbstractElementMapping" abstractElement="L?type=Label" memory="M?type=Memory"
             memoryPositionAddress="16"/></mappingModel>)";
  const Converted converted = convert(content);
  CHECK(converted.has("/mappingModel/memoryMapping.0 : MemoryMapping"));
  CHECK(converted.has("/mappingModel/memoryMapping.0 >abstractElement = /swModel/labels.0"));
  CHECK(converted.has("/mappingModel/memoryMapping.0 >memory = /hwModel/system/memories.0"));
  CHECK(converted.has("/mappingModel/memoryMapping.0 @memoryPositionAddress = 16"));
  check_way_back(content);
}

TEST_CASE("to 0.8.0: each operating system gets the data consistency of the model") {
  const char* const content = R"(<osModel><operatingSystems name="A"/><operatingSystems name="B"/>
    <osDataConsistency mode="automaticProtection">
      <dataStability enabled="true" algorithm="copy" accessMultiplicity="multipleAccesses" level="runnable"/>
    </osDataConsistency></osModel>)";
  const Converted converted = convert(content);
  for (const std::string system : {"0", "1"}) {
    CHECK(converted.has("/osModel/operatingSystems." + system + "/osDataConsistency @mode = automaticProtection"));
    CHECK(converted.has("/osModel/operatingSystems." + system + "/osDataConsistency/dataStability @level = runnable"));
  }
  CHECK(converted.dump.find("/osModel/osDataConsistency") == std::string::npos);
  CHECK(converted.count("each operating system states its data consistency") == 1);
  check_way_back(content);
}

TEST_CASE("to 0.8.0: a data consistency without an operating system is kept if it has content") {
  const Converted kept = convert(R"(<osModel><osDataConsistency mode="noProtection"/></osModel>)");
  CHECK(kept.has("/osModel/customProperties.0 @key = amalthea-converted.0.7.2.osDataConsistency"));
  CHECK(test::with_id(convert("<osModel><osDataConsistency/></osModel>").diagnostics, "AM0701").empty());
}

TEST_CASE("to 0.8.0: signed times are times also in custom properties") {
  const char* const content = R"(<swModel>
    <customProperties key="k"><value xsi:type="am:SignedTimeObject" value="-3" unit="ms"/></customProperties></swModel>
    <stimuliModel>
      <stimuli xsi:type="am:Periodic" name="P"><stimulusDeviation>
        <lowerBound xsi:type="am:SignedTime" value="-2" unit="ms"/></stimulusDeviation></stimuli>
      <clocks xsi:type="am:ClockSinusFunction" name="C"><shift value="-1" unit="s"/></clocks></stimuliModel>
    <constraintsModel><requirements xsi:type="am:ProcessRequirement" name="R">
      <limit xsi:type="am:TimeRequirementLimit"><limitValue value="7" unit="us"/></limit></requirements>
        </constraintsModel>)";
  const Converted converted = convert(content);
  CHECK(converted.has("/swModel/customProperties.0/value : TimeObject"));
  CHECK(converted.has("/swModel/customProperties.0/value @value = -3"));
  CHECK(converted.has("/stimuliModel/stimuli.0/stimulusDeviation/lowerBound : Time"));
  CHECK(converted.has("/stimuliModel/clocks.0/shift : Time"));
  CHECK(converted.has("/constraintsModel/requirements.0/limit/limitValue : Time"));
  check_way_back(
      R"(<stimuliModel><clocks xsi:type="am:ClockSinusFunction" name="C"><shift value="-1" unit="s"/></clocks>
    </stimuliModel>)");
}

TEST_CASE("to 0.8.0: the spelling of ProbabilitySwitch is corrected in tasks and in ISRs") {
  const char* const content = R"(<swModel>
    <isrs name="I"><callGraph><graphEntries xsi:type="am:ProbabiltitySwitch"/></callGraph></isrs>
    <tasks name="T"><callGraph><graphEntries xsi:type="am:ProbabiltitySwitch"><entries probability="0.5">
      <items xsi:type="am:ProbabiltitySwitch"/></entries></graphEntries></callGraph></tasks></swModel>)";
  const Converted converted = convert(content);
  CHECK(converted.has("/swModel/isrs.0/callGraph/graphEntries.0 : ProbabilitySwitch"));
  CHECK(converted.has("/swModel/tasks.0/callGraph/graphEntries.0/entries.0/items.0 : ProbabilitySwitch"));
  CHECK(converted.count("ProbabilitySwitch is spelled correctly") == 3);
  check_way_back(content);
}

TEST_CASE("to 0.8.0: units of data sizes and rates have the same spelling") {
  const char* const content = R"(<swModel>
    <labels name="A"><size value="1" unit="kibit"/></labels><labels name="B"><size value="2" unit="byte"/></labels>
    <labels name="C"><size value="3" unit="kB"/></labels>
    <runnables name="R"><runnableItems xsi:type="am:LabelAccess" data="A?type=Label">
      <transmissionPolicy><chunkSize value="4" unit="byte"/></transmissionPolicy></runnableItems></runnables>
    </swModel>
    <constraintsModel><customProperties key="k">
      <value xsi:type="am:StringObject" value="byte"/></customProperties></constraintsModel>)";
  const Converted converted = convert(content);
  CHECK(converted.has("/swModel/labels.0/size @unit = Kibit"));
  CHECK(converted.has("/swModel/labels.1/size @unit = B"));
  CHECK(converted.has("/swModel/labels.2/size @unit = kB"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0/transmissionPolicy/chunkSize @unit = B"));
  CHECK(converted.has("/constraintsModel/customProperties.0/value @value = byte"));
  check_way_back(content);
}

TEST_CASE("to 0.8.0: the mode of a mode label is that of its initial value") {
  const Converted converted = convert(R"(<swModel><modes name="M"><literals name="on"/></modes>
    <modeLabels name="A" mode="M?type=Mode" initialValue="M/on?type=ModeLiteral"/>
    <modeLabels name="B" mode="M?type=Mode"/></swModel>)");
  CHECK(converted.has("/swModel/modeLabels.0 >initialValue = /swModel/modes.0/literals.0"));
  CHECK(converted.text().find("mode=") == std::string::npos);
  CHECK(converted.dump.find("modeLabels.0/customProperties") == std::string::npos);
  CHECK(converted.has("/swModel/modeLabels.1/customProperties.0 @key = amalthea-converted.0.7.2.mode"));
  CHECK(converted.has("/swModel/modeLabels.1/customProperties.0/value @value = M?type=Mode"));
}

TEST_CASE("to 0.8.0: conditions on hardware are kept as text like in APP4MC") {
  const Converted converted = convert(R"(<hwModel><system name="S"><ecus name="E"><microcontrollers name="M">
    <cores name="C"/></microcontrollers></ecus></system></hwModel><propertyConstraintsModel>
    <allocationConstraints xsi:type="am:ProcessAllocationConstraint">
      <hwConstraint xsi:type="am:HwCoreConjunction" conjunction="and">
        <firstConstraint xsi:type="am:HwCoreProperty" core="C?type=Core" comparator="equal"/>
      </hwConstraint></allocationConstraints>
    <mappingConstraints xsi:type="am:AbstractElementMappingConstraint">
      <hwConstraint xsi:type="am:HwMemoryProperty"/></mappingConstraints></propertyConstraintsModel>)");
  const std::string key = "hwConstraint (element removed during Migration of Model to 0.8.0 version)";
  CHECK(converted.has("/propertyConstraintsModel/allocationConstraints.0/customProperties.0 @key = " + key));
  CHECK(converted.has("/propertyConstraintsModel/mappingConstraints.0/customProperties.0 @key = " + key));
  const std::string ns = R"(xmlns:xsi=&quot;http://www.w3.org/2001/XMLSchema-instance&quot; )";
  CHECK(converted.text().find("value=\"&lt;hwConstraint " + ns +
                              "xsi:type=&quot;am:HwCoreConjunction&quot; conjunction=&quot;and&quot;>&#xD;&#xA;"
                              "        &lt;firstConstraint xsi:type=&quot;am:HwCoreProperty&quot; "
                              "core=&quot;C?type=Core&quot; comparator=&quot;equal&quot; />&#xD;&#xA;"
                              "      &lt;/hwConstraint>\"") != std::string::npos);
  CHECK(converted.text().find("value=\"&lt;hwConstraint " + ns + "xsi:type=&quot;am:HwMemoryProperty&quot; />\"") !=
        std::string::npos);
  CHECK(test::with_id(converted.diagnostics, "AM0701").size() == 2);
}

TEST_CASE("to 0.8.0: a model in the new form is unchanged") {
  const Converted converted = convert(R"(<swModel><labels name="L"><size value="1" unit="KiB"/></labels></swModel>
    <osModel><operatingSystems><osDataConsistency mode="noProtection"/></operatingSystems></osModel>
    <mappingModel><memoryMapping abstractElement="L?type=Label"/></mappingModel>)");
  CHECK(converted.done);
  CHECK(converted.rules.empty());
}

}  // namespace rules_to_0_8_0_test
