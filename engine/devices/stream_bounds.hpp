// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Bounds on the responses in a scenario of streams, whenever they submit: the analysis of time slices
/// (nvidia/time_slice_analysis.hpp), with a task on a core of its own for each stream.

#include <optional>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/devices/stream_simulation.hpp"

namespace amalthea::engine::gpu {

/// For each stream a bound on the time from the release to the end of its operations, if the streams begin at any time,
/// submit at least as far apart as in the scenario, and operations take their durations. Nothing for a stream that does
/// not submit the same operations at every release, that may fall behind its releases, or that has no operations.
/// Nothing at all for what the analysis does not cover: several GPUs (parts_of), AMD GPUs, MPS, NULL streams, loops,
/// traffic of CPUs, kernels with instructions, contexts by priority with several streams.
std::vector<std::optional<Duration>> stream_bounds(const StreamScenario& scenario);

}  // namespace amalthea::engine::gpu
