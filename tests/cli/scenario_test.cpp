// SPDX-License-Identifier: Apache-2.0
// Verbs of models that read a scenario of a GPU.

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

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

TEST_CASE("each GPU of a scenario becomes one of the model, and its operations have bounds") {
  const std::string two = test::sample("gpu/two-gpus.json");
  const auto run = test::amalthea({"gpu", "run", two, "--format", "json"});
  const auto analysis = test::amalthea({"analyze", two, "--until", "120ms", "--format", "json"});
  INFO(analysis.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(analysis.exit_code == 0);
  const auto operations = json::parse(run.out);
  const auto tasks = json::parse(analysis.out)["tasks"];
  REQUIRE(tasks.size() == 4);
  std::set<std::string> units;
  for (const auto& task : tasks) {
    INFO(task["name"]);
    units.insert(task["core"]);
    std::int64_t longest = 0;
    for (const char* list : {"kernels", "copies"})
      for (const auto& operation : operations[list]) {
        if (operation["name"] != task["name"]) continue;
        CHECK(operation["gpu"] == task["core"]);
        longest = std::max(
            longest, operation["completion_ps"].get<std::int64_t>() - operation["release_ps"].get<std::int64_t>());
      }
    CHECK(task["simulated"]["max_ps"] == longest);
    CHECK(task["bound"]["wcrt_ps"] >= longest);
    CHECK(task["guaranteed"] == true);
  }
  CHECK(units == std::set<std::string>{"integrated", "discrete"});
  const auto replaced = test::amalthea({"analyze", two, "-q", "--platform", "discrete=tx2"});
  CHECK(replaced.out.find("GPU integrated (profile tx2), GPU discrete (profile tx2)\n") != std::string::npos);
  CHECK(test::amalthea({"analyze", two, "--platform", "other=titan-v"}).err.find("the model has no GPU \"other\"") !=
        std::string::npos);
}

TEST_CASE("response times of a scenario are exact only if it does not matter which SM gets a block") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/scenario.json";
  // Two kernels of one process, the second one after a time.
  const auto is_exact = [&](const std::string& settings, const std::string& kernel, const std::string& release) {
    test::write_text(path, fmt::format(R"({{{0}, "operations": [
  {{"kernel": "first", "stream": "a", "blocks": 1, "threads": 128, "period": "1ms", {1}}},
  {{"kernel": "second", "stream": "b", "blocks": 1, "threads": 64, "period": "1ms", {1}, "release": "{2}"}}]}})",
                                       settings, kernel, release));
    const auto run = test::amalthea({"analyze", "-q", "--bounds", "exact", "--format", "json", path});
    INFO(run.err + run.out);
    const auto tasks = json::parse(run.out)["tasks"];
    REQUIRE(tasks.size() == 2);
    return std::all_of(tasks.begin(), tasks.end(),
                       [](const json& task) { return task["bound"].value("exact", false); });
  };
  SECTION("in which cluster it is, if kernels of one slow each other down more") {
    const std::string xavier = R"("platform": "xavier")";
    CHECK(is_exact(xavier, R"("duration": "100us", "memory_share": 1)", "300us"));  // all are idle
    CHECK_FALSE(is_exact(xavier, R"("duration": "100us", "memory_share": 1)", "50us"));
    CHECK(is_exact(xavier, R"("duration": "100us", "memory_share": 0)", "50us"));
  }
  SECTION("and what competes there with its instructions") {
    const std::string warps = R"("memory_share": 0, "instructions": "memory:300,fp32:1,fp32:1")";
    for (const std::string end : {"instruction", "block", "kernel"}) {
      INFO(end);
      CHECK_FALSE(is_exact(R"("platform": "tx2", "cycle": "1us", "preemption": ")" + end + '"', warps, "50us"));
    }
  }
}

TEST_CASE("findings about a scenario point to its lines, and other verbs take it too") {
  const test::TemporaryFolder folder;
  const std::string late = folder.path() + "/late.json";
  test::write_text(late, R"({"operations": [
  {"kernel": "K", "stream": "a", "threads": 32, "duration": "1us", "period": "2us", "deadline": "3us"}]})");
  const auto refused = test::amalthea({"analyze", late});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("late.json:2:3: error: a model cannot say that the next call may come before the deadline") !=
        std::string::npos);
  const auto slices = test::amalthea({"analyze", AMALTHEA_SOURCE_DIR "/tests/papers/ace-slices.json"});
  INFO(slices.out + slices.err);
  CHECK(slices.out.find("ACEs of GPU turn to their next queues at the ends of slices") != std::string::npos);
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

TEST_CASE("no offsets give bounds to streams whose preemption takes time, or to processes that share a GPU by MPS") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/scenario.json";
  const auto said = [&](const std::string& settings, const std::string& of_contexts) {
    test::write_text(path, fmt::format(R"({{"platform": "tx2", {} "contexts": [{{"name": "A"{}}}, {{"name": "B"{}}}],
      "streams": [{{"name": "high", "context": "A", "priority": "high"}}],
      "operations": [
        {{"kernel": "low", "context": "A", "stream": "low", "duration": "1ms", "blocks": 8, "threads": 1024,
          "memory_share": 0, "period": "10ms"}},
        {{"kernel": "high", "context": "{}", "stream": "high", "release": "500us", "duration": "1ms", "blocks": 2,
          "threads": 1024, "memory_share": 0, "period": "10ms"}}]}})",
                                       settings, of_contexts, of_contexts, of_contexts.empty() ? "A" : "B"));
    const auto analyzed = test::amalthea({"analyze", path, "--bounds", "exact", "-q"});
    INFO(analyzed.out + analyzed.err);
    return analyzed.out.find("2 guaranteed") != std::string::npos;
  };
  CHECK(said("", ""));
  CHECK_FALSE(said(R"("stream_preemption": "20us",)", ""));
  CHECK_FALSE(said("", R"(, "mps_share": 50)"));
}

TEST_CASE("no profile replaces a figure that a scenario states, also where it is that of its platform") {
  const test::TemporaryFolder folder;
  const std::string scenario = folder.path() + "/scenario.json", own = folder.path() + "/own.json";
  nlohmann::json profile = nlohmann::json::parse(test::read_text(AMALTHEA_SOURCE_DIR "/engine/gpu/platforms/tx2.json"));
  for (const char* figure : {"kernel_slowdown_by_memset", "kernel_slowdown_by_memcpy"}) profile[figure]["value"] = 1;
  test::write_text(own, profile.dump());
  for (const int factor : {8, 7, 1}) {
    test::write_text(scenario, fmt::format(R"({{"platform": "tx2", "interference": {{"kernel_by_memset": {}}},
      "contexts": [{{"name": "A"}}, {{"name": "B"}}],
      "operations": [
        {{"copy": "m", "kind": "memset", "context": "A", "duration": "100us", "period": "1ms"}},
        {{"kernel": "k", "context": "B", "duration": "100us", "blocks": 1, "threads": 32, "memory_share": 1,
          "period": "1ms", "deadline": "150us"}}]}})",
                                           factor));
    const auto analyzed = test::amalthea({"analyze", scenario, "--platform", own, "-q"});
    INFO(analyzed.out + analyzed.err);
    CHECK(analyzed.out.starts_with(factor > 1 ? "Verdict: missed." : "Verdict: guaranteed"));
  }
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
