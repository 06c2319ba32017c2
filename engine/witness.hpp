// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A witness of a bound: releases, allowed by what the bound assumes, with which a task takes long. It shows how close
/// the bound is to what can happen.
///
/// Bounds for all offsets (BoundMethod::equations) leave the offsets of periodic and sporadic stimuli free. The search
/// first releases everything at once, then moves one stimulus after the other to the instants at which the longest job
/// is released or changes its state, or 1 ns before, so that something less urgent has just begun, and to 16 phases of
/// its period. It keeps what makes a job of the task take longer, and ends when nothing does. Execution times are the
/// worst ones, release jitters as in the simulation. The result is a lower limit of the worst-case response time, not the worst case itself.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"

namespace amalthea::engine {

struct Witness {
  struct Moved {
    StimulusIndex stimulus = 0;
    Duration stated, chosen;  ///< offsets
  };
  TaskIndex task = 0;
  Duration until;                 ///< simulated time; the longest job is released within it
  Duration response;              ///< of the longest job
  std::optional<Duration> bound;  ///< of the response time with the stated offsets
  std::vector<Moved> moved;       ///< by stimulus; those with other offsets than stated
  std::uint64_t simulations = 0;  ///< that the search needed
};

/// At most `simulations` of them. With Work::stop, what was found so far. The error states why there is no witness.
tl::expected<Witness, std::string> find_witness(const System& system, const AnalysisOptions& options, TaskIndex task,
                                                std::uint64_t simulations, Diagnostics& diagnostics);

/// The system with the releases of the witness.
System with_releases(System system, const Witness& witness);

}  // namespace amalthea::engine
