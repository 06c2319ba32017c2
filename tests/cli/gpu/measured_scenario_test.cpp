// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "exporter/primitives/database.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

using nlohmann::json;

namespace {

/// Nothing but the durations of `calibrated` differs from the scenario.
void check_only_durations(const std::string& before, const std::string& after) {
  json a = json::parse(before), b = json::parse(after);
  for (json* one : {&a, &b})
    for (json& operation : (*one)["operations"]) {
      operation.erase("duration");
      operation.erase("duration_ps");
    }
  CHECK(a == b);
}

}  // namespace

TEST_CASE("calibrate writes measured times of kernels and copies into a scenario, from CSV with any titles") {
  const test::TemporaryFolder folder;
  const std::string scenario = folder.path() + "/scenario.json", csv = folder.path() + "/measured.csv",
                    out = folder.path() + "/calibrated.json";
  const std::string text =
      "{\"platform\": \"tx2\",\n \"operations\": [\n"
      "  {\"copy\": \"load\", \"kind\": \"h2d\", \"stream\": \"a\", \"duration\": \"1us\"},\n"
      "  {\"kernel\": \"K\", \"stream\": \"a\", \"blocks\": 9, \"threads\": 1024, \"duration_ps\": 5 },\n"
      "  {\"kernel\": \"L\", \"stream\": \"a\", \"threads\": 32, \"duration\": \"3us\"}]}\n";
  test::write_text(scenario, text);
  test::write_text(csv, "Kernel,Time (us)\nload,200\nK_v2,3000\nK_v2,2990\nother,1\n");
  test::write_text(folder.path() + "/names.json", "{\"K_*\": \"K\"}");
  const auto done = test::amalthea({"calibrate", scenario, csv, "--columns", "name=Kernel,duration=Time (us)",
                                    "--names", folder.path() + "/names.json", "--margin", "10", "-o", out});
  CHECK(done.exit_code == 0);
  CHECK(done.err.find("note: the scenario has no duration of other; use --names") != std::string::npos);
  const std::string calibrated = test::read_text(out);
  check_only_durations(text, calibrated);
  const json operations = json::parse(calibrated)["operations"];
  CHECK(operations[0]["duration"] == "220000000ps");
  // 9 blocks of 1024 threads in three rounds on two SMs: the longest time and 10 %, by three.
  CHECK(operations[1]["duration_ps"] == 1'100'000'000);
  CHECK(operations[2]["duration"] == "3us");
  CHECK(done.out.find("K             2") != std::string::npos);
  CHECK(test::amalthea({"gpu", "run", out}).exit_code == 0);

  const auto checked =
      test::amalthea({"calibrate", "--check", scenario, csv, "--columns", "name=Kernel,duration=Time (us)"});
  CHECK(checked.exit_code == 0);
  CHECK(checked.err.find("has no duration of K_v2, other;") != std::string::npos);
}

TEST_CASE("calibrate writes the kernels and copies of an Nsight Systems database into a scenario") {
  const test::TemporaryFolder folder;
  const std::string database = folder.path() + "/run.sqlite", names = folder.path() + "/names.json",
                    out = folder.path() + "/calibrated.json", scenario = test::sample("gpu/contexts.json");
  test::write_text(database, "");  // a database opens only what exists
  amalthea::exporter::Database run(database);
  for (const char* sql :
       {"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)",
        "INSERT INTO StringIds VALUES (1, 'void detect<float>(float*)'), (2, 'detect'), (3, 'clear')",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, correlationId INTEGER, "
        "demangledName INTEGER, shortName INTEGER)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3000, 4203001, 1, 1, 2), (5000000, 9100000, 2, 1, 2), "
        "(9200000, 9200500, 3, 3, 3)",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, copyKind INTEGER, correlationId INTEGER)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1000, 501000, 1, 4), (9300000, 9400000, 2, 5)"})
    run.run(sql);
  REQUIRE(run.close().has_value());
  test::write_text(names, "{\"memcpy HtoD\": \"image\"}");
  const auto done = test::amalthea({"calibrate", scenario, database, "--names", names, "-o", out});
  CHECK(done.exit_code == 0);
  CHECK(done.err.find("note: the scenario has no duration of clear, memcpy DtoH; use --names") != std::string::npos);
  check_only_durations(test::read_text(scenario), test::read_text(out));
  const json operations = json::parse(test::read_text(out))["operations"];
  CHECK(operations[0]["duration"] == "500000000ps");
  // 8 blocks of 512 threads in one round on two SMs that hold four each: the longest of two.
  CHECK(operations[1]["duration"] == "4200001000ps");
  CHECK(operations[2]["duration"] == "9ms");
  CHECK(operations[3]["duration"] == "6ms");
}

TEST_CASE("calibrate names what keeps a scenario from measured times") {
  const test::TemporaryFolder folder;
  const std::string csv = folder.path() + "/measured.csv";
  test::write_text(csv, "Kernel,Time (us)\nnone,200\n");
  const std::string scenario = test::sample("gpu/launch-order.json");
  const auto nothing =
      test::amalthea({"calibrate", "--check", scenario, csv, "--columns", "name=Kernel,duration=Time (us)"});
  CHECK(nothing.exit_code == 2);
  CHECK(nothing.err.find("the traces contain no execution of a kernel or copy of the scenario") != std::string::npos);
  const auto unknown = test::amalthea({"calibrate", "--check", scenario, csv});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err.find("--columns reads other CSV") != std::string::npos);
}
