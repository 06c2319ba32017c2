// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which tasks the holders of semaphores block, and which tasks wait for each other.
///
/// No request ever waits if all users may hold their shares at the same time. Otherwise the wait is bounded if the users
/// are on one core without migrating tasks, all of them tasks or all of them interrupts, and not under round robin; if
/// the semaphore is free initially, and every job releases what it takes; and if no job waits for an event while it holds
/// the semaphore. Besides:
/// - With a priority ceiling, the users have one scheduler, and no holder requests a semaphore without one. No request
///   waits then either: the ceiling keeps other users from the core. Under deadlines a ceiling has no effect.
/// - Without a ceiling, a request waits passively, and no user runs in a server. Holders may request other such
///   semaphores, all in one order. A waiting job then depends on a holder that is ready on the same core. So the core
///   executes some task between the least and the most urgent user, or a more urgent one, until the request is granted.
///   The analyses count all tasks between the least and the most urgent user as equally urgent: their bounds hold for
///   any order of these.
/// All other semaphores and their users have no bound.

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
  std::vector<std::vector<TaskIndex>>
      waiting;    ///< for every semaphore: the users that may wait for it, for a bounded time
  Faults faults;  ///< for every task: that it uses such a semaphore
};

/// Gives one rank to all tasks between users that may wait for each other.
SemaphoreCeilings semaphore_ceilings(const AnalyzedSystem& subject, Ranks& ranks);

}  // namespace amalthea::engine::bounds
