// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text and JSON of the standalone GPU models (docs/reference/gpu.md). The JSON forms are one object and end with a
/// line end.

#include <optional>
#include <string>
#include <vector>

#include "engine/devices/stream_simulation.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/response_time.hpp"

namespace amalthea::exporter {

std::string render_occupancy_json(const engine::DeviceProfile& profile, const engine::gpu::Occupancy& occupancy);
/// `profile` must have multiprocessors.
std::string render_occupancy_text(const engine::DeviceProfile& profile, const engine::gpu::Occupancy& occupancy,
                                  bool colour);

/// The SM of every block, one row per stream; nothing for a block that waits.
using Placement = std::vector<std::vector<std::optional<engine::gpu::SmIndex>>>;
std::string render_placement_json(const Placement& placement);
std::string render_placement_text(const std::vector<engine::nvidia::StreamBlocks>& streams, const Placement& placement);

/// Contains utilization and verdict if the problem states periods. A kernel without a result is null.
std::string render_rta_json(const engine::nvidia::RtaProblem& problem, const engine::nvidia::RtaResult& result);
std::string render_rta_text(const engine::nvidia::RtaProblem& problem, const engine::nvidia::RtaResult& result,
                            bool colour);

/// The worst job of every kernel over at least a hyperperiod.
std::string render_periodic_rta_json(const engine::nvidia::RtaProblem& problem,
                                     const engine::nvidia::PeriodicRtaResult& result);
std::string render_periodic_rta_text(const engine::nvidia::RtaProblem& problem,
                                     const engine::nvidia::PeriodicRtaResult& result, bool colour);

std::string render_streams_json(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run);
std::string render_streams_text(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run,
                                bool colour);

}  // namespace amalthea::exporter
