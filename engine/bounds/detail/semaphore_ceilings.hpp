// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which tasks the holders of semaphores block, and which tasks wait for each other.
///
/// No request ever waits if all users may hold their shares at the same time. Otherwise a wait is bounded only if no user
/// is on a GPU or in a server; if the semaphore is free initially, and every job releases what it takes, in the same
/// alternative of a branch; and if no job waits for an event while it holds the semaphore. There are three classes:
/// - With an effective priority ceiling, no request waits if the users are on one core without migrating tasks, have one
///   scheduler without round robin, and never wait while they hold the semaphore: the ceiling keeps other users from the
///   core. Under deadlines a ceiling has no effect.
/// - Without one, requests wait for a holder that is ready on the same core if the users are on one core without
///   migrating tasks, all of them tasks or all of them interrupts, and not under round robin; if requests wait passively;
///   and if holders request only other such semaphores. The core then executes some task between the least and the most
///   urgent user, or a more urgent one, until the request is granted. The analyses count all tasks of the core between
///   the least and the most urgent user as equally urgent: their bounds hold for any order of these. Where a task or a
///   semaphore belongs to several cores, those of all cores count so.
/// - All others, also those that cores share, have a bound on every wait (semaphore_waits.hpp). Interrupts do not use
///   them.
/// Semaphores that holders request in a cycle may deadlock. They, and all that none of this covers, have no bound.

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
  /// For every semaphore of the second class: the users that may wait for it.
  std::vector<std::vector<TaskIndex>> waiting;
  std::vector<bool> timed;  ///< for every semaphore: it is of the third class
  /// For every semaphore of that class with an effective ceiling: the urgency that it gives (Ranks::urgency).
  std::vector<std::optional<std::int64_t>> urgency;
  Faults faults;  ///< for every task: that it uses an endless semaphore
};

/// Gives one rank to all tasks between users that may wait for each other (the second class).
SemaphoreCeilings semaphore_ceilings(const AnalyzedSystem& subject, Ranks& ranks);

}  // namespace amalthea::engine::bounds
