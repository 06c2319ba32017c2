// SPDX-License-Identifier: Apache-2.0
// Models whose causes are known: samples, and models of others.

#include <string>

#include <catch2/catch.hpp>

#include "analysis/diagnosis.hpp"
#include "analysis/request.hpp"
#include "tests/support/test_models.hpp"

namespace known_models_test {

using namespace amalthea;

namespace {

exporter::Causes causes_of(const std::string& file) {
  Diagnostics findings;
  const auto model = analysis::read({file}, {}, findings);
  REQUIRE(model);
  const auto found = analysis::analyze(*model, *analysis::resolve({}), findings);
  REQUIRE(found);
  return analysis::diagnose(found->system, found->analysis, found->results, findings);
}

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("a model whose limits are all guaranteed has no causes") {
  const exporter::Causes causes = causes_of(test::sample("tutorial/6-repaired.amxmi"));
  CHECK(causes.all.empty());
  CHECK(causes.analyses == 0);
}

TEST_CASE("the causes of the tutorial's models are who takes the core and who takes the GPU") {
  const auto core = cause_lines(causes_of(test::sample("tutorial/2-missed-deadline.amxmi")));
  REQUIRE(core.size() == 1);
  CHECK_THAT(core[0], Contains("Detection takes 40 ms, 7 ms more than its deadline") && Contains("Steering 12 ms"));
  const auto gpu = cause_lines(causes_of(test::sample("tutorial/5-shared-gpu.amxmi")));
  REQUIRE(gpu.size() == 1);
  CHECK_THAT(gpu[0], Contains("time slice of Localization_on_GPU") && Contains("1 problem becomes 0"));
}

TEST_CASE("the causes of the WATERS sample are an overloaded core and a task that needs too long alone") {
  const auto lines = cause_lines(causes_of(test::sample("waters2019-tx2.amxmi")));
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines[0], Contains("core Core1 needs 111.6 %: Lane_detection 64.4 %, PRE_SFM_gpu_POST 47.2 %"));
  CHECK_THAT(lines[1], Contains("Planner needs 12.598 ms alone") && Contains("no core is fast enough"));
}

TEST_CASE("the first causes of models of others are the ones that an engineer found in them") {
  const auto swapped = cause_lines(causes_of(test::corpus_folder("/mobstr/2.0.0") + "/mobstr.amxmi"));
  CHECK_THAT(swapped.at(0),
             Contains("exchange the deadlines of PRE_Lane_detection_gpu_POST and PRE_Detection_gpu_POST"));
  const auto brakes = cause_lines(causes_of(test::corpus_folder("/amaltheatorcm/0.9.7") + "/NXP_MPC5744P_BBW.amxmi"));
  REQUIRE(brakes.size() == 1);
  CHECK_THAT(brakes[0], Contains("minimum = maximum") && Contains("4 problems become 0"));
  const auto car = cause_lines(causes_of(test::corpus_folder("/amaltheatorcm/0.9.7") + "/democar.amxmi"));
  CHECK_THAT(car.at(0), Contains("core Core_1 needs 244.2 %: Task_10MS 145.2 %"));
  CHECK_THAT(car.at(1), Contains("Task_10MS needs 14.52 ms alone, 4.52 ms more than its deadline of 10 ms"));
}

}  // namespace known_models_test
