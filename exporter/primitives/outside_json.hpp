// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// JSON that comes from outside: parts and checkpoints of long work, lines of batches, messages of editors, baselines.
/// No reader of such texts calls the parser of the library, which knows no limits.

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

namespace amalthea::exporter {

/// Levels of lists and objects in each other, as in side files.
inline constexpr std::size_t deepest_json = 32;
/// Texts, lists and objects of one JSON text. Each takes some hundred bytes of memory, and two of the text.
inline constexpr std::size_t most_json_nodes = 8'000'000;

/// Why the text exceeds these limits, or "".
std::string beyond_json_limits(std::string_view text);

/// The value, or why there is none: "it is not JSON", or which limit the text exceeds.
template <typename Json>
tl::expected<Json, std::string> outside_json(std::string_view text) {
  if (std::string why = beyond_json_limits(text); !why.empty()) return tl::unexpected(std::move(why));
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return tl::unexpected(std::string("it is not JSON"));
  return json;
}

}  // namespace amalthea::exporter
