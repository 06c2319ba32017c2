// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Accounts for the time of jobs: the state of each job and its reason, from instant to instant.
///
/// A job's account is updated when something happens to the job. Jobs that wait for a core need no updates as long as a
/// log of the running tasks suffices (job_times.hpp). It does, except in domains with servers, and in domains with
/// non-preemptible tasks and scheduler hierarchies: there every decision updates all ready jobs. The same applies to an
/// observer that wants intervals, which is notified of each interval when it ends. Operations on devices, and the tasks
/// that wait for them, are updated whenever something happens on a device.

#include <optional>
#include <vector>

#include "engine/simulation/detail/events.hpp"
#include "engine/simulation/detail/job_times.hpp"
#include "engine/simulation/detail/standings.hpp"

namespace amalthea::engine::simulation {

class Accounts {
 public:
  Accounts(const Clock& clock, const CoreScheduling& cpu, const Jobs& jobs, const DeviceTasks& devices,
           const Standings& standings, const Listeners& listeners, const SimulationObserver* observer,
           std::size_t tasks);

  void on(const JobBegun& event);
  void on(const JobEnded& event);
  void on(const StepChanged& event) { request_update(event.task); }
  void on(const CoreGiven& event) { request_update(event.task); }
  void on(const CoreLost& event) { request_update(event.task); }
  void on(const WaitBegun& event);
  void on(const WaitEnded& event) { request_update(event.task); }
  void on(const HoldersChanged& event) { request_update(event.task); }
  void on(const ContentionChanged& event) { request_update(event.task); }
  void on(const Decided& event) { decided_.push_back(event.domain); }

  /// Nothing else happens at this instant.
  void end_instant();

  const JobTimes& times(TaskIndex task) const { return accounts_[task].times; }
  /// Of the job that ends now: the parts of its time, in order of first appearance.
  std::vector<Contribution> take_parts(TaskIndex task);
  /// The same up to now for a job that goes on.
  std::vector<Contribution> parts_so_far(TaskIndex task);

 private:
  struct Account {
    JobTimes times;
    bool needs_update = false;
    bool beside_device = false;     ///< it is in `beside_devices_`: it waits for a device
    bool with_obstacles = true;     ///< for intervals
    std::optional<UnitIndex> unit;  ///< for intervals
    std::optional<NodeIndex> node;
  };
  const std::vector<Contribution>& parts(TaskIndex task);
  void request_update(TaskIndex task);
  void switch_intervals();
  void log_obstacles();
  void update_accounts();
  void update_intervals();
  /// Whether it waits for its core, for the reasons in a log.
  bool is_logged(TaskIndex task) const;
  Standing logged_standing(TaskIndex task) const;
  void change_by_log(TaskIndex task, const Standing& standing);
  void update_account(TaskIndex task);
  void update_interval(TaskIndex task);
  void notify_interval(TaskIndex task);
  void shorten(CoreScheduling::CoreSetIndex set);

  const Clock& clock_;
  const CoreScheduling& cpu_;
  const Jobs& jobs_;
  const DeviceTasks& devices_;
  const Standings& standings_;
  const Listeners& listeners_;
  const SimulationObserver* observer_;  ///< wants intervals; null if there is none
  bool notifies_ = false;               ///< of intervals, at this time
  std::vector<Account> accounts_;       ///< for every task
  std::vector<ObstacleLog> logs_;       ///< for every core set
  std::vector<std::size_t> limits_;     ///< for every log: its maximum length
  std::vector<bool> moved_;             ///< for every core set: the running tasks changed
  PartSum sum_;
  std::vector<std::size_t> decided_;     ///< domains decided at this instant
  std::vector<TaskIndex> needs_update_;  ///< host tasks affected at this instant
  bool update_devices_ = false;
  std::vector<TaskIndex> beside_devices_;
};

}  // namespace amalthea::engine::simulation
