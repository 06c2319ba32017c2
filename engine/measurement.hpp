// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verdicts on what was measured instead of simulated, by the same judges.

#include "amalthea/graph/system.hpp"
#include "engine/constraints/constraint_observer.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// Fills the verdicts of tasks, chains, requirements and constraints. `results` holds what was measured: of every task
/// `response`, `metrics`, `unfinished`, `missed_deadlines` and `lost_activations`; `runnables`, `resources`, `accesses`
/// and `horizon`, the length of the measurement. Nothing is guaranteed: no bound takes part.
void judge_measurement(const System& system, const ConstraintObserver& constraints, Results& results);

/// Keeps of both the verdicts that are worse, for requirements, chains and constraints.
void keep_worse_verdicts(const Results& other, Results& results);

}  // namespace amalthea::engine
