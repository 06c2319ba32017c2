// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Attribute values as Eclipse EMF handles them: which text it accepts, how it writes the value, and the default of an
/// attribute that is not written. The rules are those of EMF's data types and of Java's number parsers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "amalthea/metamodel.hpp"

namespace amalthea {

enum class ValueKind : std::uint8_t {
  text,
  boolean,
  int32,
  int64,
  big_integer,
  real32,
  real64,
  address,  ///< 64 bit, read as decimal, 0x… or octal 0…, written as 0x…
  literal,  ///< literal of an enum
};

/// The kind of value of an attribute feature in this version.
ValueKind value_kind(const Feature& attribute, Version version);

/// The text that EMF writes for a value given as `text`: integers without sign and leading zeros, reals as Java prints
/// them ("1.0E8"), addresses in lower-case hexadecimal. Nothing if EMF rejects the text. Java releases before 19 print
/// some reals with more digits than needed; this function returns the shortest form, as later releases do.
std::optional<std::string> written_value(const Feature& attribute, Version version, std::string_view text);

/// The value of an attribute that is not written, in EMF's form; nothing if it then has no value (texts, big integers
/// and optional numbers without a default in the metamodel).
std::optional<std::string> default_value(const Feature& attribute, Version version);

/// A real number in the format of Java's Double.toString (Float.toString for `single`).
std::string java_real(double value, bool single);

/// Parses a real number like Java's Double.valueOf; nothing for other text. Does not read hexadecimal reals.
std::optional<double> parse_java_real(std::string_view text);

}  // namespace amalthea
