// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// End-to-end latencies of chains of periodic tasks (cause-effect chains), exactly under LET and as bounds under
/// implicit and explicit communication. docs/theory/chains.md defines every latency and names the sources.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/results/chain_result.hpp"

namespace amalthea::engine {

/// The latencies of tasks that are released so, in the order of the chain, at least one; over the hyperperiod of the
/// tasks and the time before it in which not all of them have begun. On failure why they are not known.
tl::expected<LetLatencies, std::string> let_latencies(std::span<const Periodic> tasks);

/// A task of a chain whose jobs may read and write at any time between their release and their end.
struct BoundedTask {
  Duration period;
  Duration response;  ///< no job ends later than this after its release
  /// A job may write what the next task reads before it has read what the task before it wrote: that then goes out with
  /// the next job.
  bool writes_first = false;
};

/// At least one task. Throws std::overflow_error.
LatencyBounds latency_bounds(std::span<const BoundedTask> tasks);

/// One result per chain of the system, with neither what was observed nor its limits judged. `responses` are upper
/// bounds on the response times of its tasks, by task; empty when none are computed.
std::vector<ChainResult> chain_latencies(const System& system, std::span<const std::optional<Duration>> responses);

}  // namespace amalthea::engine
