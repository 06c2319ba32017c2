// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a time consists of, cut to its largest parts: the number of all parts of all tasks grows with the square of the
/// number of tasks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace amalthea::engine::cpu {

/// Keeps the own parts, which nothing causes, and the largest ones up to `most` in all; of equal ones, the first. They
/// stay in their order. Others that are `alike` are added up, and follow in the order of their first parts. A part has
/// `by`, `time`, and `others`: the number of parts that it sums; it is none of the largest then. `most` > 0. Time: linear.
template <typename Part, typename Alike>
void keep_largest_parts(std::vector<Part>& parts, std::size_t most, Alike alike) {
  if (parts.size() <= most) return;
  const auto is_own = [](const Part& part) { return !part.by && part.others == 0; };
  const auto precedes = [&](std::size_t a, std::size_t b) {
    if (is_own(parts[a]) != is_own(parts[b])) return is_own(parts[a]);
    return parts[a].time != parts[b].time ? parts[a].time > parts[b].time : a < b;
  };
  // The first `most` in that order, of those seen so far, and up to as many others.
  std::vector<std::size_t> first;
  const auto cut = [&] {
    if (first.size() <= most) return;
    std::nth_element(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(most - 1), first.end(), precedes);
    first.resize(most);
  };
  bool is_full = false;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    if (parts[at].others > 0 || (is_full && !precedes(at, first[most - 1]))) continue;
    first.push_back(at);
    if (first.size() < 2 * most) continue;
    cut();
    is_full = true;
  }
  cut();
  std::vector<bool> keeps(parts.size());
  for (const std::size_t at : first) keeps[at] = true;
  std::vector<Part> kept, sums;
  kept.reserve(most + 1);
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const Part& part = parts[at];
    if (keeps[at]) {
      kept.push_back(part);
      continue;
    }
    const auto known = std::find_if(sums.begin(), sums.end(), [&](const Part& sum) { return alike(sum, part); });
    if (known == sums.end() || is_own(part)) {
      sums.push_back(part);
      continue;
    }
    known->time += part.time;
    known->others = std::max<std::uint32_t>(1, known->others) + std::max<std::uint32_t>(1, part.others);
    known->by.reset();
  }
  kept.insert(kept.end(), sums.begin(), sums.end());
  parts = std::move(kept);
}

}  // namespace amalthea::engine::cpu
