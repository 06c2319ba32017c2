// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the warps of an SM execute in a cycle: S-gpu-16 of docs/theory/semantics.md.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace reference {

struct Warp {
  const std::string& instructions;  ///< a letter for each
  std::size_t& next;                ///< which one it executes next
};

inline bool has_ended(const std::string& instructions, const std::vector<std::size_t>& warps) {
  return std::all_of(warps.begin(), warps.end(), [&](std::size_t next) { return next >= instructions.size(); });
}

/// `first`: who is asked first; the others follow in turn. `units`: those that are free, a letter for each.
inline void execute_cycle(const std::vector<Warp>& warps, std::size_t first, std::string units, int schedulers) {
  for (std::size_t step = 0; step < warps.size() && schedulers > 0; ++step) {
    const Warp& warp = warps[(first + step) % warps.size()];
    const auto found = warp.next < warp.instructions.size() ? units.find(warp.instructions[warp.next]) : units.npos;
    if (found == units.npos) continue;
    units.erase(found, 1);
    ++warp.next;
    --schedulers;
  }
}

}  // namespace reference
