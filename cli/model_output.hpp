// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The destination of a changed model's files: the file of --output, or a folder with their own names.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "analysis/failure.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::cli {

/// An input file and its output file.
struct Target {
  std::string input;
  std::string name;    ///< its name within a folder
  std::string output;  ///< set by place_targets
  bool zipped = false;
  bool made = false;  ///< the model was made from the input, which is something else
};

/// One for each file of the model, under its own name.
std::vector<Target> targets_of(const Model& model);

/// Whether an output may be the file that it is made from.
enum class InPlace : std::uint8_t { no, yes };

/// Sets the output of each: for one model file the file `output`; for several, or those of a given folder, a folder.
/// None may be another file that is read or written. False, and a message, if that is impossible; then nothing has been
/// written.
bool place_targets(std::vector<Target>& targets, const std::vector<std::string>& given, const std::string& output,
                   InPlace in_place);

/// Passes on the text of a file, in pieces.
using Pieces = std::function<void(const std::function<void(std::string_view)>&)>;

/// Writes all of them, `text(i)` into the i-th, into an archive if its input was in one; creates folders if required. No
/// file appears before all are written.
analysis::Outcome<void> write_targets(const std::vector<Target>& targets,
                                      const std::function<Pieces(std::size_t)>& text, const importer::Limits& limits);
analysis::Outcome<void> write_texts(const std::vector<Target>& targets, const std::vector<std::string>& texts,
                                    const importer::Limits& limits);

}  // namespace amalthea::cli
