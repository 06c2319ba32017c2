// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Values that vary, in one form for all versions and kinds.
///
/// Since 0.9.3 the families are DiscreteValue…, ContinuousValue… and Time…; before that, `Deviation` with bounds and a
/// distribution, also within InstructionsDeviation, NeedDeviation etc., and their constants. The view holds what the
/// model states; `reading_of` returns the values for calculations.

#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/time.hpp"

namespace amalthea::views {

/// The type of means and standard deviations: those of integers may be fractions.
template <typename T>
using MeanOf = std::conditional_t<std::is_integral_v<T>, double, T>;

/// `samplingType` of Boundaries: how values are drawn between the bounds.
enum class Sampling : std::uint8_t { unstated, best_case, worst_case, average_case, corner_case, uniform };

template <typename T>
struct ConstantValue {
  T value{};
  friend bool operator==(const ConstantValue&, const ConstantValue&) = default;
};

template <typename T>
struct HistogramEntry {
  T lower{};
  T upper{};
  std::int64_t occurrences = 1;
  friend bool operator==(const HistogramEntry&, const HistogramEntry&) = default;
};
template <typename T>
struct Histogram {
  std::vector<HistogramEntry<T>> entries;
  friend bool operator==(const Histogram&, const Histogram&) = default;
};

struct Boundaries {
  Sampling sampling = Sampling::unstated;
  friend bool operator==(const Boundaries&, const Boundaries&) = default;
};
template <typename T>
struct Statistics {
  std::optional<MeanOf<T>> average;
  friend bool operator==(const Statistics&, const Statistics&) = default;
};
struct UniformDistribution {
  friend bool operator==(const UniformDistribution&, const UniformDistribution&) = default;
};
/// Truncated at the deviation's bounds, if any.
template <typename T>
struct GaussDistribution {
  std::optional<MeanOf<T>> mean;
  std::optional<MeanOf<T>> standard_deviation;
  friend bool operator==(const GaussDistribution&, const GaussDistribution&) = default;
};
/// Weibull distribution by its mean and the share of values, in 1/1000, above the upper bound.
template <typename T>
struct WeibullEstimators {
  std::optional<MeanOf<T>> average;
  double remain_promille = 0;
  friend bool operator==(const WeibullEstimators&, const WeibullEstimators&) = default;
};
/// Weibull distribution by shape and scale, only before 0.9.3.
struct WeibullParameters {
  double kappa = 0;
  double lambda = 0;
  friend bool operator==(const WeibullParameters&, const WeibullParameters&) = default;
};
struct BetaDistribution {
  double alpha = 0;
  double beta = 0;
  friend bool operator==(const BetaDistribution&, const BetaDistribution&) = default;
};
/// Bounds, if any, and no distribution: it is optional in a Deviation before 0.9.3.
struct NoDistribution {
  friend bool operator==(const NoDistribution&, const NoDistribution&) = default;
};

/// T is std::int64_t (cycles, instructions), double or Duration.
template <typename T>
struct Deviation {
  using Distribution =
      std::variant<NoDistribution, ConstantValue<T>, Histogram<T>, Boundaries, Statistics<T>, UniformDistribution,
                   GaussDistribution<T>, WeibullEstimators<T>, WeibullParameters, BetaDistribution>;
  Element element;
  std::optional<T> lower;  ///< as stated; nothing for constants and histograms
  std::optional<T> upper;
  Distribution distribution;

  /// Equal statements, at any location.
  friend bool operator==(const Deviation& a, const Deviation& b) {
    return a.lower == b.lower && a.upper == b.upper && a.distribution == b.distribution;
  }
};

/// The deviation of an element, of any kind and version; nothing if the element is absent. An unreadable part is
/// reported (AM0210) and treated as unstated. An integer may be written as a double ("1.0E8"); it is rounded to
/// nearest.
template <typename T>
std::optional<Deviation<T>> deviation_of(Element element, Diagnostics& diagnostics);

extern template std::optional<Deviation<std::int64_t>> deviation_of(Element, Diagnostics&);
extern template std::optional<Deviation<double>> deviation_of(Element, Diagnostics&);
extern template std::optional<Deviation<Duration>> deviation_of(Element, Diagnostics&);

/// Minimum, mean and maximum for calculations.
template <typename T>
struct Reading {
  T lower{};
  T average{};
  T upper{};
  friend bool operator==(const Reading&, const Reading&) = default;
};

/// - lower, upper: the stated bounds; a constant's value; the outermost bounds of a histogram. Without an upper bound a
///   Gauss distribution is truncated at three standard deviations, and other kinds use the larger of average and lower
///   bound. Without a lower bound it is zero, or one of these below zero: an average is no bound.
/// - average: the stated average or mean; for a histogram the mean of the entry midpoints, weighted by occurrences;
///   otherwise the middle of the bounds (rounded down).
/// Unstated values are zero. The values are not sorted: see `in_order`. Values out of range saturate.
template <typename T>
Reading<T> reading_of(const Deviation<T>& deviation);

extern template Reading<std::int64_t> reading_of(const Deviation<std::int64_t>&);
extern template Reading<double> reading_of(const Deviation<double>&);
extern template Reading<Duration> reading_of(const Deviation<Duration>&);

/// Whether lower <= average <= upper.
template <typename T>
bool in_order(const Reading<T>& reading) {
  return reading.lower <= reading.average && reading.average <= reading.upper;
}

}  // namespace amalthea::views
