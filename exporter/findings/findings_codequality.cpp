// SPDX-License-Identifier: Apache-2.0
// Findings as a Code Quality report of GitLab, which shows them in merge requests of every tier: the part of the format
// of Code Climate that GitLab reads.

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "exporter/findings/finding_formats.hpp"
#include "exporter/findings/fingerprints.hpp"

namespace amalthea::exporter {
namespace {

std::string_view severity_name(Severity severity) {
  return severity == Severity::error ? "critical" : severity == Severity::warning ? "minor" : "info";
}

}  // namespace

std::string render_findings_codequality(const FindingView& view) {
  using Json = nlohmann::ordered_json;
  Json report = Json::array();
  Fingerprints fingerprints;
  for (const Diagnostic& finding : view.findings) {
    std::string file = finding.location.file;
    if (file.empty() && !view.model.files.empty()) file = view.model.files.front();
    // GitLab leaves out what has no place. What concerns a whole file is shown at its first line.
    if (file.empty()) file = "-";
    report.push_back({{"description", finding.message},
                      {"check_name", finding.id},
                      {"fingerprint", fingerprints.next(finding)},
                      {"severity", severity_name(finding.severity)},
                      {"location",
                       {{"path", path_below(file, view.base_folder)},
                        {"lines", {{"begin", std::max(finding.location.line, std::uint32_t{1})}}}}}});
  }
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace amalthea::exporter
