// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// One simulation: its parts, and what they do from instant to instant.

#include <optional>

#include "engine/simulation/detail/accounts.hpp"
#include "engine/simulation/detail/measurements.hpp"
#include "engine/simulation/detail/observer_notifier.hpp"

namespace amalthea::engine::simulation {

/// What happens: jobs, and what they do, on cores and on devices.
struct Parts {
  /// `recorded`: what devices do is told.
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
};

class EventLoop {
 public:
  explicit EventLoop(const SimulationInput& input);
  void run(Results& results);

 private:
  Instant next_event();
  void end_work();
  /// Until nothing changes: who can go on does, on devices and on cores.
  void settle();
  /// How the resources were used up to now.
  void measure_resources(Results& results);

  const SimulationInput& input_;
  const bool events_;  ///< the observer wants them
  Listeners listeners_;
  Parts parts_;
  Standings standings_;
  Accounts accounts_;
  Measurements measurements_;
  std::optional<ObserverNotifier> notifier_;  ///< where there is an observer
};

}  // namespace amalthea::engine::simulation
