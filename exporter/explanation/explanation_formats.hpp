// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The explanation of a task's longest job as text, as JSON (schema `amalthea-explanation/1`,
/// docs/reference/results.md) and as a drawing.

#include <optional>
#include <string>
#include <vector>

#include "engine/explanation.hpp"
#include "engine/what_if.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// What was asked for, if it is not the explained task itself.
struct Asked {
  std::string runnable;  ///< the name of a runnable that the explained task executes; "": a task
  /// A limit that was asked for, its verdict, and how the explained task takes part in it, one line each; empty: none.
  std::vector<std::string> about;
  std::optional<TaskIndex> wrapper;  ///< of a device task: the task that triggers it and waits for it
};

/// Verdict, course of the job, its parts, the bound and its parts, possible improvements.
std::string render_explanation_text(const ResultView& view, const Asked& asked, const engine::Explanation& explanation,
                                    const engine::WhatIfs& tried, bool colour);
/// For a task without a job to explain, for the reason `why`: verdict, bound, possible improvements.
std::string render_without_job_text(const ResultView& view, const Asked& asked, TaskIndex task, const std::string& why,
                                    const engine::WhatIfs& tried, bool colour);
std::string render_explanation_json(const ResultView& view, const Asked& asked, const engine::Explanation& explanation,
                                    const engine::WhatIfs& tried);
/// The job's own row above the rows of the cores and GPUs that it used, from its release to its completion, as an SVG
/// file.
std::string render_explanation_svg(const ResultView& view, const engine::Explanation& explanation);

/// Consecutive intervals with the same description.
struct Phase {
  Instant from;
  Instant to;
  std::string text;  ///< "runs Lane_detection on Denver1", "ready, but Denver1 runs SFM", …
  engine::ProcessState state = engine::ProcessState::active;
  engine::ContributionKind kind = engine::ContributionKind::execution;
};
std::vector<Phase> phases_of(const System& system, const engine::Explanation& explanation);

}  // namespace amalthea::exporter
