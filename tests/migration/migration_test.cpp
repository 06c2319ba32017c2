// SPDX-License-Identifier: Apache-2.0
// Migration from release to release, independent of the rules.

#include <catch2/catch.hpp>

#include "migration/detail/steps.hpp"
#include "tests/migration/converted.hpp"

namespace migration_test {

using namespace amalthea;

TEST_CASE("there is an ordered step to every release except the oldest") {
  const auto steps = migration::all_steps();
  REQUIRE(steps.size() == all_versions().size() + 2);
  for (std::size_t i = 0; i < steps.size(); ++i) CHECK(steps[i].to.position() == static_cast<int>(i) + 1);
}

TEST_CASE("steps that only change the namespace leave the model unchanged") {
  const auto converted = test::convert("3.0.0", R"(<swModel><tasks name="Control" stimuli=""/></swModel>)", "3.3.0");
  CHECK(converted.done);
  CHECK(converted.rules.empty());
  CHECK(converted.text().find("amalthea/3.3.0") != std::string::npos);
  CHECK(converted.text().find(R"(xmi:id="Control?type=Task")") != std::string::npos);
  CHECK(converted.has("/swModel/tasks.0 : Task"));
}

TEST_CASE("kept content is stored once in the nearest owner with custom properties") {
  const auto converted = test::convert("0.8.2", R"(<stimuliModel><stimuli xsi:type="am:InterProcessStimulus" name="S">
    <stimulusDeviation/></stimuli></stimuliModel>)",
                                       "0.8.3");
  CHECK(converted.has("/stimuliModel/stimuli.0/customProperties.0 @key = amalthea-converted.0.8.2.stimulusDeviation"));
  CHECK_FALSE(converted.has("/stimuliModel/stimuli.0/customProperties.1 : CustomProperty"));
  CHECK(converted.text().find("0.8.2.customProperties") == std::string::npos);
}

}  // namespace migration_test
