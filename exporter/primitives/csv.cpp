// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/csv.hpp"

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/spreadsheet.hpp"
#include "amalthea/primitives/visible_text.hpp"

namespace amalthea::exporter {
std::string csv_field(std::string_view text) {
  const std::string field = guarded_cell(one_line(text));
  // Quotes, too, keep a reader of lines from acting on the first field.
  if (field.find_first_of(",\"") == std::string::npos && line_start(field) == field) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

void append_csv_line(std::string& out, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    out += csv_field(fields[i]);
  }
  out += '\n';
}

}  // namespace amalthea::exporter
