// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text and JSON of many runs of the simulation (docs/reference/simulation.md).

#include <string>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/many_runs.hpp"
#include "engine/witness.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// Name of the schema.
inline constexpr std::string_view runs_schema = "amalthea-runs/1";

struct RunsView {
  const ModelInfo& model;
  const System& system;
  const engine::ManyRuns& runs;
  const Diagnostics& findings;
  const engine::Witness* witness = nullptr;  ///< if `runs` is one run with its releases
};

/// For people: tables of response times, longest jobs, resources and chains.
std::string render_runs_text(const RunsView& view, bool colour);
/// One object, with a line end.
std::string render_runs_json(const RunsView& view);

}  // namespace amalthea::exporter
