// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Jobs on cores: who runs as it is decided, steps that take time, and what comes in between.

#include <optional>
#include <vector>

#include "engine/cpu/detail/core_scheduling.hpp"
#include "engine/cpu/detail/index_set.hpp"
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
  /// The steps that end now, with what follows that takes no time; in the order of the cores.
  void end_steps();
  /// Lets those run who are to, each through its timeless steps, up to one that takes time.
  void schedule(CoreScheduling::DomainIndex domain);

  /// The core that a task runs on at present; nothing: on none.
  std::optional<CoreIndex> core_of(TaskIndex task) const { return at_[task]; }
  /// The time a core has been in use up to now.
  Duration busy(CoreIndex core) const;

 private:
  struct Core {
    std::optional<TaskIndex> running;
    bool polling = false;  ///< the running task waits actively
    Instant since;         ///< what is booked of the present run
    Duration busy;         ///< booked
  };
  void book(CoreIndex core);
  void dispatch(CoreIndex core, std::optional<TaskIndex> task);
  void stop_unless_decided(CoreIndex core);
  void run_timeless_steps(CoreIndex core);
  bool reaches_schedule_point(TaskIndex task);
  void wait(CoreIndex core, bool actively);
  void end_job(CoreIndex core);
  void begin_step(CoreIndex core);

  const System& system_;
  Clock& clock_;
  CoreScheduling& cpu_;
  Jobs& jobs_;
  TimelessActivities& activities_;
  Branches& branches_;
  const Listeners& listeners_;
  std::vector<Core> cores_;  ///< parallel to those of the scheduling
  std::vector<bool> moved_;  ///< of every domain: somebody got or lost a core since this was told
  EarliestOf ends_;          ///< of every core: of its present execute step
  std::vector<std::optional<CoreIndex>> at_, last_;  ///< of every task: where it runs, where it ran last
};

}  // namespace amalthea::engine::simulation
