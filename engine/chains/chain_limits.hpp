// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verdicts on the limits of chains (EventChainLatencyConstraint).

#include "amalthea/graph/system.hpp"
#include "engine/results/chain_result.hpp"

namespace amalthea::engine {

struct Results;

/// Fills ChainResult::limits of all chains. Needs their bounds, their observations, and the results of tasks. Limits on
/// the reaction apply to the reduced reaction, limits on the age to the reduced age, minimum limits to the shortest of
/// them.
/// If not every job passes data on (chain_data), all are unknown. Otherwise:
/// - implicit: missed if the simulation observed a latency beyond the limit, guaranteed if the bound is within the
///   limit.
/// - explicit: decided by its bound alone, since the simulation does not observe such latencies.
/// - LET: exact as long as no job exceeds its interval: guaranteed if the bounds on the response times of all tasks
///   show this, met if the simulation does.
void judge_chain_limits(const System& system, Results& results);

}  // namespace amalthea::engine
