// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `--compare`: other mappings of the explored model, judged like those of the search.

#include <optional>
#include <string>
#include <vector>

#include "cli/exploration_input.hpp"
#include "exporter/exploration/mapping_comparison.hpp"

namespace amalthea::cli {

/// From mapping files (`*.json`), and from models with the same tasks, whose mapping is used; in the given order.
/// Nothing, and a message, if one is unreadable or does not fit the model.
std::optional<std::vector<exporter::ComparedMapping>> compared_mappings(const std::vector<std::string>& files,
                                                                        const Model& model,
                                                                        const importer::Limits& limits,
                                                                        const AnalysisInput& analysis,
                                                                        const Search& search);

}  // namespace amalthea::cli
