// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The names of a system in the traces that are written of its simulations, to read traces of it.

#include <optional>

#include "engine/analysis.hpp"
#include "engine/simulation/simulation.hpp"
#include "traces/directory.hpp"

namespace amalthea::exporter {

/// As each format writes them, and as the model has them.
traces::Directory trace_names(const engine::SimulationInput& input);
/// Nothing, with a diagnostic, if the system cannot be simulated with these options.
std::optional<traces::Directory> trace_names(const System& system, const engine::AnalysisOptions& options,
                                             Diagnostics& diagnostics);

}  // namespace amalthea::exporter
