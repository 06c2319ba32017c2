// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The input of an output format: the analyzed system, the results, the source.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {
struct Headroom;
}

namespace amalthea::exporter {

struct Causes;
struct Plan;
struct Ratchet;

inline constexpr std::string_view tool_name = "amalthea-timing";
extern const std::string_view tool_version;   ///< from CMake: "0.1.0"
extern const std::string_view tool_homepage;  ///< from CMake: a URI

/// Name of the results schema (docs/reference/results.md).
inline constexpr std::string_view results_schema = "amalthea-timing/1";

struct ModelInfo {
  std::vector<std::string> files;
  std::string version;  ///< AMALTHEA version, e.g. "3.3.0"
  std::string hash;     ///< see hash_of_model
};

/// For a model that was read.
ModelInfo model_info(const Model& model);

struct ResultView {
  const ModelInfo& model;
  const System& system;
  const engine::Results& results;
  const Diagnostics& findings;
  const Model* source = nullptr;               ///< where limits stand in the files; null: unknown
  const engine::Headroom* headroom = nullptr;  ///< null: not computed
  const Causes* causes = nullptr;              ///< null: not searched
  const Ratchet* ratchet = nullptr;            ///< null: neither a baseline nor accepted misses
  const Plan* plan = nullptr;                  ///< null: not sought
};

/// Nothing known (line 0) without a source.
Location location_of(const ResultView& view, Origin origin);

/// "sha256:…" of the file's bytes; for several files, of the concatenation of their hashes (hex, in order).
std::string hash_of_model(const Model& model);

/// SHA-256 of the text, 64 hexadecimal digits.
std::string hash_of_text(std::string_view text);
/// Of the bytes of a file, read in pieces; nothing if it cannot be read.
std::optional<std::string> hash_of_file(const std::string& path);

}  // namespace amalthea::exporter
