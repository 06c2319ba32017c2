// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Totals of runs in files: parts of a simulation that several machines share, and checkpoints of a long one.

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/many_runs.hpp"

namespace amalthea::exporter {

/// Name of the schema (docs/reference/simulation.md).
inline constexpr std::string_view run_part_schema = "amalthea-run-part/1";

struct RunPart {
  std::string key;       ///< a hash of everything that results depend on: model, options, program
  std::uint64_t of = 0;  ///< number of runs of the whole simulation
  engine::RunTotals totals;
};

/// One line of JSON, with a line end.
std::string render_run_part(const RunPart& part);
/// Nothing is lost: the totals are the same, bit by bit. The error says what is wrong with the text.
tl::expected<RunPart, std::string> parse_run_part(std::string_view text);

}  // namespace amalthea::exporter
