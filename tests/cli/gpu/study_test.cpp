// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"

TEST_CASE("gpu study placement prints a row per number of streams and is deterministic for a seed") {
  const auto first = test::amalthea({"gpu", "study", "placement", "--configurations", "701", "--format", "json"});
  CHECK(first.exit_code == 0);
  const auto rows = nlohmann::json::parse(first.out)["rows"];
  REQUIRE(rows.size() == 7);
  CHECK(rows[0]["streams"] == 2);
  CHECK(rows[0]["configurations"] == 101);
  CHECK(rows[6]["configurations"] == 100);
  CHECK(rows[6]["share"].get<double>() > 0.9);
  CHECK(test::amalthea({"gpu", "study", "placement", "--configurations", "701", "--format", "json"}).out == first.out);
  CHECK(
      test::amalthea({"gpu", "study", "placement", "--seed", "2", "--configurations", "701", "--format", "json"}).out !=
      first.out);

  const auto text = test::amalthea({"gpu", "study", "placement"});
  CHECK(text.out.find("      8            1000    979  97.9 %   20172  11755  58.3 %\n") != std::string::npos);
  const auto wrong = test::amalthea({"gpu", "study", "placement", "--platform", "generic"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find("--platform generic: the profile has no") != std::string::npos);
}
