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
///
/// Costs: a decision is that of the logarithm of the domain's ready processes, times those that get a core, times the
/// domain's cores. Time that passes costs what there is of servers, and of cores at work for a server or in turns;
/// while a server has no budget left its waiting processes are passed over in every decision.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/cpu/detail/index_set.hpp"
#include "engine/cpu/detail/urgency.hpp"

namespace amalthea::engine {

class CoreScheduling {
 public:
  using CoreIndex = std::size_t;
  using DomainIndex = std::size_t;
  using CoreSetIndex = std::size_t;

  /// Every unit that is no GPU is a core. `periods` are parallel to System::tasks.
  CoreScheduling(const System& system, const std::vector<std::optional<Duration>>& periods);
  CoreScheduling(const CoreScheduling&) = delete;
  CoreScheduling& operator=(const CoreScheduling&) = delete;

  std::size_t cores() const { return units_.size(); }
  std::size_t domains() const { return domains_.size(); }
  UnitIndex unit(CoreIndex core) const { return units_[core]; }
  const std::vector<CoreIndex>& cores_of(DomainIndex domain) const { return domains_[domain].cores; }
  DomainIndex domain_of(TaskIndex task) const { return tasks_[task].domain; }
  DomainIndex domain_of_core(CoreIndex core) const { return domain_of_core_[core]; }
  /// One core without servers and sections: why a ready task does not run changes only when another one does.
  bool is_plain(DomainIndex domain) const { return domains_[domain].plain; }

  // Why ready tasks do not run: one answer for all that may use the same cores.
  std::size_t core_sets() const { return core_sets_.size(); }
  CoreSetIndex core_set_of(TaskIndex task) const { return tasks_[task].core_set; }
  const std::vector<CoreSetIndex>& core_sets_of(DomainIndex domain) const { return domains_[domain].core_sets; }
  /// The least urgent of those that run on any of these cores.
  std::optional<TaskIndex> least_urgent(CoreSetIndex set) const;
  /// Whether a ready task's obstacle is that one, and of a kind that follows from the keys of the two: without servers,
  /// and with nobody who cannot be left or nothing but keys to compare.
  bool obstacle_is_least_urgent(DomainIndex domain) const { return domains_[domain].simple; }
  /// Whether it is always preemption, so that even keys do not matter.
  bool only_preempts(DomainIndex domain) const { return !domains_[domain].holds; }

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
  void call(DomainIndex domain) { undecided_.insert(domain); }

  const Urgency& urgency() const { return urgency_; }

  // Time.
  /// Charges budgets and turns with what ran up to now; fills budgets up.
  void advance(Instant now);
  /// When a turn or a budget ends or is filled up, if nothing else happens.
  Instant next_event() const;

  // Decisions.
  bool undecided(DomainIndex domain) const { return undecided_.contains(domain); }
  /// The first from this one on.
  std::optional<DomainIndex> next_undecided(DomainIndex from) const { return undecided_.next(from); }
  void decide(DomainIndex domain, Instant now);
  /// As decided.
  std::optional<TaskIndex> running(CoreIndex core) const { return running_[core]; }
  bool is_running(TaskIndex task) const { return tasks_[task].on.has_value(); }

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
  /// Tells every ready task of the domain.
  template <typename Visit>
  void for_each_ready(DomainIndex domain, Visit visit) const {
    for (const TaskIndex task : domains_[domain].ready) visit(task);
  }

 private:
  struct Before {
    const Urgency* urgency;
    bool operator()(TaskIndex a, TaskIndex b) const { return urgency->before(a, b); }
  };
  struct TaskState {
    DomainIndex domain = 0;
    std::vector<CoreIndex> cores;         ///< where it may run
    std::vector<SchedulerIndex> servers;  ///< whose budgets it uses
    std::optional<Duration> slice;        ///< of its round robin
    Duration slice_left;                  ///< what is left of it
    std::optional<CoreIndex> last;        ///< where it ran last
    std::optional<CoreIndex> on;          ///< where it runs
    CoreSetIndex core_set = 0;            ///< its cores
    bool given = false;                   ///< a core, in the decision at hand
    std::size_t uninterruptible = 0;      ///< sections it is in
    bool ready = false;
    std::set<TaskIndex, Before>::iterator place;  ///< among the ready ones, if it is one
  };
  struct Domain {
    std::vector<CoreIndex> cores;
    std::vector<CoreSetIndex> core_sets;
    std::set<TaskIndex, Before> ready;  ///< the most urgent first
    bool plain = true;                  ///< one core, no servers, nobody who cannot be left: the most urgent runs
    bool holds = false;                 ///< somebody cannot be left, or has a server
    bool simple = true;                 ///< see obstacle_is_least_urgent
  };
  struct Server {
    SchedulerIndex scheduler = 0;
    SchedulingAlgorithm kind = SchedulingAlgorithm::deferrable_server;
    Duration capacity, period;
    Duration budget;
    Instant next_filling;  ///< not of constant bandwidth
    Instant deadline;      ///< of constant bandwidth
    std::vector<TaskIndex> tasks;
    std::vector<DomainIndex> domains;  ///< of these
    std::int64_t users = 0;            ///< ready ones
    std::int64_t at_work = 0;          ///< running ones
  };

  void build_tasks();
  void build_domains();
  void build_servers();
  void build_core_sets();
  bool has_budget(TaskIndex task) const;
  void enqueue(TaskIndex task);
  void dequeue(TaskIndex task);
  std::size_t& round_robin_peers(TaskIndex task);
  /// Changes how urgent a task is, wherever it stands.
  template <typename Change>
  void requeue(TaskIndex task, Change change);
  void set_running(CoreIndex core, std::optional<TaskIndex> task);
  void decide_all(Domain& domain);
  void settle_servers(Instant now);
  void move_deadline(const Server& server);
  std::optional<CoreIndex> choose_core(TaskIndex task) const;
  void give(CoreIndex core, TaskIndex task);
  void place(TaskIndex task);
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
  IndexSet undecided_{0};
  std::vector<std::vector<CoreIndex>> core_sets_;
  /// Ready tasks that take turns with each other: in a domain, of a scheduler, equally urgent.
  std::map<std::tuple<DomainIndex, SchedulerIndex, std::int64_t>, std::size_t> round_robin_peers_;
  std::vector<CoreIndex> metered_;  ///< where somebody runs who uses up a budget or a turn
  Instant now_;
  // Of the decision at hand.
  std::vector<bool> free_;  ///< of every core
  std::size_t free_cores_ = 0;
  std::vector<std::pair<CoreIndex, TaskIndex>> given_;
};

}  // namespace amalthea::engine
