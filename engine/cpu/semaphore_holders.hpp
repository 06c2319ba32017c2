// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times under fixed priorities on one core whose tasks use semaphores without a priority ceiling.
///
/// Tasks that wait leave the core, and nothing raises the holder. Otherwise nothing waits, and nothing has sections. Each
/// semaphore has one unit. No task is between the least and the most urgent users of two semaphores. Only tasks above
/// its least user share the rank of another task. Let i be above the least user of a semaphore S, and not above its most
/// urgent one. Let hep(i) be the other tasks of at least its priority p_i, and [r, f] the time from the release of a job
/// of i to its end. Let t be the last instant up to r before which no job of hep(i) or i was pending.
///
/// First bound, by the holder. From t to f, less urgent tasks execute only while one of them holds S and all pending jobs
/// of hep(i) and i wait: their other semaphores have no less urgent users, and a holder is ready. Let a be the start of
/// the time without interruption for which S is held, at the first such instant. A task l took S at a when it was free, so
/// no job more urgent than l was pending just before.
/// - l is below i. Otherwise a >= t, and a less urgent task has requested S since: it executed after t, before the first
///   such instant.
/// - As long as S is held, its holder is ready. So only tasks of at least the priority of the holder execute. By
///   induction no holder is below l, since a holder after l requested S meanwhile. And l executes nothing after its
///   section, as each other holder precedes it.
/// - When S becomes free after t, no less urgent task executes up to f, and so none takes S.
/// So from a to f, the core executes hep(i) and i, one section of l, and tasks m between l and i; all of them released
/// after a. Without users among these m, only l can be the less urgent holder. Until it releases S, at e, each user h of S
/// above it executes once at most what precedes its first request, P_h:
///   e = section of l + sum over these h of P_h + sum over all other tasks j above l of n_j(e - 1) C_j,
/// and m executes at most n_m(e - 1) C_m. This is the blocking in the equations of fixed_priority.hpp, the largest over l.
/// With users among them, all m count like tasks of hep(i).
///
/// Second bound, for a task i that uses no semaphore: that of suspending_tasks.hpp. Users j of semaphores in hep(i) have
/// the additional jitter R_j - C_j, and less urgent tasks do not count. The smaller bound counts.

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

/// Where a job uses a semaphore.
struct SemaphoreSection {
  std::size_t semaphore = 0;
  Duration length;                      ///< the longest
  std::optional<Duration> before = {};  ///< what the job executes before it, at most; nothing: it may leave it out
};

/// `tasks` have their own priorities; `uses` and `owners` are parallel to them (owner: the task of the system, which may
/// have several entries). Replaces larger bounds. Does nothing where it does not apply.
void improve_by_holders(const std::vector<CpuTask>& tasks, const std::vector<std::vector<SemaphoreSection>>& uses,
                        const std::vector<std::size_t>& owners, const Limits& limits, std::vector<CpuBound>& bounds);

}  // namespace amalthea::engine::cpu
