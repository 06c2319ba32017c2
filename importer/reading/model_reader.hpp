// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Files → Model: reads, gives every element its class, computes ids and checks references.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::importer {

/// Reads one model from files or folders (a folder stands for all `*.amxmi` and `*.amxmi-…`
/// directly in it, by name). A model may be in a ZIP archive. "-" is standard input, called "<stdin>" in messages.
/// Several documents are one model and may refer to each other. Nothing when a file cannot be read or is not an
/// AMALTHEA model; structural findings (unknown elements, dangling references) do not prevent a Model.
std::optional<Model> read_model(const std::vector<std::string>& paths, const Limits& limits, Diagnostics& diagnostics);

/// The same from bytes already in memory; `path` is used in messages only.
std::optional<Model> read_model_from_bytes(std::string path, std::string bytes, const Limits& limits,
                                           Diagnostics& diagnostics);

struct NamedBytes {
  std::string path;
  std::string bytes;
};
/// The same from several files.
std::optional<Model> read_model_from_bytes(std::vector<NamedBytes> files, const Limits& limits,
                                           Diagnostics& diagnostics);

/// The bytes of a file; nothing, with a diagnostic, when it cannot be read.
std::optional<std::string> read_file(const std::string& path, const Limits& limits, Diagnostics& diagnostics);

}  // namespace amalthea::importer
