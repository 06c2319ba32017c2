// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Quick fixes: what a finding proposes with "did you mean".

#include <string>
#include <utility>
#include <vector>

#include "lsp/model_state.hpp"

namespace amalthea::lsp {

struct Fix {
  std::string text;                                    ///< what is written instead
  std::vector<std::pair<Span, std::string>> replaced;  ///< in the bytes of the document
};

/// One fix per suggestion; none if the finding suggests nothing, or if the place does not hold what the finding is about.
std::vector<Fix> fixes_of(const Model& model, const Document& document, const Finding& finding);

}  // namespace amalthea::lsp
