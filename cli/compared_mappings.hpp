// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `--compare`: other mappings of the explored model, judged as the search judges its own.

#include <optional>
#include <string>
#include <vector>

#include "cli/exploration_input.hpp"
#include "exporter/exploration/mapping_comparison.hpp"

namespace amalthea::cli {

/// Of mapping files (`*.json`) and of models with the same tasks, whose mapping is taken over; in the order given.
/// Nothing, and a message, when one cannot be read or does not fit the model.
std::optional<std::vector<exporter::ComparedMapping>> compared_mappings(const std::vector<std::string>& files,
                                                                        const Model& model,
                                                                        const importer::Limits& limits,
                                                                        const AnalysisInput& analysis,
                                                                        const Search& search);

}  // namespace amalthea::cli
