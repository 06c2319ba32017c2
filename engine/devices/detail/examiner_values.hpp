// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Values in the configurations of cuda_scheduling_examiner and hip_plugin_framework. Each function sets `target` from
/// the value; the error states what was expected.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::engine::gpu::examiner {

/// The tools' numbers are doubles: 1e9 is also an integer.
std::optional<std::int64_t> whole_number(const JsonValue& value);

std::optional<TextError> read_flag(const JsonValue& value, bool& target);
std::optional<TextError> read_whole(const JsonValue& value, std::int64_t minimum, std::int64_t& target);
std::optional<TextError> read_seconds(const JsonValue& value, Duration& target);
/// A number, or a string of digits as in the tool's first versions.
std::optional<TextError> read_nanoseconds(const JsonValue& value, Duration& target);
/// A number, or an array of up to three whose product counts.
std::optional<TextError> read_dimensions(const JsonValue& value, std::int64_t most, std::int64_t& target);

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> known);

/// A remark on every key of the object that is not known.
void remark_unknown_keys(const JsonObject& object, std::initializer_list<std::string_view> known,
                         std::vector<TextError>& remarks);

}  // namespace amalthea::engine::gpu::examiner
