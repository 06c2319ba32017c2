// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Mapping changes from the command line: `--map` and `--mapping`.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "importer/building/mapping_change.hpp"

namespace amalthea::cli {

/// The text of a file; nothing if it is unreadable.
std::optional<std::string> read_small_file(const std::string& path);

/// The changes in the file given by this option. The error states what is wrong and where.
tl::expected<std::vector<importer::MappingChange>, std::string> read_mapping_file(std::string_view option,
                                                                                  const std::string& file);

/// The changes of the file (no file: "") and then those of the command line, which take precedence. The error states
/// what is wrong and where.
tl::expected<std::vector<importer::MappingChange>, std::string> read_mapping_changes(
    const std::string& file, const std::vector<std::string>& texts);

}  // namespace amalthea::cli
