// SPDX-License-Identifier: Apache-2.0
// What changes from 0.8.2 to 0.8.3: stimuli, mode switches, addresses.

#include <filesystem>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/test_models.hpp"

namespace rules_to_0_8_3_test {

namespace {

test::Converted convert(std::string_view content) { return test::convert("0.8.2", content, "0.8.3"); }

}  // namespace

TEST_CASE("an FInterfacePort becomes an InterfacePort including references") {
  const auto converted = convert(R"(<componentsModel>
    <components name="C"><ports xsi:type="am:FInterfacePort" name="p" interfaceName="I" kind="requires"/></components>
    <systems name="S"><groundedPorts port="C/p?type=FInterfacePort"/></systems></componentsModel>)");
  CHECK(converted.has("/componentsModel/components.0/ports.0 # C/p?type=InterfacePort"));
  CHECK(converted.has("/componentsModel/components.0/ports.0 @interfaceName = I"));
  CHECK(converted.has("/componentsModel/systems.0/groundedPorts.0 >port = /componentsModel/components.0/ports.0"));
  CHECK(converted.count("InterfacePort is the new name of FInterfacePort") == 1);

  const auto back = test::convert("0.8.3", R"(<componentsModel><components name="C">
    <ports xsi:type="am:InterfacePort" name="p"/></components></componentsModel>)",
                                  "0.8.2");
  CHECK(back.has("/componentsModel/components.0/ports.0 : FInterfacePort"));
}

TEST_CASE("the deviation of a periodic stimulus becomes its jitter and is restored") {
  const auto content = [](std::string_view feature) {
    return fmt::format(R"(<stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="S">
      <{}><lowerBound xsi:type="am:Time" value="1" unit="ms"/></{}><recurrence value="10" unit="ms"/></stimuli>
      </stimuliModel>)",
                       feature, feature);
  };
  const auto converted = convert(content("stimulusDeviation"));
  CHECK(converted.has("/stimuliModel/stimuli.0/jitter : Deviation"));
  CHECK(converted.has("/stimuliModel/stimuli.0/jitter/lowerBound @value = 1"));
  CHECK(converted.has("/stimuliModel/stimuli.0/recurrence @value = 10"));
  const auto back = test::convert("0.8.3", content("jitter"), "0.8.2");
  CHECK(back.has("/stimuliModel/stimuli.0/stimulusDeviation : Deviation"));
}

TEST_CASE("a periodic stimulus with a clock becomes a VariableRateStimulus with a scenario like in APP4MC") {
  const auto converted = convert(R"(<swModel><tasks name="T" stimuli="S?type=PeriodicStimulus"/></swModel>
    <stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="S" clock="C?type=ClockTriangleFunction">
    <offset value="1" unit="ms"/><recurrence value="10" unit="ms"/></stimuli>
    <clocks xsi:type="am:ClockTriangleFunction" name="C"/></stimuliModel>)");
  CHECK(converted.has("/stimuliModel/stimuli.0 # S?type=VariableRateStimulus"));
  CHECK(converted.has("/swModel/tasks.0 >stimuli.0 = /stimuliModel/stimuli.0"));
  const std::string scenario = "/stimuliModel/stimuli.0/scenario";
  CHECK(converted.has(scenario + " >clock = /stimuliModel/clocks.0"));
  CHECK(converted.has(scenario + "/recurrence @value = 10"));
  CHECK(converted.has(scenario + "/customProperties.0 @key = offset"));
  CHECK(converted.has(scenario + "/customProperties.0/value : TimeObject"));
  CHECK(converted.has(scenario + "/customProperties.0/value @value = 1"));
  CHECK(converted.has(scenario + "/customProperties.0/value @unit = ms"));
}

TEST_CASE("sporadic and synthetic and single and arrival curve stimuli get the names of 0.8.3") {
  const auto converted = convert(R"(<swModel><tasks name="T"
      stimuli="A?type=SporadicStimulus B?type=SyntheticStimulus Gone?type=SporadicStimulus"/></swModel>
    <stimuliModel>
      <stimuli xsi:type="am:SporadicStimulus" name="A"><stimulusDeviation/></stimuli>
      <stimuli xsi:type="am:SyntheticStimulus" name="B"><period value="9" unit="ms"/>
        <triggerTimes><timestamps value="1" unit="ms"/><timestamps value="4" unit="ms"/></triggerTimes></stimuli>
      <stimuli xsi:type="am:SingleStimulus" name="C"><activation value="3" unit="ms"/></stimuli>
      <stimuli xsi:type="am:ArrivalCurveStimulus" name="D"><entries numberOfEvents="2"/></stimuli>
    </stimuliModel>)");
  CHECK(converted.has("/stimuliModel/stimuli.0 # A?type=RelativePeriodicStimulus"));
  CHECK(converted.has("/stimuliModel/stimuli.0/nextOccurrence : Deviation"));
  CHECK(converted.has("/stimuliModel/stimuli.1 # B?type=PeriodicSyntheticStimulus"));
  CHECK(converted.has("/stimuliModel/stimuli.1/recurrence @value = 9"));
  CHECK(converted.has("/stimuliModel/stimuli.1/occurrenceTimes.0 @value = 1"));
  CHECK(converted.has("/stimuliModel/stimuli.1/occurrenceTimes.1 @value = 4"));
  CHECK(converted.has("/stimuliModel/stimuli.2/occurrence @value = 3"));
  CHECK(converted.has("/stimuliModel/stimuli.3/entries.0 @numberOfOccurrences = 2"));
  // References follow, even those that lead nowhere.
  CHECK(converted.text().find("A?type=RelativePeriodicStimulus B?type=PeriodicSyntheticStimulus "
                              "Gone?type=RelativePeriodicStimulus") != std::string::npos);
}

TEST_CASE("stimulus names of 0.8.3 are restored to 0.8.2") {
  const auto back = test::convert("0.8.3", R"(<stimuliModel>
      <stimuli xsi:type="am:RelativePeriodicStimulus" name="A"><nextOccurrence/></stimuli>
      <stimuli xsi:type="am:PeriodicSyntheticStimulus" name="B"><recurrence value="9" unit="ms"/>
        <occurrenceTimes value="1" unit="ms"/></stimuli>
      <stimuli xsi:type="am:SingleStimulus" name="C"><occurrence value="3" unit="ms"/></stimuli>
      <stimuli xsi:type="am:ArrivalCurveStimulus" name="D"><entries numberOfOccurrences="2"/></stimuli>
    </stimuliModel>)",
                                  "0.8.2");
  REQUIRE(back.done);
  CHECK(back.has("/stimuliModel/stimuli.0 # A?type=SporadicStimulus"));
  CHECK(back.has("/stimuliModel/stimuli.0/stimulusDeviation : Deviation"));
  CHECK(back.has("/stimuliModel/stimuli.1/period @value = 9"));
  CHECK(back.has("/stimuliModel/stimuli.1/triggerTimes/timestamps.0 @value = 1"));
  CHECK(back.has("/stimuliModel/stimuli.2/activation @value = 3"));
  CHECK(back.has("/stimuliModel/stimuli.3/entries.0 @numberOfEvents = 2"));
}

TEST_CASE("dropped content of sporadic and synthetic stimuli is kept as properties") {
  const auto converted = test::convert("0.8.2", R"(<stimuliModel>
    <stimuli xsi:type="am:SporadicStimulus" name="A" description="d"/>
    <stimuli xsi:type="am:SyntheticStimulus" name="B"><stimulusDeviation/></stimuli></stimuliModel>)",
                                       "0.9.2");
  CHECK(converted.has("/stimuliModel/stimuli.0/customProperties.0 @key = amalthea-converted.0.8.2.description"));
  CHECK(converted.has("/stimuliModel/stimuli.1/customProperties.0 @key = amalthea-converted.0.8.2.stimulusDeviation"));
}

TEST_CASE("the deviation of other stimuli is kept as a property") {
  const auto converted = convert(R"(<stimuliModel><stimuli xsi:type="am:InterProcessStimulus" name="S">
    <stimulusDeviation/></stimuli></stimuliModel>)");
  CHECK(converted.has("/stimuliModel/stimuli.0/customProperties.0 @key = amalthea-converted.0.8.2.stimulusDeviation"));
}

namespace {

constexpr std::string_view modes = R"(<modes name="M"><literals name="a"/><literals name="b"/></modes>
    <modeLabels name="L" initialValue="M/a?type=ModeLiteral"/>)";

}  // namespace

TEST_CASE("mode switch entries get a disjunctive condition on its label and are restored") {
  const auto converted = convert(fmt::format(R"(<swModel>{}<tasks name="T"><callGraph>
    <graphEntries xsi:type="am:ModeSwitch" valueProvider="L?type=ModeLabel">
      <entries values="M/a?type=ModeLiteral M/b?type=ModeLiteral"/></graphEntries></callGraph></tasks></swModel>)",
                                             modes));
  const std::string entry = "/swModel/tasks.0/callGraph/graphEntries.0/entries.0";
  CHECK(converted.has(entry + "/condition : ModeValueDisjunction"));
  CHECK(converted.has(entry + "/condition/entries.0 : ModeValue"));
  CHECK(converted.has(entry + "/condition/entries.0 >value = /swModel/modes.0/literals.0"));
  CHECK(converted.has(entry + "/condition/entries.0 >valueProvider = /swModel/modeLabels.0"));
  CHECK(converted.has(entry + "/condition/entries.1 >value = /swModel/modes.0/literals.1"));
  CHECK(converted.count("entries of mode switches have conditions") == 1);

  const auto back = test::convert("0.8.3",
                                  fmt::format(R"(<swModel>{}<runnables name="R">
    <runnableItems xsi:type="am:RunnableModeSwitch"><entries><condition>
      <entries xsi:type="am:ModeValue" valueProvider="L?type=ModeLabel" value="M/a?type=ModeLiteral"/>
      <entries xsi:type="am:ModeValue" valueProvider="L?type=ModeLabel" value="M/b?type=ModeLiteral"/>
    </condition></entries></runnableItems></runnables></swModel>)",
                                              modes),
                                  "0.8.2");
  REQUIRE(back.done);
  CHECK(back.has("/swModel/runnables.0/runnableItems.0 >valueProvider = /swModel/modeLabels.0"));
  CHECK(back.has("/swModel/runnables.0/runnableItems.0/entries.0 >values.1 = /swModel/modes.0/literals.1"));
}

TEST_CASE("a mode switch entry without content gets an empty condition") {
  const auto converted = convert(R"(<swModel><tasks name="T"><callGraph>
    <graphEntries xsi:type="am:ModeSwitch"><entries/></graphEntries></callGraph></tasks></swModel>)");
  CHECK(converted.has("/swModel/tasks.0/callGraph/graphEntries.0/entries.0/condition : ModeValueDisjunction"));
}

TEST_CASE("a condition on several labels cannot be restored to 0.8.2") {
  const auto back = test::convert("0.8.3",
                                  fmt::format(R"(<swModel>{}<modeLabels name="K" initialValue="M/a?type=ModeLiteral"/>
    <runnables name="R"><runnableItems xsi:type="am:RunnableModeSwitch"><entries><condition>
      <entries xsi:type="am:ModeValue" valueProvider="L?type=ModeLabel" value="M/a?type=ModeLiteral"/>
      <entries xsi:type="am:ModeValue" valueProvider="K?type=ModeLabel" value="M/b?type=ModeLiteral"/>
    </condition></entries></runnableItems></runnables></swModel>)",
                                              modes),
                                  "0.8.2");
  CHECK_FALSE(back.done);
}

TEST_CASE("addresses become hexadecimal without leading zeros and are restored") {
  const auto converted = convert(R"(<mappingModel><memoryMapping memoryPositionAddress="010"/>
    <physicalSectionMapping name="P" startAddress="4096" endAddress="8191"/></mappingModel>)");
  CHECK(converted.text().find(R"(memoryPositionAddress="0xa")") != std::string::npos);
  CHECK(converted.text().find(R"(startAddress="0x1000" endAddress="0x1fff")") != std::string::npos);
  const auto back =
      test::convert("0.8.3", R"(<mappingModel><memoryMapping memoryPositionAddress="0xA"/></mappingModel>)", "0.8.2");
  CHECK(back.text().find(R"(memoryPositionAddress="10")") != std::string::npos);
}

TEST_CASE("content that already has the form of 0.8.3 is unchanged") {
  const auto converted = convert(fmt::format(R"(<swModel>{}<runnables name="R">
    <runnableItems xsi:type="am:RunnableModeSwitch"><entries><condition>
      <entries xsi:type="am:ModeValue" valueProvider="L?type=ModeLabel" value="M/a?type=ModeLiteral"/>
    </condition></entries></runnableItems></runnables></swModel>
    <stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="S"><jitter/></stimuli></stimuliModel>)",
                                             modes));
  CHECK(converted.rules.empty());
}

TEST_CASE("examples of APP4MC convert from 0.8.2 to 0.8.3 like in APP4MC") {
  const std::string corpus = test::corpus_folder();
  const auto folder = std::filesystem::path(corpus) / "app4mc/history";
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder / "0.8.2")) {
    INFO(file.path());
    const auto converted = test::convert_files({file.path().string()}, "0.8.3");
    CHECK(test::differences(converted.dump, test::dump_of({(folder / "0.8.3" / file.path().filename()).string()})) ==
          std::vector<std::string>{});
    ++count;
  }
  CHECK(count == 8);
}

}  // namespace rules_to_0_8_3_test
