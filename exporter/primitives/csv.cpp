// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/csv.hpp"

#include "amalthea/primitives/visible_text.hpp"
#include "amalthea/quantity.hpp"

namespace amalthea::exporter {
namespace {

bool looks_like_formula(std::string_view text) {
  if (text.empty() || std::string_view("=+-@\t\r\n").find(text.front()) == std::string_view::npos) return false;
  return !parse_double(text);
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string field = looks_like_formula(text) ? "'" : "";
  field += visible_text(text);
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
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
