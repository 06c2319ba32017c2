// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Models in ZIP archives. APP4MC writes them on request and knows them by their content, as we do: their name ends in
/// `.amxmi` all the same.

#include <optional>
#include <string>
#include <string_view>

#include "amalthea/diagnostic.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::importer {

/// Whether the bytes begin like a ZIP archive.
bool is_zip(std::string_view bytes);

/// The one file in the archive; nothing, with a diagnostic (AM0113), when the archive is damaged, encrypted, holds more
/// or less than one file, or one that is larger than Limits::max_unpacked_size.
std::optional<std::string> unzip(const std::string& path, std::string_view bytes, const Limits& limits,
                                 Diagnostics& diagnostics);

}  // namespace amalthea::importer
