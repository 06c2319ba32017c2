// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/outside_json.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace amalthea::exporter {

std::string beyond_json_limits(std::string_view text) {
  // Brackets outside of texts are what the parser sees up to its first error.
  std::size_t depth = 0, nodes = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (character == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
      ++nodes;
    } else if (character == '[' || character == '{') {
      if (++depth > deepest_json) return fmt::format("it is nested more than {} levels deep", deepest_json);
      ++nodes;
    } else if (character == ']' || character == '}') {
      depth -= std::min<std::size_t>(depth, 1);
    }
    if (nodes > most_json_nodes) return fmt::format("it has more than {} texts, lists and objects", most_json_nodes);
  }
  return {};
}

}  // namespace amalthea::exporter
