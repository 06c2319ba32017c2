// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verdicts on what was measured instead of simulated, by the same judges.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/constraints/constraint_observer.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// Chains, and requirements on process chains, of a measurement of any length: what earlier windows of it showed.
struct ChainWindows {
  std::vector<ObservedLatencies> chains;                       ///< parallel to System::chains
  std::vector<std::optional<RequirementResult>> requirements;  ///< parallel to System::requirements
  /// by chain: release and start of the last job that is part of `reads`
  std::vector<std::pair<Instant, Instant>> counted;
};

/// Adds what the accesses of the jobs show (by task, as Results::accesses) and removes those that no later job needs. At
/// most `most` remain: of a chain that does not end for so long, latencies are lost.
void fold_accesses(const System& system, std::vector<std::vector<JobAccess>>& accesses, std::size_t most,
                   ChainWindows& windows);

/// Fills the verdicts of tasks, chains, requirements and constraints. `results` holds what was measured: of every task
/// `response`, `metrics`, `unfinished`, `missed_deadlines` and `lost_activations`; `runnables`, `resources`, `horizon`,
/// the length of the measurement, and `accesses`, as far as they are not folded into `windows`. Nothing is guaranteed: no
/// bound takes part.
void judge_measurement(const System& system, const ConstraintObserver& constraints, const ChainWindows& windows,
                       Results& results);

/// Keeps of both the verdicts that are worse, for requirements, chains and constraints.
void keep_worse_verdicts(const Results& other, Results& results);

}  // namespace amalthea::engine
