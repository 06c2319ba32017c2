// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Converts models in tests, and compares them with the results of another tool.

#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "migration/record.hpp"

namespace test {

struct Converted {
  std::vector<std::string> texts;  ///< of the files, in order
  std::string dump;                ///< of the result after reading it again
  amalthea::Diagnostics diagnostics;
  std::vector<amalthea::migration::RuleRecord> rules;
  bool done = false;

  const std::string& text() const { return texts.front(); }
  /// How often the rule did something.
  std::size_t count(std::string_view rule) const;
  /// Whether the dump has this line.
  bool has(std::string_view line) const;
};

/// Converts a model in one file: the content of `<am:Amalthea …>` of the version.
Converted convert(std::string_view from, std::string_view content, std::string_view to);
/// Whole files, or those of a folder, as one model.
Converted convert_files(const std::vector<std::string>& paths, std::string_view to);

/// Lines that only one of two dumps has, "- " for the first, "+ " for the second, in the order of the lines.
std::vector<std::string> differences(const std::string& one, const std::string& other);

/// Whether a text has this part.
bool holds(std::string_view text, std::string_view part);

/// The dump of a file.
std::string dump_of(const std::vector<std::string>& paths);

}  // namespace test
