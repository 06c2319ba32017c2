// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verdicts on the limits of chains (EventChainLatencyConstraint).

#include "amalthea/graph/system.hpp"
#include "engine/results/chain_result.hpp"

namespace amalthea::engine {

struct Results;

/// Fills ChainResult::limits of all chains; asks for their bounds, what was observed of them, and the results of tasks.
/// A limit on the reaction is held against the reduced reaction, one on the age against the reduced age, a minimum
/// against the shortest of them.
/// - implicit: missed when the simulation saw a latency beyond the limit, guaranteed when the bound is within.
/// - explicit: by its bound alone; the simulation does not show such latencies.
/// - LET: exact, as long as no job needs longer than its interval: guaranteed when the bounds on the response times of
///   all tasks say so, met when the simulation does.
void judge_chain_limits(const System& system, Results& results);

}  // namespace amalthea::engine
