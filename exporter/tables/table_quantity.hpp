// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Quantities of tables: exact decimals with a unit, as whole numbers of the smallest unit.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "amalthea/quantity.hpp"

namespace amalthea::exporter::tables {

struct AmountUnit {
  std::string_view name;
  std::int64_t factor;
  std::string_view model_name = {};  ///< AMALTHEA's; "": the same
};
/// In ascending order; two spellings of one unit may follow each other. The smallest has the factor 1, or stands for the
/// smallest amount that a table states.
extern const std::span<const AmountUnit> time_units;       ///< ps
extern const std::span<const AmountUnit> frequency_units;  ///< mHz
extern const std::span<const AmountUnit> size_units;       ///< B
extern const std::span<const AmountUnit> rate_units;       ///< B/s

/// "1.5 ms" or "2MB". The error says what was expected: "a time such as 1.5 ms".
Parsed<std::int64_t> parse_amount(std::string_view text, std::span<const AmountUnit> units);

/// The number and the largest unit in which it is whole.
std::pair<std::int64_t, const AmountUnit*> in_largest_unit(std::int64_t amount, std::span<const AmountUnit> units);
/// The unit for people: the largest one in which both are at most three decimals, and `amount` is at least 1.
const AmountUnit* readable_unit(std::int64_t amount, std::int64_t other, std::span<const AmountUnit> units);
/// In a unit in which it has at most three decimals.
std::string number_in(std::int64_t amount, const AmountUnit& unit);
std::string format_amount(std::int64_t amount, std::span<const AmountUnit> units);

/// The text without blanks around it.
std::string_view trimmed(std::string_view text);

}  // namespace amalthea::exporter::tables
