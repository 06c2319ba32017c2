// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Quantities and deviations where they stand in a model: `<recurrence value="5" unit="ms"/>` and the like.
///
/// Each function returns nothing where the element is absent, and reports a value it cannot read with its place.

#include <cstdint>
#include <optional>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/deviations.hpp"

namespace amalthea {

std::optional<Duration> time_of(Element quantity, Diagnostics& diagnostics);
std::optional<Frequency> frequency_of(Element quantity, Diagnostics& diagnostics);
std::optional<DataSize> data_size_of(Element quantity, Diagnostics& diagnostics);
std::optional<DataRate> data_rate_of(Element quantity, Diagnostics& diagnostics);

/// A deviation of whole numbers of any kind and version, read as views::reading_of says. What is negative or out of
/// order is put in order and reported (AM0211).
Cycles cycles_of(const views::Deviation<std::int64_t>& deviation, Diagnostics& diagnostics);
/// The same of the element where it stands.
std::optional<Cycles> cycles_of(Element deviation, Diagnostics& diagnostics);

}  // namespace amalthea
