// SPDX-License-Identifier: Apache-2.0
// Instructions (before 0.9.3) are converted to cycles by the instructions per cycle of the unit.

#include <string>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/graph/system.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/platform_models.hpp"
#include "tests/support/test_models.hpp"

namespace building_instructions_test {

using namespace amalthea;

namespace {

/// Cycles of everything that the task executes on its unit.
std::vector<Cycles> cycles_of_task(Version version, std::string_view items, std::string_view call) {
  std::string text = test::platform_model(version);
  const std::string head = version <= Version::v0_7_1 ? "<tasks name=\"T\" priority=\"3\"/>" : "<tasks name=\"T\"/>";
  text = test::replaced(std::move(text), head,
                        head.substr(0, head.size() - 2) + ">" + std::string(call) + "</tasks><runnables name=\"R\">" +
                            std::string(items) + "</runnables>");
  Diagnostics diagnostics;
  const Model model = test::model_from_text(std::move(text), diagnostics);
  const auto system = importer::build_system(model, {}, diagnostics);
  for (const auto& diagnostic : diagnostics.all()) UNSCOPED_INFO(format(diagnostic));
  REQUIRE(system.has_value());
  std::vector<Cycles> found;
  for (const NodeIndex node : system->tasks.at(0).body)
    if (const auto* compute = std::get_if<Compute>(&system->graph[node].activity))
      found.push_back(*compute->ticks.on(system->platform.units[system->tasks[0].unit].definition));
  return found;
}

constexpr std::string_view call =
    "<callGraph><graphEntries xsi:type=\"am:CallSequence\"><calls xsi:type=\"am:TaskRunnableCall\" "
    "runnable=\"R?type=Runnable\"/></graphEntries></callGraph>";

}  // namespace

TEST_CASE("instructions take cycles by the instructions per cycle of the unit's definition in every form") {
  // The platform's cores execute two instructions per cycle; 7 of them take 3.5 cycles, bounds rounded outward.
  const std::vector<Cycles> half_of_seven{{3, 4, 4}};
  CHECK(cycles_of_task(Version::v0_8_3,
                       "<runnableItems xsi:type=\"am:RunnableInstructions\"><default "
                       "xsi:type=\"am:InstructionsConstant\" value=\"7\"/></runnableItems>",
                       call) == half_of_seven);
  CHECK(cycles_of_task(Version::v0_7_1, "<runnableItems xsi:type=\"am:InstructionsConstant\" value=\"7\"/>", call) ==
        half_of_seven);
  CHECK(cycles_of_task(Version::v0_9_1,
                       "<runnableItems xsi:type=\"am:ExecutionNeed\"><default key=\"Instructions\"><value "
                       "xsi:type=\"am:NeedConstant\" value=\"7\"/></default></runnableItems>",
                       call) == half_of_seven);
  CHECK(cycles_of_task(Version::v0_9_1,
                       "<runnableItems xsi:type=\"am:ExecutionNeed\"><default key=\"Instructions\"><value "
                       "xsi:type=\"am:NeedConstant\" value=\"1\"/></default><extended "
                       "key=\"Fast?type=ProcessingUnitDefinition\"><value key=\"Instructions\"><value "
                       "xsi:type=\"am:NeedConstant\" value=\"7\"/></value></extended></runnableItems>",
                       call) == half_of_seven);
}

}  // namespace building_instructions_test
