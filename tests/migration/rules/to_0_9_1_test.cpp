// SPDX-License-Identifier: Apache-2.0
// What changes from 0.9.0 to 0.9.1 and 0.9.2.

#include <filesystem>

#include <catch2/catch.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/test_models.hpp"

TEST_CASE("a TimeObject becomes a Time also in lists and is restored as a property value") {
  const auto converted = test::convert("0.9.0", R"(<swModel><tasks name="T">
    <customProperties key="k"><value xsi:type="am:TimeObject" value="3" unit="ms"/></customProperties>
    <customProperties key="l"><value xsi:type="am:ListObject">
      <values xsi:type="am:TimeObject" value="4" unit="us"/></value></customProperties></tasks></swModel>)",
                                       "0.9.1");
  CHECK(converted.has("/swModel/tasks.0/customProperties.0/value : Time"));
  CHECK(converted.has("/swModel/tasks.0/customProperties.0/value @value = 3"));
  CHECK(converted.has("/swModel/tasks.0/customProperties.1/value/values.0 : Time"));
  CHECK(converted.has("/swModel/tasks.0/customProperties.1/value/values.0 @unit = us"));
  CHECK(converted.count("a time is a value") == 2);

  const auto back = test::convert("0.9.1", R"(<swModel><tasks name="T">
    <customProperties key="k"><value xsi:type="am:Time" value="3" unit="ms"/></customProperties></tasks></swModel>
    <stimuliModel><stimuli xsi:type="am:SingleStimulus" name="S"><occurrence value="1" unit="ms"/></stimuli>
    </stimuliModel>)",
                                  "0.9.0");
  REQUIRE(back.done);
  CHECK(back.has("/swModel/tasks.0/customProperties.0/value : TimeObject"));
  CHECK(back.has("/stimuliModel/stimuli.0/occurrence : Time"));
}

TEST_CASE("the key of a need becomes the category name") {
  const auto converted = test::convert("0.9.0", R"(<swModel><runnables name="R">
    <runnableItems xsi:type="am:ExecutionNeed"><default key="Float+operations?type=HwFeatureCategory">
      <value xsi:type="am:NeedConstant" value="3"/></default>
      <default><key href="amlt:/#Instructions?type=HwFeatureCategory"/>
      <value xsi:type="am:NeedConstant" value="4"/></default>
      <default key="Bytes"><value xsi:type="am:NeedConstant" value="5"/></default></runnableItems></runnables>
    </swModel>)",
                                       "0.9.1");
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0/default.0 @key = Float operations"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0/default.1 @key = Instructions"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0/default.2 @key = Bytes"));
  CHECK(converted.count("the key of a need is the name of a category") == 2);
}

TEST_CASE("nothing changes from 0.9.1 to 0.9.2") {
  const auto converted = test::convert("0.9.1", R"(<hwModel>
    <definitions xsi:type="am:MemoryDefinition" name="M"/>
    <definitions xsi:type="am:ConnectionHandlerDefinition" name="C" policy="FCFS"/></hwModel>)",
                                       "0.9.2");
  CHECK(converted.rules.empty());
  CHECK(converted.has("/hwModel/definitions.1 @policy = FCFS"));
}

TEST_CASE("examples of APP4MC convert from 0.9.0 to 0.9.1 and 0.9.2 like in APP4MC") {
  const std::string corpus = test::corpus_folder();
  const auto folder = std::filesystem::path(corpus) / "app4mc/history";
  for (const auto& [from, to] : {std::pair{"0.9.0", "0.9.1"}, {"0.9.1", "0.9.2"}, {"0.9.0", "0.9.2"}})
    for (const auto& file : std::filesystem::directory_iterator(folder / from)) {
      INFO(file.path() << " to " << to);
      const auto converted = test::convert_files({file.path().string()}, to);
      CHECK(test::differences(converted.dump, test::dump_of({(folder / to / file.path().filename()).string()})) ==
            std::vector<std::string>{});
    }
}
