// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The files of a model with the mapping that a search has found.

#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "analysis/failure.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::analysis {

/// The text of every file, in their order. Annotations are removed, because they are for the old mapping.
Outcome<std::vector<std::string>> remapped_texts(const Model& model, bool keep_wrappers, const System& after,
                                                 const importer::Limits& limits, Diagnostics& diagnostics);

}  // namespace amalthea::analysis
