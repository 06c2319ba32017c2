// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Semaphores while a system is simulated: who holds them, who waits.
///
/// A request is granted at once where enough is free. Else the process waits; what is released goes to the most urgent
/// of those that wait (Urgency::own_urgency), of equally urgent ones to who has waited longest, as long as it suffices.
/// A process that has a semaphore with priority ceiling is at least as urgent as every host task that uses it
/// (immediate ceiling: the OSEK priority ceiling protocol). What a job has not released when it ends it keeps.

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/cpu/detail/urgency.hpp"

namespace amalthea::engine {

class Semaphores {
 public:
  Semaphores(const System& system, const Urgency& urgency);

  /// True: granted. False: the task waits from now on.
  bool request(TaskIndex task, const UseSemaphore& use);
  /// Gives back what the task took last, if anything; those whose requests are granted by it are added to `granted`.
  void release(TaskIndex task, SemaphoreIndex semaphore, std::vector<TaskIndex>& granted);

  /// How urgent what it holds makes a task; nothing: it holds nothing with a ceiling.
  std::optional<std::int64_t> ceiling(TaskIndex task) const;
  /// The first of those that hold it.
  std::optional<TaskIndex> holder(SemaphoreIndex semaphore) const;
  /// Tells everyone who waits for it.
  template <typename Visit>
  void for_each_waiting(SemaphoreIndex semaphore, Visit visit) const {
    for (const Waiting& one : states_[semaphore].waiting) visit(one.task);
  }

 private:
  struct Holding {
    TaskIndex task = 0;
    std::int64_t amount = 0;
  };
  struct Waiting {
    std::int64_t urgency = 0;
    std::uint64_t number = 0;  ///< of requests, in the order of asking
    TaskIndex task = 0;
    std::int64_t amount = 0;
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return a.urgency != b.urgency ? a.urgency > b.urgency : a.number < b.number;
    }
  };
  struct State {
    std::int64_t free = 0;
    std::int64_t capacity = 0;
    std::optional<std::int64_t> ceiling;
    std::vector<Holding> held;  ///< by whom, in the order of taking
    std::set<Waiting> waiting;  ///< who comes first
  };
  void hold(SemaphoreIndex semaphore, TaskIndex task, std::int64_t amount);
  void grant(SemaphoreIndex semaphore, std::vector<TaskIndex>& granted);

  const Urgency& urgency_;
  std::vector<State> states_;
  std::vector<std::vector<SemaphoreIndex>> held_by_;  ///< every task: those with a ceiling, as often as it has them
  std::uint64_t requests_ = 0;
};

}  // namespace amalthea::engine
