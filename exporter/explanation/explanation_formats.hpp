// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The story of a task's longest job, as text, as JSON (schema `amalthea-explanation/1`, docs/reference/results.md) and as a
/// picture.

#include <string>
#include <vector>

#include "engine/explanation.hpp"
#include "engine/what_if.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// Verdict, story, what it adds up to, the bound and what that adds up to, what would change that.
std::string render_explanation_text(const ResultView& view, const engine::Explanation& explanation,
                                    const std::vector<engine::WhatIf>& tried, bool colour);
std::string render_explanation_json(const ResultView& view, const engine::Explanation& explanation,
                                    const std::vector<engine::WhatIf>& tried);
/// The job's own row above those of the cores and GPUs that it had to do with, over the time from its release to its
/// completion, as an SVG file.
std::string render_explanation_svg(const ResultView& view, const engine::Explanation& explanation);

/// One stretch of the story: intervals one after the other that are told alike.
struct Phase {
  Instant from;
  Instant to;
  std::string text;  ///< "runs Lane_detection on Denver1", "ready, but Denver1 runs SFM", …
  engine::ProcessState state = engine::ProcessState::active;
  engine::ContributionKind kind = engine::ContributionKind::execution;
};
std::vector<Phase> phases_of(const System& system, const engine::Explanation& explanation);

}  // namespace amalthea::exporter
