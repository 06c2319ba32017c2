// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The results of an analysis as findings, for tools that show findings beside the model: those of the analysis, and one
/// for each limit that is violated or was not judged.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/verdict.hpp"

namespace amalthea::exporter {

/// `results`: JSON of an analysis (docs/reference/results.md), or an object with the list `messages` and an `error`.
/// `file` is that of limits whose position is unknown. Sorted.
std::vector<Diagnostic> findings_of_results(const nlohmann::ordered_json& results, const std::string& file);

/// Adds the one for a limit that is violated or was not judged; nothing for any other limit.
void add_limit_finding(const engine::JudgedLimit& limit, Location place, Diagnostics& findings);

}  // namespace amalthea::exporter
