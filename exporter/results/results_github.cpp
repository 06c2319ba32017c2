// SPDX-License-Identifier: Apache-2.0
// Limits that are violated or were not judged, errors and warnings, as workflow commands of GitHub Actions.

#include <filesystem>

#include <nlohmann/json.hpp>

#include "exporter/findings/finding_formats.hpp"
#include "exporter/findings/result_findings.hpp"
#include "exporter/results/result_formats.hpp"
#include "exporter/results/results_json.hpp"

namespace amalthea::exporter {

std::string github_commands(const nlohmann::ordered_json& results, const std::string& file) {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  std::string text;
  for (const Diagnostic& finding : findings_of_results(results, file))
    if (finding.severity != Severity::note) text += github_command(finding, file, folder);
  return text;
}

std::string render_github(const ResultView& view, const RenderOptions&) {
  return github_commands(results_json(view), view.model.files.empty() ? "" : view.model.files.front());
}

}  // namespace amalthea::exporter
