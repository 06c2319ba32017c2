// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Events that the parts of a simulation send to their listeners.
///
/// There are three possible listeners: `Accounts` (state of jobs, with reasons), `Measurements` (the results) and, if
/// the simulation has an observer, its `ObserverNotifier`. Each receives the events for which it has an `on`. The
/// senders know none of them.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "amalthea/graph/system.hpp"
#include "engine/gpu/operation.hpp"
#include "engine/results/process_metrics.hpp"

namespace amalthea::engine::simulation {

struct StimulusOccurred {
  StimulusIndex stimulus = 0;
  std::optional<TaskIndex> by;  ///< nothing: triggered by time
};
struct Activated {
  TaskIndex task = 0;
  StimulusIndex stimulus = 0;
  std::optional<TaskIndex> by;
  bool lost = false;  ///< beyond the activation limit
};
/// It may begin to run, or to submit: all earlier jobs have ended.
struct JobBegun {
  TaskIndex task = 0;
};
/// Its state is still that of the ended job.
struct JobEnded {
  TaskIndex task = 0;
};
/// Of the current step. May be sent more than once.
struct StepBegun {
  TaskIndex task = 0;
};
struct StepEnded {
  TaskIndex task = 0;
};
/// The job reached another step, for any reason.
struct StepChanged {
  TaskIndex task = 0;
};

struct CoreGiven {
  TaskIndex task = 0;
  std::size_t core = 0;
  bool moved = false;  ///< it last ran on another core
};
struct CoreLost {
  TaskIndex task = 0;
  std::size_t core = 0;
};
/// It is ready, but lost its core.
struct Preempted {
  TaskIndex task = 0;
};
/// A job of a host task ends; it loses its core afterwards.
struct HostJobEnds {
  TaskIndex task = 0;
  std::size_t core = 0;
};
/// A host task waits for an event or a semaphore. A polling task may send this again.
struct WaitBegun {
  TaskIndex task = 0;
  std::size_t core = 0;
  bool polls = false;
};
/// Of a host task.
struct WaitEnded {
  TaskIndex task = 0;
  TaskIndex by = 0;
};
/// The holders of the semaphore that it waits for have changed.
struct HoldersChanged {
  TaskIndex task = 0;
};
/// The slowdown of its label access, or the cause, may have changed.
struct ContentionChanged {
  TaskIndex task = 0;
};
/// The running and the ready tasks of a domain. Not sent in simple domains where nothing changed.
struct Decided {
  std::size_t domain = 0;
};

struct OperationSubmitted {
  TaskIndex task = 0;
};
/// Its state is still that of the ended operation.
struct OperationEnded {
  TaskIndex task = 0;
  Instant submitted;
};
/// Whether an operation executes after this instant.
struct OperationSeen {
  TaskIndex task = 0;
  bool executes = false;
};
/// For a kernel with a launch configuration.
struct BlockStepped {
  TaskIndex task = 0;
  gpu::BlockStep step;
};
struct EngineServed {
  UnitIndex unit = 0;
  gpu::EngineSlice slice;
};
struct DeviceJobEnds {
  TaskIndex task = 0;
};
/// The state of a device task after this instant.
struct DeviceTaskSeen {
  TaskIndex task = 0;
  ProcessState state = ProcessState::active;
};

class Accounts;
class Measurements;
class ObserverNotifier;

/// Forwards events to the listeners; does nothing without listeners.
class Listeners {
 public:
  /// The arguments must outlive this object; `notifier` may be null.
  void set(Accounts& accounts, Measurements& measurements, ObserverNotifier* notifier) {
    accounts_ = &accounts;
    measurements_ = &measurements;
    notifier_ = notifier;
  }
  /// Notifies the listeners in the order of the members.
  template <typename Event>
  void notify(const Event& event) const;

 private:
  Accounts* accounts_ = nullptr;
  ObserverNotifier* notifier_ = nullptr;
  Measurements* measurements_ = nullptr;
};

}  // namespace amalthea::engine::simulation
