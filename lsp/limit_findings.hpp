// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Limits that are violated or were not judged as findings, and the places that belong to a finding.

#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/results/results.hpp"
#include "engine/verdict.hpp"

namespace amalthea::lsp {

/// A place beside that of a finding, and what is there.
struct RelatedPlace {
  Origin origin;
  std::string message;
};

/// The findings of SARIF for limits: one for each that is violated or was not judged.
void add_limit_findings(const Model& model, const engine::Assessment& assessment, Diagnostics& findings);

/// The other elements that a finding is about. For a task: the requirements that state its deadline, and the tasks that
/// take most of its longest response, at most five. `results` may be null: not analyzed.
std::vector<RelatedPlace> related_places(const Model& model, const Diagnostic& finding, const System* system,
                                         const engine::Results* results);

/// What to do about a finding: the explanation of its id, in Markdown.
std::string remedy_of(const Diagnostic& finding);
/// The page about it, as in SARIF; "" for an unknown id, and in a build whose pages are nowhere on the web.
std::string page_of(const Diagnostic& finding);

}  // namespace amalthea::lsp
