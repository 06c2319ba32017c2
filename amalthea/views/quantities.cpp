#include "amalthea/views/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/core.h>

namespace amalthea {
namespace {

void report(Element element, std::string_view attribute, const std::string& what, Diagnostics& diagnostics) {
  diagnostics.add("AM0210", Severity::error, fmt::format("unreadable value in <{}>: {}", element.tag(), what),
                  element.attribute_location(attribute), element.path());
}

template <typename T, typename Parse>
std::optional<T> quantity(Element element, std::string_view default_unit, Parse parse, Diagnostics& diagnostics) {
  if (!element) return std::nullopt;
  const Parsed<T> parsed = parse(element.attribute_or("value", "0"), element.attribute_or("unit", default_unit));
  if (parsed) return *parsed;
  const bool wrong_unit = !parse("1", element.attribute_or("unit", default_unit));
  report(element, wrong_unit ? "unit" : "value", parsed.error(), diagnostics);
  return std::nullopt;
}

std::int64_t saturated(detail::Int128 value) {
  constexpr detail::Int128 least = std::numeric_limits<std::int64_t>::min(),
                           largest = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, least, largest));
}

/// mean + factor * sigma; what does not fit becomes the nearest value that does.
std::int64_t beside(std::int64_t mean, std::int64_t factor, std::int64_t sigma) {
  return saturated(mean + static_cast<detail::Int128>(factor) * sigma);
}

std::int64_t middle(std::int64_t lower, std::int64_t upper) {
  return static_cast<std::int64_t>(lower + (static_cast<detail::Int128>(upper) - lower) / 2);
}

/// A cycle count from an attribute, which may be written as a double ("1.0E8"); rounded to nearest.
std::optional<std::int64_t> count(Element element, std::string_view attribute, Diagnostics& diagnostics) {
  const auto text = element.attribute(attribute);
  if (!text) return std::nullopt;
  if (const auto integer = parse_integer(*text)) return *integer;
  const auto number = parse_double(*text);
  if (!number) {
    report(element, attribute, number.error(), diagnostics);
    return std::nullopt;
  }
  if (std::abs(*number) > 9e18) {
    report(element, attribute, fmt::format("\"{}\" is too large", *text), diagnostics);
    return std::nullopt;
  }
  return std::llround(*number);
}

Cycles histogram_cycles(Element histogram, Diagnostics& diagnostics) {
  Cycles cycles;
  double weighted = 0, total = 0;
  bool first = true;
  for (const Element entry : histogram.children("entries")) {
    const std::int64_t lower = count(entry, "lowerBound", diagnostics).value_or(0);
    const std::int64_t upper = count(entry, "upperBound", diagnostics).value_or(lower);
    const auto occurrences = static_cast<double>(count(entry, "occurrences", diagnostics).value_or(1));
    cycles.lower = first ? lower : std::min(cycles.lower, lower);
    cycles.upper = first ? upper : std::max(cycles.upper, upper);
    weighted += occurrences * (static_cast<double>(lower) + static_cast<double>(upper)) / 2;
    total += occurrences;
    first = false;
  }
  cycles.average = total > 0 ? std::llround(weighted / total) : cycles.lower;
  return cycles;
}

}  // namespace

std::optional<Duration> time_of(Element element, Diagnostics& diagnostics) {
  return quantity<Duration>(element, "", parse_time, diagnostics);
}
std::optional<Frequency> frequency_of(Element element, Diagnostics& diagnostics) {
  return quantity<Frequency>(element, "", parse_frequency, diagnostics);
}
std::optional<DataSize> data_size_of(Element element, Diagnostics& diagnostics) {
  return quantity<DataSize>(element, "", parse_data_size, diagnostics);
}
std::optional<DataRate> data_rate_of(Element element, Diagnostics& diagnostics) {
  return quantity<DataRate>(element, "", parse_data_rate, diagnostics);
}

std::optional<Cycles> cycles_of(Element deviation, Diagnostics& diagnostics) {
  if (!deviation) return std::nullopt;
  Cycles cycles;
  if (deviation.is("DiscreteValueConstant")) {
    cycles.lower = cycles.average = cycles.upper = count(deviation, "value", diagnostics).value_or(0);
  } else if (deviation.is("DiscreteValueHistogram")) {
    cycles = histogram_cycles(deviation, diagnostics);
  } else {
    const auto mean = count(deviation, "mean", diagnostics);
    const auto sigma = count(deviation, "sd", diagnostics).value_or(0);
    const auto average = count(deviation, "average", diagnostics);
    const auto lower = count(deviation, "lowerBound", diagnostics);
    const auto upper = count(deviation, "upperBound", diagnostics);
    cycles.lower = lower.value_or(mean ? beside(*mean, -3, sigma) : average.value_or(0));
    cycles.upper = upper.value_or(mean ? beside(*mean, 3, sigma) : std::max(average.value_or(0), cycles.lower));
    cycles.average = average.value_or(mean.value_or(middle(cycles.lower, cycles.upper)));
  }
  if (cycles.lower < 0 || cycles.lower > cycles.upper || cycles.average < cycles.lower ||
      cycles.average > cycles.upper) {
    const Cycles written = cycles;
    cycles.lower = std::max<std::int64_t>(0, std::min(written.lower, written.upper));
    cycles.upper = std::max<std::int64_t>(0, std::max(written.lower, written.upper));
    // An average outside of the bounds is most often the default 0 that EMF wrote for one that nobody gave.
    if (cycles.average < cycles.lower || cycles.average > cycles.upper)
      cycles.average = cycles.lower + (cycles.upper - cycles.lower) / 2;
    diagnostics.add(
        "AM0211", Severity::warning,
        fmt::format("a deviation with lower bound {}, average {} and upper bound {} is out of order; read as {}, "
                    "{} and {}",
                    written.lower, written.average, written.upper, cycles.lower, cycles.average, cycles.upper),
        deviation.location(), deviation.path());
  }
  return cycles;
}

}  // namespace amalthea
