// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "importer/building/mapping_change.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"

namespace building_mapping_change_test {

using namespace amalthea;
using importer::MappingChange;

namespace {

struct Outcome {
  std::optional<System> system;
  Diagnostics diagnostics;
};

Outcome built(const std::string& text, const std::vector<MappingChange>& changes) {
  Outcome outcome;
  const Model model = test::model_from_text(text, outcome.diagnostics);
  importer::BuildOptions options;
  options.mapping = changes;
  outcome.system = importer::build_system(model, options, outcome.diagnostics);
  return outcome;
}

std::string waters() { return test::read_text(test::sample("waters2019-tx2.amxmi")); }

MappingChange change(const std::string& text) { return importer::parse_mapping_change(text).value(); }

const Task& task(const System& system, const std::string& name) {
  for (const Task& candidate : system.tasks)
    if (candidate.name == name) return candidate;
  FAIL("there is no " << name);
  return system.tasks.front();
}

std::string unit_of(const System& system, const std::string& name) {
  return system.platform.units[task(system, name).unit].name;
}
std::string scheduler_of(const System& system, const std::string& name) {
  return system.platform.schedulers[task(system, name).scheduler].name;
}

std::vector<std::string> errors(const Outcome& outcome) {
  std::vector<std::string> found;
  for (const Diagnostic& finding : outcome.diagnostics.all())
    if (finding.severity == Severity::error) found.push_back(format(finding));
  return found;
}

}  // namespace

TEST_CASE("mapping: TASK=CORE with optional priority is parsed and anything else is rejected") {
  CHECK(change("EKF=Core2").task == "EKF");
  CHECK(change("EKF=Core2").core == "Core2");
  CHECK_FALSE(change("EKF=Core2").priority.has_value());
  CHECK(change("EKF=Core2:7").core == "Core2");
  CHECK(change("EKF=Core2:7").priority == 7);
  CHECK(change("a:b=Core2:-1").task == "a:b");
  CHECK(change("a:b=Core2:-1").priority == -1);
  for (const char* wrong : {"", "EKF", "EKF=", "=Core2", "EKF=:3", "EKF=Core2:", "EKF=Core2:x", "EKF=Core2:1.5",
                            "EKF=Core2:99999999999999999999"}) {
    INFO(wrong);
    CHECK_FALSE(importer::parse_mapping_change(wrong).has_value());
  }
}

TEST_CASE("mapping: a task moves to the scheduler of its new core and keeps its priority unless one is given") {
  const Outcome outcome = built(waters(), {change("EKF=Core1"), change("DASM=Core3:8"), change("Planner=Core0")});
  REQUIRE(outcome.system);
  const System& system = *outcome.system;
  CHECK(unit_of(system, "EKF") == "Core1");
  CHECK(scheduler_of(system, "EKF") == "Scheduler_Denver");
  CHECK(task(system, "EKF").priority == 1);
  CHECK(unit_of(system, "DASM") == "Core3");
  CHECK(scheduler_of(system, "DASM") == "Scheduler_A57");
  CHECK(task(system, "DASM").priority == 8);
  CHECK(unit_of(system, "Planner") == "Core0");
  CHECK(unit_of(system, "Lidar_Grabber") == "Core4");
  const auto notes = test::with_id(outcome.diagnostics, "AM0421");
  REQUIRE(notes.size() == 2);  // Planner stays where it is
  bool dasm = false;
  for (const Diagnostic& note : notes)
    dasm = dasm ||
           note.message == "task \"DASM\" runs on \"Core3\" with priority 8, as requested, instead of on \"Core5\"";
  CHECK(dasm);
}

TEST_CASE("mapping: a task that stays on its unit is reported only for what changes") {
  const Outcome outcome = built(waters(), {change("EKF=Core1"), change("Planner=Core0:7")});
  REQUIRE(outcome.system);
  CHECK(task(*outcome.system, "Planner").priority == 7);
  CHECK(test::with_id(outcome.diagnostics, "AM0421").size() == 1);
  const auto notes = test::with_id(outcome.diagnostics, "AM0422");
  REQUIRE(notes.size() == 1);
  CHECK(notes.front().message == "task \"Planner\" runs with priority 7 instead of 9, as requested");
}

TEST_CASE("mapping: the last of several changes for a task counts") {
  const Outcome outcome = built(waters(), {change("EKF=Core1:3"), change("EKF=Core4")});
  REQUIRE(outcome.system);
  CHECK(unit_of(*outcome.system, "EKF") == "Core4");
  CHECK(task(*outcome.system, "EKF").priority == 1);
}

TEST_CASE("mapping: a function moved to the GPU keeps its wrapper and copies and one moved to a CPU loses them") {
  const Outcome as_written = built(waters(), {});
  const Outcome gpu = built(waters(), {change("Localization=GP10B")});
  const Outcome cpu = built(waters(), {change("Detection=Core4"), change("SFM=Core1")});
  REQUIRE((as_written.system && gpu.system));
  CHECK(task(*as_written.system, "PRE_Localization_gpu_POST").folded_into.has_value());
  CHECK_FALSE(task(*gpu.system, "PRE_Localization_gpu_POST").folded_into.has_value());
  CHECK(task(*gpu.system, "Localization").side == Side::device);
  CHECK(scheduler_of(*gpu.system, "Localization") == "GPU_Sched");
  std::size_t copies = 0, kernels = 0;
  for (const NodeIndex node : task(*gpu.system, "Localization").body) {
    copies += std::holds_alternative<Copy>(gpu.system->graph[node].activity) ? 1 : 0;
    kernels += std::holds_alternative<Kernel>(gpu.system->graph[node].activity) ? 1 : 0;
  }
  CHECK(copies == 2);
  CHECK(kernels == 1);
  // Detection has no ticks for any CPU.
  CHECK_FALSE(cpu.system.has_value());
  const auto missing = test::with_id(cpu.diagnostics, "AM0314");
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].message.find("no ticks for \"A57\"") != std::string::npos);
  const Outcome sfm = built(waters(), {change("SFM=Core1")});
  REQUIRE(sfm.system);
  CHECK(task(*sfm.system, "PRE_SFM_gpu_POST").folded_into.has_value());
  CHECK(task(*sfm.system, "SFM").side == Side::host);
}

TEST_CASE("mapping: moving a wrapper that does not run has no effect and is reported") {
  const Outcome outcome = built(waters(), {change("PRE_Lane_detection_gpu_POST=Core0")});
  REQUIRE(outcome.system);
  CHECK(test::with_id(outcome.diagnostics, "AM0421").empty());
  const auto warnings = test::with_id(outcome.diagnostics, "AM0423");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].message.find("map \"Lane_detection\" instead") != std::string::npos);
}

TEST_CASE("mapping: default ticks of a task that moves between CPU and GPU are an assumption") {
  const std::string model = test::read_text(test::sample("tutorial/4-on-the-gpu.amxmi"));
  for (const char* moved : {"Detection=GPU", "Detection_on_GPU=Core0"}) {
    INFO(moved);
    CHECK(test::with_id(built(model, {change(moved)}).diagnostics, "AM0424").size() == 1);
  }
  CHECK(test::with_id(built(model, {change("Detection=Core0:3")}).diagnostics, "AM0424").empty());
  // SFM has ticks for both.
  CHECK(test::with_id(built(waters(), {change("SFM=Core1")}).diagnostics, "AM0424").empty());
}

TEST_CASE("mapping: unknown names are rejected with similar ones") {
  MappingChange in_file = change("Planer=Core12");
  in_file.location = {"changes.json", 3, 14};
  const Outcome outcome = built(waters(), {in_file, change("EKF=Core1")});
  CHECK_FALSE(outcome.system.has_value());
  CHECK(
      errors(outcome) ==
      std::vector<std::string>{
          "changes.json:3:14: error: mapping of \"Planer\" to \"Core12\": the model has no task \"Planer\"; did you "
          "mean \"Planner\"? [AM0324]",
          "changes.json:3:14: error: mapping of \"Planer\" to \"Core12\": the model has no processing unit \"Core12\"; "
          "did you mean \"Core1\" or \"Core2\"? [AM0324]"});
  for (const Diagnostic& finding : outcome.diagnostics.all()) {
    if (finding.severity == Severity::error) CHECK(importer::is_about_mapping_change(finding));
  }
}

TEST_CASE("mapping: a core without a scheduler is rejected") {
  // Scheduler_Denver gives Core1 away.
  const Outcome outcome =
      built(test::replaced(waters(), "responsibility=\"Core0?type=ProcessingUnit Core1?type=ProcessingUnit\"",
                           "responsibility=\"Core0?type=ProcessingUnit\""),
            {change("EKF=Core1")});
  CHECK(errors(outcome) == std::vector<std::string>{"error: mapping of \"EKF\" to \"Core1\": no scheduler is "
                                                    "responsible for that processing unit; name another unit, or add a "
                                                    "scheduler allocation to the model [AM0325]"});
}

}  // namespace building_mapping_change_test
