// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Execution times that were measured, as the model states them: cycles of every Ticks element on every kind of core.

#include <cstdint>
#include <utility>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "traces/comparison.hpp"

namespace amalthea::traces {

/// A Ticks element on one kind of core.
struct MeasuredTicks {
  Origin ticks;
  RunnableIndex runnable = 0;
  DefinitionIndex definition = 0;
  bool only_kind = true;  ///< all cores that execute the runnable are of this kind
  bool kernel = false;    ///< of a kernel, or of each of its blocks
  Cycles model;           ///< what the model states
  std::uint64_t runs = 0;
  std::vector<std::pair<std::int64_t, std::uint64_t>> cycles;  ///< values and how often, in ascending order
};

/// For every runnable and kernel that was measured, in the order of the graph.
///
/// Net execution times become cycles at the frequency of the core. Time for label accesses is not part of ticks: what the
/// model states for them is subtracted. A runnable with several Ticks elements shares its time among them in proportion
/// to their averages. A kernel with a launch configuration has the times of its blocks.
std::vector<MeasuredTicks> measured_ticks(const System& system, const engine::AnalysisOptions& analysis,
                                          const Comparison& measured);

}  // namespace amalthea::traces
