// SPDX-License-Identifier: Apache-2.0
#include "analysis/validation.hpp"

#include <algorithm>

#include "review/review.hpp"

namespace amalthea::analysis {

OptionTable validation_options(ValidationRequest& request) {
  return {row("fail-on", &request.fail_on, "Lowest severity that makes the exit code 1", {group::findings},
              {.choices = {"error", "warning", "note", "never"}})};
}

std::optional<Severity> failing(const ValidationRequest& request) {
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error})
    if (request.fail_on == to_string(severity)) return severity;
  return std::nullopt;
}

bool validate(const Model& model, const ValidationRequest& request, Diagnostics& findings) {
  review::review_model(model, findings);
  const auto least = failing(request);
  return !least || std::none_of(findings.all().begin(), findings.all().end(),
                                [&](const Diagnostic& finding) { return finding.severity >= *least; });
}

}  // namespace amalthea::analysis
