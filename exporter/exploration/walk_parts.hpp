// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Walks of a search in files: parts that several machines share, and checkpoints of a long search.

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "explore/exploration.hpp"

namespace amalthea::exporter {

/// Name of the schema (docs/reference/explore.md).
inline constexpr std::string_view walk_part_schema = "amalthea-walk-part/1";

struct WalkPart {
  std::string key;  ///< a hash of everything that results depend on: model, options, program
  std::vector<explore::WalkRecord> walks;
};

/// One line of JSON, with a line end.
std::string render_walk_part(const WalkPart& part);
/// The same walks, bit by bit, for a model with so many tasks. The error says what is wrong with the text.
tl::expected<WalkPart, std::string> parse_walk_part(std::string_view text, std::size_t tasks);

}  // namespace amalthea::exporter
