// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What would help a task: the system with one thing changed, analysed anew.
///
/// What is tried, where it applies:
/// - everybody who polls on the task's core (itself included) suspends instead: waits passively;
/// - every GPU context's time slice at its least (the scheduler's minimum, else a millisecond);
/// - both.

#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

struct WhatIf {
  std::string change;  ///< in words: "PRE_SFM_gpu_POST suspends instead of polling on Core1"
  TaskResult result;   ///< of the task, with it
};

/// In the order above; nothing where nothing applies. What is analysed, and for how long, is as in `options`.
std::vector<WhatIf> what_if(const System& system, const AnalysisOptions& options, TaskIndex task);

}  // namespace amalthea::engine
