// SPDX-License-Identifier: Apache-2.0
#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"

namespace amalthea {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

const Unit* find_unit(const Unit* first, const Unit* last, std::string_view name) {
  for (; first != last; ++first)
    if (first->name == name) return first;
  return nullptr;
}

template <std::size_t N>
const Unit* find_unit(const std::array<Unit, N>& units, std::string_view name) {
  return find_unit(units.data(), units.data() + units.size(), name);
}

/// `what`: "unit of time (ps, ns, us, ms, s)".
template <std::size_t N>
std::string no_such_unit(const std::array<Unit, N>& units, std::string_view name, std::string_view what,
                         std::string_view suffix = "") {
  if (name.empty()) return fmt::format("the {} is missing", what);
  std::vector<std::string> names;
  names.reserve(N);
  for (const Unit& unit : units) names.push_back(std::string(unit.name).append(suffix));
  return fmt::format("\"{}\" is not a {}{}", name, what, did_you_mean(name, names));
}

// Picoseconds per unit. "µs" occurs in free text with both code points (U+00B5, U+03BC).
constexpr std::array<Unit, 7> time_units{{{"ps", 1},
                                          {"ns", 1000},
                                          {"us", 1000000},
                                          {"ms", 1000000000},
                                          {"s", 1000000000000},
                                          {"\xC2\xB5s", 1000000},
                                          {"\xCE\xBCs", 1000000}}};

// Millihertz per unit.
constexpr std::array<Unit, 4> frequency_units{
    {{"Hz", 1000}, {"kHz", 1000000}, {"MHz", 1000000000}, {"GHz", 1000000000000}}};

constexpr std::int64_t kilo = 1000, mega = 1000 * kilo, giga = 1000 * mega, tera = 1000 * giga;
constexpr std::int64_t kibi = 1024, mebi = 1024 * kibi, gibi = 1024 * mebi, tebi = 1024 * gibi;

// Bits per unit; spellings up to 0.7.2 (`byte`, `kibit`) and from 0.8.0 (`B`, `Kibit`).
constexpr std::array<Unit, 20> size_units{{{"bit", 1},        {"kbit", kilo},    {"Mbit", mega},    {"Gbit", giga},
                                           {"Tbit", tera},    {"Kibit", kibi},   {"kibit", kibi},   {"Mibit", mebi},
                                           {"Gibit", gibi},   {"Tibit", tebi},   {"B", 8},          {"byte", 8},
                                           {"kB", 8 * kilo},  {"MB", 8 * mega},  {"GB", 8 * giga},  {"TB", 8 * tera},
                                           {"KiB", 8 * kibi}, {"MiB", 8 * mebi}, {"GiB", 8 * gibi}, {"TiB", 8 * tebi}}};

Parsed<std::int64_t> multiply(std::int64_t value, std::int64_t factor, std::string_view text) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(value, factor, &product)) return tl::unexpected(fmt::format("\"{}\" is too large", text));
  return product;
}

Parsed<std::int64_t> parse_bits(std::string_view value, std::string_view unit) {
  const auto number = parse_integer(value);
  if (!number) return tl::unexpected(number.error());
  if (*number < 0) return tl::unexpected(fmt::format("\"{}\" is negative", value));
  const Unit* found = find_unit(size_units, unit);
  if (found == nullptr) return tl::unexpected(no_such_unit(size_units, unit, "unit of data size (B, kB, KiB, MB, …)"));
  return multiply(*number, found->factor, value);
}

}  // namespace

Parsed<std::int64_t> parse_integer(std::string_view text) {
  const std::string_view digits = trim(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) return tl::unexpected(fmt::format("\"{}\" is too large", text));
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty())
    return tl::unexpected(fmt::format("\"{}\" is not an integer", text));
  return value;
}

Parsed<double> parse_double(std::string_view text) {
  const std::string_view digits = trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty() || !std::isfinite(value))
    return tl::unexpected(fmt::format("\"{}\" is not a number", text));
  return value;
}

Parsed<Duration> parse_time(std::string_view value, std::string_view unit) {
  const auto number = parse_integer(value);
  if (!number) return tl::unexpected(number.error());
  const Unit* found = find_unit(time_units, unit);
  if (found == nullptr) return tl::unexpected(no_such_unit(time_units, unit, "unit of time (ps, ns, us, ms, s)"));
  return multiply(*number, found->factor, value).map([](std::int64_t ps) { return Duration::picoseconds(ps); });
}

Parsed<Duration> parse_time_text(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const auto digits = trimmed.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos || trimmed[digits] == '.' || trimmed[digits] == ',')
    return tl::unexpected(fmt::format("\"{}\" is not a whole number with a unit of time, such as \"7200 us\"", text));
  return parse_time(trimmed.substr(0, digits), trim(trimmed.substr(digits)));
}

Parsed<Frequency> parse_frequency(std::string_view value, std::string_view unit) {
  const auto number = parse_double(value);
  if (!number) return tl::unexpected(number.error());
  const Unit* found = find_unit(frequency_units, unit);
  if (found == nullptr)
    return tl::unexpected(no_such_unit(frequency_units, unit, "unit of frequency (Hz, kHz, MHz, GHz)"));
  const double millihertz = std::round(*number * static_cast<double>(found->factor));
  if (millihertz > 9e18)
    return tl::unexpected(fmt::format("\"{} {}\" is too large for a frequency (at most 9000000 GHz)", value, unit));
  if (!(millihertz >= 1)) return tl::unexpected(fmt::format("\"{} {}\" is not a frequency above zero", value, unit));
  return Frequency::millihertz(static_cast<std::int64_t>(millihertz));
}

Parsed<DataSize> parse_data_size(std::string_view value, std::string_view unit) {
  return parse_bits(value, unit).map([](std::int64_t bits) { return DataSize{bits / 8 + (bits % 8 != 0 ? 1 : 0)}; });
}

Parsed<DataRate> parse_data_rate(std::string_view value, std::string_view unit) {
  constexpr std::string_view suffix = "PerSecond";
  const std::string_view size_unit = unit.substr(0, unit.size() - std::min(unit.size(), suffix.size()));
  if (!unit.ends_with(suffix) || find_unit(size_units, size_unit) == nullptr)
    return tl::unexpected(no_such_unit(size_units, unit, "unit of data rate (BPerSecond, MBPerSecond, …)", suffix));
  return parse_bits(value, size_unit).map([](std::int64_t bits) { return DataRate{bits / 8}; });
}

std::string format_duration(Duration value) { return format_duration(value, Rounding::nearest); }

std::string format_duration(Duration value, Rounding rounding) {
  const std::int64_t ps = value.picoseconds();
  const std::uint64_t magnitude = ps < 0 ? 0 - static_cast<std::uint64_t>(ps) : static_cast<std::uint64_t>(ps);
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> steps{
      {{"s", 1000000000000}, {"ms", 1000000000}, {"us", 1000000}, {"ns", 1000}, {"ps", 1}}};
  std::pair<std::string_view, std::uint64_t> step = steps.back();
  for (const auto& candidate : steps)
    if (magnitude >= candidate.second) {
      step = candidate;
      break;
    }
  std::uint64_t whole = magnitude / step.second;
  std::uint64_t fraction = 0;
  if (step.second > 1) {
    // Six decimals; integer arithmetic keeps the text independent of the platform's floating point.
    const bool away = rounding == (ps < 0 ? Rounding::down : Rounding::up);  // from zero
    const std::uint64_t raised = rounding == Rounding::nearest ? step.second / 2 : away ? step.second - 1 : 0;
    const auto scaled = (static_cast<detail::Int128>(magnitude % step.second) * 1000000 + raised) / step.second;
    fraction = static_cast<std::uint64_t>(scaled);
    if (fraction == 1000000) {
      ++whole;
      fraction = 0;
    }
  }
  std::string text = fmt::format("{}{}", ps < 0 ? "-" : "", whole);
  if (fraction != 0) {
    std::string decimals = fmt::format(".{:06}", fraction);
    while (decimals.back() == '0') decimals.pop_back();
    text += decimals;
  }
  return text + " " + std::string(step.first);
}

}  // namespace amalthea
