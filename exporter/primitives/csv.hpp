// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Comma-separated values as RFC 4180 has them, with a line feed at the end of a line.

#include <string>
#include <string_view>
#include <vector>

namespace amalthea::exporter {

/// In quotes where it has to be. Text that a spreadsheet would take for a formula keeps its first character behind an
/// apostrophe, and control characters are spelled out (visible_text), as models may come from anywhere; numbers,
/// negative ones too, stay as they are.
std::string csv_field(std::string_view text);

void append_csv_line(std::string& out, const std::vector<std::string>& fields);

}  // namespace amalthea::exporter
