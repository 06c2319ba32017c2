// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// JSON input with the location of every value, for messages.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/time.hpp"

namespace amalthea::engine {

/// An error in a text, and its location: line and column from 1, columns in bytes.
struct TextError {
  std::size_t line = 1;
  std::size_t column = 1;
  std::string message;
};

/// "line:column: message".
std::string format(const TextError& error);

struct JsonValue;
struct JsonMember;
struct JsonArray {
  std::vector<JsonValue> elements;
};
struct JsonObject {
  std::vector<JsonMember> members;  ///< in the order of the text
};
/// An integer that exceeds std::int64_t.
struct JsonHugeNumber {};

struct JsonValue {
  std::variant<std::nullptr_t, bool, std::int64_t, double, JsonHugeNumber, std::string, JsonArray, JsonObject> value;
  std::size_t line = 1;    ///< where the value ends; for objects and arrays where it begins
  std::size_t column = 1;  ///< of its last character (for objects and arrays of the opening bracket)
  std::string path;        ///< such as "kernels[2].g"; "" for the whole text
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

/// Rejects invalid JSON, duplicate keys in an object, nesting deeper than 32 and more than 4 million values. The key
/// `repeatable` may be repeated.
tl::expected<JsonValue, TextError> parse_located_json(std::string_view text, std::string_view repeatable = {});

/// The value under a key, or null.
const JsonValue* find_member(const JsonObject& object, std::string_view key);

/// "path: what" at the location of the value.
TextError error_at(const JsonValue& value, std::string_view what);

// Each of these functions sets `target` from the value. The error states what was expected.

/// An integer of at least `minimum`.
std::optional<TextError> read_number(const JsonValue& value, std::int64_t minimum, std::int64_t& target);
/// A number in [least, most].
std::optional<TextError> read_real(const JsonValue& value, double least, double most, double& target);
std::optional<TextError> read_text(const JsonValue& value, std::string& target);
/// A non-empty string.
std::optional<TextError> read_name(const JsonValue& value, std::string& target);
/// An integer number of picoseconds, or else a text such as "2500us"; not negative.
std::optional<TextError> read_time(const JsonValue& value, bool picoseconds, Duration& target);

/// One of `choices`, identified by name_of.
template <typename Choice>
std::optional<TextError> read_choice(const JsonValue& value, std::initializer_list<Choice> choices, Choice& target) {
  const auto* text = std::get_if<std::string>(&value.value);
  std::string expected = "expected one of";
  for (const Choice choice : choices) {
    const std::string_view name = name_of(choice);
    if (text != nullptr && *text == name) {
      target = choice;
      return std::nullopt;
    }
    expected.append(choice == *choices.begin() ? " \"" : ", \"").append(name).append("\"");
  }
  return error_at(value, expected);
}

}  // namespace amalthea::engine
