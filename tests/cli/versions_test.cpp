// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace versions_test {

namespace {

nlohmann::json analyzed(const std::string& path) {
  const auto result = test::amalthea({"analyze", path, "--format", "json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.err.empty());
  return nlohmann::json::parse(result.out);
}

}  // namespace

TEST_CASE("analyze yields the same timing for a system in every version") {
  const auto expected = analyzed(test::data("offload-3.0.0.amxmi"));
  REQUIRE(expected["tasks"].size() == 3);
  REQUIRE(expected["operations"].size() == 3);
  REQUIRE(expected["resources"].size() == 3);
  for (const char* version : {"0.9.3", "0.9.5", "0.9.8", "1.1.0", "2.0.0"}) {
    INFO(version);
    const auto actual = analyzed(test::data(fmt::format("offload-{}.amxmi", version)));
    CHECK(actual["model"]["version"] == version);
    for (const char* part : {"platform", "simulation", "tasks", "runnables", "operations", "chains", "resources"}) {
      INFO(part);
      CHECK(actual[part] == expected[part]);
    }
  }
}

}  // namespace versions_test
