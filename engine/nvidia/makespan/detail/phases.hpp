// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A kernel as runs of instructions of one unit (phases), and the states of its warps by phase.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/nvidia/makespan/kernel.hpp"

namespace amalthea::engine::nvidia::makespan {

/// A run of instructions of the same unit.
struct Phase {
  Unit unit = Unit::core;
  int first = 0;   ///< index of its first instruction
  int length = 0;  ///< number of instructions
};

inline constexpr std::size_t max_phases = 16;

inline std::vector<Phase> phases_of(const Kernel& kernel) {
  std::vector<Phase> phases;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (phases.empty() || phases.back().unit != kernel[i]) phases.push_back({kernel[i], static_cast<int>(i), 0});
    ++phases.back().length;
  }
  return phases;
}

/// Calls `found(executed)` for each work-conserving choice of warps to execute in a cycle, by phase: no ready warp that
/// could also execute is left out. `present` is the number of warps in each phase, all of them ready. `executed` has
/// one entry for each phase.
template <class Found>
void for_each_cycle(const Problem& problem, const std::vector<Phase>& phases, const int* present, Found&& found) {
  const int count = static_cast<int>(phases.size());
  int executed[max_phases] = {};
  int free[unit_types];
  int waiting[unit_types] = {};
  const int schedulers = static_cast<int>(problem.schedulers);
  for (std::size_t unit = 0; unit < unit_types; ++unit) free[unit] = static_cast<int>(problem.capacity[unit]);
  for (int p = 0; p < count; ++p)
    waiting[static_cast<std::size_t>(phases[static_cast<std::size_t>(p)].unit)] += present[p];
  int room = schedulers;
  const auto choose = [&](const auto& self, int p) -> void {
    if (p == count) {
      if (room > 0)
        for (std::size_t unit = 0; unit < unit_types; ++unit)
          if (free[unit] > 0 && waiting[unit] > 0) return;
      found(executed);
      return;
    }
    const auto unit = static_cast<std::size_t>(phases[static_cast<std::size_t>(p)].unit);
    int most = present[p] < free[unit] ? present[p] : free[unit];
    if (room < most) most = room;
    for (int k = 0; k <= most; ++k) {
      executed[p] = k;
      free[unit] -= k;
      waiting[unit] -= k;
      room -= k;
      self(self, p + 1);
      free[unit] += k;
      waiting[unit] += k;
      room += k;
    }
    executed[p] = 0;
  };
  choose(choose, 0);
}

}  // namespace amalthea::engine::nvidia::makespan
