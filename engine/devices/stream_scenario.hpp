// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Scenarios of streams as JSON (docs/reference/gpu.md).

#include <string_view>

#include <tl/expected.hpp>

#include "engine/devices/stream_simulation.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::engine::gpu {

/// `{"platform": "tx2", "copy_engines": 1, "contexts": [{"name": "A", "timeslice": "2ms"}], "streams": [{"name": "a",
/// "priority": "high"}], "operations": [{"kernel": "K", "stream": "a", "blocks": 2, "threads": 512, "duration_ps":
/// 4000000}, …]}`. Without contexts there is a single unnamed one. Operations without a context belong to the first.
/// Streams that only operations name have low priority. An operation without a stream is in the NULL stream of its
/// context. An operation with a period stands for all its releases before "until", by default the hyperperiod after the
/// last first release. `profile`, if given, replaces the scenario's platform; its SMs must be known.
tl::expected<StreamScenario, TextError> parse_stream_scenario(std::string_view json,
                                                              const DeviceProfile* profile = nullptr);

}  // namespace amalthea::engine::gpu
