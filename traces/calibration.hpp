// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What was measured, as the model states it: cycles of every Ticks element on every kind of core, and stimuli.

#include <cstdint>
#include <optional>
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

/// When a periodic or sporadic stimulus occurred.
struct MeasuredArrivals {
  StimulusIndex stimulus = 0;
  std::uint64_t occurrences = 0;
  /// Of a periodic one. `first` is its offset, from 0 to the period. What the model states is kept where the measurement
  /// cannot tell it from the best fit: jitters and offsets within twice the resolution of the trace, and a period with
  /// which the jitter is at most a tenth larger.
  std::optional<PeriodicFit> periodic;
  Duration shortest, mean, longest;  ///< distance of successive occurrences
};

/// For stimuli with at least three occurrences. Offsets count from the beginning of the trace, or from its time 0 if all
/// stimuli first occur within a period after it.
std::vector<MeasuredArrivals> measured_arrivals(const System& system, const Comparison& measured);

/// How a unit reaches a memory, in cycles per cache line, so that its copies take the measured times.
struct MeasuredAccess {
  UnitIndex unit = 0;
  MemoryIndex memory = 0;
  std::uint64_t copies = 0;
  Cycles read, write;                    ///< in the model
  Cycles measured_read, measured_write;  ///< whole cycles: bounds are rounded outwards
};

/// For every unit that copies were measured on, without those whose access has a data rate. The latencies of all its
/// memories that these copies use are scaled alike, by the measured time of a copy over that of the model. Empty if the
/// memory model of the analysis states the time of copies.
std::vector<MeasuredAccess> measured_accesses(const System& system, const engine::AnalysisOptions& analysis,
                                              const Comparison& measured);

/// For every runnable and kernel that was measured, in the order of the graph.
///
/// Net execution times become cycles at the frequency of the core. Time for label accesses is not part of ticks: what the
/// model states for them is subtracted. A runnable with several Ticks elements shares its time among them in proportion
/// to their averages. A kernel with a launch configuration has the times of its blocks.
std::vector<MeasuredTicks> measured_ticks(const System& system, const engine::AnalysisOptions& analysis,
                                          const Comparison& measured);

}  // namespace amalthea::traces
