// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Comma-separated values according to RFC 4180, with a line feed at the end of a line.

#include <string>
#include <string_view>
#include <vector>

namespace amalthea::exporter {

/// Quoted if required. Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe
/// (guarded_cell), and line breaks and control characters are spelled out (one_line), since models may be untrusted;
/// numbers, including negative ones, are unchanged.
std::string csv_field(std::string_view text);

void append_csv_line(std::string& out, const std::vector<std::string>& fields);

}  // namespace amalthea::exporter
