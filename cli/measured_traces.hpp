// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// MODEL, TRACE… and the options that say how both are read, for the verbs that read measurements.

#include <CLI/App.hpp>

#include "analysis/measured_traces.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"

namespace amalthea::cli {

/// MODEL, TRACE… and the options of both: findings, limits and what the analysis assumes.
void add_measured_inputs(CLI::App& verb, InputOptions& input, analysis::TraceRequest& request, bool& allow_unknown);

/// What the call returns, which gets the progress of reading traces: shown on standard error until it returns.
template <typename Call>
auto while_reading(const Call& call) {
  std::optional<StatusLine> line;
  return call([&line](std::uint64_t done, std::uint64_t of) {
    if (!line) line.emplace(StatusLine::Log::yes);
    show_reading(*line, done, of);
  });
}

}  // namespace amalthea::cli
