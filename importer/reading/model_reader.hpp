// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Files → Model: reads the files, assigns classes, computes ids and checks references.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::importer {

/// Reads one model from files or folders (a folder stands for all `*.amxmi` and `*.amxmi-…` directly in it, by name). A
/// model may be in a ZIP archive. "-" is standard input, named "<stdin>" in messages. Several documents form one model
/// and may refer to each other. Nothing if a file is unreadable or is not an AMALTHEA model; structural findings
/// (unknown elements, dangling references) do not prevent a Model.
std::optional<Model> read_model(const std::vector<std::string>& paths, const Limits& limits, Diagnostics& diagnostics);

/// The same from bytes in memory; `path` is only used in messages.
std::optional<Model> read_model_from_bytes(std::string path, std::string bytes, const Limits& limits,
                                           Diagnostics& diagnostics);

struct NamedBytes {
  std::string path;
  std::string bytes;
};
/// The same from several files.
std::optional<Model> read_model_from_bytes(std::vector<NamedBytes> files, const Limits& limits,
                                           Diagnostics& diagnostics);

/// Of Xerces-C++: "3.2.4".
std::string xml_parser_version();

/// The bytes of a file; nothing, with a diagnostic, if it is unreadable.
std::optional<std::string> read_file(const std::string& path, const Limits& limits, Diagnostics& diagnostics);

}  // namespace amalthea::importer
