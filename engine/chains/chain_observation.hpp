// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Observed end-to-end latencies of a chain, computed from the instants at which jobs read and wrote.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/results/chain_result.hpp"

namespace amalthea::engine {

/// `tasks` holds the ended jobs of every task of the chain (at least one task), for each task in the order of release,
/// which is also the order in which they read and write.
ObservedLatencies observed_latencies(std::span<const std::vector<JobAccess>> tasks);

/// The same for a chain of a system, `accesses` by task; nothing for a chain without tasks. If its stimulus is the
/// activation of the first task, latencies count from the release.
ObservedLatencies observed_latencies(const Chain& chain, std::span<const std::vector<JobAccess>> accesses);

/// What each task adds to the longest reaction time of a chain of a system: ChainResult::observed_steps. Empty if no
/// reaction time was observed.
std::vector<ChainStep> longest_reaction(const Chain& chain, std::span<const std::vector<JobAccess>> accesses);

/// A job of the first task whose data reached the end of a job of the last task.
struct Passage {
  Instant release;  ///< release of that job
  Instant start;
  Instant end;  ///< end of the first job of the last task that processed its data
};
/// In the order of the jobs; for the same tasks.
std::vector<Passage> passages(std::span<const std::vector<JobAccess>> tasks);

}  // namespace amalthea::engine
