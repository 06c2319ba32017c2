// SPDX-License-Identifier: Apache-2.0
// Figures that a profile of a GPU lacks: pessimistic values that verdicts name, or unknown verdicts.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

using nlohmann::json;

namespace {

std::string first_lines(const std::string& model, const std::string& platform, bool strict = false) {
  std::vector<std::string> command = {"analyze", "-q", test::sample(model), "--platform", platform};
  if (strict) command.emplace_back("--strict");
  return test::amalthea(command).out.substr(0, 400);
}

json tasks_of(const std::string& platform) {
  const auto run = test::amalthea(
      {"analyze", "-q", "--format", "json", test::sample("tutorial/5-shared-gpu.amxmi"), "--platform", platform});
  return json::parse(run.out)["tasks"];
}

}  // namespace

TEST_CASE(
    "a guarantee that rests on pessimistic figures of a profile says so in its first lines, and --strict withholds "
    "it") {
  CHECK_THAT(first_lines("offload-minimal.amxmi", "orin"),
             Catch::StartsWith("Verdict: guaranteed under 1 assumption. 2 guaranteed\n"
                               "Assumed: figures that are not published for a GPU have pessimistic values\n"));
  CHECK_THAT(first_lines("offload-minimal.amxmi", "orin", true),
             Catch::StartsWith("Verdict: unknown.") && Catch::Contains("AM0595"));
  // Time slices have no pessimistic value.
  CHECK_THAT(first_lines("tutorial/5-shared-gpu.amxmi", "orin"), Catch::Contains("not judged: AM0590"));
  CHECK_THAT(first_lines("tutorial/5-shared-gpu.amxmi", "xavier"),
             !Catch::Contains("AM0590") && Catch::Contains("Assumed: "));
  // CPUs may slow down copies, even if one job has the GPU to itself; other figures do not matter then.
  CHECK_THAT(first_lines("offload-minimal.amxmi", "a100"), Catch::Contains("not judged: AM0590"));
  CHECK_THAT(first_lines("offload-minimal.amxmi", "pegasus"),
             Catch::StartsWith("Verdict: guaranteed under 2 assumptions. 2 guaranteed\n"));
  CHECK_THAT(first_lines("tutorial/5-shared-gpu.amxmi", "pegasus"), Catch::Contains("not judged: AM0590"));
}

TEST_CASE("a slowdown that a profile leaves out is an assumption of the verdicts that depend on it") {
  const test::TemporaryFolder folder;
  json profile = json::parse(test::read_text(AMALTHEA_SOURCE_DIR "/engine/gpu/platforms/tx2.json"));
  profile["kernel_slowdown_by_same_sm"] = {{"value", 1}, {"source", "example"}};  // the only one that is not in it
  const std::string own = folder.path() + "/own.json";
  const auto said_without = [&](const char* figure, const std::string& model) {
    json without = profile;
    without.erase(figure);
    test::write_text(own, without.dump());
    return test::amalthea({"analyze", test::sample(model), "--platform", own});
  };
  const auto copies = said_without("copy_slowdown_by_cpu", "offload-minimal.amxmi");
  CHECK_THAT(copies.out, Catch::StartsWith("Verdict: guaranteed under 1 assumption. 2 guaranteed\n"
                                           "Assumed: nothing slows down copies or kernels of a GPU where its profile "
                                           "has no figure\n"));
  CHECK_THAT(copies.err, Catch::Contains("has no values for copy_slowdown_by_cpu; no slowdown is assumed"));
  // One stream has no other kernels beside it, streams of one context have.
  CHECK_THAT(said_without("kernel_slowdown_by_same_gpc", "offload-minimal.amxmi").out,
             Catch::StartsWith("Verdict: guaranteed. 2 guaranteed\n"));
  CHECK_THAT(said_without("kernel_slowdown_by_same_gpc", "offload-blocks.amxmi").out,
             Catch::Contains("under 1 assumption"));
  // Blocks of different kernels can be on one SM there, but not where a kernel has the whole GPU.
  CHECK_THAT(said_without("kernel_slowdown_by_same_sm", "offload-blocks.amxmi").out,
             Catch::Contains("under 1 assumption"));
  CHECK_THAT(said_without("kernel_slowdown_by_same_sm", "offload-minimal.amxmi").out,
             Catch::StartsWith("Verdict: guaranteed. 2 guaranteed\n"));
  CHECK_THAT(test::amalthea({"analyze", test::sample("offload-blocks.amxmi")}).out,
             Catch::StartsWith("Verdict: guaranteed under 1 assumption. 3 guaranteed\n"));
  CHECK_THAT(said_without("l2_cache", "offload-blocks.amxmi").out, !Catch::Contains("under 1 assumption"));
}

TEST_CASE("the figures that the profile of Orin assumes make bounds larger than placeholders do, none smaller") {
  const test::TemporaryFolder folder;
  json profile = json::parse(test::read_text(AMALTHEA_SOURCE_DIR "/engine/gpu/platforms/orin.json"));
  for (const auto& figure : profile["assumed"])
    profile[figure.get<std::string>()]["value"] = figure == "context_switch_us" ? 0 : 1;
  const std::string placeholders = folder.path() + "/orin.json";
  test::write_text(placeholders, profile.dump());
  const json assumed = tasks_of("orin"), optimistic = tasks_of(placeholders);
  REQUIRE(assumed.size() == optimistic.size());
  std::size_t larger = 0;
  for (std::size_t i = 0; i < assumed.size(); ++i) {
    const json &bound = assumed[i]["bound"]["wcrt_ps"], &least = optimistic[i]["bound"]["wcrt_ps"];
    if (bound.is_null()) continue;
    REQUIRE_FALSE(least.is_null());
    CHECK(bound.get<std::int64_t>() >= least.get<std::int64_t>());
    larger += bound > least ? 1 : 0;
  }
  CHECK(larger > 0);
}

TEST_CASE("gpu run names figures that are assumed where operations may overlap") {
  const auto shared = test::amalthea({"gpu", "run", test::sample("gpu/launch-order.json"), "--platform", "orin"});
  CHECK_THAT(shared.err, Catch::Contains("pessimistic values are assumed") && !Catch::Contains("placeholders"));
  const auto contexts = test::amalthea({"gpu", "run", test::sample("gpu/contexts.json"), "--platform", "orin"});
  CHECK_THAT(contexts.err,
             Catch::Contains("pessimistic values are assumed") && Catch::Contains("placeholders are used"));
  const auto known = test::amalthea({"gpu", "run", test::sample("gpu/launch-order.json"), "--platform", "tx2"});
  CHECK_THAT(known.err, !Catch::Contains("published"));
}
