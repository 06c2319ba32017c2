// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which device tasks a host task waits for, so that they work while it waits and never beyond.
///
/// An offload is a trigger of a device task, and a later wait for an event that this task alone sets, once, after all
/// of its operations, and that is cleared between waits: trigger, wait, clear, in turn, one at a time. All that a host
/// offloads is in one GPU context, and nothing else in that.

#include <optional>
#include <vector>

#include "engine/bounds/detail/activations.hpp"

namespace amalthea::engine::bounds {

struct Offloads {
  std::vector<std::optional<TaskIndex>> driver;  ///< of a device task, the host task that waits for it
  /// Of a host task, per step: the device task that it waits for there. Empty where its waits are not analysed.
  std::vector<std::vector<std::optional<TaskIndex>>> waits;

  bool waits_for_any(TaskIndex host) const;
  bool waits_for(TaskIndex host, TaskIndex device) const;
};

/// Of the hosts that something activates. Whoever waits in another way has a fault.
Offloads offloads_of(const AnalyzedSystem& subject, const Triggers& triggers,
                     const std::vector<Activations>& activations, Faults& faults);

}  // namespace amalthea::engine::bounds
