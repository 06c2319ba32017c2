// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/execution_rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "amalthea/primitives/ascii.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/attributes.hpp"
#include "amalthea/views/hardware.hpp"

namespace amalthea::views {

std::optional<ExecutionRates> execution_rates(const Model& model, Element definition, std::string_view key) {
  if (!definition) return std::nullopt;
  if (key == instructions_key)
    if (const auto stated = number_attribute(definition, "instructionsPerCycle"))
      return *stated > 0 ? std::optional(ExecutionRates{*stated, *stated}) : std::nullopt;
  std::optional<ExecutionRates> rates;
  for (const Element feature : model.references(definition, "features")) {
    const Element category = feature.parent();
    if (!feature.is("HwFeature") || !category || category.name() != key ||
        category.attribute_or("featureType", "") == "power" ||
        (key == instructions_key && !equal_ignoring_case(feature.name().substr(0, 3), "IPC")))
      continue;
    const double value = number_attribute(feature, "value").value_or(0);
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    rates = rates ? ExecutionRates{std::min(rates->slowest, value), std::max(rates->fastest, value)}
                  : ExecutionRates{value, value};
  }
  return rates;
}

/// Declared with the hardware.
std::optional<double> instructions_per_cycle(const Model& model, Element definition) {
  const auto rates = execution_rates(model, definition, instructions_key);
  return rates ? std::optional(rates->slowest) : std::nullopt;
}

Cycles cycles_of_amount(const Cycles& amount, const ExecutionRates& rates) {
  if (rates.slowest == rates.fastest) return cycles_of_instructions(amount, rates.slowest).value_or(amount);
  const auto at = [&](double rate) { return cycles_of_instructions(amount, rate).value_or(amount); };
  return {at(rates.fastest).lower,
          at(rates.slowest + (rates.fastest - rates.slowest) / 2).average,
          at(rates.slowest).upper,
          {}};
}

Cycles sum_of(const Cycles& a, const Cycles& b) {
  const auto sum = [](std::int64_t x, std::int64_t y) {
    std::int64_t result = 0;
    return __builtin_add_overflow(x, y, &result) ? std::numeric_limits<std::int64_t>::max() : result;
  };
  // The shape of a sum is not that of its parts; none means uniform.
  return {sum(a.lower, b.lower), sum(a.average, b.average), sum(a.upper, b.upper), {}};
}

}  // namespace amalthea::views
