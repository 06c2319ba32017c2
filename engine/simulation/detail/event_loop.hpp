// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// One simulation: its parts, and the loop over instants.

#include <optional>

#include "engine/simulation/detail/accounts.hpp"
#include "engine/simulation/detail/measurements.hpp"
#include "engine/simulation/detail/observer_notifier.hpp"

namespace amalthea::engine::simulation {

/// The active parts: jobs, and what they do on cores and devices.
struct Parts {
  /// `recorded`: listeners are notified of what devices do.
  Parts(const SimulationInput& input, const Listeners& listeners, bool recorded);

  Clock clock;
  CoreScheduling cpu;
  Jobs jobs;
  Modes modes;
  Branches branches;
  Stimuli stimuli;
  TimelessActivities activities;
  DeviceTasks devices;
  Cores cores;
  MemoryTraffic traffic;
};

class EventLoop {
 public:
  explicit EventLoop(const SimulationInput& input);
  void run(Results& results);

 private:
  Instant next_event();
  /// Whether somebody wants the simulation to stop, and how far it is; not at every event, because others read this.
  static constexpr std::uint64_t events_between_looks = 1024;
  void look_around(Instant now) const;
  void end_work();
  /// Until nothing changes: every job that can continue does, on devices and on cores.
  void settle();
  /// Adds the utilization of the resources up to now.
  void measure_resources(Results& results);

  const SimulationInput& input_;
  const bool events_;  ///< the observer wants events
  Listeners listeners_;
  Parts parts_;
  Standings standings_;
  Accounts accounts_;
  Measurements measurements_;
  std::optional<ObserverNotifier> notifier_;  ///< only with an observer
};

}  // namespace amalthea::engine::simulation
