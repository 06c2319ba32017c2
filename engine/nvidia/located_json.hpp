#pragma once
/// \file
/// JSON of the user's own with the place of every value, so that a message about it can say where it is.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

namespace amalthea::engine::nvidia {

/// What is wrong with a text, and where: line and column from 1, columns in bytes.
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
/// A whole number that a std::int64_t does not hold.
struct JsonHugeNumber {};

struct JsonValue {
  std::variant<std::nullptr_t, bool, std::int64_t, double, JsonHugeNumber, std::string, JsonArray, JsonObject> value;
  std::size_t line = 1;    ///< where the value ends, for objects and arrays where they begin
  std::size_t column = 1;  ///< of its last character (of the opening bracket)
  std::string path;        ///< such as "kernels[2].g"; "" for the whole text
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

/// Refuses what is no JSON, keys that occur twice in one object, and nesting deeper than 32.
tl::expected<JsonValue, TextError> parse_located_json(std::string_view text);

/// "path: what" at the value's place.
TextError error_at(const JsonValue& value, std::string_view what);

/// Sets `target` to a whole number of at least `minimum`; the error says that this was expected.
std::optional<TextError> read_number(const JsonValue& value, std::int64_t minimum, std::int64_t& target);

}  // namespace amalthea::engine::nvidia
