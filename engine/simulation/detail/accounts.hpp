// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Why jobs take the time they take: where each stands, from instant to instant.
///
/// A job is looked at when something happened to it. Of those that are kept from a core nobody is, as long as it
/// follows from a log of who had the cores (job_times.hpp); that is so but for domains with servers, and those in which
/// somebody cannot be left and there are schedulers above schedulers: there every decision is followed by a look at all
/// that are ready. So it is everywhere for an observer who wants intervals: it is told each as it ends. Operations on
/// devices, and those who wait for them, are looked at when anything happens on a device.

#include <optional>
#include <vector>

#include "engine/simulation/detail/events.hpp"
#include "engine/simulation/detail/job_times.hpp"
#include "engine/simulation/detail/standings.hpp"

namespace amalthea::engine::simulation {

class Accounts {
 public:
  Accounts(const Clock& clock, const CoreScheduling& cpu, const Jobs& jobs, const DeviceTasks& devices,
           const Standings& standings, const Listeners& listeners, bool intervals, std::size_t tasks);

  void on(const JobBegun& event);
  void on(const JobEnded& event);
  void on(const StepChanged& event) { request_update(event.task); }
  void on(const CoreGiven& event) { request_update(event.task); }
  void on(const CoreLost& event) { request_update(event.task); }
  void on(const WaitBegun& event);
  void on(const WaitEnded& event) { request_update(event.task); }
  void on(const HoldersChanged& event) { request_update(event.task); }
  void on(const Decided& event) { decided_.push_back(event.domain); }

  /// Nothing more happens at this instant.
  void end_instant();

  const JobTimes& times(TaskIndex task) const { return accounts_[task].times; }
  /// Of the present job, or the one that ends now: what its time went to, in the order of its first appearance.
  const std::vector<Contribution>& parts(TaskIndex task);

 private:
  struct Account {
    JobTimes times;
    bool needs_update = false;
    bool beside_device = false;     ///< it is among those who wait for devices
    std::optional<UnitIndex> unit;  ///< for intervals
    std::optional<NodeIndex> node;
  };
  void request_update(TaskIndex task);
  void log_obstacles();
  void update_intervals();
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
  const bool intervals_;
  std::vector<Account> accounts_;    ///< every task
  std::vector<ObstacleLog> logs_;    ///< of every core set
  std::vector<std::size_t> limits_;  ///< of every log: how long it may become
  std::vector<bool> moved_;          ///< of every core set: what keeps jobs from it changed
  PartSum sum_;
  std::vector<std::size_t> decided_;     ///< domains, at this instant
  std::vector<TaskIndex> needs_update_;  ///< host tasks to which something happened
  bool update_devices_ = false;
  std::vector<TaskIndex> beside_devices_;
};

}  // namespace amalthea::engine::simulation
