// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verdicts on the requirements of a model: what a simulation saw, and what bounds show, against their limits.

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

/// One result per requirement of the system. Asks for everything else in `results`, accesses of the tasks of process
/// chains included.
///
/// - Processes: every TimeMetric over the measured jobs (process_metrics.hpp). A job that never ended is above every
///   upper limit on ResponseTime and Lateness; so are lost activations above those on ResponseTime. All other metrics
///   are unknown then, unless what has ended is against the limit. The bound on the response time bounds the parts of
///   it, too: execution, states, StartDelay.
/// - Counts over all measured jobs: Activations, Preemptions, FullMigrations (every change of the core),
///   MtaLimitExceeding (lost activations).
/// - NormalizedResponseTime and NormalizedLateness are in percent of the deadline.
/// - CPULoad is the use of the unit that is named, else of the only one where the process runs; CPURunning, CPUReady,
///   CPUWaiting, CPUPolling and CPUParking are what the process' jobs spend in that state, of the simulated time.
/// - Runnables: ResponseTime and GrossExecutionTime, from the first start to the last end within a job.
/// - Process chains: ResponseTime and EndToEnd from the activation of a job of the first process, GrossExecutionTime
///   from its start, to the first end of the last process that works on what it did: jobs take what is there when they
///   start and give it on when they end.
std::vector<RequirementResult> judge_requirements(const System& system, const Results& results);

}  // namespace amalthea::engine
