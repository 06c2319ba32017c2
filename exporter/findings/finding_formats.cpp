// SPDX-License-Identifier: Apache-2.0
#include "exporter/findings/finding_formats.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "exporter/findings/excerpts.hpp"
#include "exporter/primitives/junit.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/json_parts.hpp"

namespace amalthea::exporter {
namespace {

constexpr auto formats = std::to_array<FindingFormat>({{"text", render_findings_text},
                                                       {"json", render_findings_json},
                                                       {"sarif", render_findings_sarif},
                                                       {"junit", render_findings_junit},
                                                       {"github", render_findings_github},
                                                       {"codequality", render_findings_codequality}});

}  // namespace

std::span<const FindingFormat> finding_formats() { return formats; }

const FindingFormat* find_finding_format(std::string_view name) {
  for (const FindingFormat& format : formats)
    if (format.name == name) return &format;
  return nullptr;
}

void sort_findings(std::vector<Diagnostic>& findings) {
  const auto key = [](const Diagnostic& finding) {
    return std::tie(finding.location.file, finding.location.line, finding.location.column, finding.id, finding.message);
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
}

std::array<std::size_t, 3> count_findings(const std::vector<Diagnostic>& findings) {
  std::array<std::size_t, 3> counts{};
  for (const Diagnostic& finding : findings) ++counts[static_cast<std::size_t>(finding.severity)];
  return counts;
}

std::string render_findings_text(const FindingView& view) {
  std::string text;
  Excerpts excerpts(view.colour);
  for (const Diagnostic& finding : view.findings)
    text += view.on_terminal ? excerpts.shown(finding) : format(finding) + "\n";
  const auto [notes, warnings, errors] = count_findings(view.findings);
  text += fmt::format("{}, {}, {}", counted(errors, "error"), counted(warnings, "warning"), counted(notes, "note"));
  if (view.suppressed > 0) text += fmt::format("; {} suppressed", view.suppressed);
  return text + "\n";
}

std::string render_findings_json(const FindingView& view) {
  using Json = nlohmann::ordered_json;
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  const auto [notes, warnings, errors] = count_findings(view.findings);
  const Json json = {
      {"schema", findings_schema},
      {"tool", {{"name", tool_name}, {"version", tool_version}}},
      {"model",
       {{"files", view.model.files},
        {"version", text_or_null(view.model.version)},
        {"hash", text_or_null(view.model.hash)}}},
      {"counts", {{"error", errors}, {"warning", warnings}, {"note", notes}, {"suppressed", view.suppressed}}},
      {"findings", findings_json(view.findings)}};
  return written(json);
}

std::string render_findings_junit(const FindingView& view) {
  std::vector<JunitCase> cases;
  for (const Diagnostic& finding : view.findings) {
    JunitCase one;
    one.place = finding.location;
    one.name = finding.location.line != 0
                   ? fmt::format("{} at {}:{}", finding.id, finding.location.line, finding.location.column)
                   : finding.id;
    if (!finding.path.empty()) one.name += " " + finding.path;
    const bool fails = view.fail_on && finding.severity >= *view.fail_on;
    one.outcome = fails ? JunitCase::Outcome::failed : JunitCase::Outcome::passed;
    one.type = finding.id;
    one.text = fmt::format("{}: {}", to_string(finding.severity), finding.message);
    cases.push_back(std::move(one));
  }
  if (cases.empty()) cases.push_back({"no findings", {}, {}, {}, {}});
  return junit_begin() + junit_suite(fmt::format("{}", fmt::join(view.model.files, ", ")), cases) + junit_end();
}

}  // namespace amalthea::exporter
