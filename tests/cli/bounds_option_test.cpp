// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace bounds_option_test {

using nlohmann::json;

namespace {

/// The bound of a task in the sample of chains, where tasks with a period of 10 ms begin 1 ms later.
json bound_of(const std::string& task, const std::vector<std::string>& options) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.amxmi";
  const std::string period = "<recurrence value=\"10\" unit=\"ms\"/>";
  test::write_text(path, test::replaced(test::read_text(test::sample("chains.amxmi")), period,
                                        "<offset value=\"1\" unit=\"ms\"/>" + period));
  std::vector<std::string> arguments = {"analyze", path, "--format", "json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto result = test::amalthea(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code <= 1);
  const json results = json::parse(result.out);
  for (const json& entry : results["tasks"])
    if (entry["name"] == task) return entry["bound"];
  FAIL("there is no " << task);
  return {};
}

}  // namespace

TEST_CASE("analyze --bounds exact: uses the stated offsets and names the method") {
  const json quick = bound_of("Control", {}), exact = bound_of("Control", {"--bounds", "exact"});
  CHECK(quick == bound_of("Control", {"--bounds", "quick"}));
  CHECK(quick["wcrt_ps"] == 3'600'264'000);
  CHECK_FALSE(quick.contains("method"));
  CHECK(exact["wcrt_ps"] == 3'000'256'000);
  CHECK(exact["method"] == "offsets");
  CHECK(exact["bcrt_ps"] == quick["bcrt_ps"]);
}

TEST_CASE("analyze --bounds exact: leaves a bound that the offsets do not improve") {
  CHECK(bound_of("Sense", {"--bounds", "exact"}) == bound_of("Sense", {}));
}

}  // namespace bounds_option_test
