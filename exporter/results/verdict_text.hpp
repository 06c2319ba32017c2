// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The verdict on a model, common to all outputs: its sentence, assumptions and replacements; as lines and as JSON.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/verdict.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {

/// "Verdict: missed. 2 missed: SFM, Planner; 1 unknown: requirement "load"; 4 met; 3 guaranteed".
std::string verdict_sentence(const engine::Assessment& assessment);
/// The color for good only for met and guaranteed models with limits.
Colour colour_of(const engine::Assessment& assessment);
/// For the verdict on one task.
Colour colour_of(engine::Verdict verdict);

struct VerdictLine {
  std::string text;
  Colour colour = Colour::none;
};
/// The beginning of every text: the sentence, then a line for each assumption and replacement.
std::vector<VerdictLine> verdict_lines(const engine::Assessment& assessment);

/// "offsets", "ties" and "losses" of what a guarantee covers.
nlohmann::ordered_json coverage_json(const engine::Coverage& coverage);
/// Sets "verdict", "summary", "counts", "limits", "assumptions", "replaced" (docs/reference/json.md).
void add_verdict(nlohmann::ordered_json& json, const engine::Assessment& assessment);

}  // namespace amalthea::exporter
