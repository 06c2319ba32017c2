// SPDX-License-Identifier: Apache-2.0
// Verbs of models that read a scenario of a GPU.

#include <filesystem>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace cli_scenario_test {
namespace {

using nlohmann::json;

const std::string two_processes = test::sample("gpu/two-processes.json");

}  // namespace

TEST_CASE("the longest response times of a scenario are those of gpu run") {
  const auto run = test::amalthea({"gpu", "run", two_processes, "--format", "json"});
  const auto analysis = test::amalthea({"analyze", two_processes, "--format", "json"});
  INFO(analysis.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(analysis.exit_code == 0);
  std::map<std::string, std::int64_t> longest;
  const auto operations = json::parse(run.out);
  for (const char* list : {"kernels", "copies"})
    for (const auto& operation : operations[list]) {
      auto& time = longest[operation["name"]];
      time =
          std::max(time, operation["completion_ps"].get<std::int64_t>() - operation["release_ps"].get<std::int64_t>());
    }
  const auto tasks = json::parse(analysis.out)["tasks"];
  REQUIRE(tasks.size() == 5);
  for (const auto& task : tasks) {
    INFO(task["name"]);
    CHECK(task["simulated"]["max_ps"] == longest.at(task["name"]));
    CHECK(task["bound"]["wcrt_ps"] >= longest.at(task["name"]));
    CHECK(task["guaranteed"] == true);
  }
}

TEST_CASE("findings about a scenario point to its lines, and other verbs take it too") {
  const auto refused = test::amalthea({"analyze", test::sample("amd/mm1024-beside-mm256.json")});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("mm1024-beside-mm256.json:6:60: error: operations[0].like: a model cannot say what \"like\" "
                         "says; amalthea gpu run simulates it [AM0122]") != std::string::npos);
  const auto assumed = test::amalthea({"validate", test::sample("gpu/thesis-examiner.json")});
  INFO(assumed.err + assumed.out);
  CHECK((assumed.err + assumed.out).find("thesis-examiner.json:9:5: warning: a benchmark does not state") !=
        std::string::npos);
  const auto explained = test::amalthea({"explain", two_processes, "match"});
  INFO(explained.err);
  CHECK(explained.exit_code == 0);
  CHECK(explained.out.find("detect") != std::string::npos);
}

TEST_CASE("a scenario and the model made of it are drawn alike") {
  const test::TemporaryFolder folder;
  const std::string drawn = folder.path() + "/scenario.svg", traced = folder.path() + "/model.svg";
  const std::string scenario = test::sample("gpu/lane-keeping.json"), model = test::sample("gpu/lane-keeping.amxmi");
  REQUIRE(test::amalthea({"gpu", "run", scenario, "--timeline", drawn}).exit_code == 0);
  std::string picture = test::read_text(drawn);
  CHECK(picture.find(">lanes: 0</text>") != std::string::npos);
  for (const std::string verb : {"analyze", "simulate"}) {
    REQUIRE(test::amalthea({verb, scenario, "--until", "24ms", "--trace", traced}).exit_code == 0);
    CHECK(test::read_text(traced) == picture);
  }
  REQUIRE(test::amalthea({"analyze", model, "--until", "24ms", "--trace", traced}).exit_code == 0);
  picture.replace(picture.find("lane-keeping.json"), std::string("lane-keeping.json").size(), "lane-keeping.amxmi");
  CHECK(test::read_text(traced) == picture);
}

TEST_CASE("a model with tasks on no GPU or on several is not drawn") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.svg";
  for (const auto& [model, gpus] : {std::pair("chains.amxmi", "none"), std::pair("two-gpus.amxmi", "several")}) {
    const auto refused = test::amalthea({"simulate", test::sample(model), "--trace", path});
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.ends_with(
        fmt::format("amalthea: error: {}: a drawing shows one GPU, and this model has tasks on {}\n", path, gpus)));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("no model replaces the scenario that it is made from") {
  const test::TemporaryFolder folder;
  const std::string scenario = folder.path() + "/scenario.json", text = test::read_text(two_processes);
  test::write_text(scenario, text);
  const auto refused = test::amalthea({"annotate", scenario, "-o", scenario});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("this is the scenario, and a model would replace it") != std::string::npos);
  CHECK(test::read_text(scenario) == text);
  CHECK(test::amalthea({"annotate", scenario, "-o", folder.path() + "/model.amxmi"}).exit_code == 0);
}

}  // namespace cli_scenario_test
