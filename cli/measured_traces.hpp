// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// MODEL, TRACE… and the options that say how both are read, for the verbs that read measurements.

#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <tl/expected.hpp>

#include "cli/input.hpp"
#include "engine/results/results.hpp"
#include "traces/comparison.hpp"

namespace amalthea::cli {

struct MeasuredTraces {
  std::vector<std::string> paths;
  std::string names;
  std::string from, to;
};
/// MODEL, TRACE… and the options of both: findings, limits and what the analysis assumes.
void add_measured_inputs(CLI::App& verb, InputOptions& input, MeasuredTraces& traces, AnalysisInput& analysis);

/// What the traces show of the system, with progress on standard error; or the exit code. `bounds` and `observer` may be
/// null, `mapped` tells whether the model itself maps its tasks (traces::ComparisonInput).
tl::expected<traces::Comparison, int> read_measured_traces(const MeasuredTraces& traces,
                                                           const analysis::Prepared& prepared,
                                                           const engine::Results* bounds, Diagnostics& diagnostics,
                                                           engine::SimulationObserver* observer = nullptr,
                                                           bool mapped = true);

}  // namespace amalthea::cli
