// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Who of the ready processes runs on which core.
///
/// Cores that share processes (affinity to several, or schedulers that are responsible for several) form a domain; all
/// others are one by themselves. A decision goes through a domain's ready processes, the most urgent first
/// (urgency.hpp), and gives each the core it runs on already, else the one it ran on last if that is idle, else the
/// first idle core it may use, else the one whose process is the least urgent; cores once given are not given again.
/// Before that stands who cannot be left:
/// - in an uninterruptible section nobody takes the core;
/// - a non-preemptive task that has started gives it to interrupts only;
/// - a cooperative task that has started gives it to interrupts and preemptive tasks at any time, to other cooperative
///   tasks only at schedule points and between runnables. While a more urgent cooperative task waits for that, the one
///   that has started runs in its place, so that nothing in between holds both up.
/// A non-preemptive or cooperative task that waits passively gives up what it held.
///
/// Servers: a polling server's and a deferrable server's tasks run only while there is a budget, which is filled up
/// each period; a polling server with nothing to do loses it. A constant-bandwidth server never stops its tasks: its
/// deadline moves on by a period, and the budget is filled up, each time it is used up, or when the server wakes up and
/// what is left would exceed its bandwidth (Abeni, Buttazzo: Integrating multimedia applications in hard real-time
/// systems, RTSS 1998). Tasks on several cores use up one budget together.
///
/// Round robin: tasks of equal priority take turns. A turn ends with the time slice of running; what is left of it is
/// kept over preemptions. Without others of its priority a task begins another turn.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/cpu/urgency.hpp"

namespace amalthea::engine {

class CoreScheduling {
 public:
  using CoreIndex = std::size_t;
  using DomainIndex = std::size_t;

  /// Every unit that is no GPU is a core. `periods` are parallel to System::tasks.
  CoreScheduling(const System& system, const std::vector<std::optional<Duration>>& periods);

  std::size_t cores() const { return units_.size(); }
  std::size_t domains() const { return domains_.size(); }
  UnitIndex unit(CoreIndex core) const { return units_[core]; }
  const std::vector<CoreIndex>& cores_of(DomainIndex domain) const { return domains_[domain].cores; }
  DomainIndex domain_of(TaskIndex task) const { return tasks_[task].domain; }
  /// One core without servers and sections: why a ready task does not run changes only when another one does.
  bool is_plain(DomainIndex domain) const { return domains_[domain].plain; }
  DomainIndex domain_of_core(CoreIndex core) const { return domain_of_core_[core]; }

  // What processes do; each may call for a decision.
  void released(TaskIndex task, Instant release) { urgency_.released(task, release); }
  void make_ready(TaskIndex task, Instant now);
  /// It waits passively, is parked, or has ended.
  void leave(TaskIndex task);
  /// It may be left to other cooperative tasks now.
  void pass_point(TaskIndex task);
  void set_uninterruptible(TaskIndex task, bool value);
  /// By what it holds (Urgency::raise).
  void raise(TaskIndex task, std::optional<std::int64_t> ceiling);
  void call(DomainIndex domain) { domains_[domain].undecided = true; }

  const Urgency& urgency() const { return urgency_; }

  // Time.
  /// Charges budgets and turns with what ran up to now; fills budgets up.
  void advance(Instant now);
  /// When a turn or a budget ends or is filled up, if nothing else happens.
  Instant next_event() const;

  // Decisions.
  bool undecided(DomainIndex domain) const { return domains_[domain].undecided; }
  void decide(DomainIndex domain, Instant now);
  /// As decided.
  std::optional<TaskIndex> running(CoreIndex core) const { return running_[core]; }

  /// Why a ready task does not run.
  struct Obstacle {
    enum class Kind : std::uint8_t {
      preemption,  ///< `by` is more urgent
      blocking,    ///< `by` is less urgent and cannot be left
      budget,      ///< the task's server has none
    };
    Kind kind = Kind::preemption;
    std::optional<TaskIndex> by;
  };
  Obstacle obstacle(TaskIndex task) const;

 private:
  struct TaskState {
    DomainIndex domain = 0;
    std::vector<CoreIndex> cores;         ///< where it may run
    std::vector<SchedulerIndex> servers;  ///< whose budgets it uses
    std::optional<Duration> slice;        ///< of its round robin
    Duration turn;                        ///< what is left of it
    std::optional<CoreIndex> last;        ///< where it ran last
    std::size_t uninterruptible = 0;      ///< sections it is in
    bool ready = false;
  };
  struct Domain {
    std::vector<CoreIndex> cores;
    std::vector<TaskIndex> ready;  ///< in no order
    bool undecided = false;
    bool plain = true;  ///< one core, no servers, nobody who cannot be left: the most urgent runs
  };
  struct Server {
    SchedulerIndex scheduler = 0;
    SchedulingAlgorithm kind = SchedulingAlgorithm::deferrable_server;
    Duration capacity, period;
    Duration budget;
    Instant next_filling;  ///< not of constant bandwidth
    Instant deadline;      ///< of constant bandwidth
    std::vector<TaskIndex> tasks;
  };

  void build_tasks();
  void build_domains();
  void build_servers();
  bool has_budget(TaskIndex task) const;
  std::size_t users(const Server& server) const;
  void decide_plain(Domain& domain);
  void decide_all(Domain& domain);
  void settle_servers(Instant now);
  std::optional<CoreIndex> choose_core(TaskIndex task, const std::vector<bool>& free) const;
  void hold(CoreIndex core);

  const System& system_;
  Urgency urgency_;
  std::vector<UnitIndex> units_;  ///< of every core
  std::vector<TaskState> tasks_;
  std::vector<Domain> domains_;
  std::vector<DomainIndex> domain_of_core_;
  std::vector<Server> servers_;
  std::vector<std::optional<std::size_t>> server_of_scheduler_;
  std::vector<std::optional<TaskIndex>> running_;  ///< of every core
  /// Of every core: who is in an uninterruptible section, is non-preemptive, is cooperative, and has started there.
  std::vector<std::optional<TaskIndex>> uninterruptible_, non_preemptive_, cooperative_;
  Instant now_;
  bool has_turns_ = false;
  std::vector<TaskIndex> order_;  ///< of the decision at hand
};

}  // namespace amalthea::engine
