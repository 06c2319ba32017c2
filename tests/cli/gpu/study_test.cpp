// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

TEST_CASE("gpu study order shows the best launch order, and gpu run says that there is one") {
  const std::string scenario = test::sample("gpu/launch-order.json");
  const auto found = test::amalthea({"gpu", "study", "order", "--format", "json", scenario});
  CHECK(found.exit_code == 0);
  const auto json = nlohmann::json::parse(found.out);
  CHECK(json["orders"] == 6);
  CHECK(json["all"] == true);
  CHECK(json["given"]["length_ps"] == 4'000'000'000);
  CHECK(json["best"]["length_ps"] == 3'000'000'000);
  CHECK(json["saved"].get<double>() == Approx(0.25));
  CHECK(json["operations"][2]["given_completion_ps"] == 4'000'000'000);
  CHECK(json["operations"][2]["best_completion_ps"].get<std::int64_t>() < 4'000'000'000);
  CHECK(test::amalthea({"gpu", "study", "order", scenario}).out.find("6 launch orders, all that there are.") == 0);

  const auto run = test::amalthea({"gpu", "run", scenario});
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("another launch order of the independent operations ends 25.0 % earlier") != std::string::npos);
  const test::TemporaryFolder folder;
  const std::string good = folder.path() + "/good.json";
  std::string text = test::read_text(scenario);
  const auto first = text.find("    {\"kernel\": \"filter\""), second = text.find("    {\"kernel\": \"tiles\"");
  const auto third = text.find("    {\"kernel\": \"histogram\""), end = text.find("\n  ]");
  test::write_text(good, text.substr(0, first) + text.substr(second, third - second) + text.substr(third, end - third) +
                             ",\n" + text.substr(first, second - first - 2) + text.substr(end));
  CHECK(test::amalthea({"gpu", "run", good}).err.empty());
}

TEST_CASE("gpu run writes every operation as CSV, with the response from its release") {
  const auto run = test::amalthea({"gpu", "run", "--format", "csv", test::sample("gpu/contexts.json")});
  CHECK(run.out.find("operation,kind,context,stream,release_ps,enqueued_ps,start_ps,completion_ps,response_ps,blocks\n") == 0);
  CHECK(run.out.find("\nimage,h2d,vision,a,33000000000,33000000000,33050000000,33450000000,450000000,0\n") !=
        std::string::npos);
  const auto text = test::amalthea({"gpu", "run", test::sample("gpu/contexts.json")}).out;
  CHECK(text.find("release ms") != std::string::npos);
  CHECK(text.find("\nStreams\n") != std::string::npos);
}

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
