// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a task on a CPU executes, as a list of operations with jumps. Calls are part of it.

#include <vector>

#include "reference/model.hpp"

namespace reference {

/// Picoseconds of so many cycles, to the nearest (S-time-1).
inline Time duration(std::int64_t cycles, std::int64_t hertz) {
  return static_cast<Time>((static_cast<Wide>(cycles) * 1'000'000'000'000 + hertz / 2) / hertz);
}

/// Switches and groups without order (group) jump to one of several targets: to the last one if none is left.
struct Op {
  Item::Kind kind = Item::Kind::end;
  bool overhead = false;
  const Item* item = nullptr;
  const Condition* condition = nullptr;
  Index target = none;  ///< operation to jump to; that of the item; runnable
  Index slot = none;    ///< of a counter or of visited targets
  Index cost = none;    ///< first of costs, by the place of the unit in Task::units
  std::vector<Index> targets;
};

/// Cycles of an operation on one unit, and what they are at least.
struct Cost {
  Range cycles;
  Range at_least;  ///< picoseconds: by the data rate
  std::int64_t hertz = 1;
  Range time() const {
    return {std::max(duration(cycles.least, hertz), at_least.least),
            std::max(duration(cycles.most, hertz), at_least.most)};
  }
};

struct Program {
  std::vector<Op> ops;
  std::vector<Cost> costs;
  Index counters = 0, orders = 0;  ///< slots
  bool interacts = false;          ///< the order of several such jobs at one instant may matter
};

Program compile(const Model&, Index task);

/// Of one access to the label (S-memory-1, S-device-4).
Cost access_cost(const Model&, const Unit&, const Label&, bool write);
/// S-time-1: extended ticks count before the default.
const Range& ticks_on(const Ticks&, const Unit&, const std::string& where);

}  // namespace reference
