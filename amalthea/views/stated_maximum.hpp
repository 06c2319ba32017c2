// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether a model states the maximum of what varies, and in a possible order. What is not stated, or contradicts
/// itself, must not count as less than it may be.

#include <string_view>

#include "amalthea/location.hpp"
#include "amalthea/views/deviations.hpp"

namespace amalthea::views {

/// Whether the maximum of a deviation is not stated: a constant without a value, or anything else without an upper
/// bound. (EMF writes values that equal their default since 0.7.2. Before, it did not write 0, which is no execution
/// time.)
template <typename T>
bool is_open(const Deviation<T>& deviation);
extern template bool is_open(const Deviation<std::int64_t>&);
extern template bool is_open(const Deviation<double>&);
extern template bool is_open(const Deviation<Duration>&);

/// Reports that the maximum is not stated: a constant without a value (AM0459), which counts as 0, or anything else
/// without an upper bound (AM0458). `what`: "an execution time".
template <typename T>
void report_open(const Deviation<T>& deviation, std::string_view what, Diagnostics& diagnostics);
extern template void report_open(const Deviation<std::int64_t>&, std::string_view, Diagnostics&);
extern template void report_open(const Deviation<double>&, std::string_view, Diagnostics&);
extern template void report_open(const Deviation<Duration>&, std::string_view, Diagnostics&);

/// Whether the bounds of an entry of a histogram are in the wrong order; `reading_of` uses both of them.
template <typename T>
bool has_reversed_entry(const Deviation<T>& deviation);
extern template bool has_reversed_entry(const Deviation<std::int64_t>&);

/// Reports that the values `written` are not in ascending order (AM0211), and what is used instead.
template <typename T>
void report_disorder(const Deviation<T>& deviation, const Reading<T>& written, const Reading<T>& used,
                     Diagnostics& diagnostics);
extern template void report_disorder(const Deviation<std::int64_t>&, const Reading<std::int64_t>&,
                                     const Reading<std::int64_t>&, Diagnostics&);

/// The same if they are not in ascending order; swapped bounds and the nearest average are used. For integers
/// `cycles_of` reports it.
template <typename T>
void report_disorder(const Deviation<T>& deviation, Diagnostics& diagnostics);
extern template void report_disorder(const Deviation<double>&, Diagnostics&);
extern template void report_disorder(const Deviation<Duration>&, Diagnostics&);

}  // namespace amalthea::views
