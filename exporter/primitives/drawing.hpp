// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What pictures and traces of time have in common: lanes, marks of axes, how numbers and names are written.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::exporter {

/// The lowest lane that is free from `start` on, which then is taken until `end`.
std::size_t take_lane(std::vector<Instant>& lanes, Instant start, Instant end);

/// `picoseconds` / 10^`digits`, exactly, without zeros at the end: decimal(1500000, 6) is "1.5".
std::string decimal(std::int64_t picoseconds, int digits);

/// Marks of a time axis from 0 to `end`: at most `most`, a step of 1, 2 or 5 times a power of ten apart.
std::vector<std::pair<Instant, std::string>> axis_marks(Instant end, std::int64_t most);

/// Without control characters, which no line of text bears ('?'), and valid UTF-8.
std::string printable(std::string_view text);

}  // namespace amalthea::exporter
