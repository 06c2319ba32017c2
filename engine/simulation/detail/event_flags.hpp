// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// OS events while a system is simulated: which are set for whom.

#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/program/program.hpp"

namespace amalthea::engine::simulation {

/// Every task has flags of its own; only those that it ever waits for are kept.
class EventFlags {
 public:
  EventFlags(const System& system, const std::vector<Program>& programs);
  bool satisfied(TaskIndex task, const WaitEvents& wait) const;
  /// Those for whom something of it may be news, in model order.
  std::vector<TaskIndex> set(const SetEvents& set);
  void clear(TaskIndex task, const ClearEvents& clear);

 private:
  std::vector<std::vector<bool>> flags_;            ///< of every task, by event
  std::vector<std::vector<TaskIndex>> awaited_by_;  ///< every event, in model order
};

}  // namespace amalthea::engine::simulation
