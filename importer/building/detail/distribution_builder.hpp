// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Deviations of a model as distributions that values are drawn from.

#include <cstdint>

#include "amalthea/distribution.hpp"
#include "amalthea/time.hpp"
#include "amalthea/views/deviations.hpp"

namespace amalthea::importer::detail {

/// Bounds and average are those of views::reading_of; bounds the wrong way round are exchanged and an average outside
/// of them becomes the nearest bound, so ask views::in_order first where that is to be reported. Times are in
/// picoseconds.
///
/// The shape is that of the deviation:
/// - boundaries by their sampling: best case the lower bound, worst case the upper, corner case either, average case
/// the
///   average; every other sampling uniform,
/// - statistics: two uniform parts below and above the average, with such weights that the mean is the average,
/// - Weibull by estimators: the shape and the scale that have this average and this share above the upper bound (least
///   share taken: a thousandth of a promille); of two such the one with the larger shape; where there is none, the
///   nearest. (With x the average and r the upper bound, both less the lower, and p the share, scale = x / Γ(1 + 1/k)
///   and (r / scale)^k = -ln p.)
/// - Weibull by shape and scale as stated, but of times uniform: their scale is stated without a unit,
/// - where parameters are missing or impossible, uniform.
template <typename T>
Distribution distribution_of(const views::Deviation<T>& deviation);

extern template Distribution distribution_of(const views::Deviation<std::int64_t>&);
extern template Distribution distribution_of(const views::Deviation<Duration>&);

/// The same of reals, in millionths.
Distribution distribution_in_millionths(const views::Deviation<double>& deviation);

/// Every value that much larger.
Distribution shifted(const Distribution& distribution, std::int64_t by);

/// Bounds and average raised to `least` where they are below; the shape stays.
Distribution at_least(Distribution distribution, std::int64_t least);

}  // namespace amalthea::importer::detail
