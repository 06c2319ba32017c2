// SPDX-License-Identifier: Apache-2.0
// Shapes of execution times, from the model to the system.

#include <string>
#include <string_view>
#include <variant>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"

namespace building_varying_ticks_test {

using namespace amalthea;

namespace {

constexpr std::string_view stated =
    "<default xsi:type=\"am:DiscreteValueStatistics\" lowerBound=\"400000\" upperBound=\"600000\" "
    "average=\"500000.0\"/>";

/// Of the sample's first ticks, with this deviation instead of its own.
Cycles cycles_with(std::string_view deviation) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      test::replaced(test::read_text(test::sample("offload-minimal.amxmi")), stated, deviation), diagnostics);
  const auto system = importer::build_system(model, {}, diagnostics);
  REQUIRE(system.has_value());
  for (NodeIndex node = 0; node < system->graph.size(); ++node)
    if (const auto* compute = std::get_if<Compute>(&system->graph[node].activity))
      if (compute->ticks.otherwise && compute->ticks.otherwise->lower == 1000) return *compute->ticks.otherwise;
  FAIL("there are no such ticks");
  return {};
}

template <typename S>
S shape_with(std::string_view kind, std::string_view attributes) {
  const Cycles cycles = cycles_with(fmt::format(
      "<default xsi:type=\"am:DiscreteValue{}\" lowerBound=\"1000\" upperBound=\"9000\" {}/>", kind, attributes));
  REQUIRE(cycles.upper == 9000);
  REQUIRE(cycles.shape != nullptr);
  return std::get<S>(*cycles.shape);
}

}  // namespace

TEST_CASE("ticks keep the shape of their distribution") {
  CHECK(shape_with<GaussShape>("GaussDistribution", "mean=\"5000.0\" sd=\"300.0\"") == GaussShape{5000, 300});
  CHECK(shape_with<BetaShape>("BetaDistribution", "alpha=\"2.0\" beta=\"5.0\"") == BetaShape{2, 5});
  CHECK(shape_with<CornerShape>("Boundaries", "samplingType=\"CornerCase\"") == CornerShape{0.5});
  CHECK(shape_with<CornerShape>("Boundaries", "samplingType=\"WorstCase\"") == CornerShape{1});
  CHECK(shape_with<AverageShape>("Boundaries", "samplingType=\"AverageCase\"") == AverageShape{});
  CHECK(shape_with<WeibullShape>("WeibullEstimatorsDistribution", "average=\"3000.0\" pRemainPromille=\"1.0\"").scale >
        0);
}

TEST_CASE("uniform ticks need no shape") {
  CHECK(cycles_with(
            "<default xsi:type=\"am:DiscreteValueUniformDistribution\" lowerBound=\"1000\" upperBound=\"2000\"/>") ==
        Cycles{1000, 1500, 2000});
}

}  // namespace building_varying_ticks_test
