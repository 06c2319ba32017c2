// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The bytes of any input file, up to a limit. Everything that is named on the command line and read is read here.

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace amalthea::importer {

/// Under which name standard input is read.
inline constexpr const char* standard_input_name = "<stdin>";

/// Of a file beside the model, such as a JSON file or a list of models.
inline constexpr std::uint64_t max_side_file_bytes = 64'000'000;

/// The bytes of a file, a pipe or standard input. Folders and devices, which may never end, are refused, and so is what
/// has more than `limit` bytes. The error is a reason without the path, such as "this is a folder; expected a file";
/// `limit_option`, if any, names the option that raises the limit. If there is no such file, the error suggests one with
/// a similar name; `suits` says which names to suggest.
tl::expected<std::string, std::string> read_bytes(const std::string& path, std::uint64_t limit = max_side_file_bytes,
                                                  const char* limit_option = "",
                                                  bool (*suits)(std::string_view) = nullptr);

}  // namespace amalthea::importer
