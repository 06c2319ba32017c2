// SPDX-License-Identifier: Apache-2.0
// `explore` of models that do not map their tasks.

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "amalthea/metamodel.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace first_mapping_cli_test {

using nlohmann::json;

namespace {

const std::string unmapped = test::sample("unmapped.amxmi");

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Whether `text` has all lines of `part`, in the same order.
bool contains_lines(const std::string& text, const std::string& part) {
  std::istringstream lines(text), wanted(part);
  std::string line;
  for (std::string next; std::getline(wanted, next);) {
    while (std::getline(lines, line) && line != next) {
    }
    if (line != next) return false;
  }
  return true;
}

/// Explores the model with few candidates and checks that `analyze` finds the same verdict in the written one.
void explore_to(const std::string& model, const std::string& written) {
  INFO(model);
  const auto found = test::amalthea({"explore", model, "-q", "--candidates", "100", "-o", written});
  INFO(found.err);
  REQUIRE(found.exit_code <= 1);
  CHECK(found.out.find("\nCreated: a first mapping of what the model leaves unmapped: tasks Task_10MS, Task_20MS, "
                       "Task_5MS; scheduler Task_Scheduler_Core_1 for Core_1\n") != std::string::npos);
  const auto analyzed = test::amalthea({"analyze", "-q", written});
  const auto without_file = [](std::string line, const std::string& file) {
    return line.find(file) == std::string::npos ? line : test::replaced(line, file, "MODEL");
  };
  CHECK(without_file(first_line(analyzed.out), written) == without_file(first_line(found.out), model));
  CHECK(first_line(found.out).starts_with("Verdict: "));
}

/// APP4MC's democar in several versions; skips without the corpus.
std::vector<std::pair<amalthea::Version, std::string>> democars() {
  using amalthea::Version;
  const std::string folder = test::corpus_folder("/app4mc");
  return {{Version::v0_7_1, folder + "/migration/072/0.7.1/input/namespace/AMALTHEA_Democar.amxmi"},
          {Version::v0_7_2, folder + "/migration/072/0.7.2/reference/namespace/AMALTHEA_Democar.amxmi"},
          {Version::v0_8_0, folder + "/history/0.8.0/AMALTHEA_Democar.amxmi"},
          {Version::v0_8_1, folder + "/history/0.8.1/AMALTHEA_Democar.amxmi"},
          {Version::v0_8_3, folder + "/history/0.8.3/AMALTHEA_Democar.amxmi"},
          {Version::v0_9_0, folder + "/history/0.9.0/democar.amxmi"},
          {Version::v0_9_3, folder + "/history/0.9.3/democar.amxmi"},
          {Version::v0_9_5, folder + "/0.9.5/examples/app4mc.example.democar/democar.amxmi"}};
}

}  // namespace

TEST_CASE("explore: a model without any mapping gets one that analyze guarantees") {
  const test::TemporaryFolder folder;
  const std::string written = folder.path() + "/mapped.amxmi";
  CHECK(test::amalthea({"analyze", unmapped}).err.find("[AM0302]") != std::string::npos);
  const auto found = test::amalthea({"explore", unmapped, "--candidates", "200", "--format", "json", "-o", written});
  CHECK(found.exit_code == 0);
  CHECK(found.err.find("[AM0302]") == std::string::npos);
  CHECK(found.err.find(unmapped +
                       ":9:5: note: the model leaves tasks unmapped; the search starts from a first mapping: "
                       "tasks Sample_Sensors, Control_Injection, Control_Throttle, Diagnose, Log; new "
                       "schedulers Scheduler_Core0 for Core0, Scheduler_Core1 for Core1; -o writes the "
                       "mapping that it finds into the model [AM0572]") != std::string::npos);
  const json result = json::parse(found.out);
  CHECK(result["created"]["tasks"].size() == 5);
  CHECK(result["created"]["schedulers"][1] == json({{"name", "Scheduler_Core1"}, {"unit", "Core1"}, {"new", true}}));
  const auto results = json::parse(test::amalthea({"analyze", "--format", "json", written}).out);
  CHECK(results["model"]["hash"] != result["model"]["hash"]);  // that of the file as it was read
  std::size_t compared = 0;
  for (const json& task : result["tasks"])
    for (const json& other : results["tasks"])
      if (other["name"] == task["name"]) {
        CHECK(other["bound"]["wcrt_ps"] == task["after"]["bound_ps"]);
        ++compared;
      }
  CHECK(compared == 5);
  CHECK(contains_lines(test::read_text(written), test::read_text(unmapped)));
  CHECK(test::amalthea({"analyze", "-q", written}).exit_code == 0);
  // The mapped model is one like any other.
  const auto again = test::amalthea({"explore", written, "--candidates", "200", "--format", "json"});
  CHECK(again.err.find("[AM0572]") == std::string::npos);
  CHECK(json::parse(again.out)["created"].is_null());
}

TEST_CASE("explore: options of the search apply to a first mapping") {
  const auto pinned = test::amalthea({"explore", unmapped, "-q", "--candidates", "200", "--pin", "Log=Core1", "--apart",
                                      "Log,Diagnose", "--format", "json"});
  INFO(pinned.err);
  REQUIRE(pinned.exit_code <= 1);
  const json result = json::parse(pinned.out);
  for (const json& task : result["tasks"]) {
    if (task["name"] == "Log") CHECK(task["after"]["units"][0] == "Core1");
    if (task["name"] == "Diagnose") CHECK(task["after"]["units"][0] == "Core0");
  }
}

TEST_CASE("explore: findings about an unmapped model have the lines of its file") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.amxmi";
  // Behind the place where the operating system is inserted.
  test::write_text(path,
                   test::replaced(test::read_text(unmapped), "  </stimuliModel>\n",
                                  "    <stimuli xsi:type=\"am:PeriodicStimulus\" name=\"unused\">\n"
                                  "      <recurrence value=\"1\" unit=\"ms\"/>\n    </stimuli>\n  </stimuliModel>\n"));
  const std::string text = test::read_text(path);
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("\"unused\"")), '\n');
  const std::string finding =
      path + ":" + std::to_string(line) + ":5: note: PeriodicStimulus \"unused\" activates no task";
  const auto found = test::amalthea({"explore", path, "--candidates", "20"});
  INFO(found.err);
  CHECK(found.err.find(finding) != std::string::npos);
}

TEST_CASE("explore: the WATERS 2019 model without any mapping gets one that guarantees all but Planner") {
  std::string text = test::read_text(test::sample("waters2019-tx2.amxmi"));
  const auto remove = [&](const std::string& from, const std::string& to) {
    const std::size_t begin = text.find(from);
    REQUIRE(begin != std::string::npos);
    text.erase(begin, text.find(to, begin) - begin);
  };
  remove("  <osModel>", "  <!-- Activation");
  remove("    <schedulerAllocation", "    <memoryMapping");
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.amxmi", written = folder.path() + "/mapped.amxmi";
  test::write_text(path, text);
  const auto found = test::amalthea({"explore", path, "-q", "--candidates", "2000", "-o", written});
  CHECK(first_line(found.out) == "Verdict: missed. 1 missed: Planner; 8 guaranteed");
  CHECK(first_line(test::amalthea({"analyze", "-q", written}).out) == first_line(found.out));
  CHECK(contains_lines(test::read_text(written), text));
}

TEST_CASE("explore: what cannot be mapped is reported as before") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.amxmi";
  const std::string text = test::read_text(unmapped);
  const std::size_t begin = text.find("  <hwModel>"), end = text.find("  <stimuliModel>");
  test::write_text(path, text.substr(0, begin) + text.substr(end));
  const auto without_cores = test::amalthea({"explore", path});
  CHECK(without_cores.exit_code == 1);
  CHECK(without_cores.err.find("[AM0302]") != std::string::npos);
  CHECK(without_cores.err.find("[AM0572]") == std::string::npos);
  CHECK(without_cores.err.find(
            path + ":9:5: note: explore cannot map the tasks that the model leaves unmapped: the model "
                   "has no CPU with a clock; add a clock, or pass the file that contains the hardware [AM0573]") !=
        std::string::npos);
}

TEST_CASE("explore: the democar of APP4MC is mapped in several versions") {
  const auto models = democars();
  const test::TemporaryFolder folder;
  const std::string written = folder.path() + "/mapped.amxmi";
  for (const auto& [version, path] : models) {
    explore_to(path, written);
    if (version > amalthea::Version::v0_7_1)  // before, a task itself states its priority
      CHECK(contains_lines(test::read_text(written), test::read_text(path)));
  }
}

TEST_CASE("explore: the democar of APP4MC is mapped in several files") {
  const std::string split = test::corpus_folder("/app4mc") + "/0.9.5/examples/app4mc.example.democar.split";
  const test::TemporaryFolder folder;
  const std::string written = folder.path() + "/mapped";
  explore_to(split, written);
  for (const auto& entry : std::filesystem::directory_iterator(split))
    if (const std::string name = entry.path().filename().string(); name.ends_with(".amxmi"))
      CHECK(contains_lines(test::read_text(written + "/" + name), test::read_text(entry.path().string())));
}

TEST_CASE("EMF loads the democar of APP4MC that explore has mapped", "[emf]") {
  test::EmfBatch emf;
  for (const auto& [version, path] : democars()) {
    const std::string written = emf.folder() + "/" + std::string(amalthea::to_string(version)) + ".amxmi";
    explore_to(path, written);
    emf.expect_accepted(version, {written});
  }
  emf.run();
}

TEST_CASE("explore: -o maps every model of which analyze says that it can", "[long]") {
  std::vector<std::string> models;
  for (const std::string& folder : {test::corpus_folder(), std::string(AMALTHEA_SOURCE_DIR "/samples")})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".amxmi") models.push_back(entry.path().string());
  std::sort(models.begin(), models.end());
  const test::TemporaryFolder folder;
  std::size_t mapped = 0;
  for (const std::string& model : models) {
    if (test::read_text(model).find("<tasks") == std::string::npos) continue;
    const std::string said = test::amalthea({"analyze", model}).err;
    if (said.find("[AM0493]") == std::string::npos || said.find("once the other errors are fixed") != std::string::npos)
      continue;
    const std::string written = folder.path() + "/" + std::to_string(++mapped) + ".amxmi";
    const auto explored = test::amalthea({"explore", model, "-q", "--candidates", "5", "-o", written});
    INFO(model << "\n" << explored.err);
    CHECK(std::filesystem::exists(written));
  }
  CHECK(mapped > 0);
}

TEST_CASE("compare: a model without a mapping shows what a trace contains") {
  const test::TemporaryFolder folder;
  const std::string trace = folder.path() + "/run.btf", mapped = folder.path() + "/mapped.amxmi";
  REQUIRE(test::amalthea({"explore", unmapped, "-q", "--candidates", "100", "-o", mapped}).exit_code == 0);
  REQUIRE(test::amalthea({"simulate", mapped, "-q", "--trace", trace}).exit_code == 0);
  const auto shown = test::amalthea({"compare", unmapped, trace, "--format", "json"}),
             of_mapped = test::amalthea({"compare", mapped, trace, "--format", "json"});
  INFO(shown.err);
  CHECK(shown.exit_code == 0);
  CHECK(shown.err.find("note: the model leaves 5 tasks unmapped; the comparison shows what was measured") !=
        std::string::npos);
  CHECK(shown.err.find("[AM0302]") == std::string::npos);
  const json one = json::parse(shown.out), other = json::parse(of_mapped.out);
  REQUIRE(one["tasks"].size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(one["tasks"][i]["name"] == other["tasks"][i]["name"]);
    CHECK(one["tasks"][i]["response"] == other["tasks"][i]["response"]);
  }
  const auto text = test::amalthea({"compare", unmapped, trace, "-q"});
  CHECK(text.out.find("bound") == std::string::npos);
  CHECK(text.out.find("simulated") == std::string::npos);
  // Anything else that is wrong is said as before.
  const std::string broken = folder.path() + "/broken.amxmi";
  test::write_text(broken, test::replaced(test::read_text(unmapped), "unit=\"ms\"", "unit=\"mss\""));
  CHECK(test::amalthea({"compare", broken, trace}).exit_code == 1);
}

}  // namespace first_mapping_cli_test
