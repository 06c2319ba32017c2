// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/quantities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/metamodel.hpp"
#include "amalthea/views/detail/reading.hpp"
#include "amalthea/views/stated_maximum.hpp"

namespace amalthea {
namespace views::detail {

void report_unreadable(Element element, std::string_view attribute, const std::string& what, Diagnostics& diagnostics) {
  diagnostics.add("AM0210", Severity::error, fmt::format("unreadable value in <{}>: {}", element.tag(), what),
                  element.attribute_location(attribute), element.path());
}

std::optional<std::int64_t> integer(Element element, std::string_view attribute, Diagnostics& diagnostics) {
  const auto text = element.attribute(attribute);
  if (!text) return std::nullopt;
  if (const auto integer = parse_integer(*text)) return *integer;
  const auto number = parse_double(*text);
  if (!number) {
    report_unreadable(element, attribute, number.error(), diagnostics);
    return std::nullopt;
  }
  if (std::abs(*number) > 9e18) {
    report_unreadable(element, attribute, fmt::format("\"{}\" is too large", *text), diagnostics);
    return std::nullopt;
  }
  return std::llround(*number);
}

std::optional<double> number(Element element, std::string_view attribute, Diagnostics& diagnostics) {
  const auto text = element.attribute(attribute);
  if (!text) return std::nullopt;
  const auto number = parse_double(*text);
  if (number) return *number;
  report_unreadable(element, attribute, number.error(), diagnostics);
  return std::nullopt;
}

std::string_view stated_literal(Element element, std::string_view attribute) {
  if (const auto text = element.attribute(attribute)) return *text;
  const IteaRelease release = element.document().itea();
  if (release == IteaRelease::none || release == IteaRelease::v1_3_0 || !element.cls()) return {};
  const Feature* feature = metamodel::find_feature_any_version(*element.cls(), attribute, oldest_version);
  if (feature == nullptr || feature->enumeration == no_enum) return {};
  // The enums of 0.7.0 are these without the leading `_undefined_`.
  const auto literals = metamodel::info(feature->enumeration).literals_in(oldest_version);
  return literals.size() > 1 ? literals[1] : std::string_view{};
}

std::optional<double> hertz_of(Element frequency, Diagnostics& diagnostics) {
  if (!frequency || is_unfilled(frequency)) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
  const auto value = frequency.attribute("value") ? number(frequency, "value", diagnostics) : std::optional(0.0);
  const std::string_view unit = stated_literal(frequency, "unit");
  for (const auto& [name, factor] : units)
    if (value && name == unit) return *value * factor;
  if (value && *value == 0) return 0;  // without any unit it is still zero
  if (value) report_unreadable(frequency, "unit", parse_frequency("1", unit).error(), diagnostics);
  return std::nullopt;
}

}  // namespace views::detail

namespace {

template <typename T, typename Parse>
std::optional<T> quantity(Element element, Parse parse, Diagnostics& diagnostics) {
  if (!element) return std::nullopt;
  const std::string_view unit = views::detail::stated_literal(element, "unit");
  const auto written = element.attribute("value");
  // 0 is 0 in every unit; but no frequency is 0.
  if constexpr (!std::is_same_v<T, Frequency>)
    if (unit.empty() && written && parse_integer(*written).value_or(1) == 0) return T{};
  const Parsed<T> parsed = parse(written.value_or("0"), unit);
  if (parsed) return *parsed;
  const bool wrong_unit = !parse("1", unit);
  views::detail::report_unreadable(element, wrong_unit ? "unit" : "value", parsed.error(), diagnostics);
  return std::nullopt;
}

}  // namespace

std::optional<Duration> time_of(Element element, Diagnostics& diagnostics) {
  return quantity<Duration>(element, parse_time, diagnostics);
}
std::optional<Frequency> frequency_of(Element element, Diagnostics& diagnostics) {
  return quantity<Frequency>(element, parse_frequency, diagnostics);
}
std::optional<DataSize> data_size_of(Element element, Diagnostics& diagnostics) {
  // DataUnit, 0.7.0.
  if (element && element.attribute("numberBits")) {
    const auto bits = parse_data_size(*element.attribute("numberBits"), "bit");
    if (bits) return *bits;
    views::detail::report_unreadable(element, "numberBits", bits.error(), diagnostics);
    return std::nullopt;
  }
  return quantity<DataSize>(element, parse_data_size, diagnostics);
}
std::optional<DataRate> data_rate_of(Element element, Diagnostics& diagnostics) {
  return quantity<DataRate>(element, parse_data_rate, diagnostics);
}

bool is_unfilled(Element quantity) {
  return quantity && !quantity.attribute("value") && quantity.document().version() >= Version::v0_7_2;
}

std::optional<Cycles> cycles_of(Element element, Diagnostics& diagnostics) {
  const auto deviation = views::deviation_of<std::int64_t>(element, diagnostics);
  return deviation ? std::optional(cycles_of(*deviation, diagnostics)) : std::nullopt;
}

Cycles cycles_of(const views::Deviation<std::int64_t>& deviation, Diagnostics& diagnostics) {
  auto written = views::reading_of(deviation);
  // A normal distribution without bounds has the natural bounds of its quantity.
  if (!deviation.lower && std::holds_alternative<views::GaussDistribution<std::int64_t>>(deviation.distribution))
    written.lower = std::max<std::int64_t>(0, written.lower);
  Cycles cycles{written.lower, written.average, written.upper};
  if (written.lower < 0 || !views::in_order(written) || views::has_reversed_entry(deviation)) {
    cycles.lower = std::max<std::int64_t>(0, std::min(written.lower, written.upper));
    cycles.upper = std::max<std::int64_t>(0, std::max(written.lower, written.upper));
    if (cycles.average < cycles.lower || cycles.average > cycles.upper)
      cycles.average = cycles.lower + (cycles.upper - cycles.lower) / 2;
    // EMF writes 0, the default, for an unstated average.
    if (cycles.lower == written.lower && cycles.upper == written.upper && written.average == 0 &&
        !views::has_reversed_entry(deviation))
      diagnostics.add(
          "AM0232", Severity::note,
          fmt::format(
              "the average {} of a deviation is outside its bounds {} and {}; the analysis uses the midpoint {}",
              written.average, cycles.lower, cycles.upper, cycles.average),
          deviation.element.location(), deviation.element.path());
    else
      views::report_disorder<std::int64_t>(deviation, written, {cycles.lower, cycles.average, cycles.upper},
                                           diagnostics);
  }
  return cycles;
}

}  // namespace amalthea
