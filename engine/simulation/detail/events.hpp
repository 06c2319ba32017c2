// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the parts of a simulation tell whoever listens, as it happens.
///
/// There are three who may listen: `Accounts` (where jobs stand, and why), `Measurements` (what becomes the results),
/// and, where the simulation has an observer, its `ObserverNotifier`. Each hears what it has an `on` for; nobody who acts knows
/// of any of them.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "amalthea/graph/system.hpp"
#include "engine/gpu/operation.hpp"
#include "engine/results/process_metrics.hpp"

namespace amalthea::engine::simulation {

struct StimulusOccurred {
  StimulusIndex stimulus = 0;
  std::optional<TaskIndex> by;  ///< nothing: time
};
struct Activated {
  TaskIndex task = 0;
  StimulusIndex stimulus = 0;
  std::optional<TaskIndex> by;
  bool lost = false;  ///< beyond the activation limit
};
/// It may begin to run, or to submit: the jobs before it have ended.
struct JobBegun {
  TaskIndex task = 0;
};
/// Its state is still that of the job.
struct JobEnded {
  TaskIndex task = 0;
};
/// Of the present step. May be told more than once.
struct StepBegun {
  TaskIndex task = 0;
};
struct StepEnded {
  TaskIndex task = 0;
};
/// The job has come to another step, in whatever way.
struct StepChanged {
  TaskIndex task = 0;
};

struct CoreGiven {
  TaskIndex task = 0;
  std::size_t core = 0;
  bool moved = false;  ///< it ran on another one before
};
struct CoreLost {
  TaskIndex task = 0;
  std::size_t core = 0;
};
/// It could go on, and does on no core.
struct Preempted {
  TaskIndex task = 0;
};
/// The job of a host task ends; its core is lost after that.
struct HostJobEnds {
  TaskIndex task = 0;
  std::size_t core = 0;
};
/// A host task cannot go on: it waits for an event or for a semaphore. One that polls may wait anew.
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
/// Others have the semaphore that it waits for.
struct HoldersChanged {
  TaskIndex task = 0;
};
/// Who runs in a domain, and who could. Not told where nothing changed and that is easy to see.
struct Decided {
  std::size_t domain = 0;
};

struct OperationSubmitted {
  TaskIndex task = 0;
};
/// Its state is still that of the operation.
struct OperationEnded {
  TaskIndex task = 0;
  Instant submitted;
};
/// Whether an operation is executed after this instant.
struct OperationSeen {
  TaskIndex task = 0;
  bool executes = false;
};
/// Of a kernel with a launch configuration.
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
/// Where a device task stands after this instant.
struct DeviceTaskSeen {
  TaskIndex task = 0;
  ProcessState state = ProcessState::active;
};

class Accounts;
class Measurements;
class ObserverNotifier;

/// Passes on what happens, without a word where nobody listens.
class Listeners {
 public:
  /// They live as long as this is used; `notifier` may be null.
  void set(Accounts& accounts, Measurements& measurements, ObserverNotifier* notifier) {
    accounts_ = &accounts;
    measurements_ = &measurements;
    notifier_ = notifier;
  }
  /// Each hears it in the order of the members.
  template <typename Event>
  void notify(const Event& event) const;

 private:
  Accounts* accounts_ = nullptr;
  ObserverNotifier* notifier_ = nullptr;
  Measurements* measurements_ = nullptr;
};

}  // namespace amalthea::engine::simulation
