// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the requests to the GPU models have in common.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <tl/expected.hpp>

#include "analysis/gpu.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::analysis::gpu {

/// --platform of most requests.
Option platform_row(std::string& platform);
/// The profile, whose SMs are known.
Outcome<engine::DeviceProfile> profile_with_sms(const std::string& platform);
/// The same for an NVIDIA GPU; other GPUs are refused.
Outcome<engine::DeviceProfile> nvidia_profile(const std::string& platform);

/// The whole number that the text is, without blanks or a plus.
std::optional<std::int64_t> whole_number(std::string_view text);
/// "a,b": "a" and "b".
std::vector<std::string_view> parts_of(std::string_view text, char separator);

Outcome<std::string> text_of(const Scenario& scenario);
Failure unreadable(const std::string& path, const engine::TextError& error);
/// A scenario of streams of one GPU, in either format, and its title. Warns of what its profile lacks.
struct TitledScenario {
  std::string title;
  engine::gpu::StreamScenario scenario;
};
Outcome<TitledScenario> stream_scenario(const Scenario& scenario, const std::string& platform, const Watch& watch);
/// What the text of a scenario says. A failure names the file, the line and the column.
template <typename Content>
Outcome<Content> content_of(const Scenario& scenario,
                            tl::expected<Content, engine::TextError> (*parse)(std::string_view)) {
  return text_of(scenario).and_then([&](const std::string& text) -> Outcome<Content> {
    return parse(text).map_error([&](const engine::TextError& error) { return unreadable(scenario.path, error); });
  });
}

/// The value, or a failure at the place, if there is one.
template <typename Value>
Outcome<Value> at_place(std::string_view place, tl::expected<Value, std::string> value) {
  return std::move(value).map_error([&](const std::string& error) {
    return Failure{Failure::Kind::misused, error, std::string(place)};
  });
}

}  // namespace amalthea::analysis::gpu
