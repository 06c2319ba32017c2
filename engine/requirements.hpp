// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verdicts on the requirements of a model: the simulated values and the bounds, compared with the limits.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/results/requirement_result.hpp"

namespace amalthea::engine {

struct Results;

/// One result per requirement of the system. Needs everything else in `results`, including the accesses of tasks in
/// process chains.
///
/// - Processes: every TimeMetric over the measured jobs (process_metrics.hpp). A job that never ended exceeds every
///   upper limit on ResponseTime and Lateness; a lost activation exceeds those on ResponseTime. All other metrics are
///   then unknown, unless the ended jobs already violate the limit. The bound on the response time also bounds its
///   parts: execution, states, StartDelay.
/// - Counts over all measured jobs: Activations, Preemptions, FullMigrations (every change of core), MtaLimitExceeding
///   (lost activations). An upper limit on the latter is guaranteed if none can be lost.
/// - NormalizedResponseTime and NormalizedLateness are in percent of the deadline.
/// - CPULoad is the utilization of the named unit, else of the only unit the process runs on. CPURunning, CPUReady,
///   CPUWaiting, CPUPolling and CPUParking are the share of the simulated time that its jobs spend in that state.
/// - Runnables: ResponseTime and GrossExecutionTime, from the first start to the last end within a job.
/// - Process chains: ResponseTime and EndToEnd count from the activation of a job of the first process,
///   GrossExecutionTime from its start. They end with the first job of the last process that has processed its data.
///   Jobs read when they start and publish when they end.
std::vector<RequirementResult> judge_requirements(const System& system, const Results& results);

}  // namespace amalthea::engine
