// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Output formats of findings, by name. A new format is one line in finding_formats.cpp.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// Name of the JSON schema of findings (docs/reference/results.md).
inline constexpr std::string_view findings_schema = "amalthea-findings/1";

struct FindingView {
  const ModelInfo& model;  ///< version and hash are empty if no model could be read
  const std::vector<Diagnostic>& findings;
  std::size_t suppressed = 0;  ///< number of findings hidden on request
  /// Absolute path; SARIF and pipelines name files below it relative to it, SARIF others by a file: URI. "" keeps paths
  /// as given.
  std::string base_folder;
  std::optional<Severity> fail_on = Severity::error;  ///< lowest severity that fails; nothing: none does
  bool on_terminal = false;                           ///< text shows the lines that findings are about
  bool colour = false;                                ///< in these
};

struct FindingFormat {
  std::string_view name;
  std::string (*render)(const FindingView&);
};

std::span<const FindingFormat> finding_formats();
/// Null if there is no such format.
const FindingFormat* find_finding_format(std::string_view name);

/// One finding per line, then the totals.
std::string render_findings_text(const FindingView&);
/// The schema `amalthea-findings/1`.
std::string render_findings_json(const FindingView&);
/// SARIF 2.1.0, for code scanning and editors. Fingerprints are independent of line numbers.
std::string render_findings_sarif(const FindingView&);

/// JUnit XML: one test case per finding, which fails from `fail_on` on.
std::string render_findings_junit(const FindingView&);
/// Workflow commands of GitHub Actions: "::error file=…,line=…,col=…,title=AM0203::message".
std::string render_findings_github(const FindingView&);
/// A Code Quality report of GitLab.
std::string render_findings_codequality(const FindingView&);
/// Relative to the folder if it is below it: pipelines know files by their path in the repository.
std::string path_below(const std::string& file, const std::string& folder);
/// One workflow command. `file` is that of findings without a file; paths below `folder` are relative to it.
std::string github_command(const Diagnostic& finding, const std::string& file, const std::string& folder);

/// By file, line, column, id and message.
void sort_findings(std::vector<Diagnostic>& findings);

/// Number of findings by severity.
std::array<std::size_t, 3> count_findings(const std::vector<Diagnostic>& findings);

}  // namespace amalthea::exporter
