// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `--compare`: other mappings of the explored model, judged like those of the search.

#include <string>
#include <vector>

#include "analysis/exploration_problem.hpp"
#include "exporter/exploration/mapping_comparison.hpp"

namespace amalthea::analysis {

/// From mapping files (`*.json`), and from models with the same tasks, whose mapping is used; in the order of
/// `request.compare`. `model`: the one that is explored. `notes`: where a mapping is read as one of several.
Outcome<std::vector<exporter::ComparedMapping>> compared_mappings(const Model& model, const ExplorationRequest& request,
                                                                  const importer::Limits& limits, const Search& search,
                                                                  Diagnostics& findings,
                                                                  std::vector<std::string>& notes);

}  // namespace amalthea::analysis
