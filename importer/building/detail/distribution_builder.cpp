// SPDX-License-Identifier: Apache-2.0
#include "importer/building/detail/distribution_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace amalthea::importer::detail {
namespace {

double number_of(std::int64_t value) { return static_cast<double>(value); }
double number_of(double value) { return value; }
double number_of(Duration value) { return static_cast<double>(value.picoseconds()); }

/// The nearest integer in units.
std::int64_t whole_of(std::int64_t value, double) { return value; }
std::int64_t whole_of(Duration value, double) { return value.picoseconds(); }
std::int64_t whole_of(double value, double unit) {
  constexpr double most = 9.2e18;  // within the range of 64 bits whatever the rounding
  const double scaled = value * unit;
  return std::llround(std::clamp(std::isnan(scaled) ? 0.0 : scaled, -most, most));
}

/// (upper bound / scale)^shape of the Weibull distribution with mean 1, as a logarithm.
double log_exponent(double shape, double upper) { return shape * (std::log(upper) + std::lgamma(1 + 1 / shape)); }

/// The shape of a Weibull distribution with mean 1 of which the share `above` lies above `upper` > 1. The exponent
/// decreases and then increases with the shape; the search uses the increasing side.
double weibull_shape(double upper, double above) {
  constexpr double least = 0.1, largest = 1000;
  constexpr int steps = 200;
  double low = std::log(least), high = std::log(largest);
  for (int step = 0; step < steps; ++step) {  // ternary search for the minimum
    const double first = low + (high - low) / 3, second = high - (high - low) / 3;
    if (log_exponent(std::exp(first), upper) < log_exponent(std::exp(second), upper))
      high = second;
    else
      low = first;
  }
  const double wanted = std::log(-std::log(above));
  high = std::log(largest);
  for (int step = 0; step < steps; ++step) {
    const double middle = (low + high) / 2;
    (log_exponent(std::exp(middle), upper) < wanted ? low : high) = middle;
  }
  return std::exp(low);
}

std::optional<Shape> weibull_of(const Distribution& bounds, double remain_promille) {
  const double mean = number_of(bounds.average) - number_of(bounds.lower);
  const double range = number_of(bounds.upper) - number_of(bounds.lower);
  if (mean <= 0 || range <= mean) return std::nullopt;
  constexpr double least = 1e-6, largest = 0.5;
  const double above = std::clamp(std::isnan(remain_promille) ? 0 : remain_promille / 1000, least, largest);
  const double shape = weibull_shape(range / mean, above);
  return WeibullShape{shape, mean / std::tgamma(1 + 1 / shape)};
}

/// The mean of two uniform parts equals the average if their weights are proportional to the length of the other part.
std::optional<Shape> statistics_of(const Distribution& bounds) {
  const double below = number_of(bounds.average) - number_of(bounds.lower);
  const double above = number_of(bounds.upper) - number_of(bounds.average);
  if (below + above <= 0) return std::nullopt;
  return HistogramShape{{{bounds.lower, bounds.average, above}, {bounds.average, bounds.upper, below}}};
}

std::optional<Shape> boundaries_of(views::Sampling sampling) {
  switch (sampling) {
    case views::Sampling::best_case:
      return CornerShape{0};
    case views::Sampling::worst_case:
      return CornerShape{1};
    case views::Sampling::corner_case:
      return CornerShape{0.5};
    case views::Sampling::average_case:
      return AverageShape{};
    case views::Sampling::unstated:
    case views::Sampling::uniform:
      break;
  }
  return std::nullopt;
}

template <typename T>
std::optional<Shape> histogram_of(const views::Histogram<T>& histogram, double unit) {
  HistogramShape shape;
  bool any = false;
  for (const auto& entry : histogram.entries) {
    const auto [lower, upper] = std::minmax({whole_of(entry.lower, unit), whole_of(entry.upper, unit)});
    const double weight = number_of(std::max<std::int64_t>(0, entry.occurrences));
    shape.entries.push_back({lower, upper, weight});
    any = any || weight > 0;
  }
  return any ? std::optional<Shape>(std::move(shape)) : std::nullopt;
}

/// Nothing: uniform between the bounds.
template <typename T>
std::optional<Shape> shape_of(const views::Deviation<T>& deviation, const Distribution& bounds, double unit) {
  if (const auto* histogram = std::get_if<views::Histogram<T>>(&deviation.distribution))
    return histogram_of(*histogram, unit);
  if (const auto* boundaries = std::get_if<views::Boundaries>(&deviation.distribution))
    return boundaries_of(boundaries->sampling);
  if (const auto* statistics = std::get_if<views::Statistics<T>>(&deviation.distribution))
    return statistics->average ? statistics_of(bounds) : std::nullopt;
  if (const auto* gauss = std::get_if<views::GaussDistribution<T>>(&deviation.distribution)) {
    if (!gauss->mean || !gauss->standard_deviation) return std::nullopt;
    const double sigma = std::abs(number_of(*gauss->standard_deviation)) * unit;
    if (!(sigma > 0)) return AverageShape{};
    return GaussShape{number_of(*gauss->mean) * unit, sigma};
  }
  if (const auto* weibull = std::get_if<views::WeibullEstimators<T>>(&deviation.distribution))
    return weibull->average ? weibull_of(bounds, weibull->remain_promille) : std::nullopt;
  if (const auto* weibull = std::get_if<views::WeibullParameters>(&deviation.distribution)) {
    if (std::is_same_v<T, Duration> || !(weibull->kappa > 0) || !(weibull->lambda > 0)) return std::nullopt;
    return WeibullShape{weibull->kappa, weibull->lambda * unit};
  }
  if (const auto* beta = std::get_if<views::BetaDistribution>(&deviation.distribution)) {
    if (!(beta->alpha > 0) || !(beta->beta > 0)) return std::nullopt;
    return BetaShape{beta->alpha, beta->beta};
  }
  return std::nullopt;
}

template <typename T>
Distribution build(const views::Deviation<T>& deviation, double unit) {
  const views::Reading<T> reading = views::reading_of(deviation);
  Distribution distribution;
  const std::int64_t one = whole_of(reading.lower, unit), other = whole_of(reading.upper, unit);
  distribution.lower = std::min(one, other);
  distribution.upper = std::max(one, other);
  distribution.average = std::clamp(whole_of(reading.average, unit), distribution.lower, distribution.upper);
  if (distribution.lower == distribution.upper) return distribution;
  if (auto shape = shape_of(deviation, distribution, unit))
    distribution.shape = std::make_shared<const Shape>(std::move(*shape));
  return distribution;
}

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

template <typename T>
Distribution distribution_of(const views::Deviation<T>& deviation) {
  return build(deviation, 1);
}

template Distribution distribution_of(const views::Deviation<std::int64_t>&);
template Distribution distribution_of(const views::Deviation<Duration>&);

Distribution distribution_in_millionths(const views::Deviation<double>& deviation) { return build(deviation, 1e6); }

Distribution shifted(const Distribution& distribution, std::int64_t by) {
  Distribution moved{saturated_sum(distribution.lower, by), saturated_sum(distribution.average, by),
                     saturated_sum(distribution.upper, by), distribution.shape};
  if (distribution.shape == nullptr) return moved;
  if (const auto* gauss = std::get_if<GaussShape>(distribution.shape.get())) {
    moved.shape =
        std::make_shared<const Shape>(GaussShape{gauss->mean + static_cast<double>(by), gauss->standard_deviation});
  } else if (const auto* histogram = std::get_if<HistogramShape>(distribution.shape.get())) {
    HistogramShape entries = *histogram;
    for (HistogramShape::Entry& entry : entries.entries) {
      entry.lower = saturated_sum(entry.lower, by);
      entry.upper = saturated_sum(entry.upper, by);
    }
    moved.shape = std::make_shared<const Shape>(std::move(entries));
  }
  return moved;
}

Distribution at_least(Distribution distribution, std::int64_t least) {
  distribution.lower = std::max(distribution.lower, least);
  distribution.average = std::max(distribution.average, least);
  distribution.upper = std::max(distribution.upper, least);
  return distribution;
}

}  // namespace amalthea::importer::detail
