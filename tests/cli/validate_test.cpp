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

TEST_CASE("validate: --fix corrects a reference and its missing type, and nothing else") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/m.amxmi";
  const std::string original = test::read_text(test::sample("tutorial/1-one-task.amxmi"));
  const auto replaced = [](std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.find(from), from.size(), to);
  };
  test::write_text(
      path, replaced(replaced(original, "Steer?type", "Stear?type"), "Cpu?type=ProcessingUnitDefinition", "Cpu"));
  CHECK(test::amalthea({"validate", path, "-q"}).exit_code == 1);
  const auto fixed = test::amalthea({"validate", path, "-q", "--fix"});
  CHECK(fixed.exit_code == 0);
  CHECK(fixed.out.starts_with("0 errors"));
  CHECK(fixed.err == path + ":8:53: fixed: \"Steer?type=Runnable\" [AM0203]\n" + path +
                         ":23:23: fixed: \"Cpu?type=ProcessingUnitDefinition\" [AM0203]\n");
  CHECK(test::read_text(path) == original);
}

TEST_CASE("validate: --fix leaves what may be meant otherwise") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/m.amxmi";
  std::string text = test::read_text(test::sample("tutorial/1-one-task.amxmi"));
  text.replace(text.find("Core0?type"), 5, "Core1");
  test::write_text(path, text);
  const auto result = test::amalthea({"validate", path, "-q", "--fix"});
  CHECK(result.exit_code == 1);
  CHECK(result.out.find("did you mean \"Core0?type=ProcessingUnit\"?") != std::string::npos);
  CHECK(test::read_text(path) == text);
}

TEST_CASE("validate: --fix exchanges swapped deadlines only on request") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/m.amxmi";
  const std::string original = test::read_text(test::sample("offload-minimal.amxmi"));
  std::string swapped = original;
  const std::string ten = "<limitValue value=\"10\" unit=\"ms\"/>", two = "<limitValue value=\"2\" unit=\"ms\"/>";
  const auto first = swapped.find(ten), second = swapped.find(two);
  REQUIRE(second > first);
  swapped.replace(second, two.size(), ten).replace(first, ten.size(), two);
  test::write_text(path, swapped);
  CHECK(test::amalthea({"validate", path, "--fix"}).out.find("look swapped") != std::string::npos);
  CHECK(test::read_text(path) == swapped);
  CHECK(test::amalthea({"validate", path, "--fix-deadlines"}).exit_code == 2);
  const auto fixed = test::amalthea({"validate", path, "-q", "--fix", "--fix-deadlines"});
  CHECK(fixed.out == "0 errors, 0 warnings, 0 notes\n");
  CHECK(fixed.err.find(": fixed: \"10 ms\", exchanged\n") != std::string::npos);
  CHECK(fixed.err.find(": fixed: \"2 ms\", exchanged\n") != std::string::npos);
  CHECK(test::read_text(path) == original);
}

}  // namespace validate_test
