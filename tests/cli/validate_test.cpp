// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace validate_test {

using Json = nlohmann::json;

namespace {

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
}

}  // namespace

TEST_CASE("validate: a valid model exits with 0 at any threshold") {
  for (const char* fail_on : {"error", "warning", "note", "never"}) {
    const auto result = test::amalthea({"validate", test::sample("offload-minimal.amxmi"), "--fail-on", fail_on});
    CHECK(result.exit_code == 0);
    CHECK(result.out == "0 errors, 0 warnings, 0 notes\n");
    CHECK(result.err.empty());
  }
}

TEST_CASE("validate: the exit code follows --fail-on and --suppress") {
  const std::string model = test::sample("waters2019-tx2.amxmi");  // warnings and notes, no errors
  CHECK(test::amalthea({"validate", model}).exit_code == 0);
  CHECK(test::amalthea({"validate", model, "--fail-on", "warning"}).exit_code == 1);
  CHECK(test::amalthea({"validate", model, "--fail-on", "never"}).exit_code == 0);
  const auto suppressed = test::amalthea({"validate", model, "--suppress", "AM0620", "--suppress", "AM0602"});
  CHECK(suppressed.out.find("AM0620") == std::string::npos);
  CHECK(suppressed.out.find("AM0602") == std::string::npos);
  CHECK(suppressed.out.find("AM0623") != std::string::npos);
  CHECK(last_line(suppressed.out).ends_with("; 2 suppressed"));
  CHECK(test::amalthea({"validate", model, "--suppress", "AM0000"}).exit_code == 2);
  CHECK(test::amalthea({"validate", model, "--suppress", "AM0620", model}).exit_code == 0);
  CHECK(test::amalthea({"validate", model, "--format", "xml"}).exit_code == 2);
}

TEST_CASE("validate: an unreadable file still yields a complete document and exits with 2") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/broken.amxmi";
  test::write_text(path, "<am:Amalthea");
  const auto json = test::amalthea({"validate", path, "--format", "json"});
  CHECK(json.exit_code == 2);
  CHECK(Json::parse(json.out)["findings"].size() == 1);
  CHECK(Json::parse(json.out)["model"]["version"].is_null());
  const auto sarif = test::amalthea({"validate", path, "--format", "sarif", "--fail-on", "never"});
  CHECK(sarif.exit_code == 2);
  const Json run = Json::parse(sarif.out)["runs"][0];
  CHECK(run["results"].size() == 1);
  CHECK(run["results"][0]["ruleId"] == "AM0103");
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  CHECK(test::amalthea({"validate", folder.path() + "/none.amxmi", "--format", "sarif"}).exit_code == 2);
}

TEST_CASE("validate: output is deterministic on standard output and in a file") {
  const test::TemporaryFolder folder;
  const std::string model = test::sample("waters2019-tx2.amxmi"), out = folder.path() + "/out.sarif";
  const auto once = test::amalthea({"validate", model, "--format", "sarif"});
  REQUIRE(test::amalthea({"validate", model, "--format", "sarif", "-o", out}).exit_code == 0);
  CHECK(test::read_text(out) == once.out);
}

}  // namespace validate_test
