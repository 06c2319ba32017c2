#pragma once
/// \file
/// Scenarios of streams as JSON (docs/gpu.md).

#include <optional>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/nvidia/located_json.hpp"
#include "engine/nvidia/stream_simulation.hpp"

namespace amalthea::engine::nvidia {

/// `{"platform": "tx2", "copy_engines": 1, "streams": [{"name": "a", "priority": "high"}], "operations":
/// [{"kernel": "K", "stream": "a", "blocks": 2, "threads": 512, "duration_ps": 4000000}, …]}`. Streams that are only
/// named by operations have low priority; an operation without a stream is in the NULL stream. `limits`, where given,
/// stand instead of the scenario's platform.
tl::expected<StreamScenario, TextError> parse_stream_scenario(std::string_view json,
                                                              const std::optional<SmLimits>& limits = std::nullopt);

}  // namespace amalthea::engine::nvidia
