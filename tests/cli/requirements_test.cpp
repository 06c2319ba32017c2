// SPDX-License-Identifier: Apache-2.0
// Requirements in the output of "amalthea analyze", and in its exit code.

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace requirements_test {

using nlohmann::json;

namespace {

/// The minimal sample with one more requirement.
std::string with_requirement(const test::TemporaryFolder& folder, const std::string& requirement) {
  const std::string path = folder.path() + "/model.amxmi";
  test::write_text(path, test::replaced(test::read_text(test::sample("offload-minimal.amxmi")), "</constraintsModel>",
                                        requirement + "</constraintsModel>"));
  return path;
}

std::string activations(const char* limit) {
  return std::string(R"(<requirements xsi:type="am:ProcessRequirement" name="Rarely" severity="Minor"
    process="Monitor?type=Task"><limit xsi:type="am:CountRequirementLimit" limitType="UpperLimit"
    metric="Activations" limitValue=")") +
         limit + "\"/></requirements>";
}

json named(const json& array, const std::string& name) {
  for (const json& entry : array)
    if (entry["name"] == name) return entry;
  FAIL("there is no " << name);
  return {};
}

}  // namespace

TEST_CASE("analyze: a missed requirement makes the exit code 1 even if every deadline is met") {
  const test::TemporaryFolder folder;
  // Monitor is released every 2 ms of 10.
  const std::string path = with_requirement(folder, activations("5"));
  CHECK(test::amalthea({"analyze", path}).exit_code == 0);
  const auto missed = test::amalthea({"analyze", with_requirement(folder, activations("4")), "--format", "json"});
  CHECK(missed.exit_code == 1);
  const json results = json::parse(missed.out);
  for (const json& task : results["tasks"]) CHECK(task["verdict"] != "missed");
  const json found = named(results["requirements"], "Rarely");
  const json expected = {{"name", "Rarely"},
                         {"kind", "process"},
                         {"subject", "Monitor"},
                         {"severity", "Minor"},
                         {"metric", "Activations"},
                         {"limit_type", "UpperLimit"},
                         {"limit", 4},
                         {"observed", 5},
                         {"verdict", "missed"},
                         {"guaranteed", false},
                         {"reason", "5 activations in the simulation, 1 above the limit"}};
  CHECK(found == expected);
  const auto text = test::amalthea({"analyze", path});
  CHECK(text.out.find("Requirements: 2 met, 1 missed, 0 unknown") != std::string::npos);
  CHECK(text.out.find("Rarely: missed: 5 activations in the simulation, 1 above the limit") != std::string::npos);
}

TEST_CASE("analyze: an unmeasured requirement is unknown and sets the exit code") {
  const test::TemporaryFolder folder;
  const auto result =
      test::amalthea({"analyze", with_requirement(folder, R"(<requirements xsi:type="am:ProcessRequirement" name="Cache"
    process="Monitor?type=Task"><limit xsi:type="am:PercentageRequirementLimit" limitType="LowerLimit"
    metric="CacheHitRatio" limitValue="90.0"/></requirements>)"),
                      "--format", "json"});
  CHECK(result.exit_code == 4);
  CHECK(json::parse(result.out)["verdict"] == "unknown");
  const json found = named(json::parse(result.out)["requirements"], "Cache");
  CHECK(found["verdict"] == "unknown");
  CHECK(found["limit"] == 90.0);
  CHECK(found["observed"].is_null());
  CHECK(found["guaranteed"].is_null());
  CHECK(found["reason"] == "CacheHitRatio is not measured");
}

TEST_CASE("analyze: requirements of the WATERS sample agree with its deadlines") {
  const auto result = test::amalthea({"analyze", test::sample("waters2019-tx2.amxmi"), "--format", "json"});
  const json results = json::parse(result.out);
  REQUIRE_FALSE(results["requirements"].empty());
  for (const json& requirement : results["requirements"]) {
    INFO(requirement.dump());
    const json task = named(results["tasks"], requirement["subject"]);
    CHECK(requirement["metric"] == "ResponseTime");
    CHECK(requirement["limit_ps"] == task["deadline_ps"]);
    CHECK(requirement["observed_ps"] == task["simulated"]["max_ps"]);
    CHECK(requirement["bound_ps"] == task["bound"]["wcrt_ps"]);
    CHECK(requirement["guaranteed"] == task["guaranteed"]);
    CHECK(requirement["verdict"] == task["verdict"]);
  }
}

TEST_CASE("analyze: process metrics have AMALTHEA's names in JSON and appear in text on request") {
  const std::string model = test::sample("offload-minimal.amxmi");
  const json results = json::parse(test::amalthea({"analyze", model, "--format", "json"}).out);
  const json metrics = named(results["tasks"], "Control")["metrics"];
  for (const char* name :
       {"ActivateToActivate", "StartToStart", "EndToEnd", "EndToStart", "StartDelay", "ResponseTime",
        "GrossExecutionTime", "NetExecutionTime", "CoreExecutionTime", "MemoryAccessTime", "OsOverhead", "RunningTime",
        "ReadyTime", "WaitingTime", "PollingTime", "ParkingTime", "Lateness"}) {
    INFO(name);
    CHECK(metrics.contains(name));
  }
  CHECK(metrics["activations"] == 1);
  CHECK(metrics["ActivateToActivate"].is_null());  // of one job
  const auto longest = [&](const char* name) { return metrics[name]["max_ps"].get<std::int64_t>(); };
  CHECK(longest("ResponseTime") == 4'731'890'000);
  CHECK(longest("ResponseTime") == longest("StartDelay") + longest("GrossExecutionTime"));
  CHECK(longest("GrossExecutionTime") == longest("RunningTime") + longest("ReadyTime") + longest("WaitingTime") +
                                             longest("PollingTime") + longest("ParkingTime"));
  CHECK(longest("Lateness") == 4'731'890'000 - 10'000'000'000);
  const std::string title = "States of processes";
  CHECK(test::amalthea({"analyze", model}).out.find(title) == std::string::npos);
  CHECK(test::amalthea({"analyze", model, "--metrics"}).out.find(title) != std::string::npos);
}

TEST_CASE("analyze: JSON records execution times and memory model and line rule") {
  const std::string model = test::sample("waters2019-tx2.amxmi");
  const auto analysis = [&](std::vector<std::string> options) {
    std::vector<std::string> arguments = {"analyze", model, "--until", "100ms", "--format", "json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return json::parse(test::amalthea(arguments).out)["analysis"];
  };
  CHECK(analysis({}) == json{{"execution", "worst"},
                             {"memory", "model"},
                             {"line_rule", "exact"},
                             {"contention", "static"},
                             {"communication", "implicit"},
                             {"strict", false}});
  CHECK(analysis({"--execution", "best", "--memory", "waters2019", "--line-rule", "published", "--contention",
                  "dynamic", "--communication", "let", "--strict"}) == json{{"execution", "best"},
                                                                            {"memory", "waters2019"},
                                                                            {"line_rule", "published"},
                                                                            {"contention", "dynamic"},
                                                                            {"communication", "let"},
                                                                            {"strict", true}});
}

}  // namespace requirements_test
