// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/result_formats.hpp"

#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "exporter/findings/result_findings.hpp"
#include "exporter/primitives/junit.hpp"
#include "exporter/results/results_json.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

JunitCase case_of(const Json& limit) {
  const std::string kind = limit["kind"], name = limit["name"], verdict = limit["verdict"];
  JunitCase one;
  one.name = kind == "deadline" ? "deadline of " + name : kind == "task" ? "task " + name : name;
  if (limit.contains("line")) one.place = {limit["file"], limit["line"], limit["column"]};
  one.outcome = verdict == "missed" || verdict == "unbounded" ? JunitCase::Outcome::failed
                : verdict == "unknown"                        ? JunitCase::Outcome::error
                                                              : JunitCase::Outcome::passed;
  one.type = verdict;
  one.text = fmt::format("{}: {}", verdict, limit["reason"].get<std::string>());
  return one;
}

std::string as_findings(const ResultView& view, std::string (*render)(const FindingView&)) {
  std::error_code error;
  const auto findings =
      findings_of_results(results_json(view), view.model.files.empty() ? "" : view.model.files.front());
  return render({view.model, findings, 0, std::filesystem::current_path(error).string()});
}

constexpr auto all_formats =
    std::to_array<ResultFormat>({{"text", render_text},
                                 {"json", render_json},
                                 {"csv", render_csv},
                                 {"markdown", render_markdown},
                                 {"junit", render_junit, render_findings_junit},
                                 {"github", render_github, render_findings_github},
                                 {"sarif", render_sarif, render_findings_sarif},
                                 {"codequality", render_codequality, render_findings_codequality}});

}  // namespace

std::span<const ResultFormat> result_formats() { return all_formats; }

const ResultFormat* find_result_format(std::string_view name) {
  for (const ResultFormat& format : all_formats)
    if (format.name == name) return &format;
  return nullptr;
}

std::string junit_suite_of(const Json& results, const std::string& file) {
  std::vector<JunitCase> cases;
  std::string assumed;  // what passed cases rest on
  if (const auto assumptions = results.find("assumptions"); assumptions != results.end())
    for (const Json& one : *assumptions)
      assumed += (assumed.empty() ? "; assumed: " : "; ") + one.at("text").get<std::string>();
  if (const auto limits = results.find("limits"); limits != results.end())
    for (const Json& limit : *limits) {
      cases.push_back(case_of(limit));
      if (cases.back().outcome == JunitCase::Outcome::passed) cases.back().text += assumed;
    }
  // Limits include the errors of a model that was analyzed.
  const bool failed = !results.contains("limits");
  for (const Diagnostic& finding : failed ? findings_of_results(results, file) : std::vector<Diagnostic>{}) {
    if (finding.severity != Severity::error) continue;
    JunitCase one{finding.id, finding.location, JunitCase::Outcome::error, finding.id, finding.message};
    if (finding.location.line != 0)
      one.name += fmt::format(" at {}:{}", finding.location.line, finding.location.column);
    cases.push_back(std::move(one));
  }
  if (cases.empty() && failed) cases.push_back({"no errors", {}, {}, {}, {}});
  if (cases.empty()) cases.push_back({"analysis", {}, {}, {}, "the model states no limit"});
  return junit_suite(file, cases);
}

std::string render_junit(const ResultView& view, const RenderOptions&) {
  return junit_begin() + junit_suite_of(results_json(view), fmt::format("{}", fmt::join(view.model.files, ", "))) +
         junit_end();
}

std::string github_commands(const nlohmann::ordered_json& results, const std::string& file) {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  std::string text;
  for (const Diagnostic& finding : findings_of_results(results, file))
    if (finding.severity != Severity::note) text += github_command(finding, file, folder);
  return text;
}

std::string render_sarif(const ResultView& view, const RenderOptions&) {
  return as_findings(view, render_findings_sarif);
}

std::string render_codequality(const ResultView& view, const RenderOptions&) {
  return as_findings(view, render_findings_codequality);
}

std::string render_github(const ResultView& view, const RenderOptions&) {
  return github_commands(results_json(view), view.model.files.empty() ? "" : view.model.files.front());
}

}  // namespace amalthea::exporter
