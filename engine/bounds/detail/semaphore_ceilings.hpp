// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which tasks the holders of semaphores block.
///
/// Waiting for a semaphore is unbounded, and so are its users, unless no request ever waits (all users may hold their
/// shares at the same time) or all of this holds: it has a priority ceiling, its users have one scheduler on one core
/// without round robin, it is free initially, every job releases what it takes, and no task waits for anything while it
/// holds it.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/bounds/detail/analyzed_system.hpp"
#include "engine/bounds/detail/ranks.hpp"

namespace amalthea::engine::bounds {

struct SemaphoreCeilings {
  /// For every semaphore with a priority ceiling: only tasks above this rank preempt its holder.
  std::vector<std::optional<std::int64_t>> ceiling;
  std::vector<bool> endless;  ///< for every semaphore: no bound on the wait for it
  Faults faults;              ///< for every task: that it uses such a semaphore
};

SemaphoreCeilings semaphore_ceilings(const AnalyzedSystem& subject, const Ranks& ranks);

}  // namespace amalthea::engine::bounds
