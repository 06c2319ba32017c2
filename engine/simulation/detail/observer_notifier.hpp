// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Notifies the observer of a simulation. It remembers what it has reported, and so reports only changes.

#include <optional>
#include <vector>

#include "engine/simulation/detail/cores.hpp"
#include "engine/simulation/detail/device_tasks.hpp"
#include "engine/simulation/detail/events.hpp"
#include "engine/simulation/simulation_observer.hpp"

namespace amalthea::engine::simulation {

class ObserverNotifier {
 public:
  /// `events`: the observer wants events.
  ObserverNotifier(SimulationObserver& observer, bool events, const System& system, const Clock& clock,
                   const CoreScheduling& cpu, const Jobs& jobs, const Cores& cores, const DeviceTasks& devices);

  void on(const StimulusOccurred& event);
  void on(const Activated& event);
  void on(const JobBegun& event);
  void on(const JobEnded& event);
  void on(const StepBegun& event);
  void on(const StepEnded& event);
  void on(const StepChanged& event);
  void on(const CoreGiven& event);
  void on(const CoreLost& event);
  void on(const HostJobEnds& event);
  void on(const WaitBegun& event);
  void on(const WaitEnded& event);
  void on(const OperationSubmitted& event);
  void on(const OperationEnded& event);
  void on(const OperationSeen& event);
  void on(const BlockStepped& event);
  void on(const EngineServed& event);
  void on(const DeviceJobEnds& event);
  void on(const DeviceTaskSeen& event);
  void on(const Interval& interval) { observer_.interval(interval); }

 private:
  /// The last state reported to the observer.
  struct ReportedState {
    ProcessState state = ProcessState::not_active;
    ProcessState operation = ProcessState::active;  ///< active, running or ready
    bool step = false;                              ///< the begin of the current step was reported
    std::uint64_t activated = 0;                    ///< number of jobs, started or not
  };
  void notify(TaskIndex task, ProcessEvent what, std::optional<UnitIndex> unit,
              std::optional<TaskIndex> by = std::nullopt);
  void notify_device_task(TaskIndex task, ProcessState to);
  void notify_operation(TaskIndex task, ProcessEvent what);

  SimulationObserver& observer_;
  const bool events_;
  const System& system_;
  const Clock& clock_;
  const CoreScheduling& cpu_;
  const Jobs& jobs_;
  const Cores& cores_;
  const DeviceTasks& devices_;
  std::vector<ReportedState> reported_;  ///< for every task
};

}  // namespace amalthea::engine::simulation
