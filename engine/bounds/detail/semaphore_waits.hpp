// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How long jobs wait for semaphores that other cores hold, or that ceilings and ranks on one core do not cover
/// (SemaphoreCeilings::timed).
///
/// A released semaphore goes to the most urgent waiting task, among equals to any (the simulation takes the first; no
/// standard does). The holder runs at its own urgency or at the ceiling. So two times bound each other, as in Rajkumar,
/// "Real-time synchronization protocols for shared memory multiprocessors", ICDCS 1990 (priority-ordered queues), and
/// Gai, Lipari, Di Natale, "Minimizing memory utilization of real-time task sets in single and multi-processor
/// systems-on-a-chip", RTSS 2001 (polling):
/// - The wait W of task i. While it lasts, some other user holds the semaphore: a less urgent one at most once, another
///   one as often as it requests it in a window of length W.
///     W = max over less urgent users of H
///         + sum over users of at least its urgency of n(W) times the sum of H over the requests of a job
///   Where users request single units and the semaphore as a whole, all users count like urgent ones. Users of the
///   same core do not count if only interrupts can preempt both from the request to the release, or nobody.
/// - The time H from the grant to the release. Let L be the execution between them, V the waits for semaphores within the
///   section, v the number of those for which the holder leaves its core, and h the tasks that may precede the holder:
///   those of at least its rank, and with a ceiling only those above it.
///     H = L + V + (1 + v) (B + G) + sum over h of n(H) C
///   B is the longest section of another task, and G the time of sections that other cores let begin, as in
///   cpu/suspending_tasks.hpp; sections of the same semaphore do not count. A task with the urgency of the ceiling
///   counts once for each time that the holder becomes ready. On cores with deadlines or several cores, h are all other
///   tasks, B and G are zero, and the sum is divided by the number of cores. A holder that only interrupts can preempt,
///   or nobody, waits for no other task.
/// While user j of the same core and of at least the rank of i holds the semaphore, waits for no other, and no task of the
/// core has sections, the core executes j or what precedes it. Under fixed priorities, that counts among the tasks of at
/// least the rank of i. So the bound on i counts W without its part for these j.
/// Polling counts as execution in C. n counts the jobs that may be pending in the window: with the additional jitter
/// R - C. So W and H depend on the bounds R, and the bounds R on W. All are the smallest common fixed point, reached from
/// below. The equations add up what happens in a window up to its end, if everything before has kept its bound: so they
/// hold however requests depend on each other. If they can depend on each other in a cycle, there is no finite solution.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/bounds/detail/problems.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine::bounds {

class SemaphoreWaits {
 public:
  using CoreBounds = std::vector<std::vector<cpu::CpuBound>>;  ///< parallel to Problems::cores and their tasks

  SemaphoreWaits(const AnalyzedSystem& subject, const CoreModels& cores, Problems& problems);

  bool any() const { return !users_.empty(); }
  /// Call it with the waits for GPUs and events in the tasks: adds the waits for semaphores to them.
  void begin();
  /// Finds the waits for these bounds and adds them to those of the tasks. Returns whether any changed. A task without a
  /// bound on its wait becomes unlimited and gets a fault. Unless they `may_grow`, waits that would grow have no bound.
  bool raise(const CoreBounds& bounds, bool may_grow, Faults& faults);
  /// Whether a task has become unlimited since the last call.
  bool lost_any() { return std::exchange(lost_, false); }
  /// The parts of the wait of a job, for the bounds of the last raise().
  std::vector<Contribution> parts(TaskIndex task);

 private:
  struct Part {
    TaskIndex by = 0;
    Duration time;
  };
  /// When a task of a core problem is released, and the bound on its response, if it has one.
  struct Releases {
    Duration period, jitter;
    std::optional<Duration> response;
  };
  /// Jobs of a task that may be pending in a closed window, and what each of them takes.
  struct Pending {
    std::size_t of = 0;  ///< a user, or a task of the core problem
    cpu::EventModel arrivals;
    Duration each;

    Pending(std::size_t of, const Releases& releases, Duration each);
    detail::Int128 load(Duration window) const;
  };
  /// Why a wait has no bound.
  enum class Why : std::uint8_t {
    held,      ///< nothing bounds how long `by` holds the semaphore
    no_bound,  ///< `by` may hold it, and has no bound
    no_pause,  ///< tasks of at least its urgency use it without a pause
    diverges,
  };
  struct Wait {
    std::optional<Duration> time = Duration{};
    Duration beside = {};  ///< part of it, for which tasks of the same core of at least its rank execute
    Why why = Why::held;   ///< without a time
    std::size_t by = 0;    ///< a user
  };
  /// How a task of the core may delay a holder.
  enum class Delay : std::uint8_t { none, once, always };
  /// What a holder meets on its core.
  struct OnCore {
    std::vector<std::size_t> once,
        always;                      ///< tasks of the core problem that precede it: once, or whenever they arrive
    std::vector<std::size_t> below;  ///< those whose sections may block it
    /// For the bounds of the last raise(); they stay the same while waits and holdings grow.
    bool unbounded = false;
    Duration more;  ///< sections of others, and others that precede it once
  };
  struct User {
    TaskIndex task = 0;
    std::size_t core = 0;
    std::int64_t urgency = 0;
    std::vector<std::size_t> entries;  ///< its tasks of the core problem
    std::vector<Releases> releases;    ///< of these, for the bounds of the last raise()
    /// parallel to the requests of its shape: the wait, and the time up to the release
    std::vector<Wait> waits;
    std::vector<std::optional<Duration>> holdings;
    std::vector<OnCore> on_core;  ///< also parallel
    /// Also parallel: when the wait and the holding were computed, and when the wait changed. What depends on nothing
    /// that changed since is not computed again.
    std::vector<std::size_t> wait_at, held_at, wait_changed;
  };
  struct Use {
    std::size_t user = 0, request = 0;
  };
  /// Who uses a semaphore.
  struct Uses {
    std::vector<Use> all;     ///< in the order of the users
    bool overtakes = false;   ///< some request needs all units of several
    std::size_t changed = 0;  ///< when a holding changed
  };

  const std::vector<SemaphoreRequest>& requests(const User& user) const { return cores_.shapes[user.task].requests; }
  CoreProblem& problem(const User& user) const { return problems_.cores[user.core]; }
  std::optional<Duration> waits_within(const User& user, const SemaphoreRequest& request) const;
  Delay delay(const User& user, const SemaphoreRequest& request, std::size_t other) const;
  bool stays(const User& user, const SemaphoreRequest& request) const;
  Duration section_without(const cpu::CpuTask& task, TaskIndex index, SemaphoreIndex semaphore) const;
  std::optional<Duration> granted_without(const cpu::CpuTask& task, TaskIndex index, SemaphoreIndex semaphore,
                                          std::int64_t rank) const;
  Duration blocking(const CoreProblem& core, const std::vector<std::size_t>& below, SemaphoreIndex semaphore,
                    std::int64_t rank) const;
  OnCore on_core(const User& user, const SemaphoreRequest& request) const;
  void meet(User& user, std::size_t index, const CoreBounds& bounds) const;
  std::optional<Duration> holding(const User& user, std::size_t index, const CoreBounds& bounds);
  /// Adds its parts.
  Wait wait(const User& user, const SemaphoreRequest& request, std::vector<Part>* parts);
  Releases releases_of(std::size_t core, std::size_t entry, const CoreBounds& bounds) const;
  std::string why_held(const User& user, const SemaphoreRequest& request, const User& holder) const;
  std::string why(const User& user, std::size_t request) const;
  bool takes_turns(TaskIndex task) const;
  bool executes_above(const User& holder, const User& user, const SemaphoreRequest& request) const;
  bool is_held_longer(User& user, std::size_t request, const CoreBounds& bounds, int round);
  void apply();

  const AnalyzedSystem& subject_;
  const CoreModels& cores_;
  Problems& problems_;
  bool lost_ = false;
  std::vector<User> users_;                          ///< active ones
  std::vector<std::optional<std::size_t>> user_of_;  ///< by task: index into users_
  std::vector<Uses> uses_;                           ///< by semaphore
  std::size_t time_ = 0;                             ///< counts what is computed
  std::vector<Pending> preceding_;                   ///< of the wait or holding of the moment
  struct Base {
    Duration waiting, polled;
  };
  std::vector<std::vector<Base>> base_;  ///< parallel to the core problems and their tasks: for GPUs and events
};

}  // namespace amalthea::engine::bounds
