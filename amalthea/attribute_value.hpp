// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Attribute values as Eclipse EMF understands them: which text it accepts, how it writes the value, and what an
/// attribute has that is not written. The rules are those of EMF's data types and of Java's number parsers.

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
  literal,  ///< of an enum
};

/// What values of an attribute feature are in this version.
ValueKind value_kind(const Feature& attribute, Version version);

/// The text that EMF writes for a value given as `text`: integers without sign and leading zeros, reals as Java prints
/// them ("1.0E8"), addresses in lower-case hexadecimal. Nothing when EMF rejects the text. Java releases before 19
/// print some reals with more digits than needed; this function gives the shortest form, as later ones do.
std::optional<std::string> written_value(const Feature& attribute, Version version, std::string_view text);

/// Value of the attribute where it is not written, in EMF's form; nothing where it then has no value at all (texts,
/// big integers and optional numbers without a default in the metamodel).
std::optional<std::string> default_value(const Feature& attribute, Version version);

/// A real number as Java's Double.toString (Float.toString for `single`) writes it.
std::string java_real(double value, bool single);

/// A real number as Java's Double.valueOf reads it; nothing for other text. Hexadecimal reals are not read.
std::optional<double> parse_java_real(std::string_view text);

}  // namespace amalthea
