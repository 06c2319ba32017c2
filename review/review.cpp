// SPDX-License-Identifier: Apache-2.0
#include "review/review.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_set>

#include <fmt/core.h>

#include "engine/finding_consequences.hpp"
#include "importer/reading/conformance.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

using FindingPosition = std::tuple<std::string, std::uint32_t, std::uint32_t>;

FindingPosition position_of(const Diagnostic& finding) {
  return {finding.location.file, finding.location.line, finding.location.column};
}

bool is_error_at_place(const Diagnostic& finding) {
  return finding.severity == Severity::error && finding.location.line != 0;
}

/// Building also reports values that the metamodel does not allow and that are already reported. Missing content that
/// building reports is not reported for the metamodel as well. `known`: findings of reading, followed by those of the
/// metamodel check.
void add_each_cause_once(const Diagnostics& known, const Diagnostics& building, Diagnostics& diagnostics) {
  std::set<FindingPosition> explained, missing;
  for (const Diagnostic& finding : known.all())
    if (is_error_at_place(finding)) explained.insert(position_of(finding));
  for (const Diagnostic& finding : building.all())
    if (is_error_at_place(finding)) missing.insert(position_of(finding));
  const auto add = [&](const Diagnostic& finding) {
    diagnostics.add(finding.id, finding.severity, finding.message, finding.location, finding.path, finding.count,
                    finding.elements);
  };
  for (std::size_t i = diagnostics.all().size(); i < known.all().size(); ++i)
    if (const Diagnostic& finding = known.all()[i];
        (finding.id != importer::missing_feature_id && finding.id != importer::missing_timing_feature_id) ||
        !missing.contains(position_of(finding)))
      add(finding);
  for (const Diagnostic& finding : building.all())
    if (!explained.contains(position_of(finding))) add(finding);
}

}  // namespace

std::optional<System> build_checked(const Model& model, importer::BuildOptions options, Diagnostics& diagnostics,
                                    std::size_t most) {
  Diagnostics known = diagnostics, building;
  importer::check_conformance(model, known, most);
  options.reported = &known;
  auto system = importer::build_system(model, options, building);
  add_each_cause_once(known, building, diagnostics);
  return system;
}

void review_model(const Model& model, Diagnostics& diagnostics) {
  importer::BuildOptions build;
  build.flow = false;
  const auto system = build_checked(model, std::move(build), diagnostics);
  apply_rules(model, system ? &*system : nullptr, diagnostics);
}

void apply_rules(const Model& model, const System* system, Diagnostics& diagnostics, std::size_t most) {
  std::unordered_set<std::string> reported;
  for (const Diagnostic& finding : diagnostics.all()) reported.insert(finding.path);
  const Facts facts(model);
  const Context context{model, facts, system};
  for (const Rule& rule : rules()) {
    // Findings that count are all listed: each leaves something else open.
    const auto consequences = engine::finding_consequences();
    const bool counts =
        std::any_of(consequences.begin(), consequences.end(), [&](const auto& entry) { return entry.id == rule.id; });
    Report report(rule, model, reported, diagnostics, counts ? many : most);
    try {
      rule.check(context, report);
    } catch (const std::overflow_error&) {
      // Overflow of times: an analysis reports it, and no rule can judge them.
    }
    if (report.unlisted() > 0)
      diagnostics.add("AM0699", Severity::note,
                      fmt::format("{} more findings of {} ({}) are not listed{}", report.unlisted(), rule.id,
                                  rule.title, most < many ? "; amalthea validate lists more" : ""));
  }
}

}  // namespace amalthea::review
