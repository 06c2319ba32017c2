// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Mapping changes from the command line: `--map` and `--mapping`.

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "importer/building/mapping_change.hpp"

namespace amalthea::analysis {

/// The changes in the file given by this option. Adds its hash to `files`. The error states what is wrong and where.
tl::expected<std::vector<importer::MappingChange>, std::string> read_mapping_file(std::string_view option,
                                                                                  const std::string& file,
                                                                                  std::string& files);

/// The changes of the file (no file: "") and then those of the command line, which take precedence. The error states
/// what is wrong and where.
tl::expected<std::vector<importer::MappingChange>, std::string> read_mapping_changes(
    const std::string& file, const std::vector<std::string>& texts, std::string& files);

}  // namespace amalthea::analysis
