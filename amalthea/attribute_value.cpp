// SPDX-License-Identifier: Apache-2.0
#include "amalthea/attribute_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"

namespace amalthea {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Sign and digits without leading zeros; nothing for any other text.
std::optional<std::string> plain_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size() - 1));
  std::string plain(negative && text != "0" ? "-" : "");
  return plain.append(text);
}

template <typename Integer>
std::optional<std::string> bounded_integer(std::string_view text) {
  auto plain = plain_integer(text);
  if (!plain) return std::nullopt;
  Integer value{};
  const auto [end, error] = std::from_chars(plain->data(), plain->data() + plain->size(), value);
  return error == std::errc{} && end == plain->data() + plain->size() ? plain : std::nullopt;
}

std::optional<std::string> address(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with('#')) {
    base = 16;
    text.remove_prefix(1);
  } else if (text.size() > 1 && text.starts_with('0')) {
    base = 8;
    text.remove_prefix(1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return fmt::format("0x{:x}", value);
}

ValueKind kind_of_java_class(std::string_view java_class) {
  if (java_class == "int") return ValueKind::int32;
  return java_class == "long" ? ValueKind::int64 : ValueKind::real64;
}

}  // namespace

ValueKind value_kind(const Feature& attribute, Version version) {
  if (attribute.enumeration != no_enum) return ValueKind::literal;
  const std::string_view type = attribute.type_name;
  if (attribute.data_type != no_data_type) {
    if (type == "Address") return ValueKind::address;
    const DataTypeForm* form = metamodel::info(attribute.data_type).form_in(version);
    return form == nullptr ? ValueKind::text : kind_of_java_class(form->java_class);
  }
  if (type == "EBoolean") return ValueKind::boolean;
  if (type == "EInt" || type == "EIntegerObject") return ValueKind::int32;
  if (type == "ELong" || type == "ELongObject") return ValueKind::int64;
  if (type == "EBigInteger") return ValueKind::big_integer;
  if (type == "EFloat") return ValueKind::real32;
  if (type == "EDouble" || type == "EDoubleObject") return ValueKind::real64;
  return ValueKind::text;
}

std::optional<double> parse_java_real(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const double sign = negative ? -1.0 : 1.0;
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return sign * std::numeric_limits<double>::infinity();
  if (!text.empty() && std::string_view("fFdD").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  // from_chars also reads "inf" and "nan", and no second sign.
  if (text.empty() || (!is_digit(text.front()) && text.front() != '.')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) {
    // Java and from_chars allow a sign in the exponent, but from_chars stops before a dangling "e".
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value unchanged; Java yields zero or infinity, depending on the sign of the exponent.
    const bool tiny = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos ||
                      text.starts_with("0.") || text.starts_with('.');
    return sign * (tiny ? 0.0 : std::numeric_limits<double>::infinity());
  }
  if (error != std::errc{}) return std::nullopt;
  return sign * value;
}

std::string java_real(double value, bool single) {
  if (std::isnan(value)) return "NaN";
  std::string text(std::signbit(value) ? "-" : "");
  const double size = std::fabs(value);
  if (std::isinf(size)) return text.append("Infinity");
  if (size == 0) return text.append("0.0");
  char buffer[64];
  const auto result =
      single ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(size), std::chars_format::scientific)
             : std::to_chars(buffer, buffer + sizeof buffer, size, std::chars_format::scientific);
  const std::string_view scientific(buffer, static_cast<std::size_t>(result.ptr - buffer));  // "d.ddde±xx"
  const auto e = scientific.find('e');
  std::string digits(1, scientific.front());
  if (e > 2) digits.append(scientific.substr(2, e - 2));
  int exponent = 0;
  const bool below_one = scientific[e + 1] == '-';
  std::from_chars(scientific.data() + e + 2, scientific.data() + scientific.size(), exponent);
  if (below_one) exponent = -exponent;
  const auto count = static_cast<int>(digits.size());
  if (exponent >= -3 && exponent < 7) {
    if (exponent < 0) return text.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
    if (count <= exponent + 1)
      return text.append(digits).append(static_cast<std::size_t>(exponent + 1 - count), '0').append(".0");
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    return text.append(digits, 0, whole).append(".").append(digits, whole);
  }
  text.append(digits, 0, 1).append(".");
  if (count > 1)
    text.append(digits, 1);
  else
    text.append("0");
  return text.append("E").append(std::to_string(exponent));
}

std::optional<std::string> written_value(const Feature& attribute, Version version, std::string_view text) {
  switch (value_kind(attribute, version)) {
    case ValueKind::text:
      return std::string(text);
    case ValueKind::literal:
      if (!metamodel::info(attribute.enumeration).has_literal(text, version)) return std::nullopt;
      return std::string(text);
    case ValueKind::boolean:
      if (equal_ignoring_case(text, "true")) return "true";
      if (equal_ignoring_case(text, "false")) return "false";
      return std::nullopt;
    case ValueKind::int32:
      return bounded_integer<std::int32_t>(text);
    case ValueKind::int64:
      return bounded_integer<std::int64_t>(text);
    case ValueKind::big_integer:
      return plain_integer(text);
    case ValueKind::address:
      return address(text);
    case ValueKind::real32:
    case ValueKind::real64: {
      const auto value = parse_java_real(text);
      if (!value) return std::nullopt;
      return java_real(*value, value_kind(attribute, version) == ValueKind::real32);
    }
  }
  return std::nullopt;
}

std::optional<std::string> default_value(const Feature& attribute, Version version) {
  if (attribute.has_default) return written_value(attribute, version, attribute.default_literal);
  const bool optional_number = attribute.type_name.ends_with("Object");
  switch (value_kind(attribute, version)) {
    case ValueKind::literal:
      return std::string(metamodel::info(attribute.enumeration).default_literal(version));
    case ValueKind::boolean:
      return "false";
    case ValueKind::int32:
    case ValueKind::int64:
      return optional_number ? std::nullopt : std::optional<std::string>("0");
    case ValueKind::real32:
    case ValueKind::real64:
      return optional_number ? std::nullopt : std::optional<std::string>("0.0");
    case ValueKind::address:
      return "0x0";
    case ValueKind::text:
    case ValueKind::big_integer:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace amalthea
