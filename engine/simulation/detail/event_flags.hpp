// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The state of OS events during a simulation, for each task.

#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/program/program.hpp"

namespace amalthea::engine::simulation {

/// Every task has its own flags; only the events it ever waits for are stored.
class EventFlags {
 public:
  EventFlags(const System& system, const std::vector<Program>& programs);
  bool satisfied(TaskIndex task, const WaitEvents& wait) const;
  /// Returns the tasks whose wait this may satisfy, in model order.
  std::vector<TaskIndex> set(const SetEvents& set);
  void clear(TaskIndex task, const ClearEvents& clear);

 private:
  std::vector<std::vector<bool>> flags_;            ///< for every task, by event
  std::vector<std::vector<TaskIndex>> awaited_by_;  ///< for every event, in model order
};

}  // namespace amalthea::engine::simulation
