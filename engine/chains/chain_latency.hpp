// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// End-to-end latencies of chains of periodic tasks (cause-effect chains): exact under LET, upper bounds under implicit
/// and explicit communication. docs/theory/chains.md defines every latency and names the sources.

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

struct Bound;

/// The LET latencies of at least one task with these releases, in chain order: over the hyperperiod of the tasks and
/// the initial time before all of them have been released. The error states why they are unknown.
tl::expected<LetLatencies, std::string> let_latencies(std::span<const Periodic> tasks);

/// A task of a chain whose jobs may read and write at any time between release and completion.
struct BoundedTask {
  Duration period;    ///< the longest time from one release to the next; of a triggered task that of its row of triggers
  Duration response;  ///< upper bound on the time from the release, of a triggered task that of its row, to the end
  /// A job may write what it passes on before it reads what it receives (ChainData::writes_first). Then its next job
  /// passes that data on.
  bool writes_first = false;
  /// No job of the next task that is released at or after the release of a job of this task starts before its end: both
  /// share a core, this one is more urgent and never waits. Then the response does not delay the data.
  bool precedes_next = false;
  Duration offset = {};  ///< the first job is released no later than this, or than one period
  /// Each job of the task before in the chain activates one of this task, and does nothing after that. Then `response`
  /// begins with this activation, and data does not wait for a release.
  bool follows = false;
};

/// At least one task. `steps`: what each task adds to the bound on the reaction; may be null. Throws std::overflow_error.
LatencyBounds latency_bounds(std::span<const BoundedTask> tasks, std::vector<ChainStep>* steps = nullptr);

/// One result per chain of the system, without observations and without verdicts on limits. `responses` are the bounds
/// on the response times, by task; empty if none are computed. A chain with a task that may lose activations has no bound.
std::vector<ChainResult> chain_latencies(const System& system, std::span<const Bound> responses);

}  // namespace amalthea::engine
