// SPDX-License-Identifier: Apache-2.0
// Readable values with an unintended or without any meaning.

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

double number(std::string_view text) { return parse_double(text).value_or(0); }

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

/// Tags of times, with a blank around each.
constexpr std::string_view never_negative =
    " minDistance occurrenceMinDistance jitter step deadline delay burstLength minBudget maxBudget runtimes min max "
    "offset occurrence occurrenceTimes lowerTimeBorder upperTimeBorder tolerance minimum maximum minimumTime "
    "maximumTime lower upper ";

/// For these, building the system reports errors at the stimulus.
constexpr std::string_view of_stimuli = " offset occurrence occurrenceTimes lowerTimeBorder upperTimeBorder ";

bool is_listed(std::string_view tag, std::string_view tags) {
  return tags.find(fmt::format(" {} ", tag)) != std::string_view::npos;
}

std::string_view example_unit(std::string_view quantity) {
  if (quantity == "DataSize") return "B";
  if (quantity == "DataRate") return "MBPerSecond";
  return quantity == "Frequency" ? "MHz" : "ms";
}

}  // namespace

void check_units(const Context& context, Report& report) {
  constexpr std::array<std::string_view, 7> quantities{"Time",     "SignedTime", "TimeObject", "SignedTimeObject",
                                                       "DataSize", "DataRate",   "Frequency"};
  for (const std::string_view quantity : quantities)
    for (const Element element : context.facts.all(quantity)) {
      const std::string_view unit = element.attribute_or("unit", "_undefined_");
      if (unit != "_undefined_" || number(element.attribute_or("value", "0")) == 0 || report.is_reported(element))
        continue;
      report.add(element, "unit",
                 fmt::format("the {} {} has no unit; state one, such as {}", element.tag(),
                             element.attribute_or("value", ""), example_unit(quantity)));
    }
}

void check_negative_times(const Context& context, Report& report) {
  for (const Element time : context.facts.all("Time"))
    if (is_listed(time.tag(), never_negative) && number(time.attribute_or("value", "0")) < 0 &&
        !report.is_reported(time) && !(is_listed(time.tag(), of_stimuli) && report.is_reported(time.parent())))
      report.add(
          time, "value",
          fmt::format("the {} of {} is negative; expected a time of 0 or more", time.tag(), describe(time.parent())));
}

void check_periods(const Context& context, Report& report) {
  constexpr std::array<std::string_view, 2> periods{"recurrence", "period"};
  for (const Element time : context.facts.all("Time"))
    if (is_one_of(time.tag(), periods) && number(time.attribute_or("value", "0")) <= 0 && !report.is_reported(time) &&
        !report.is_reported(time.parent()))
      report.add(time, "value",
                 fmt::format("the {} of {} is {}; expected a time above zero", time.tag(), describe(time.parent()),
                             time.attribute_or("value", "0")));
}

void check_probabilities(const Context& context, Report& report) {
  constexpr double tolerance = 1e-6;
  for (const std::string_view kind : {"ProbabilitySwitch", "RunnableProbabilitySwitch", "ProbabilityGroup"})
    for (const Element choice : context.facts.all(kind)) {
      double sum = 0;
      std::size_t entries = 0;
      for (const Element entry : choice.children())
        if (entry.is("ProbabilitySwitchEntry") || entry.is("ProbabilityRunnableItem")) {
          sum += number(entry.attribute_or("probability", "0"));
          ++entries;
        }
      // Percentages are as valid as shares, since only their ratio counts.
      if (entries == 0 || std::abs(sum - 1) <= tolerance || std::abs(sum - 100) <= 100 * tolerance) continue;
      report.add(choice, fmt::format("the probabilities of its {} add up to {:g}; expected 1",
                                     entries == 1 ? "1 entry" : fmt::format("{} entries", entries), sum));
    }
}

}  // namespace amalthea::review
