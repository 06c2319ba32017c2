// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/detail/reading.hpp"
#include "amalthea/views/quantities.hpp"

namespace amalthea::views {
namespace {

using detail::number;

constexpr detail::Literals<Sampling, 6> samplings{{{"default", Sampling::unstated},
                                                   {"BestCase", Sampling::best_case},
                                                   {"WorstCase", Sampling::worst_case},
                                                   {"AverageCase", Sampling::average_case},
                                                   {"CornerCase", Sampling::corner_case},
                                                   {"Uniform", Sampling::uniform}}};

// ---------------------------------------------------------------- values of each type

/// The value in the attribute `name` (from 0.9.3) or in the child `name` (Time; any value before 0.9.3).
std::optional<std::int64_t> read_number(Element element, std::string_view name, std::int64_t,
                                        Diagnostics& diagnostics) {
  if (element.attribute(name)) return detail::integer(element, name, diagnostics);
  const Element child = element.child(name);
  return child ? std::optional(detail::integer(child, "value", diagnostics).value_or(0)) : std::nullopt;
}
std::optional<double> read_number(Element element, std::string_view name, double, Diagnostics& diagnostics) {
  if (element.attribute(name)) return number(element, name, diagnostics);
  const Element child = element.child(name);
  return child ? std::optional(number(child, "value", diagnostics).value_or(0)) : std::nullopt;
}
std::optional<Duration> read_number(Element element, std::string_view name, Duration, Diagnostics& diagnostics) {
  return time_of(element.child(name), diagnostics);
}

/// A required value of type T; zero if it is missing.
template <typename T>
T value_or_zero(Element element, std::string_view name, Diagnostics& diagnostics) {
  return read_number(element, name, T{}, diagnostics).value_or(T{});
}

/// A mean or standard deviation; for integers it must be within their range.
template <typename T>
std::optional<MeanOf<T>> mean_of(Element element, std::string_view name, Diagnostics& diagnostics) {
  auto mean = read_number(element, name, MeanOf<T>{}, diagnostics);
  if constexpr (std::is_integral_v<T>) {
    if (mean && std::abs(*mean) > 9e18) {
      detail::report_unreadable(element, name, fmt::format("{} is too large", *mean), diagnostics);
      return std::nullopt;
    }
  }
  return mean;
}

/// An upper bound without a value was never filled in: 0 would be the least of all bounds.
template <typename T>
std::optional<T> upper_bound_of(Element element, Diagnostics& diagnostics) {
  constexpr std::string_view name = "upperBound";
  const Element child = element.child(name);
  if (child && !child.attribute("value")) return std::nullopt;
  return read_number(element, name, T{}, diagnostics);
}

template <typename T>
Histogram<T> histogram_of(Element element, Diagnostics& diagnostics) {
  Histogram<T> histogram;
  for (const Element entry : element.children())
    if (entry.tag() == "entries") {
      const T lower = value_or_zero<T>(entry, "lowerBound", diagnostics);
      const auto upper = upper_bound_of<T>(entry, diagnostics);
      histogram.entries.push_back(
          {lower, upper.value_or(lower), detail::integer(entry, "occurrences", diagnostics).value_or(1)});
    }
  return histogram;
}

/// The distribution of an element of class `cls`: the deviation itself since 0.9.3, its child `distribution` before. An
/// unknown class is read by its content.
template <typename T>
typename Deviation<T>::Distribution distribution_of(Element element, std::string_view cls, Diagnostics& diagnostics) {
  const auto is = [cls](std::string_view kind) { return cls.ends_with(kind); };
  const auto mean = [&](std::string_view name) { return mean_of<T>(element, name, diagnostics); };
  const auto parameter = [&](std::string_view name, double otherwise) {
    return number(element, name, diagnostics).value_or(otherwise);
  };
  if (is("Boundaries")) return Boundaries{detail::literal(element, "samplingType", samplings, Sampling::unstated)};
  if (is("Statistics")) return Statistics<T>{mean("average")};
  if (is("UniformDistribution")) return UniformDistribution{};
  if (is("GaussDistribution")) return GaussDistribution<T>{mean("mean"), mean("sd")};
  if (is("WeibullEstimatorsDistribution"))
    return WeibullEstimators<T>{mean("average"), parameter("pRemainPromille", 1)};
  if (is("WeibullEstimators")) return WeibullEstimators<T>{mean("mean"), parameter("pRemainPromille", 0)};
  if (is("WeibullParameters")) return WeibullParameters{parameter("kappa", 0), parameter("lambda", 0)};
  if (is("BetaDistribution")) {
    const double otherwise = cls == "BetaDistribution" ? 0 : 1;  // defaults before and since 0.9.3
    return BetaDistribution{parameter("alpha", otherwise), parameter("beta", otherwise)};
  }
  if (const auto average = mean("average")) return Statistics<T>{average};
  if (const auto middle = mean("mean")) return GaussDistribution<T>{middle, mean("sd")};
  return NoDistribution{};
}

bool is_constant_class(std::string_view cls) { return cls.ends_with("Constant"); }

// ---------------------------------------------------------------- readings

std::int64_t whole(double value) {
  constexpr double most = 9.2e18;  // within the range of 64 bits for every rounding
  return std::llround(std::clamp(std::isnan(value) ? 0.0 : value, -most, most));
}

/// Arithmetic on 64-bit integers that saturates.
struct Whole {
  static std::int64_t saturated(amalthea::detail::Int128 value) {
    constexpr amalthea::detail::Int128 least = std::numeric_limits<std::int64_t>::min(),
                                       largest = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::clamp(value, least, largest));
  }
  static std::int64_t beside(std::int64_t mean, std::int64_t factor, std::int64_t sigma) {
    return saturated(mean + static_cast<amalthea::detail::Int128>(factor) * sigma);
  }
  static std::int64_t middle(std::int64_t lower, std::int64_t upper) {
    return static_cast<std::int64_t>(lower + (static_cast<amalthea::detail::Int128>(upper) - lower) / 2);
  }
};

/// The same operations for all three value types; means become values of the type.
struct IntegerMath {
  using T = std::int64_t;
  static T of_mean(double mean) { return whole(mean); }
  static T beside(T mean, int factor, T sigma) { return Whole::beside(mean, factor, sigma); }
  static T middle(T lower, T upper) { return Whole::middle(lower, upper); }
  static double as_number(T value) { return static_cast<double>(value); }
  static T of_number(double value) { return whole(value); }
};
struct NumberMath {
  using T = double;
  static T of_mean(double mean) { return mean; }
  static T beside(T mean, int factor, T sigma) { return mean + factor * sigma; }
  static T middle(T lower, T upper) { return lower + (upper - lower) / 2; }
  static double as_number(T value) { return value; }
  static T of_number(double value) { return value; }
};
struct TimeMath {
  using T = Duration;
  static T of_mean(T mean) { return mean; }
  static T beside(T mean, int factor, T sigma) {
    return Duration::picoseconds(Whole::beside(mean.picoseconds(), factor, sigma.picoseconds()));
  }
  static T middle(T lower, T upper) {
    return Duration::picoseconds(Whole::middle(lower.picoseconds(), upper.picoseconds()));
  }
  static double as_number(T value) { return static_cast<double>(value.picoseconds()); }
  static T of_number(double value) { return Duration::picoseconds(whole(value)); }
};

template <typename T>
using Math = std::conditional_t<std::is_same_v<T, Duration>, TimeMath,
                                std::conditional_t<std::is_same_v<T, double>, NumberMath, IntegerMath>>;

template <typename T>
Reading<T> reading_of_histogram(const Histogram<T>& histogram) {
  Reading<T> reading;
  double weighted = 0, total = 0;
  bool first = true;
  for (const auto& entry : histogram.entries) {
    const auto [lower, upper] = std::minmax(entry.lower, entry.upper);
    reading.lower = first ? lower : std::min(reading.lower, lower);
    reading.upper = first ? upper : std::max(reading.upper, upper);
    const auto occurrences = static_cast<double>(entry.occurrences);
    weighted += occurrences * (Math<T>::as_number(entry.lower) + Math<T>::as_number(entry.upper)) / 2;
    total += occurrences;
    first = false;
  }
  reading.average = total > 0 ? Math<T>::of_number(weighted / total) : reading.lower;
  return reading;
}

}  // namespace

template <typename T>
std::optional<Deviation<T>> deviation_of(Element element, Diagnostics& diagnostics) {
  if (!element) return std::nullopt;
  const std::string_view cls = element.class_name();
  // InstructionsDeviation, NeedDeviation, OsExecutionInstructionsDeviation, LatencyDeviation hold one.
  for (const std::string_view inner : {"deviation", "cycles"})
    if (const Element child = element.child(inner)) return deviation_of<T>(child, diagnostics);
  Deviation<T> deviation;
  deviation.element = element;
  if (is_constant_class(cls)) {
    const bool cycles = cls == "LatencyConstant" && element.attribute("cycles");
    deviation.distribution = ConstantValue<T>{value_or_zero<T>(element, cycles ? "cycles" : "value", diagnostics)};
  } else if (cls.ends_with("Histogram")) {
    deviation.distribution = histogram_of<T>(element, diagnostics);
  } else {
    deviation.lower = read_number(element, "lowerBound", T{}, diagnostics);
    deviation.upper = upper_bound_of<T>(element, diagnostics);
    if (const Element distribution = element.child("distribution")) {
      deviation.distribution = distribution_of<T>(distribution, distribution.class_name(), diagnostics);
      // In 0.7.1 the deviation states the sampling of its boundaries.
      if (auto* boundaries = std::get_if<Boundaries>(&deviation.distribution))
        if (element.attribute("samplingType"))
          boundaries->sampling = detail::literal(element, "samplingType", samplings, Sampling::unstated);
    } else {
      deviation.distribution = distribution_of<T>(element, cls, diagnostics);
    }
  }
  return deviation;
}

template <typename T>
Reading<T> reading_of(const Deviation<T>& deviation) {
  if (const auto* constant = std::get_if<ConstantValue<T>>(&deviation.distribution))
    return {constant->value, constant->value, constant->value};
  if (const auto* histogram = std::get_if<Histogram<T>>(&deviation.distribution))
    return reading_of_histogram(*histogram);
  std::optional<T> mean, average;
  T sigma{};
  const auto value = [](const std::optional<MeanOf<T>>& stated) {
    return stated ? std::optional<T>(Math<T>::of_mean(*stated)) : std::nullopt;
  };
  if (const auto* gauss = std::get_if<GaussDistribution<T>>(&deviation.distribution)) {
    mean = value(gauss->mean);
    sigma = value(gauss->standard_deviation).value_or(T{});
  } else if (const auto* statistics = std::get_if<Statistics<T>>(&deviation.distribution)) {
    average = value(statistics->average);
  } else if (const auto* weibull = std::get_if<WeibullEstimators<T>>(&deviation.distribution)) {
    average = value(weibull->average);
  }
  Reading<T> reading;
  // What is likely is no bound: without a lower one, values may be as small as nothing at all.
  reading.lower =
      deviation.lower.value_or(std::min(T{}, mean ? Math<T>::beside(*mean, -3, sigma) : average.value_or(T{})));
  reading.upper = deviation.upper.value_or(mean ? Math<T>::beside(*mean, 3, sigma)
                                                : std::max(average.value_or(T{}), reading.lower));
  reading.average = average.value_or(mean.value_or(Math<T>::middle(reading.lower, reading.upper)));
  return reading;
}

template std::optional<Deviation<std::int64_t>> deviation_of(Element, Diagnostics&);
template std::optional<Deviation<double>> deviation_of(Element, Diagnostics&);
template std::optional<Deviation<Duration>> deviation_of(Element, Diagnostics&);
template Reading<std::int64_t> reading_of(const Deviation<std::int64_t>&);
template Reading<double> reading_of(const Deviation<double>&);
template Reading<Duration> reading_of(const Deviation<Duration>&);

}  // namespace amalthea::views
