// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Bookkeeping of resident blocks for the devices of all vendors: recycled object numbers, and the predicted ends of
/// blocks.

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::engine::gpu {

/// Objects by number. Numbers are reused, so the memory of a simulation does not grow with its length.
template <typename T>
class Recycled {
 public:
  /// The number of an unused object, in the state in which it was released.
  std::uint32_t take() {
    if (free_.empty()) {
      objects_.emplace_back();
      return static_cast<std::uint32_t>(objects_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  /// The object stays unchanged until its number is taken again.
  void give_back(std::uint32_t number) { free_.push_back(number); }

  T& operator[](std::uint32_t number) { return objects_[number]; }
  const T& operator[](std::uint32_t number) const { return objects_[number]; }

 private:
  std::vector<T> objects_;
  std::vector<std::uint32_t> free_;
};

/// Predicted ends of blocks. They change with what runs concurrently. Blocks that end at the same instant are ordered
/// by their starts.
class BlockEnds {
 public:
  /// `start` is the sequence number of the start. Replaces the prediction for this block.
  void predict_end(std::uint32_t block, Instant end, std::uint64_t start) {
    forget(block);
    ends_.push({end, start, block, versions_[block]});
  }
  void forget(std::uint32_t block) {
    if (block >= versions_.size()) versions_.resize(block + 1, 0);
    ++versions_[block];
  }
  /// Removes and returns a block that ends now.
  std::optional<std::uint32_t> take(Instant now) {
    if (next() != now) return std::nullopt;
    const std::uint32_t block = ends_.top().block;
    ends_.pop();
    forget(block);
    return block;
  }
  /// The earliest end, or never.
  Instant next() {
    while (!ends_.empty() && versions_[ends_.top().block] != ends_.top().version) ends_.pop();
    return ends_.empty() ? Instant::never() : ends_.top().time;
  }

 private:
  struct End {
    Instant time;
    std::uint64_t start = 0;
    std::uint32_t block = 0;
    /// the block's version at the prediction; if it has changed, the entry is obsolete
    std::uint32_t version = 0;
  };
  struct Later {
    bool operator()(const End& a, const End& b) const { return a.time != b.time ? a.time > b.time : a.start > b.start; }
  };

  std::priority_queue<End, std::vector<End>, Later> ends_;
  std::vector<std::uint32_t> versions_;  ///< by block
};

}  // namespace amalthea::engine::gpu
