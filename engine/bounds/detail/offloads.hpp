// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a host task waits for: device tasks that work for it, and events of other tasks (event_waits.hpp).
/// Such a device task executes only while its host task waits.
///
/// An offload is a trigger of a device task and a later wait for an event. Only this device task sets the event, once,
/// after all of its operations, and the event is cleared between waits: trigger, wait, clear, in turn. Trigger and wait
/// are in the same alternative of a branch, or in none. Several device
/// tasks of one host may be active at the same time; a wait for all of several events is a wait for each of them.

#include <optional>
#include <vector>

#include "engine/bounds/detail/activations.hpp"

namespace amalthea::engine::bounds {

/// A wait for events that is no offload: for any of several, for one that tasks on CPUs set, or one that several tasks set.
struct EventWait {
  std::size_t step = 0;
  std::vector<EventIndex> events;
  bool all = true;  ///< else for any of them
  bool polls = false;
};

struct Offloads {
  std::vector<std::optional<TaskIndex>> driver;  ///< for a device task, the host task that waits for it
  /// For a host task, per step: the device tasks it waits for there. Empty if its waits are not analyzed.
  std::vector<std::vector<std::vector<TaskIndex>>> waits;
  std::vector<bool> beside;  ///< for a device task: it may be active beside another one of its host
  std::vector<std::vector<EventWait>> event_waits;  ///< for a host task
  std::vector<bool> unknown_times;  ///< for a device task: nothing bounds its operations (shared_sms.hpp)
  std::vector<bool> open_times;     ///< for a device task: instructions of several kernels or blocks compete on SMs

  bool waits_for_any(TaskIndex host) const;
  bool waits_for(TaskIndex host, TaskIndex device) const;
};

/// For the hosts that something activates. A host task that waits in another way gets a fault; unless `with_events`, so
/// does one with an EventWait.
Offloads offloads_of(const AnalyzedSystem& subject, const Triggers& triggers,
                     const std::vector<Activations>& activations, bool with_events, Faults& faults);

}  // namespace amalthea::engine::bounds
