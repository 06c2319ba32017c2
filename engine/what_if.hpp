// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What would improve a task's response time: re-analyzes the system with one change at a time.
///
/// The changes, where they apply:
/// - all polling tasks on the task's core (including itself) suspend instead: they wait passively;
/// - every GPU context gets its minimum time slice (the scheduler's minimum, else one millisecond);
/// - both.

#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

struct WhatIf {
  std::string change;  ///< description: "with GPU time slices of 1 ms"
  TaskResult result;   ///< result of the task with this change
};

/// In the order above; empty if nothing applies. `options` are used as in `analyze`.
std::vector<WhatIf> what_if(const System& system, const AnalysisOptions& options, TaskIndex task);

}  // namespace amalthea::engine
