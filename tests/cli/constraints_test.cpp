// SPDX-License-Identifier: Apache-2.0
// Timing constraints in the output of analyze, validate and report.

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace constraints_test {

using nlohmann::json;

namespace constraints_shown {

const char* const model = "constraints.amxmi";

json results_of(const std::string& path) {
  return json::parse(test::amalthea({"analyze", path, "--format", "json"}).out);
}

/// The sample with two constraints that cannot be judged.
std::string with_unjudgeable(const test::TemporaryFolder& folder) {
  std::string text = test::read_text(test::sample(model));
  text = test::replaced(text, " source=\"Tick?type=StimulusEvent\"", "");
  text = test::replaced(text, "<period value=\"5\" unit=\"ms\"/>", "");
  const std::string path = folder.path() + "/model.amxmi";
  test::write_text(path, text);
  return path;
}

}  // namespace constraints_shown

using namespace constraints_shown;

TEST_CASE("analyze: JSON has every timing constraint with its location and verdict and reason") {
  const json constraints = results_of(test::sample(model))["constraints"];
  REQUIRE(constraints.size() == 9);
  const json expected = {
      {"name", "SpeedAndAngle"},
      {"class", "DataCoherencyGroup"},
      {"file", constraints[6]["file"]},
      {"line", constraints[6]["line"]},
      {"column", 5},
      {"verdict", "missed"},
      {"guaranteed", false},
      {"judged", constraints[6]["judged"]},
      {"reason", constraints[6]["reason"]},
  };
  CHECK(constraints[6] == expected);
  CHECK(constraints[6]["file"].get<std::string>().find(model) != std::string::npos);
  const std::string text = test::read_text(test::sample(model));
  const std::size_t at = text.find("<dataCoherencyGroups");
  CHECK(constraints[6]["line"] == std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
  CHECK(constraints[6]["reason"].get<std::string>().find("job 1 of Control is incoherent") != std::string::npos);
  for (const json& constraint : constraints) {
    INFO(constraint.dump());
    CHECK(constraint["judged"] > 0);
    CHECK((constraint["verdict"] == "met") == (constraint["name"] != "SpeedAndAngle"));
  }
}

TEST_CASE("analyze: text and Markdown and CSV show timing constraints and why one is missed") {
  const std::string path = test::sample(model);
  const std::string text = test::amalthea({"analyze", path}).out;
  CHECK(text.find("\nTiming constraints, judged by the simulated events\n") != std::string::npos);
  CHECK(text.find("SpeedAndAngle: missed: ") != std::string::npos);
  CHECK(text.find(std::string(model) + ":") != std::string::npos);
  const std::string markdown = test::amalthea({"analyze", path, "--format", "markdown"}).out;
  CHECK(markdown.find("\n## Timing constraints") != std::string::npos);
  CHECK(markdown.find("- **SpeedAndAngle**: missed: ") != std::string::npos);
  const std::string csv = test::amalthea({"analyze", path, "--format", "csv", "--table", "constraints"}).out;
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 10);
  CHECK(csv.rfind("name,class,file,line,column,verdict,guaranteed,judged,reason\n", 0) == 0);
  const std::string without = test::amalthea({"analyze", test::sample("offload-minimal.amxmi")}).out;
  CHECK(without.find("Timing constraints") == std::string::npos);
}

TEST_CASE("analyze: timing constraints that cannot be judged are unknown and reported with their location") {
  const test::TemporaryFolder folder;
  const std::string path = with_unjudgeable(folder);
  const auto result = test::amalthea({"analyze", path, "--format", "json"});
  const json constraints = json::parse(result.out)["constraints"];
  CHECK(constraints[0]["verdict"] == "unknown");
  CHECK(constraints[0]["guaranteed"].is_null());
  CHECK(constraints[0]["judged"] == 0);
  CHECK(constraints[1]["verdict"] == "unknown");
  CHECK(result.err.find("model.amxmi:" + std::to_string(constraints[0]["line"].get<int>()) +
                        ":5: warning: DelayConstraint \"ActuatedInTime\" cannot be judged, because its source is "
                        "missing, or not in the model; its verdict remains unknown until this is corrected [AM0561]") !=
        std::string::npos);
  CHECK(result.err.find("[AM0560]") != std::string::npos);
}

TEST_CASE("validate reports timing constraints that have no limit or cannot be judged") {
  const test::TemporaryFolder folder;
  const auto result = test::amalthea({"validate", with_unjudgeable(folder), "--format", "json"});
  std::vector<std::string> found;
  const json findings = json::parse(result.out)["findings"];
  for (const json& finding : findings)
    if (finding["rule"].get<std::string>().rfind("AM056", 0) == 0) {
      found.push_back(finding["rule"]);
      CHECK(finding["path"].get<std::string>().find("constraintsModel/timingConstraints/") != std::string::npos);
    }
  CHECK(found == std::vector<std::string>{"AM0561", "AM0560"});
}

TEST_CASE("validate: the sample of timing constraints has only notes") {
  const auto result = test::amalthea({"validate", test::sample(model), "--format", "json"});
  INFO(result.out);
  const json findings = json::parse(result.out)["findings"];
  for (const json& finding : findings) CHECK(finding["severity"] == "note");
}

TEST_CASE("report: the page data contains the timing constraints") {
  const test::TemporaryFolder folder;
  const std::string page = folder.path() + "/report.html";
  test::amalthea({"report", test::sample(model), "-o", page});
  const std::string html = test::read_text(page);
  CHECK(html.find("\"class\":\"DataCoherencyGroup\"") != std::string::npos);
  CHECK(html.find("Timing constraints: ") != std::string::npos);
}

}  // namespace constraints_test
