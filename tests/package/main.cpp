// SPDX-License-Identifier: Apache-2.0
// `amalthea analyze MODEL…` with the installed library (docs/library.md).

#include <cstdio>
#include <string>

#include <analysis/diagnosis.hpp>
#include <analysis/model_analysis.hpp>
#include <exporter/results/result_formats.hpp>

int main(int argc, char** argv) {
  using namespace amalthea;
  const analysis::Options options;
  const auto found = analysis::analyze({argv + 1, argv + argc}, options);
  const Diagnostics& findings = found ? found->findings : found.error().findings;
  for (const Diagnostic& finding : findings.all()) std::fprintf(stderr, "%s\n", format(finding).c_str());
  if (!found) return found.error().failure.kind == analysis::Failure::Kind::refused ? 1 : 2;

  const exporter::ModelInfo model = exporter::model_info(found->model);
  const exporter::Causes causes = analysis::diagnose(found->system, options.engine, found->results, findings);
  exporter::ResultView view{model, found->system, found->results, findings};
  view.causes = &causes;
  std::fputs(exporter::render_text(view, {}).c_str(), stdout);
  const engine::OverallVerdict verdict = found->assessment.verdict;
  return verdict >= engine::OverallVerdict::unbounded ? 1 : verdict == engine::OverallVerdict::unknown ? 4 : 0;
}
