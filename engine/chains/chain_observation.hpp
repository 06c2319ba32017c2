// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// End-to-end latencies of a chain as they were observed: from the instants at which jobs read and wrote.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/results/chain_result.hpp"

namespace amalthea::engine {

/// The ended jobs of every task of the chain, at least one task; of each task in the order of their release, in which
/// they also read and write.
ObservedLatencies observed_latencies(std::span<const std::vector<JobAccess>> tasks);

/// The same of a chain of a system, `accesses` by task; nothing of one without tasks. Its stimulus may be the
/// activation of the first task: then latencies count from the release.
ObservedLatencies observed_latencies(const Chain& chain, std::span<const std::vector<JobAccess>> accesses);

/// A job of the first task whose work came through to the end of a job of the last one.
struct Passage {
  Instant release;  ///< of that job
  Instant start;
  Instant end;  ///< of the first job of the last task that shows it
};
/// In the order of the jobs; of the same tasks.
std::vector<Passage> passages(std::span<const std::vector<JobAccess>> tasks);

}  // namespace amalthea::engine
