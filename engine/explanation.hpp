// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The story of one job: the longest that the simulation of an analysis saw of a task. What it did and suffered, one
/// thing after the other, and who was served instead meanwhile.

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "engine/results/results.hpp"
#include "engine/simulation/simulation_observer.hpp"

namespace amalthea::engine {

struct Explanation {
  TaskIndex task = 0;     ///< who is explained: of a wrapper that fell away its function
  std::uint64_t job = 0;  ///< of the task, counted from 0
  Instant release;
  Instant completion;
  std::vector<Interval> own;  ///< from the release to the completion, without gaps; first the wait for earlier jobs
  /// What others ran, polled, copied or computed on the cores the task may use and, where it uses a GPU, there; cut to
  /// the job's time, by start.
  std::vector<Interval> others;
};

/// `results` are those of `analyze` with the same options. The simulation is run once more, and seen the same, as it is
/// deterministic. The error says why there is nothing to explain: no job of the task has ended.
tl::expected<Explanation, std::string> explain(const System& system, const AnalysisOptions& options,
                                               const Results& results, TaskIndex task);

}  // namespace amalthea::engine
