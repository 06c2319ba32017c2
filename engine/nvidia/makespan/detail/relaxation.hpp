// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// An upper bound on the longest rest of a schedule, for each state: a relaxation of the true states, in a table.
///
/// A relaxed state tells of each phase only how many warps are in it and the sum of what they have left in it. A cycle
/// may execute k warps of a phase, of which l leave it, if there are some n numbers with that sum for which this is
/// possible. Every true cycle has its relaxed one, so the longest relaxed path is at least as long as the longest true
/// one; it is the same where each phase has one or two instructions, and in a first phase on one unit.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/nvidia/makespan/detail/phases.hpp"

namespace amalthea::engine::nvidia::makespan {

/// Bytes of the table; nothing where they are more than `most`, or there are more phases than it can have.
std::optional<std::uint64_t> table_bytes(const Problem& problem, std::uint64_t most);

/// `Value` holds numbers of cycles; a larger one than it can hold counts as its largest, which must be at least
/// simple_bound().
template <class Value>
class RelaxationTable {
 public:
  /// For a problem with table_bytes(). Gives up when `stop` says so: usable() is then false.
  RelaxationTable(const Problem& problem, unsigned threads, const std::function<bool()>& stop);

  bool usable() const { return usable_; }
  std::uint64_t bytes() const { return values_.size() * sizeof(Value); }

  /// Of n warps in each phase, with `rest` instructions left in it beyond one for each.
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
  std::vector<std::size_t> before_;  // ranks before a number of warps, by phase and warps that are left
  std::vector<Block> blocks_;
  std::vector<Value> values_;
  bool usable_ = true;
};

}  // namespace amalthea::engine::nvidia::makespan
