// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Files that are either whole or not there.

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace amalthea::exporter {

/// Writes to a temporary file beside `path` and renames it. On failure nothing stays behind and an existing file is
/// untouched; the error says what could not be done. A link is followed; what is no regular file (a pipe, /dev/stdout)
/// is written to directly.
tl::expected<void, std::string> write_file(const std::string& path, std::string_view bytes);

/// Whether write_file could succeed as far as can be told beforehand: the folder exists and `path` is no folder.
tl::expected<void, std::string> check_writable(const std::string& path);

}  // namespace amalthea::exporter
