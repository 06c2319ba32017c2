// SPDX-License-Identifier: Apache-2.0
#include "amalthea/primitives/spreadsheet.hpp"

#include <algorithm>

#include "amalthea/quantity.hpp"

namespace amalthea {
namespace {

/// Apostrophes before it, of a name or of `guarded_cell`, make no difference: only so the guard can be undone.
bool is_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  return !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos && !parse_double(text);
}

}  // namespace

std::string guarded_cell(std::string_view text) { return std::string(is_formula(text) ? "'" : "").append(text); }

std::string_view unguarded_cell(std::string_view cell) {
  return cell.starts_with('\'') && is_formula(cell) ? cell.substr(1) : cell;
}

}  // namespace amalthea
