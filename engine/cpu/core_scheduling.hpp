// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Decides which ready process runs on which core.
///
/// Cores that share processes form a domain (affinity to several cores, or a scheduler responsible for several); every
/// other core is a domain of its own. A scheduling decision visits the ready processes of a domain, the most urgent
/// first (urgency.hpp). Each gets the core it already runs on, else the core it last ran on if that is idle, else the
/// first idle core it may use, else the one that runs the least urgent process. The same decision never gives a core
/// twice. Running processes that cannot be preempted keep their cores first:
/// - a process in an uninterruptible section always keeps its core;
/// - only interrupts preempt a non-preemptive task that has started;
/// - interrupts and preemptive tasks preempt a started cooperative task at any time, other cooperative tasks only at
///   schedule points and between runnables. While a more urgent cooperative task waits for such a point, the started
///   task inherits its urgency, so that no task in between delays both.
/// A non-preemptive or cooperative task loses this protection when it waits passively.
///
/// Servers: tasks of a polling server or a deferrable server run only while it has budget, which is replenished each
/// period; an idle polling server loses its budget. A constant-bandwidth server never stops its tasks: when the budget
/// is exhausted, or when the server wakes up and the remaining budget would exceed its bandwidth, its deadline moves by
/// one period and the budget is replenished (Abeni, Buttazzo: Integrating multimedia applications in hard real-time
/// systems, RTSS 1998). Tasks on several cores share one budget.
///
/// Round robin: tasks of equal priority take turns. A turn ends when its time slice of execution is used up; preemption
/// does not consume it. A task without peers of equal priority starts another turn.
///
/// Complexity: a decision is logarithmic in the ready processes of the domain, times the processes that get a core,
/// times the cores of the domain. Advancing time is linear in the servers and in the cores that serve a server or a
/// turn. While a server has no budget, every decision skips its waiting processes.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/cpu/index_set.hpp"
#include "engine/cpu/urgency.hpp"

namespace amalthea::engine {

class CoreScheduling {
 public:
  using CoreIndex = std::size_t;
  using DomainIndex = std::size_t;
  using CoreSetIndex = std::size_t;

  /// Every unit except GPUs is a core. `periods` is parallel to System::tasks.
  CoreScheduling(const System& system, const std::vector<std::optional<Duration>>& periods);
  CoreScheduling(const CoreScheduling&) = delete;
  CoreScheduling& operator=(const CoreScheduling&) = delete;

  std::size_t cores() const { return units_.size(); }
  std::size_t domains() const { return domains_.size(); }
  UnitIndex unit(CoreIndex core) const { return units_[core]; }
  const std::vector<CoreIndex>& cores_of(DomainIndex domain) const { return domains_[domain].cores; }
  DomainIndex domain_of(TaskIndex task) const { return tasks_[task].domain; }
  /// The servers whose budgets it uses.
  const std::vector<SchedulerIndex>& servers_of(TaskIndex task) const { return tasks_[task].servers; }
  DomainIndex domain_of_core(CoreIndex core) const { return domain_of_core_[core]; }
  /// One core without servers and sections: the obstacle of a ready task changes only when another task runs.
  bool is_plain(DomainIndex domain) const { return domains_[domain].plain; }

  // Why ready tasks do not run: the same obstacle for all tasks that may use the same cores.
  std::size_t core_sets() const { return core_sets_.size(); }
  CoreSetIndex core_set_of(TaskIndex task) const { return tasks_[task].core_set; }
  const std::vector<CoreSetIndex>& core_sets_of(DomainIndex domain) const { return domains_[domain].core_sets; }
  /// The least urgent task that runs on any of these cores.
  std::optional<TaskIndex> least_urgent(CoreSetIndex set) const;
  /// Whether the obstacle of a ready task is that one, and its kind follows from the keys of both: no servers, and no
  /// non-preemptible sections or only keys to compare.
  bool obstacle_is_least_urgent(DomainIndex domain) const { return domains_[domain].simple; }
  /// Whether the kind is always preemption, so that even the keys are irrelevant.
  bool only_preempts(DomainIndex domain) const { return !domains_[domain].holds; }

  // What processes do; each call may require a decision.
  void released(TaskIndex task, Instant release) { urgency_.released(task, release); }
  void make_ready(TaskIndex task, Instant now);
  /// It waits passively, is parked, or has ended.
  void leave(TaskIndex task);
  /// Other cooperative tasks may preempt it now.
  void pass_point(TaskIndex task);
  void set_uninterruptible(TaskIndex task, bool value);
  /// Raises its urgency through what it holds (Urgency::raise).
  void raise(TaskIndex task, std::optional<std::int64_t> ceiling);
  void call(DomainIndex domain) { undecided_.insert(domain); }

  const Urgency& urgency() const { return urgency_; }

  // Time.
  /// Charges budgets and turns for the execution up to now; replenishes budgets.
  void advance(Instant now);
  /// The next end of a turn, exhaustion or replenishment of a budget, if nothing else happens.
  Instant next_event() const;

  // Decisions.
  bool undecided(DomainIndex domain) const { return undecided_.contains(domain); }
  /// The first undecided domain with an index of at least `from`.
  std::optional<DomainIndex> next_undecided(DomainIndex from) const { return undecided_.next(from); }
  void decide(DomainIndex domain, Instant now);
  /// According to the last decision.
  std::optional<TaskIndex> running(CoreIndex core) const { return running_[core]; }
  bool is_running(TaskIndex task) const { return tasks_[task].on.has_value(); }

  /// Why a ready task does not run.
  struct Obstacle {
    enum class Kind : std::uint8_t {
      preemption,  ///< `by` has a higher urgency
      blocking,    ///< `by` has a lower urgency and cannot be preempted
      budget,      ///< the task's server has no budget
    };
    Kind kind = Kind::preemption;
    std::optional<TaskIndex> by;
  };
  Obstacle obstacle(TaskIndex task) const;
  /// Visits every ready task of the domain.
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
    std::vector<CoreIndex> cores;         ///< cores it may run on
    std::vector<SchedulerIndex> servers;  ///< servers whose budgets it uses
    std::optional<Duration> slice;        ///< time slice of its round robin
    Duration slice_left;                  ///< remainder of the time slice
    std::optional<CoreIndex> last;        ///< core it last ran on
    std::optional<CoreIndex> on;          ///< core it runs on
    CoreSetIndex core_set = 0;            ///< its cores
    bool given = false;                   ///< got a core in the current decision
    std::size_t uninterruptible = 0;      ///< number of nested sections
    bool ready = false;
    std::set<TaskIndex, Before>::iterator place;  ///< among the ready tasks, if it is ready
  };
  struct Domain {
    std::vector<CoreIndex> cores;
    std::vector<CoreSetIndex> core_sets;
    std::set<TaskIndex, Before> ready;  ///< the most urgent first
    bool plain = true;                  ///< one core, no servers, no non-preemptible tasks: the most urgent one runs
    bool holds = false;                 ///< some task cannot be preempted, or has a server
    bool simple = true;                 ///< see obstacle_is_least_urgent
  };
  struct Server {
    SchedulerIndex scheduler = 0;
    ServerKind kind = ServerKind::deferrable;
    Duration capacity, period;
    Duration budget;
    Instant next_filling;  ///< not for constant bandwidth
    Instant deadline;      ///< for constant bandwidth
    std::vector<TaskIndex> tasks;
    std::vector<DomainIndex> domains;  ///< domains of these tasks
    std::int64_t users = 0;            ///< number of ready tasks
    std::int64_t at_work = 0;          ///< number of running tasks
  };

  void build_tasks();
  void build_domains();
  void build_servers();
  void build_core_sets();
  bool has_budget(TaskIndex task) const;
  void enqueue(TaskIndex task);
  void dequeue(TaskIndex task);
  std::size_t& round_robin_peers(TaskIndex task);
  /// Changes the urgency of a task, whether it is queued or running.
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
  std::vector<UnitIndex> units_;  ///< for every core
  std::vector<TaskState> tasks_;
  std::vector<Domain> domains_;
  std::vector<DomainIndex> domain_of_core_;
  std::vector<Server> servers_;
  std::vector<std::optional<std::size_t>> server_of_scheduler_;
  std::vector<std::optional<TaskIndex>> running_;  ///< for every core
  /// For every core: the task in an uninterruptible section, the non-preemptive task and the cooperative task that has
  /// started there.
  std::vector<std::optional<TaskIndex>> uninterruptible_, non_preemptive_, cooperative_;
  IndexSet undecided_{0};
  std::vector<std::vector<CoreIndex>> core_sets_;
  /// Number of ready tasks that take turns with each other: same domain, same scheduler, equal urgency.
  std::map<std::tuple<DomainIndex, SchedulerIndex, std::int64_t>, std::size_t> round_robin_peers_;
  std::vector<CoreIndex> metered_;  ///< cores on which a task consumes a budget or a time slice
  Instant now_;
  // State of the current decision.
  std::vector<bool> free_;  ///< for every core
  std::size_t free_cores_ = 0;
  std::vector<std::pair<CoreIndex, TaskIndex>> given_;
};

}  // namespace amalthea::engine
