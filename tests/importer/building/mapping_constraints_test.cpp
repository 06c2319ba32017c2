// SPDX-License-Identifier: Apache-2.0
#include "importer/building/mapping_constraints.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"

namespace building_mapping_constraints_test {

using namespace amalthea;
using importer::MappingConstraints;

namespace {

struct Outcome {
  System system;
  MappingConstraints constraints;
  Diagnostics diagnostics;
};

/// Of the sample, with these affinity constraints, as it maps its functions and with Localization on the GPU.
Outcome constrained(const std::string& constraints, bool keep_affinity = false) {
  Outcome outcome;
  Diagnostics ignored;
  const Model model = test::model_from_text(test::replaced(test::read_text(test::sample("waters2019-tx2.amxmi")),
                                                           "<constraintsModel>", "<constraintsModel>" + constraints),
                                            ignored);
  outcome.system = importer::build_system(model, {}, ignored).value();
  importer::BuildOptions other;
  other.mapping.push_back(importer::parse_mapping_change("Localization=GP10B").value());
  const System moved = importer::build_system(model, other, ignored).value();
  outcome.constraints =
      importer::mapping_constraints(model, {&outcome.system, &moved}, keep_affinity, outcome.diagnostics);
  return outcome;
}

TaskIndex task(const Outcome& outcome, const std::string& name) {
  const auto& tasks = outcome.system.tasks;
  const auto found = std::find_if(tasks.begin(), tasks.end(), [&](const Task& other) { return other.name == name; });
  REQUIRE(found != tasks.end());
  return static_cast<TaskIndex>(found - tasks.begin());
}

std::string units(const Outcome& outcome, const std::string& name) {
  std::string text;
  for (const UnitIndex unit : outcome.constraints.allowed[task(outcome, name)])
    text += (text.empty() ? "" : " ") + outcome.system.platform.units[unit].name;
  return text;
}

const std::string cpus = "Core0 Core1 Core2 Core3 Core4 Core5";

}  // namespace

TEST_CASE("a task may run on units with a scheduler and ticks and a function on the GPU if a placement has it there") {
  const Outcome outcome = constrained("");
  CHECK(units(outcome, "EKF") == cpus);
  CHECK(units(outcome, "Localization") == cpus + " GP10B");
  CHECK(units(outcome, "SFM") == "GP10B");  // it has no ticks for CPUs
  CHECK(outcome.constraints.together.empty());
  CHECK(outcome.constraints.apart.empty());
}

TEST_CASE("a task does not move to a unit on which the cost of its accesses is not stated") {
  const auto allowed = [](const std::string& from, const std::string& to) {
    Diagnostics ignored;
    const Model model =
        test::model_from_text(test::replaced(test::read_text(test::sample("two-gpus.amxmi")), from, to), ignored);
    const System system = importer::build_system(model, {}, ignored).value();
    const MappingConstraints found = importer::mapping_constraints(model, {&system}, false, ignored);
    std::string text;
    for (TaskIndex index = 0; index < system.tasks.size(); ++index)
      for (const UnitIndex unit : found.allowed[index])
        if (system.tasks[index].side == Side::host)
          text += fmt::format(" {}:{}", system.tasks[index].name, system.platform.units[unit].name);
    return text;
  };
  const std::string access = R"(        <accessElements name="Core1_to_DRAM" destination="DRAM?type=Memory">
          <dataRate value="10" unit="GBPerSecond"/>
        </accessElements>
)";
  CHECK(allowed(access, access) == " Camera:Core0 Camera:Core1 Lidar:Core0 Lidar:Core1");
  // Lidar runs on Core1, so the analysis says that already.
  CHECK(allowed(access, "") == " Camera:Core0 Lidar:Core0 Lidar:Core1");
}

TEST_CASE("affinities are respected on request") {
  const Outcome outcome = constrained("", true);
  CHECK(units(outcome, "EKF") == "Core2");
  CHECK(units(outcome, "Detection") == "GP10B");
}

TEST_CASE("pairings and separations of processes and runnables become constraints on tasks") {
  const Outcome outcome = constrained(R"(
    <affinityConstraints xsi:type="am:ProcessPairingConstraint" name="A">
      <group name="G" processes="EKF?type=Task DASM?type=Task"/>
      <target xsi:type="am:TargetCore" cores="Core4?type=ProcessingUnit Core5?type=ProcessingUnit"/>
    </affinityConstraints>
    <affinityConstraints xsi:type="am:ProcessPairingConstraint" name="B">
      <group name="G" processes="Planner?type=Task CANbus_polling?type=Task"/>
      <target xsi:type="am:TargetScheduler" schedulers="Scheduler_Denver?type=TaskScheduler"/>
    </affinityConstraints>
    <affinityConstraints xsi:type="am:ProcessSeparationConstraint" name="C">
      <groups name="G" processes="Lidar_Grabber?type=Task OS_Overhead?type=Task"/>
    </affinityConstraints>
    <affinityConstraints xsi:type="am:ProcessSeparationConstraint" name="D">
      <groups name="G" processes="Lidar_Grabber?type=Task"/>
      <target xsi:type="am:TargetCore" cores="Core0?type=ProcessingUnit"/>
    </affinityConstraints>)");
  CHECK(units(outcome, "EKF") == "Core4 Core5");
  CHECK(units(outcome, "Planner") == "Core0 Core1");
  CHECK(units(outcome, "CANbus_polling") == "Core0 Core1");
  CHECK(units(outcome, "Lidar_Grabber") == "Core1 Core2 Core3 Core4 Core5");
  std::vector<TaskIndex> pair = {task(outcome, "EKF"), task(outcome, "DASM")};
  std::sort(pair.begin(), pair.end());
  REQUIRE(outcome.constraints.together.size() == 1);
  CHECK(outcome.constraints.together.front() == pair);
  REQUIRE(outcome.constraints.apart.size() == 1);
  CHECK(outcome.constraints.apart.front().size() == 2);
}

TEST_CASE("an unsatisfiable constraint is omitted and reported") {
  const Outcome outcome = constrained(R"(
    <affinityConstraints xsi:type="am:ProcessSeparationConstraint" name="Itself">
      <groups name="G" processes="EKF?type=Task"/>
      <groups name="H" processes="EKF?type=Task"/>
    </affinityConstraints>
    <affinityConstraints xsi:type="am:ProcessSeparationConstraint" name="Narrow">
      <groups name="G" processes="EKF?type=Task"/>
      <groups name="H" processes="DASM?type=Task"/>
      <target xsi:type="am:TargetCore" cores="Core0?type=ProcessingUnit"/>
    </affinityConstraints>)");
  CHECK(test::with_id(outcome.diagnostics, "AM0800").size() == 1);
  CHECK(test::with_id(outcome.diagnostics, "AM0801").size() == 1);
  CHECK(outcome.constraints.apart.size() == 1);
}

}  // namespace building_mapping_constraints_test
