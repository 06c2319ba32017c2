// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Models in ZIP archives. APP4MC can write them and recognizes them by their content; their names still end in
/// `.amxmi`.

#include <optional>
#include <string>
#include <string_view>

#include "amalthea/location.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::importer {

/// Whether the bytes begin like a ZIP archive.
bool is_zip(std::string_view bytes);

/// The only file in the archive; nothing, with a diagnostic (AM0113), if the archive is damaged or encrypted, does not
/// hold exactly one file, or the file is larger than Limits::max_unpacked_size.
std::optional<std::string> unzip(const std::string& path, std::string_view bytes, const Limits& limits,
                                 Diagnostics& diagnostics);

}  // namespace amalthea::importer
