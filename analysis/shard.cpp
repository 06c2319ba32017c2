// SPDX-License-Identifier: Apache-2.0
#include "analysis/shard.hpp"

#include <charconv>

#include <fmt/core.h>

namespace amalthea::analysis {

Outcome<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.number);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == '/') {
    const auto second = std::from_chars(first.ptr + 1, end, shard.count);
    if (second.ec == std::errc() && second.ptr == end && shard.number >= 1 && shard.number <= shard.count) return shard;
  }
  return misused(fmt::format("--shard \"{}\"", text), "expected I/N such as 2/10, I from 1 to N");
}

}  // namespace amalthea::analysis
