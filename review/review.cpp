#include "review/review.hpp"

#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_set>

#include <fmt/core.h>

#include "importer/conformance.hpp"
#include "review/rules.hpp"

namespace amalthea::review {
namespace {

using Place = std::tuple<std::string, std::uint32_t, std::uint32_t>;

Place place_of(const Diagnostic& finding) {
  return {finding.location.file, finding.location.line, finding.location.column};
}

/// Building stumbles over values that the metamodel does not allow; that they are wrong has been said then.
void add_unless_explained(const Diagnostics& building, Diagnostics& diagnostics) {
  std::set<Place> explained;
  for (const Diagnostic& finding : diagnostics.all())
    if (finding.severity == Severity::error && finding.location.line != 0) explained.insert(place_of(finding));
  for (const Diagnostic& finding : building.all())
    if (explained.count(place_of(finding)) == 0)
      diagnostics.add(finding.id, finding.severity, finding.message, finding.location, finding.path, finding.count);
}

}  // namespace

std::optional<System> build_checked(const Model& model, const importer::BuildOptions& options, Diagnostics& diagnostics,
                                    std::size_t most) {
  importer::check_conformance(model, diagnostics, most);
  Diagnostics building;
  auto system = importer::build_system(model, options, building);
  add_unless_explained(building, diagnostics);
  return system;
}

void review_model(const Model& model, Diagnostics& diagnostics) {
  const auto system = build_checked(model, {}, diagnostics);
  apply_rules(model, system ? &*system : nullptr, diagnostics);
}

void apply_rules(const Model& model, const System* system, Diagnostics& diagnostics, std::size_t most) {
  std::unordered_set<std::string> told;
  for (const Diagnostic& finding : diagnostics.all()) told.insert(finding.path);
  const Facts facts(model);
  const Context context{model, facts, system};
  for (const Rule& rule : rules()) {
    Report report(rule, told, diagnostics, most);
    try {
      rule.check(context, report);
    } catch (const std::overflow_error&) {
      // Times that cannot be added up; nothing can be said about them, and an analysis says so.
    }
    if (report.unlisted() > 0)
      diagnostics.add("AM0699", Severity::note,
                      fmt::format("{} more findings of {} ({}) are not listed{}", report.unlisted(), rule.id,
                                  rule.title, most < many ? "; amalthea validate lists more" : ""));
  }
}

}  // namespace amalthea::review
