// SPDX-License-Identifier: Apache-2.0
// Results as JUnit XML: a test case for every limit, or for every error of a model without an analysis.

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/findings/result_findings.hpp"
#include "exporter/primitives/junit.hpp"
#include "exporter/results/result_formats.hpp"
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

}  // namespace

std::string junit_suite_of(const Json& results, const std::string& file) {
  std::vector<JunitCase> cases;
  if (const auto limits = results.find("limits"); limits != results.end())
    for (const Json& limit : *limits) cases.push_back(case_of(limit));
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
  std::string name;
  for (const std::string& file : view.model.files) name += (name.empty() ? "" : ", ") + file;
  return junit_begin() + junit_suite_of(results_json(view), name) + junit_end();
}

}  // namespace amalthea::exporter
