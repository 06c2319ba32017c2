// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Where something stands in a file. Findings are declared only: headers that pass them on need no more.

#include <cstdint>
#include <string>

#include "amalthea/origin.hpp"

namespace amalthea {

class Diagnostics;

/// A position in a file. line and column count from 1; 0 means unknown. Columns count characters (code points), not
/// bytes.
struct Location {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  Origin element = {};  ///< the element of the model that stands there, if known; not part of the position
  friend bool operator==(const Location& a, const Location& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
  }
};

}  // namespace amalthea
