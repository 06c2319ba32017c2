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

namespace amalthea {

std::optional<Duration> time_of(Element quantity, Diagnostics& diagnostics);
std::optional<Frequency> frequency_of(Element quantity, Diagnostics& diagnostics);
std::optional<DataSize> data_size_of(Element quantity, Diagnostics& diagnostics);
std::optional<DataRate> data_rate_of(Element quantity, Diagnostics& diagnostics);

/// A DiscreteValue… deviation of any kind. Where a kind states no mean, the middle of its bounds stands for it;
/// a Gauss distribution without bounds is cut at three standard deviations.
std::optional<Cycles> cycles_of(Element deviation, Diagnostics& diagnostics);

}  // namespace amalthea
