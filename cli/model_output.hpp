// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Where the files of a changed model go: to the file of --output, or into a folder under their own names.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::cli {

/// A file that is read and the one that is written for it.
struct Target {
  std::string input;
  std::string name;    ///< under which it goes into a folder
  std::string output;  ///< filled by place_targets
  bool zipped = false;
};

/// One for each file of the model, under its own name.
std::vector<Target> targets_of(const Model& model);

/// Says where each goes: one model file to the file `output`; several, or those of a folder that was given, into a
/// folder. Each may be its own input if they are written `in_place`, and no other file that is read or written. False,
/// and a message, when that cannot be; then nothing has been written.
enum class InPlace : std::uint8_t { no, yes };
bool place_targets(std::vector<Target>& targets, const std::vector<std::string>& given, const std::string& output,
                   InPlace in_place);

/// Hands the text of a file over, in pieces.
using Pieces = std::function<void(const std::function<void(std::string_view)>&)>;

/// Writes one of them, into an archive like its own if it came from one; makes its folder if need be. False, and a
/// message, on failure.
bool write_target(const Target& target, const Pieces& text, const importer::Limits& limits);

/// Writes all of them, `text(i)` into the i-th: none comes into being before all are written.
bool write_targets(const std::vector<Target>& targets, const std::function<Pieces(std::size_t)>& text,
                   const importer::Limits& limits);

}  // namespace amalthea::cli
