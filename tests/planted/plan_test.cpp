// SPDX-License-Identifier: Apache-2.0
// Plans for samples and for models of others, and whether the analysis of the changed model agrees.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analysis/plan.hpp"
#include "analysis/request.hpp"
#include "exporter/primitives/splice.hpp"
#include "exporter/rewriting/remapping.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/test_models.hpp"

namespace plan_test {

using namespace amalthea;
using exporter::PlanStep;

namespace {

struct Found {
  exporter::Plan plan;
  engine::Assessment mapped;     ///< of the system with the changes of the mapping
  engine::Assessment rewritten;  ///< of the file with them
};

Found plan_of(const std::string& file) {
  Diagnostics findings;
  const auto model = analysis::read({file}, {}, findings);
  REQUIRE(model);
  const auto analyzed = analysis::analyze(*model, *analysis::resolve({}), findings);
  REQUIRE(analyzed);
  const auto planned =
      analysis::plan(*model, {}, *analyzed, analyzed->results,
                     analysis::diagnose_and_correct(analyzed->system, analyzed->analysis, analyzed->results, findings));
  REQUIRE(planned);
  Found found{planned->plan, {}, {}};
  Diagnostics ignored;
  const auto results = engine::analyze(planned->mapped, analyzed->analysis, ignored);
  REQUIRE(results);
  found.mapped = engine::assess(planned->mapped, *results, {});
  const auto splices = exporter::remap(*model, analyzed->system, planned->mapped, ignored);
  REQUIRE(splices);
  const Document& document = *model->documents().front();
  const auto changed =
      importer::read_model_from_bytes(document.source().path(), exporter::apply(document, *splices), {}, ignored);
  REQUIRE(changed);
  const auto again = analysis::analyze(*changed, *analysis::resolve({}), ignored);
  REQUIRE(again);
  found.rewritten = engine::assess(again->system, again->results, {});
  return found;
}

/// A text that is in one of the steps.
bool has_step(const exporter::Plan& plan, PlanStep::Kind kind, const std::string& text) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) {
    return step.kind == kind && step.text.find(text) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("a model whose limits are all guaranteed needs no plan") {
  const Found found = plan_of(test::sample("tutorial/6-repaired.amxmi"));
  CHECK(found.plan.steps.empty());
  CHECK(found.plan.rest.empty());
  CHECK(plan_lines(found.plan).empty());
}

TEST_CASE("a plan shortens what no mapping can repair and says by how much") {
  const exporter::Plan plan = plan_of(test::sample("tutorial/2-missed-deadline.amxmi")).plan;
  REQUIRE(plan.steps.size() == 1);
  CHECK(plan.steps[0].kind == PlanStep::Kind::shorter);
  CHECK(plan.steps[0].text == "Detection: 25 % fewer ticks");
  CHECK(plan.steps[0].mended == std::vector<std::string>{"Detection"});
  CHECK(plan.after() == exporter::Problems{});
  const auto json = plan_json(plan);
  CHECK(json["steps"][0]["kind"] == "shorter");
  CHECK(json["steps"][0]["with"]["failing"] == 0);
}

TEST_CASE("a plan moves tasks of the WATERS sample and the rewritten file has the verdicts that it promises") {
  const Found found = plan_of(test::sample("waters2019-tx2.amxmi"));
  CHECK(found.plan.after() == exporter::Problems{});
  CHECK(has_step(found.plan, PlanStep::Kind::shorter, "Planner: 5 % fewer ticks"));
  CHECK(std::any_of(found.plan.steps.begin(), found.plan.steps.end(),
                    [](const PlanStep& step) { return step.kind == PlanStep::Kind::change; }));
  CHECK(found.rewritten.counts == found.mapped.counts);
}

TEST_CASE("plans for models of others begin with the mistake that an engineer found in them") {
  const Found brakes = plan_of(test::corpus_folder("/amaltheatorcm/0.9.7") + "/NXP_MPC5744P_BBW.amxmi");
  REQUIRE(brakes.plan.steps.size() == 2);
  CHECK(brakes.plan.steps[0].kind == PlanStep::Kind::mistake);
  CHECK(brakes.plan.steps[1].kind == PlanStep::Kind::change);
  CHECK(brakes.plan.after() == exporter::Problems{});
  CHECK(brakes.rewritten.counts == brakes.mapped.counts);
  const exporter::Plan car = plan_of(test::corpus_folder("/amaltheatorcm/0.9.7") + "/democar.amxmi").plan;
  CHECK(car.after().failing == 1);
  REQUIRE(car.rest.size() == 1);
  CHECK(car.rest[0].limit == "Task_10MS");
  const exporter::Plan swapped = plan_of(test::corpus_folder("/mobstr/2.0.0") + "/mobstr.amxmi").plan;
  CHECK(has_step(swapped, PlanStep::Kind::finding, "AM0525"));
  CHECK(has_step(swapped, PlanStep::Kind::mistake, "deadline"));
  CHECK(swapped.after().failing <= 1);
}

}  // namespace plan_test
