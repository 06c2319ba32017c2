// SPDX-License-Identifier: Apache-2.0
// Findings as workflow commands of GitHub Actions, which shows them beside the lines of the files.

#include <filesystem>
#include <string>

#include <fmt/core.h>

#include "exporter/findings/finding_formats.hpp"

namespace amalthea::exporter {
namespace {

namespace fs = std::filesystem;

/// Percent and line ends end or change a command; in properties colon and comma do, too.
std::string escaped_for_github(std::string_view text, bool property) {
  std::string escaped;
  for (const char c : text)
    if (std::string_view(property ? "%\r\n:," : "%\r\n").find(c) != std::string_view::npos)
      escaped += fmt::format("%{:02X}", static_cast<unsigned>(c));
    else
      escaped += c;
  return escaped;
}

}  // namespace

std::string path_below(const std::string& file, const std::string& folder) {
  const fs::path path = fs::path(file).lexically_normal();
  if (path.is_relative() || folder.empty()) return path.string();
  const fs::path relative = path.lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

std::string github_command(const Diagnostic& finding, const std::string& file_of_others, const std::string& folder) {
  const char* command = finding.severity == Severity::error     ? "error"
                        : finding.severity == Severity::warning ? "warning"
                                                                : "notice";
  std::string properties;
  const std::string& file = finding.location.file.empty() ? file_of_others : finding.location.file;
  if (!file.empty()) properties += fmt::format("file={},", escaped_for_github(path_below(file, folder), true));
  if (finding.location.line != 0)
    properties += fmt::format("line={},col={},", finding.location.line, finding.location.column);
  return fmt::format("::{} {}title={}::{}\n", command, properties, escaped_for_github(finding.id, true),
                     escaped_for_github(finding.message, false));
}

std::string render_findings_github(const FindingView& view) {
  std::string text;
  for (const Diagnostic& finding : view.findings)
    text += github_command(finding, view.model.files.empty() ? "" : view.model.files.front(), view.base_folder);
  return text;
}

}  // namespace amalthea::exporter
