// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Common parts of drawings and traces over time: lanes, axis marks, numbers and names.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::exporter {

/// The lowest lane that is free from `start` on; it is then occupied until `end`.
std::size_t take_lane(std::vector<Instant>& lanes, Instant start, Instant end);

/// `picoseconds` / 10^`digits`, exactly, without trailing zeros: decimal(1500000, 6) is "1.5".
std::string decimal(std::int64_t picoseconds, int digits);

/// Marks of a time axis from 0 to `end`: at most `most`, with a step of 1, 2 or 5 times a power of ten.
std::vector<std::pair<Instant, std::string>> axis_marks(Instant end, std::int64_t most);

/// Valid UTF-8 without control characters, which become '?'.
std::string printable(std::string_view text);

}  // namespace amalthea::exporter
