// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Fixes: what a finding proposes with "did you mean".

#include <string>
#include <utility>
#include <vector>

#include "exporter/primitives/splice.hpp"
#include "lsp/model_state.hpp"

namespace amalthea::lsp {

struct Fix {
  std::string text;                                    ///< what is written instead
  std::vector<std::pair<Span, std::string>> replaced;  ///< in the bytes of the document
};

/// One fix per suggestion; none if the finding suggests nothing, or if the place does not hold what the finding is about.
std::vector<Fix> fixes_of(const Model& model, const Document& document, const Finding& finding);

struct SafeFixes {
  /// Findings, and what is written instead. An exchanged deadline has a place only.
  std::vector<std::pair<Diagnostic, std::string>> fixed;
  exporter::ModelSplices splices;
};

/// Those of findings with one suggestion that leaves no doubt: a spelling mistake, or a missing type. A name with
/// another number or another single letter ("Core1" for "Core0") may be meant as it is.
SafeFixes safe_fixes(const Model& model, const Diagnostics& findings);

/// Exchanges the values of deadlines that look swapped.
void exchange_swapped_deadlines(const Model& model, SafeFixes& safe);

}  // namespace amalthea::lsp
