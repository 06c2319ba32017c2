// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Jobs on cores: dispatching according to the scheduling decisions, steps that take time, and preemption.

#include <optional>
#include <vector>

#include "engine/cpu/core_scheduling.hpp"
#include "engine/cpu/index_set.hpp"
#include "engine/simulation/detail/branches.hpp"
#include "engine/simulation/detail/jobs.hpp"
#include "engine/simulation/detail/timeless_activities.hpp"

namespace amalthea::engine::simulation {

class Cores {
 public:
  using CoreIndex = CoreScheduling::CoreIndex;

  Cores(const System& system, Clock& clock, CoreScheduling& cpu, Jobs& jobs, TimelessActivities& activities,
        Branches& branches, const Listeners& listeners);

  /// When the next step ends.
  Instant next() const { return ends_.first(); }
  /// Ends the steps that are due now, with the timeless steps that follow; in the order of the cores.
  void end_steps();
  /// Dispatches the decided tasks, each through its timeless steps up to one that takes time.
  void schedule(CoreScheduling::DomainIndex domain);

  /// The core that a task runs on; nothing if it does not run.
  std::optional<CoreIndex> core_of(TaskIndex task) const { return at_[task]; }
  /// The time a core has been in use up to now.
  Duration busy(CoreIndex core) const;
  /// The time that the tasks in a server have been in use of cores up to now.
  Duration served(SchedulerIndex server) const;

  /// The task whose step the core executes; nothing if it executes none, or one that takes no time.
  std::optional<TaskIndex> executing(CoreIndex core) const {
    return ends_[core] == Instant::never() ? std::nullopt : cores_[core].running;
  }
  /// Cores that began or ended a step since the caller emptied the list; a core may be there several times.
  std::vector<CoreIndex>& changed() { return changed_; }
  /// From now on, the step that the core executes progresses as fast as if it took `actual` in all, not `stated`.
  void set_speed(CoreIndex core, Duration actual, Duration stated);

 private:
  struct Core {
    std::optional<TaskIndex> running;
    bool polling = false;  ///< the running task waits actively
    Instant since;         ///< end of the part of the current run that `busy` includes
    /// speed of the current step; both zero: that of its stated time
    Duration actual, stated;
    Duration busy;  ///< accumulated busy time
  };
  void book(CoreIndex core);
  void dispatch(CoreIndex core, std::optional<TaskIndex> task);
  void stop_unless_decided(CoreIndex core);
  void run_timeless_steps(CoreIndex core);
  bool reaches_schedule_point(TaskIndex task);
  void wait(CoreIndex core, bool actively);
  void end_job(CoreIndex core);
  void begin_step(CoreIndex core);
  void set_end(CoreIndex core, Instant end);

  const System& system_;
  Clock& clock_;
  CoreScheduling& cpu_;
  Jobs& jobs_;
  TimelessActivities& activities_;
  Branches& branches_;
  const Listeners& listeners_;
  std::vector<Core> cores_;       ///< parallel to those of the scheduling
  std::vector<Duration> served_;  ///< by scheduler, like Core::busy
  std::vector<bool> moved_;       ///< for every domain: a task got or lost a core since the last notification
  EarliestOf ends_;               ///< for every core: the end of its current execute step
  std::vector<CoreIndex> changed_;
  /// for every task: the core it runs on, the core it last ran on
  std::vector<std::optional<CoreIndex>> at_, last_;
};

}  // namespace amalthea::engine::simulation
