// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Findings as compilers show them on a terminal: the line of the file below each, with a caret.

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {

/// Shows findings one after another. Fast if they are sorted by place (sort_findings), since it then reads each file
/// once.
class Excerpts {
 public:
  explicit Excerpts(bool colour) : colour_(colour) {}

  /// format(finding), what stands at its place, and the opening tag if an element is not closed. Without an excerpt if
  /// the file cannot be read again or is not in UTF-8, as within an archive.
  std::string shown(const Diagnostic& finding);

 private:
  std::string excerpt(const Location& at);
  std::optional<std::string> line_of(const Location& at);

  bool colour_;
  std::string path_;
  std::ifstream file_;
  std::uint32_t line_ = 0;  ///< number of `text_` in the file; 0: none is read
  std::string text_;
};

}  // namespace amalthea::exporter
