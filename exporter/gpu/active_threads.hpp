// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How many threads are resident on a GPU over time: in total, and of every kernel.

#include <string>

#include "engine/devices/stream_simulation.hpp"

namespace amalthea::exporter {

/// CSV: time_ps, and the threads of every series and in total, at each instant at which they change.
std::string render_active_threads_csv(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run);
/// The same as a drawing.
std::string render_active_threads_svg(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run,
                                      const std::string& title);

}  // namespace amalthea::exporter
