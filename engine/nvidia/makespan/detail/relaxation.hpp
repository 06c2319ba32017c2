// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// An upper bound on the longest remaining schedule for each state: a table over relaxed states.
///
/// A relaxed state contains, for each phase, only the number of its warps and the sum of their remaining instructions
/// in it. A cycle may execute k warps of a phase, of which l leave it, if there are n numbers with that sum for which
/// this is possible. Every true cycle has a relaxed one, so the longest relaxed path is at least as long as the longest
/// true path. Both are equal if each phase has one or two instructions, and in a first phase on one unit.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/nvidia/makespan/detail/phases.hpp"

namespace amalthea::engine::nvidia::makespan {

/// Size of the table in bytes; nothing if it exceeds `most`, or there are too many phases.
std::optional<std::uint64_t> table_bytes(const Problem& problem, std::uint64_t most);

/// `Value` holds numbers of cycles; larger numbers saturate at its maximum, which must be at least simple_bound().
template <class Value>
class RelaxationTable {
 public:
  /// For a problem with table_bytes(). Gives up if `stop` returns true: usable() is then false.
  RelaxationTable(const Problem& problem, unsigned threads, const std::function<bool()>& stop);

  bool usable() const { return usable_; }
  std::uint64_t bytes() const { return values_.size() * sizeof(Value); }

  /// The bound for n warps in each phase, with `rest` remaining instructions in it beyond one for each warp.
  Value at(const int* present, const int* rest) const {
    const Block& block = blocks_[rank(present)];
    std::uint64_t index = 0;
    for (std::size_t p = 0; p < phases_.size(); ++p)
      index = index * static_cast<std::uint64_t>(present[p] * (phases_[p].length - 1) + 1) +
              static_cast<std::uint64_t>(rest[p]);
    return values_[block.base + index];
  }

  Value at_start() const;

 private:
  /// All states with the same numbers of warps in the phases.
  struct Block {
    std::uint64_t base = 0;
  };

  std::size_t rank(const int* present) const {
    std::size_t result = 0;
    int left = warps_;
    for (std::size_t p = 0; p < phases_.size(); ++p) {
      result +=
          before_[(p * stride_ + static_cast<std::size_t>(left)) * stride_ + static_cast<std::size_t>(present[p])];
      left -= present[p];
    }
    return result;
  }
  void fill(const int* present);

  const Problem problem_;
  const std::vector<Phase> phases_;
  const int warps_;
  const std::size_t stride_;
  std::vector<std::size_t> before_;  // ranks before a number of warps, by phase and remaining warps
  std::vector<Block> blocks_;
  std::vector<Value> values_;
  bool usable_ = true;
};

}  // namespace amalthea::engine::nvidia::makespan
