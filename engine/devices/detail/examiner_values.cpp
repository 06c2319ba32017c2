// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/detail/examiner_values.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"

namespace amalthea::engine::gpu::examiner {

using Error = std::optional<TextError>;

std::optional<std::int64_t> whole_number(const JsonValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.value)) return *number;
  const auto* number = std::get_if<double>(&value.value);
  if (number == nullptr || std::abs(*number) > 9e15 || std::floor(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

Error read_flag(const JsonValue& value, bool& target) {
  const auto* flag = std::get_if<bool>(&value.value);
  if (flag == nullptr) return error_at(value, "expected true or false");
  target = *flag;
  return std::nullopt;
}

Error read_whole(const JsonValue& value, std::int64_t minimum, std::int64_t& target) {
  const auto number = whole_number(value);
  if (!number || *number < minimum) return error_at(value, fmt::format("expected a whole number from {}", minimum));
  target = *number;
  return std::nullopt;
}

Error read_seconds(const JsonValue& value, Duration& target) {
  double seconds = -1;
  if (const auto* number = std::get_if<std::int64_t>(&value.value)) seconds = static_cast<double>(*number);
  if (const auto* number = std::get_if<double>(&value.value)) seconds = *number;
  if (!(seconds >= 0) || seconds > 9e6) return error_at(value, "expected seconds, a number from 0 to 9000000");
  target = Duration::picoseconds(std::llround(seconds * 1e12));
  return std::nullopt;
}

Error read_nanoseconds(const JsonValue& value, Duration& target) {
  auto nanoseconds = whole_number(value);
  if (const auto* text = std::get_if<std::string>(&value.value))
    if (const auto parsed = parse_integer(*text)) nanoseconds = *parsed;
  constexpr std::int64_t most = 9'000'000'000'000'000;
  if (!nanoseconds || *nanoseconds < 0 || *nanoseconds > most)
    return error_at(value, fmt::format("expected a whole number of nanoseconds from 0 to {}", most));
  target = Duration::nanoseconds(*nanoseconds);
  return std::nullopt;
}

Error read_dimensions(const JsonValue& value, std::int64_t most, std::int64_t& target) {
  const std::string expected =
      fmt::format("expected a whole number from 1, or an array of up to three, whose product is at most {}", most);
  const auto* array = std::get_if<JsonArray>(&value.value);
  std::int64_t product = 1;
  const auto multiply = [&](const JsonValue& factor) {
    const auto number = whole_number(factor);
    if (!number || *number < 1 || *number > most / product) return false;
    product *= *number;
    return true;
  };
  if (array == nullptr) {
    if (!multiply(value)) return error_at(value, expected);
  } else {
    if (array->elements.empty() || array->elements.size() > 3) return error_at(value, expected);
    for (const JsonValue& element : array->elements)
      if (!multiply(element)) return error_at(element, expected);
  }
  target = product;
  return std::nullopt;
}

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), key) != known.end();
}

void remark_unknown_keys(const JsonObject& object, std::initializer_list<std::string_view> known,
                         std::vector<TextError>& remarks) {
  for (const auto& [key, value] : object.members)
    if (key != "comment" && !is_one_of(key, known)) remarks.push_back(error_at(value, "unknown key; it is ignored"));
}

}  // namespace amalthea::engine::gpu::examiner
