// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sets of small indices, and the earliest of many times by index: the queues of cores and domains are built from them.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::engine {

/// A set of indices below a given size. Every operation takes time logarithmic (base 64) in that size.
class IndexSet {
 public:
  explicit IndexSet(std::size_t size) {
    do {
      size = (size + 63) / 64;
      levels_.emplace_back(std::max<std::size_t>(size, 1));
    } while (size > 1);
  }
  bool contains(std::size_t index) const { return (levels_[0][index / 64] >> (index % 64) & 1) != 0; }
  void insert(std::size_t index) {
    for (auto& words : levels_) {
      words[index / 64] |= std::uint64_t{1} << (index % 64);
      index /= 64;
    }
  }
  void erase(std::size_t index) {
    for (auto& words : levels_) {
      words[index / 64] &= ~(std::uint64_t{1} << (index % 64));
      if (words[index / 64] != 0) return;
      index /= 64;
    }
  }
  bool empty() const { return levels_.back()[0] == 0; }
  /// Takes time linear in the size.
  std::size_t count() const {
    std::size_t bits = 0;
    for (const std::uint64_t word : levels_[0]) bits += static_cast<std::size_t>(std::popcount(word));
    return bits;
  }
  /// The smallest element that is at least `from`.
  std::optional<std::size_t> next(std::size_t from) const {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const std::size_t word = from / 64;
      if (word >= levels_[level].size()) return std::nullopt;
      const std::uint64_t bits = levels_[level][word] & ~std::uint64_t{0} << (from % 64);
      if (bits == 0) {
        from = word + 1;
        continue;
      }
      std::size_t found = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      while (level-- > 0) found = found * 64 + static_cast<std::size_t>(std::countr_zero(levels_[level][found]));
      return found;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::vector<std::uint64_t>>
      levels_;  ///< a set bit means that the corresponding word of the level below is not zero
};

/// The earliest of many times, one per index. An update takes logarithmic time.
class EarliestOf {
 public:
  explicit EarliestOf(std::size_t size)
      : leaves_(std::bit_ceil(std::max<std::size_t>(size, 1))), tree_(2 * leaves_, Instant::never()) {}
  Instant operator[](std::size_t index) const { return tree_[leaves_ + index]; }
  void set(std::size_t index, Instant at) {
    std::size_t node = leaves_ + index;
    tree_[node] = at;
    while ((node /= 2) > 0) {
      const Instant earlier = std::min(tree_[2 * node], tree_[2 * node + 1]);
      if (tree_[node] == earlier) return;
      tree_[node] = earlier;
    }
  }
  Instant first() const { return tree_[1]; }
  /// The smallest index with that time.
  std::size_t who() const {
    std::size_t node = 1;
    while (node < leaves_) node = 2 * node + (tree_[2 * node] == tree_[node] ? 0 : 1);
    return node - leaves_;
  }

 private:
  std::size_t leaves_;
  std::vector<Instant> tree_;  ///< each node is the earlier of its two children 2n and 2n + 1
};

}  // namespace amalthea::engine
