// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Converts deviations of a model into distributions.

#include <cstdint>

#include "amalthea/distribution.hpp"
#include "amalthea/time.hpp"
#include "amalthea/views/deviations.hpp"

namespace amalthea::importer::detail {

/// Bounds and average are those of views::reading_of. Reversed bounds are swapped, and an average outside of them
/// becomes the nearest bound; use views::in_order to report that. Times are in picoseconds.
///
/// The shape follows from the deviation:
/// - boundaries by their sampling: best case the lower bound, worst case the upper, corner case either, average case
///   the average; every other sampling uniform,
/// - statistics: two uniform parts below and above the average, with weights such that the mean is the average,
/// - Weibull by estimators: the shape and the scale with this average and this share above the upper bound (minimum
///   share: a thousandth of a promille); of two solutions the one with the larger shape; without a solution the
///   nearest. (With x the average and r the upper bound, both minus the lower, and p the share, scale = x / Γ(1 + 1/k)
///   and (r / scale)^k = -ln p.)
/// - Weibull by shape and scale as stated, but uniform for times: their scale has no unit,
/// - uniform if parameters are missing or invalid.
template <typename T>
Distribution distribution_of(const views::Deviation<T>& deviation);

extern template Distribution distribution_of(const views::Deviation<std::int64_t>&);
extern template Distribution distribution_of(const views::Deviation<Duration>&);

/// The same for reals, in millionths.
Distribution distribution_in_millionths(const views::Deviation<double>& deviation);

/// Every value increased by `by`.
Distribution shifted(const Distribution& distribution, std::int64_t by);

/// Raises bounds and average to `least` if they are below; keeps the shape.
Distribution at_least(Distribution distribution, std::int64_t least);

}  // namespace amalthea::importer::detail
