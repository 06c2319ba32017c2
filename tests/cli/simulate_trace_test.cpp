// SPDX-License-Identifier: Apache-2.0
// --trace: selection of the run and the format, and rejected uses.

#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace {

std::string trace_of(const std::string& verb, const std::vector<std::string>& options, const std::string& extension) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/trace" + extension;
  std::vector<std::string> arguments = {verb, test::sample("waters2019-tx2.amxmi"), "--until", "200ms", "--trace",
                                        path};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto result = test::amalthea(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code <= 1);
  REQUIRE(std::filesystem::exists(path));
  return test::read_text(path);
}

}  // namespace

TEST_CASE("a trace shows the selected run for any number of threads") {
  for (const char* extension : {".btf", ".json", ".json.gz", ".svg", ".csv", ".atdb"}) {
    INFO(extension);
    const auto traced = [&](const char* run, const char* jobs) {
      return trace_of("simulate", {"--runs", "8", "--trace-run", run, "--jobs", jobs}, extension);
    };
    const std::string fifth = traced("5", "1");
    CHECK(fifth.size() > 1000);
    CHECK((fifth == traced("5", "4")));
    CHECK((fifth != traced("0", "4")));
    CHECK((traced("0", "3") == trace_of("simulate", {"--runs", "8"}, extension)));
    CHECK((traced("0", "3") == trace_of("simulate", {"--runs", "1", "--seed", "1"}, extension)));
  }
}

TEST_CASE("analyze and simulate trace the same simulation") {
  for (const char* extension : {".btf", ".json", ".svg", ".csv", ".atdb"})
    CHECK((trace_of("analyze", {}, extension) == trace_of("simulate", {}, extension)));
}

TEST_CASE("an unwritable trace or unknown format is rejected before the work starts") {
  const test::TemporaryFolder folder;
  const auto refused = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"simulate", test::sample("offload-minimal.amxmi")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = test::amalthea(arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  const std::string formats = refused({"--trace", folder.path() + "/trace.txt"});
  CHECK(formats.starts_with("amalthea: error: --trace " + folder.path() +
                            "/trace.txt: expected a file that ends in one of .btf, .json, .json.gz, "));
  CHECK(formats.ends_with(".csv, .atdb\n"));  // a build without protobuf lacks .pftrace
  CHECK(refused({"--trace", folder.path() + "/none/trace.btf"}).find("does not exist") != std::string::npos);
  CHECK(refused({"--runs", "3", "--trace-run", "3", "--trace", folder.path() + "/trace.btf"}) ==
        "amalthea: error: --trace-run 3: expected a run number from 0 to 2\n");
  CHECK(std::filesystem::is_empty(folder.path()));
}
