// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The state of semaphores during a simulation: holders and waiting tasks.
///
/// A request is granted at once if enough units are free. Otherwise the process waits. Released units go to the most
/// urgent waiting process (Urgency::own_urgency), among equals to the one that has waited longest, as long as they
/// suffice. The holder of a semaphore with a priority ceiling is at least as urgent as every host task that uses it
/// (immediate ceiling: the OSEK priority ceiling protocol). A job that ends keeps what it has not released.

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/cpu/urgency.hpp"

namespace amalthea::engine {

class Semaphores {
 public:
  Semaphores(const System& system, const Urgency& urgency);

  /// True: granted. False: the task waits from now on.
  bool request(TaskIndex task, const UseSemaphore& use);
  /// Releases what the task took last, if anything. Adds the tasks whose requests this grants to `granted`.
  void release(TaskIndex task, SemaphoreIndex semaphore, std::vector<TaskIndex>& granted);

  /// The urgency that the task gets from what it holds; nothing: it holds no semaphore with a ceiling.
  std::optional<std::int64_t> ceiling(TaskIndex task) const;
  /// The first of its holders.
  std::optional<TaskIndex> holder(SemaphoreIndex semaphore) const;
  /// Visits every task that waits for it.
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
    std::uint64_t number = 0;  ///< sequence number of the request
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
    std::vector<Holding> held;  ///< holders, in the order of their requests
    std::set<Waiting> waiting;  ///< in the order in which they are served
  };
  void hold(SemaphoreIndex semaphore, TaskIndex task, std::int64_t amount);
  void grant(SemaphoreIndex semaphore, std::vector<TaskIndex>& granted);

  const Urgency& urgency_;
  std::vector<State> states_;
  /// for every task: the semaphores with a ceiling it holds, one entry per unit
  std::vector<std::vector<SemaphoreIndex>> held_by_;
  std::uint64_t requests_ = 0;
};

}  // namespace amalthea::engine
