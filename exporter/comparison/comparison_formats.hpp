// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Measured traces beside the model, as text, Markdown and JSON (docs/reference/compare.md).

#include <string>
#include <string_view>

#include "engine/many_runs.hpp"
#include "exporter/results/result_view.hpp"
#include "traces/comparison.hpp"

namespace amalthea::exporter {

/// Name of the schema (docs/comparison.schema.json).
inline constexpr std::string_view comparison_schema = "amalthea-comparison/1";

struct ComparisonView {
  const ModelInfo& model;
  const System& system;
  const traces::Comparison& measured;
  const engine::Results* bounds = nullptr;      ///< of an analysis; may be null
  const engine::ManyRuns* simulated = nullptr;  ///< may be null
  const Diagnostics& findings;
};

std::string render_comparison_text(const ComparisonView& view, bool colour);
std::string render_comparison_markdown(const ComparisonView& view);
/// One object, with a line end.
std::string render_comparison_json(const ComparisonView& view);

/// What a trace contains, without a model: the names with the most events first.
std::string render_listed_trace(const traces::ListedTrace& listed, bool markdown, bool colour);

}  // namespace amalthea::exporter
