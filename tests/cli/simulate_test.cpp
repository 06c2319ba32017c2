// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace simulate_test {

using nlohmann::json;

namespace {

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

test::CommandResult simulate(const std::string& model, const std::vector<std::string>& options) {
  return test::amalthea(with({"simulate", test::sample(model)}, options));
}

json simulated(const std::string& model, const std::vector<std::string>& options) {
  const auto result = simulate(model, with(options, {"--format", "json"}));
  INFO(result.err);
  REQUIRE(result.exit_code <= 1);
  return json::parse(result.out);
}

json analyzed(const std::string& model, const std::vector<std::string>& options) {
  const auto result = test::amalthea(with({"analyze", test::sample(model), "--format", "json"}, options));
  REQUIRE(result.exit_code <= 1);
  return json::parse(result.out);
}

}  // namespace

TEST_CASE("simulate prints the same bytes on 1 and 2 and 4 threads") {
  for (const char* format : {"json", "text"}) {
    const std::vector<std::string> options = {"--runs", "40", "--until", "400ms", "--format", format};
    const auto one = simulate("waters2019-tx2.amxmi", with(options, {"--jobs", "1"}));
    CHECK(one.out.size() > 1000);
    CHECK(one.out == simulate("waters2019-tx2.amxmi", with(options, {"--jobs", "2"})).out);
    CHECK(one.out == simulate("waters2019-tx2.amxmi", with(options, {"--jobs", "4"})).out);
    CHECK(one.out != simulate("waters2019-tx2.amxmi", with(options, {"--seed", "2"})).out);
  }
}

TEST_CASE("simulate draws execution times for several runs or with a seed and otherwise uses the worst case") {
  const auto execution = [](const std::vector<std::string>& options) {
    return simulated("offload-minimal.amxmi", options)["simulation"]["execution"].get<std::string>();
  };
  CHECK(execution({}) == "worst");
  CHECK(execution({"--runs", "2"}) == "random");
  CHECK(execution({"--seed", "2"}) == "random");
  CHECK(execution({"--runs", "2", "--execution", "best"}) == "best");
  CHECK(execution({"--execution", "random"}) == "random");
}

TEST_CASE("a longest job reported by simulate is reproduced with its seed") {
  const json runs = simulated("waters2019-tx2.amxmi", {"--runs", "20", "--until", "400ms"});
  std::size_t seen = 0;
  for (std::size_t i = 0; i < runs["tasks"].size(); ++i) {
    const json& worst = runs["tasks"][i]["worst_job"];
    if (worst.is_null()) continue;
    const json alone =
        simulated("waters2019-tx2.amxmi",
                  {"--runs", "1", "--seed", std::to_string(worst["seed"].get<std::uint64_t>()), "--until", "400ms"});
    CHECK(alone["tasks"][i]["worst_job"]["release_ps"] == worst["release_ps"]);
    CHECK(alone["tasks"][i]["worst_job"]["response_ps"] == worst["response_ps"]);
    CHECK(alone["tasks"][i]["response"]["max_ps"] == runs["tasks"][i]["response"]["max_ps"]);
    ++seen;
  }
  CHECK(seen >= 8);
}

TEST_CASE("a single worst-case run equals the simulation of analyze") {
  const std::vector<std::string> options = {"--until", "500ms"};
  const json run = simulated("waters2019-tx2.amxmi", options);
  const json analysis = analyzed("waters2019-tx2.amxmi", options);
  REQUIRE(run["tasks"].size() == analysis["tasks"].size());
  for (std::size_t i = 0; i < run["tasks"].size(); ++i) {
    const json& here = run["tasks"][i];
    const json& there = analysis["tasks"][i];
    CHECK(here["name"] == there["name"]);
    for (const char* key : {"min_ps", "mean_ps", "max_ps", "p99_ps"})
      CHECK(here["response"][key] == there["simulated"][key]);
    CHECK(here["bound"]["wcrt_ps"] == there["bound"]["wcrt_ps"]);
  }
}

TEST_CASE("simulated responses stay within bounds and shares within their intervals") {
  const json runs = simulated("offload-minimal.amxmi", {"--runs", "200"});
  std::size_t bounded = 0;
  for (const json& task : runs["tasks"]) {
    const json& response = task["response"];
    CAPTURE(task["name"]);
    CHECK(response["min_ps"] < response["max_ps"]);
    for (const auto& [less, more] : std::vector<std::pair<const char*, const char*>>{{"min_ps", "p50_ps"},
                                                                                     {"p50_ps", "p90_ps"},
                                                                                     {"p90_ps", "p95_ps"},
                                                                                     {"p95_ps", "p99_ps"},
                                                                                     {"p99_ps", "p99_9_ps"},
                                                                                     {"p99_9_ps", "max_ps"}})
      CHECK(response[less] <= response[more]);
    CHECK(response["mean_half_width_95_ps"] > 0);
    std::uint64_t binned = 0;
    for (const json& bin : response["histogram"]) binned += bin["jobs"].get<std::uint64_t>();
    CHECK(binned == task["jobs"].get<std::uint64_t>() - task["unfinished"].get<std::uint64_t>());
    if (!task["late"].is_null()) {
      CHECK(task["late"]["share"] >= task["late"]["lower_95"]);
      CHECK(task["late"]["share"] <= task["late"]["upper_95"]);
    }
    if (task["bound"]["wcrt_ps"].is_null()) continue;
    CHECK(response["max_ps"] <= task["bound"]["wcrt_ps"]);
    ++bounded;
  }
  CHECK(bounded > 0);
}

TEST_CASE("simulate exits with 1 if any run misses a deadline and otherwise with 0") {
  CHECK(simulate("offload-minimal.amxmi", {"--runs", "5"}).exit_code == 0);
  const auto late = simulate("waters2019-tx2.amxmi", {"--runs", "3", "--until", "400ms"});
  CHECK(late.exit_code == 1);
  CHECK(late.out.find("Verdict: missed") == 0);
}

TEST_CASE("simulate rejects meaningless options") {
  CHECK(simulate("offload-minimal.amxmi", {"--runs", "0"}).exit_code == 2);
  CHECK(simulate("offload-minimal.amxmi", {"--jobs", "0"}).exit_code == 2);
  CHECK(simulate("offload-minimal.amxmi", {"--seed", "9007199254740992"}).exit_code == 2);
  CHECK(simulate("offload-minimal.amxmi", {"--execution", "usual"}).exit_code == 2);
  CHECK(simulate("offload-minimal.amxmi", {"--format", "dot"}).exit_code == 2);
}

TEST_CASE("simulate shows a witness whose run contains the job") {
  const json runs = simulated("offload-blocks.amxmi", {"--witness", "Radar"});
  const json& witness = runs["witness"];
  CHECK(witness["task"] == "Radar");
  CHECK(witness["response_ps"] > 3'000'000'000);
  CHECK(witness["response_ps"] <= witness["wcrt_ps"]);
  CHECK_FALSE(witness["releases"].empty());
  CHECK(runs["replaced"].size() == 1);
  for (const json& task : runs["tasks"])
    if (task["name"] == "Radar") CHECK(task["response"]["max_ps"] == witness["response_ps"]);
  const auto unknown = simulate("offload-blocks.amxmi", {"--witness", "Rader"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err == "amalthea: error: --witness: the model has no task \"Rader\"; did you mean \"Radar\"?\n");
  CHECK(simulate("offload-blocks.amxmi", {"--witness", "Radar", "--runs", "2"}).exit_code == 2);
}

TEST_CASE("simulate runs the WATERS model a thousand times within bounds", "[long]") {
  const json runs = simulated("waters2019-tx2.amxmi", {"--runs", "1000"});
  for (const json& task : runs["tasks"]) {
    CAPTURE(task["name"]);
    CHECK(task["jobs"].get<std::uint64_t>() >= 1000);
    if (!task["bound"]["wcrt_ps"].is_null()) CHECK(task["response"]["max_ps"] <= task["bound"]["wcrt_ps"]);
    if (!task["bound"]["bcrt_ps"].is_null()) CHECK(task["response"]["min_ps"] >= task["bound"]["bcrt_ps"]);
  }
}

}  // namespace simulate_test
