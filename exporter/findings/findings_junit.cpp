// SPDX-License-Identifier: Apache-2.0
// Findings as JUnit XML: one test case per finding, which fails if its severity does, or one that passed.

#include <fmt/core.h>

#include "exporter/findings/finding_formats.hpp"
#include "exporter/primitives/junit.hpp"

namespace amalthea::exporter {

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
  std::string name;
  for (const std::string& file : view.model.files) name += (name.empty() ? "" : ", ") + file;
  return junit_begin() + junit_suite(name, cases) + junit_end();
}

}  // namespace amalthea::exporter
