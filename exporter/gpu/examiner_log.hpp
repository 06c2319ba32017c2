// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Logs in the format of cuda_scheduling_examiner, for its timeline viewers.

#include <string>
#include <vector>

#include "engine/devices/examiner_scenario.hpp"

namespace amalthea::exporter {

/// The log of one benchmark of a run. Times are seconds, exact to the picosecond. Processes and threads are numbered
/// from 1.
std::string render_examiner_log(const std::string& scenario_name, const engine::gpu::ExaminerBenchmark& benchmark,
                                const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run);

}  // namespace amalthea::exporter
