// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Mapping changes from the command line: `--map` and `--mapping`.

#include <string>
#include <string_view>
#include <vector>

#include "analysis/failure.hpp"
#include "importer/building/mapping_change.hpp"

namespace amalthea::analysis {

/// The changes in the file given by this option. Adds its hash to `files`.
Outcome<std::vector<importer::MappingChange>> read_mapping_file(const std::string& option, const std::string& file,
                                                                std::string& files);

/// The changes of the file (no file: "") and then those of the command line, which take precedence.
Outcome<std::vector<importer::MappingChange>> read_mapping_changes(const std::string& file,
                                                                   const std::vector<std::string>& texts,
                                                                   std::string& files);

}  // namespace amalthea::analysis
