// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Names in tables that a spreadsheet may open: a cell that begins like a formula would be computed.

#include <string>
#include <string_view>

namespace amalthea {

/// The text after an apostrophe if a spreadsheet would take it for a formula, or for an apostrophe of this function.
/// Numbers, also negative ones, are unchanged.
std::string guarded_cell(std::string_view text);

/// The text for which `guarded_cell` returns `cell`.
std::string_view unguarded_cell(std::string_view cell);

}  // namespace amalthea
