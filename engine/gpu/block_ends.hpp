// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the devices of all makers keep of resident blocks: numbers that are used again, and when blocks will end.

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::engine::gpu {

/// Objects by number. Numbers are used again, so that a long simulation needs no more memory than a short one.
template <typename T>
class Recycled {
 public:
  /// The number of an object that nobody uses, in the state in which it was left.
  std::uint32_t take() {
    if (free_.empty()) {
      objects_.emplace_back();
      return static_cast<std::uint32_t>(objects_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  /// It stays as it is until its number is taken again.
  void give_back(std::uint32_t number) { free_.push_back(number); }

  T& operator[](std::uint32_t number) { return objects_[number]; }
  const T& operator[](std::uint32_t number) const { return objects_[number]; }

 private:
  std::vector<T> objects_;
  std::vector<std::uint32_t> free_;
};

/// When blocks are foreseen to end, which changes with what runs beside them. Of those that end at one instant the one
/// that started first comes first.
class BlockEnds {
 public:
  /// `start` numbers the starts. Replaces what was foreseen for this block.
  void predict_end(std::uint32_t block, Instant end, std::uint64_t start) {
    forget(block);
    ends_.push({end, start, block, versions_[block]});
  }
  void forget(std::uint32_t block) {
    if (block >= versions_.size()) versions_.resize(block + 1, 0);
    ++versions_[block];
  }
  /// A block that ends now, which is forgotten.
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
    std::uint32_t version = 0;  ///< of the block's then; it holds no longer when that has changed
  };
  struct Later {
    bool operator()(const End& a, const End& b) const { return a.time != b.time ? a.time > b.time : a.start > b.start; }
  };

  std::priority_queue<End, std::vector<End>, Later> ends_;
  std::vector<std::uint32_t> versions_;  ///< by block
};

}  // namespace amalthea::engine::gpu
