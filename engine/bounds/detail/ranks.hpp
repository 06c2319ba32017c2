// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How urgent host tasks are.
///
/// Ranks follow the algorithms of the schedulers as the simulation has them: interrupts before tasks; fixed priorities
/// (also OSEK and round robin), periods (rate monotonic) or deadlines (deadline monotonic); a child scheduler by the
/// share under which its parent schedules it. Whoever is not told apart has the same rank.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::engine::bounds {

inline constexpr std::int64_t least_urgent = std::numeric_limits<std::int64_t>::min();
/// As a threshold: more urgent than this is nobody.
inline constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

struct Ranks {
  /// Of every host task its schedulers: from its own, or the one to which that passes it on, up to the outermost.
  std::vector<std::vector<SchedulerIndex>> schedulers;
  std::vector<std::int64_t> rank;                          ///< of every host task; larger is more urgent
  std::int64_t most_urgent_task = 0;                       ///< the largest rank of all but interrupts
  std::vector<std::optional<Duration>> relative_deadline;  ///< of every task: what EDF goes by
};

Ranks ranks_of(const System& system);

/// Whether tasks under it are served by their deadlines.
bool uses_deadlines(SchedulingAlgorithm algorithm);

}  // namespace amalthea::engine::bounds
