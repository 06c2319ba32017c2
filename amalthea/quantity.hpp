// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// AMALTHEA quantities as text → strong types: Time, Frequency, DataSize, DataRate.
///
/// A quantity is written as `value` and `unit` attributes, or, in scheduling parameters of models up to 1.2.0,
/// as free text such as "7200µs" or "1000 µs". Units are spelled as in any metamodel version
/// (`B` and `byte`, `Kibit` and `kibit`). kB is 1000 B, KiB 1024 B.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "amalthea/distribution.hpp"
#include "amalthea/time.hpp"

namespace amalthea {

/// A size in bytes. Sizes in bits round up to whole bytes.
struct DataSize {
  std::int64_t bytes = 0;
  friend constexpr auto operator<=>(DataSize, DataSize) = default;
};

/// A rate in bytes per second. 0 means "not given".
struct DataRate {
  std::int64_t bytes_per_second = 0;
  friend constexpr auto operator<=>(DataRate, DataRate) = default;
};

/// Lower bound, mean and upper bound of a deviation, in cycles. All are >= 0 and ordered. Without a shape, all values
/// between the bounds have equal probability.
struct Cycles {
  std::int64_t lower = 0;
  std::int64_t average = 0;
  std::int64_t upper = 0;
  std::shared_ptr<const Shape> shape = {};
  /// Equal values and equal shapes, compared by content.
  friend bool operator==(const Cycles& a, const Cycles& b) {
    return a.lower == b.lower && a.average == b.average && a.upper == b.upper &&
           (a.shape == b.shape || (a.shape != nullptr && b.shape != nullptr && *a.shape == *b.shape));
  }
};

/// The error states what was expected, e.g. `"12x" is not an integer`.
template <typename T>
using Parsed = tl::expected<T, std::string>;

Parsed<std::int64_t> parse_integer(std::string_view text);
/// A Java double such as `1.0E8`.
Parsed<double> parse_double(std::string_view text);

/// Negative times are accepted (offsets may be negative).
Parsed<Duration> parse_time(std::string_view value, std::string_view unit);
/// "7200µs", "1000 µs", "5ms"; both Unicode micro signs and "us".
Parsed<Duration> parse_time_text(std::string_view text);
Parsed<Frequency> parse_frequency(std::string_view value, std::string_view unit);
Parsed<DataSize> parse_data_size(std::string_view value, std::string_view unit);
Parsed<DataRate> parse_data_rate(std::string_view value, std::string_view unit);

/// A human-readable time: the largest of s, ms, us, ns, ps that gives a value >= 1, at most 6 significant digits,
/// rounded to nearest ("1.3 ms", "13.2 s", "0 ps").
std::string format_duration(Duration value);

}  // namespace amalthea
