// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Writes files that are either complete or absent.

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "exporter/primitives/new_file.hpp"

namespace amalthea::exporter {

/// Writes to a temporary file next to `path` and renames it. On failure nothing is left behind and an existing file is
/// unchanged; the error states what failed. Follows links; anything that is not a regular file (a pipe, /dev/stdout) is
/// written directly.
tl::expected<void, std::string> write_file(const std::string& path, std::string_view bytes,
                                           Durable durable = Durable::yes);

/// Checks in advance whether write_file can succeed: the folder exists and `path` is not a folder.
tl::expected<void, std::string> check_writable(const std::string& path);

}  // namespace amalthea::exporter
