// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Explains one job: the longest job of a task that the simulation observed; of a task that lags ever more behind, the
/// first late one, since its longest job tells only how long the simulation was. Lists what it did and what delayed it,
/// in order, and which tasks ran instead.

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
  TaskIndex task = 0;     ///< the explained task; for a removed wrapper, its function
  std::uint64_t job = 0;  ///< job number within the task, from 0
  Instant release;
  Instant completion;
  bool first_late = false;                  ///< else the longest
  std::vector<Contribution> contributions;  ///< their sum is its response time
  std::vector<Interval> own;  ///< from the release to the completion, without gaps; first the wait for earlier jobs
  /// What other tasks ran, polled, copied or computed on the cores the task may use and on the GPU it uses; clipped to
  /// the time of the job, ordered by start.
  std::vector<Interval> others;
};

/// `results` must come from `analyze` with the same options. Runs the simulation again; it is deterministic. The error
/// states why there is nothing to explain: no job of the task has ended.
tl::expected<Explanation, std::string> explain(const System& system, const AnalysisOptions& options,
                                               const Results& results, TaskIndex task);

}  // namespace amalthea::engine
