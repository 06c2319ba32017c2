// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The part of some work that one of several processes does.

#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/failure.hpp"

namespace amalthea::analysis {

/// "2/10": the second of ten parts. A part of a batch has every tenth model, so that neighbors of similar size are
/// distributed.
struct Shard {
  std::size_t number = 1;  ///< 1 … count
  std::size_t count = 1;
  bool has(std::size_t index) const { return index % count == number - 1; }
};
/// The value of --shard.
Outcome<Shard> parse_shard(std::string_view text);

}  // namespace amalthea::analysis
