// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// JSON of any length, of which one array matters: its elements one after the other.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "traces/reading/detail/byte_stream.hpp"

namespace amalthea::traces {

/// Real numbers are strings with their text, so that no digit is lost.
struct JsonElements {
  std::string_view array;              ///< a key of the object; the text itself may be the array, too
  std::size_t max_values = 1'000'000;  ///< of an element
  std::function<void(const nlohmann::json& element, std::uint64_t line)> element;
  /// Strings and numbers of the object beside the array.
  std::function<void(const std::string& key, const nlohmann::json& value)> other;
};

struct JsonEnd {
  bool whole = true;
  std::uint64_t line = 0;
  std::string message;  ///< why it is not whole
};
JsonEnd read_json_elements(ByteStream& bytes, const JsonElements& elements);

/// A number of `unit` picoseconds in decimal notation, such as "12.5", exact to the picosecond. False for anything else.
bool read_decimal(const nlohmann::json& value, std::int64_t unit, std::int64_t& picoseconds);

}  // namespace amalthea::traces
