// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Quantities and deviations as model elements: `<recurrence value="5" unit="ms"/>` etc.
///
/// Each function returns nothing if the element is absent, and reports an unreadable value with its location.

#include <cstdint>
#include <optional>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/deviations.hpp"

namespace amalthea {

std::optional<Duration> time_of(Element quantity, Diagnostics& diagnostics);
std::optional<Frequency> frequency_of(Element quantity, Diagnostics& diagnostics);
std::optional<DataSize> data_size_of(Element quantity, Diagnostics& diagnostics);
std::optional<DataRate> data_rate_of(Element quantity, Diagnostics& diagnostics);

/// Whether it is there without a value, which was never filled in: since 0.7.2 EMF writes 0, too.
bool is_unfilled(Element quantity);

/// A deviation of integers of any kind and version, with the values of views::reading_of. Negative or unordered values
/// are corrected and reported (AM0211).
Cycles cycles_of(const views::Deviation<std::int64_t>& deviation, Diagnostics& diagnostics);
/// The same for an element.
std::optional<Cycles> cycles_of(Element deviation, Diagnostics& diagnostics);

}  // namespace amalthea
