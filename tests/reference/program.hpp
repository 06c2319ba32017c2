// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a task on a CPU executes, as a list of operations with jumps. Calls are part of it.

#include <vector>

#include "reference/model.hpp"

namespace reference {

struct Op {
  enum class Kind : std::uint8_t {
    execute,  ///< ticks or overhead, for a time
    access,   ///< a label, for a time
    wait,
    set,
    clear,
    trigger,
    request,
    release,
    mode,
    custom,
    call,
    leave,     ///< a runnable starts and ends
    boundary,  ///< before a runnable: cooperative tasks may preempt each other
    point,     ///< schedule point
    lock,
    unlock,     ///< an uninterruptible group
    count,      ///< goes on if the counter hits, else jumps
    test,       ///< goes on if the condition holds, else jumps
    choose,     ///< jumps to one of several targets
    loop,       ///< goes on if the condition holds, else jumps
    any_order,  ///< jumps to one of several targets that has not been visited, else to the last one
    jump,
    end
  };

  Kind kind = Kind::end;
  bool overhead = false;
  const Item* item = nullptr;
  const Condition* condition = nullptr;
  Index target = none;    ///< operation to jump to; label, stimulus, runnable
  Index runnable = none;  ///< in which it is; none: in the task itself
  Index slot = none;      ///< of a counter or of visited targets
  Index cost = none;      ///< first of costs, by the place of the unit in Task::units
  std::vector<Index> targets;
};

/// Cycles of an operation on one unit, and what they are at least.
struct Cost {
  Range cycles;
  Range at_least;  ///< picoseconds: by the data rate
  std::int64_t hertz = 1;
};

struct Program {
  std::vector<Op> ops;
  std::vector<Cost> costs;
  Index counters = 0, orders = 0;  ///< slots
  bool interacts = false;          ///< the order of several such jobs at one instant may matter
};

Program compile(const Model&, Index task);

/// Picoseconds of so many cycles, to the nearest (S-time-1).
inline Time duration(std::int64_t cycles, std::int64_t hertz) {
  return static_cast<Time>((static_cast<Wide>(cycles) * 1'000'000'000'000 + hertz / 2) / hertz);
}

}  // namespace reference
