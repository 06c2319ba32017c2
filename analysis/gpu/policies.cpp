// SPDX-License-Identifier: Apache-2.0
// A study of GPU policies: which input it has, and what becomes of it.

#include "analysis/gpu/detail/policies.hpp"
#include "analysis/gpu/detail/steps.hpp"
#include "exporter/report/policy_report.hpp"

namespace amalthea::analysis::gpu {

OptionTable options(PolicyStudyRequest& request) {
  return {row("platform", &request.platform, "GPU profile: built-in name or JSON file. Default: that of the input",
              {group::options}, {.takes = "NAME", .file = FileKind::read}),
          row("vary", &request.vary,
              "Policies to vary: slices, priorities, contexts (MPS, too), masks, grids, budgets (of QAWS), order. "
              "Default: all that the input has. May be repeated",
              {group::options},
              {.takes = "POLICY",
               .choices = {slices, priorities, contexts, masks, grids, budgets, order},
               .by_commas = true}),
          row("variants", &request.variants,
              "Variants to judge at most. If there are more, the search goes on from the best", {group::options},
              {.range = Range{1, 100'000}}),
          row("runs", &request.runs, "Simulations of each variant of a model, with random execution times",
              {group::options}, {.range = Range{1, 100'000}}),
          row("seed", &request.seed, "Random seed of these", rare(group::options)),
          row("until", &request.until, "Simulated time of a model, such as 2s (default: hyperperiod)", {group::options},
              {.takes = "TIME"}),
          row("page", &request.page, "Also write an HTML page with distributions and timelines", {group::output},
              {.takes = "FILE", .file = FileKind::written})};
}

Outcome<Answer<exporter::PolicyStudy>> answer(const PolicyStudyRequest& request, const Watch& watch) {
  if (!request.page.empty() && !watch.can_write("", request.page)) return misused("");
  // A folder, or what cannot be read as text, may be a model.
  const auto text = text_of(request.scenario);
  const std::size_t first = text ? text->find_first_not_of(" \t\r\n") : std::string::npos;
  PolicyStudyRequest read = request;
  const bool is_scenario = first != std::string::npos && (*text)[first] == '{';
  if (is_scenario) read.scenario.text = *text;
  auto study = is_scenario ? scenario_study(read, watch) : model_study(request, watch);
  if (!study) return tl::unexpected(study.error());
  std::vector<std::pair<std::string, std::string>> files;
  if (!request.page.empty()) files.emplace_back(request.page, exporter::render_policies_html(*study));
  return Answer<exporter::PolicyStudy>{std::move(*study), true, std::move(files)};
}

}  // namespace amalthea::analysis::gpu
