// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Matches the items of two lists by hashes of their content and of their key.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace amalthea::difference::detail {

using Hash = std::uint64_t;

/// FNV-1a: the same in every run.
constexpr Hash hash_text(std::string_view text) {
  Hash hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

/// SplitMix64 of both.
constexpr Hash mix(Hash one, Hash other) {
  Hash z = one + 0x9e3779b97f4a7c15U * (other + 1);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

template <typename Item, typename Key>
std::vector<Hash> keys_of(const std::vector<Item>& items, Key key) {
  std::vector<Hash> keys;
  keys.reserve(items.size());
  for (const auto& item : items) keys.push_back(key(item));
  return keys;
}

/// Calls take(i, k) for each matched pair: first items of equal content, then items of equal key in the order in which
/// they stand. In an ordered list, a longest common subsequence of equal contents comes first (for long lists with many
/// differences: a common one).
void align(const std::vector<Hash>& old_contents, const std::vector<Hash>& new_contents,
           const std::vector<Hash>& old_keys, const std::vector<Hash>& new_keys, bool ordered,
           const std::function<void(std::size_t, std::size_t)>& take);

}  // namespace amalthea::difference::detail
