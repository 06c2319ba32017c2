// SPDX-License-Identifier: Apache-2.0
#include "exporter/tables/table_quantity.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/core.h>

namespace amalthea::exporter::tables {
namespace {

constexpr std::int64_t k = 1000, ki = 1024;
constexpr std::array<AmountUnit, 7> times{{{"ps", 1},
                                           {"ns", k},
                                           {"us", k* k},
                                           {"\xC2\xB5s", k* k, "us"},
                                           {"\xCE\xBCs", k* k, "us"},
                                           {"ms", k* k* k},
                                           {"s", k* k* k* k}}};
constexpr std::array<AmountUnit, 4> frequencies{{{"Hz", k}, {"kHz", k* k}, {"MHz", k* k* k}, {"GHz", k* k* k* k}}};
constexpr std::array<AmountUnit, 7> sizes{
    {{"B", 1}, {"kB", k}, {"KiB", ki}, {"MB", k* k}, {"MiB", ki* ki}, {"GB", k* k* k}, {"GiB", ki* ki* ki}}};
constexpr std::array<AmountUnit, 4> rates{{{"B/s", 1, "BPerSecond"},
                                           {"kB/s", k, "kBPerSecond"},
                                           {"MB/s", k* k, "MBPerSecond"},
                                           {"GB/s", k* k* k, "GBPerSecond"}}};

std::string expectation(std::span<const AmountUnit> units) {
  std::string names;
  for (const AmountUnit& unit : units)
    if (static_cast<unsigned char>(unit.name.front()) < 0x80) names.append(names.empty() ? "" : ", ").append(unit.name);
  return fmt::format("expected a number with a unit, such as 1.5 {} (one of {})", units[units.size() - 2].name, names);
}

}  // namespace

constinit const std::span<const AmountUnit> time_units = times, frequency_units = frequencies, size_units = sizes,
                                            rate_units = rates;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Parsed<std::int64_t> parse_amount(std::string_view text, std::span<const AmountUnit> units) {
  const auto fail = [&](const std::string& why) {
    return tl::unexpected(fmt::format("\"{}\": {}", text, why.empty() ? expectation(units) : why));
  };
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, end), name = trimmed(text.substr(end));
  const std::size_t point = std::min(number.find('.'), number.size());
  const bool fraction = point < number.size();
  const auto unit = std::find_if(units.begin(), units.end(), [&](const AmountUnit& one) { return one.name == name; });
  if (point == 0 || point + 1 == number.size() || number.find('.', point + 1) != number.npos || unit == units.end())
    return fail({});
  if (number.size() > 30) return fail("this has too many digits");
  amalthea::detail::Int128 value = 0, divisor = 1;
  for (const char c : number) {
    if (c == '.') continue;
    value = value * 10 + (c - '0');
  }
  for (std::size_t i = point + 1; fraction && i < number.size(); ++i) divisor *= 10;
  if (value > std::numeric_limits<std::int64_t>::max()) return fail("this has too many digits");
  value *= unit->factor;
  if (value % (divisor * units.front().factor) != 0)
    return fail(fmt::format("this is finer than 1 {}", units.front().name));
  value /= divisor;
  if (value > longest_simulation.picoseconds()) return fail("this is too large");
  return static_cast<std::int64_t>(value);
}

std::pair<std::int64_t, const AmountUnit*> in_largest_unit(std::int64_t amount, std::span<const AmountUnit> units) {
  const AmountUnit* best = amount == 0 ? &units[units.size() - 2] : &units.front();
  for (const AmountUnit& unit : units)
    if (amount != 0 && amount % unit.factor == 0 && unit.factor > best->factor) best = &unit;
  return {amount / best->factor, best};
}

const AmountUnit* readable_unit(std::int64_t amount, std::int64_t other, std::span<const AmountUnit> units) {
  const AmountUnit* best = nullptr;
  const auto is_short = [](std::int64_t one, std::int64_t factor) {
    return static_cast<amalthea::detail::Int128>(one) * 1000 % factor == 0;
  };
  for (const AmountUnit& unit : units)
    if (amount >= unit.factor && is_short(amount, unit.factor) && is_short(other, unit.factor) &&
        (best == nullptr || unit.factor > best->factor))
      best = &unit;
  return best != nullptr ? best : in_largest_unit(amount, units).second;
}

std::string number_in(std::int64_t amount, const AmountUnit& unit) {
  std::string text = std::to_string(amount / unit.factor);
  const auto thousandths =
      static_cast<std::int64_t>(static_cast<amalthea::detail::Int128>(amount % unit.factor) * 1000 / unit.factor);
  if (thousandths == 0) return text;
  text += fmt::format(".{:03}", thousandths);
  while (text.back() == '0') text.pop_back();
  return text;
}

std::string format_amount(std::int64_t amount, std::span<const AmountUnit> units) {
  const AmountUnit* const unit = readable_unit(amount, amount, units);
  return fmt::format("{} {}", number_in(amount, *unit), unit->name);
}

}  // namespace amalthea::exporter::tables
