// SPDX-License-Identifier: Apache-2.0
// Limits that cannot be met, and contradictory deviations.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "amalthea/views/deviations.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

std::optional<Duration> stated_time(Element holder, std::string_view tag) {
  const Element time = holder.child(tag);
  if (!time) return std::nullopt;
  const auto parsed = parse_time(time.attribute_or("value", "0"), time.attribute_or("unit", "_undefined_"));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

struct Range {
  std::string_view class_name, least, most;
};

template <typename T>
std::optional<double> middle_of(const views::Deviation<T>& deviation) {
  const auto number = [](const auto& mean) -> std::optional<double> {
    if (!mean) return std::nullopt;
    if constexpr (std::is_same_v<T, Duration>)
      return static_cast<double>(mean->picoseconds());
    else
      return *mean;
  };
  if (const auto* gauss = std::get_if<views::GaussDistribution<T>>(&deviation.distribution)) return number(gauss->mean);
  if (const auto* weibull = std::get_if<views::WeibullEstimators<T>>(&deviation.distribution))
    return number(weibull->average);
  if (const auto* statistics = std::get_if<views::Statistics<T>>(&deviation.distribution))
    return number(statistics->average);
  return std::nullopt;
}

template <typename T>
double plain(T value) {
  if constexpr (std::is_same_v<T, Duration>)
    return static_cast<double>(value.picoseconds());
  else
    return value;
}

/// The contradiction in a deviation; "" if there is none.
template <typename T>
std::string contradiction(Element element) {
  Diagnostics building_findings;
  const auto deviation = views::deviation_of<T>(element, building_findings);
  if (!deviation) return "";
  if (deviation->lower && deviation->upper && *deviation->upper < *deviation->lower)
    return "the upper bound is below the lower bound";
  const auto middle = middle_of(*deviation);
  if (middle && deviation->lower && *middle < plain(*deviation->lower)) return "the mean is below the lower bound";
  if (middle && deviation->upper && *middle > plain(*deviation->upper)) return "the mean is above the upper bound";
  return "";
}

}  // namespace

void check_limit_order(const Context& context, Report& report) {
  constexpr std::array<Range, 7> ranges{{{"DataAgeTime", "minimumTime", "maximumTime"},
                                         {"DelayConstraint", "lower", "upper"},
                                         {"RepetitionConstraint", "lower", "upper"},
                                         {"EventChainLatencyConstraint", "minimum", "maximum"},
                                         {"ArrivalCurveEntry", "lowerTimeBorder", "upperTimeBorder"},
                                         {"PeriodicActivation", "min", "max"},
                                         {"SingleActivation", "min", "max"}}};
  for (const Range& range : ranges)
    for (const Element holder : context.facts.all(range.class_name)) {
      const auto least = stated_time(holder, range.least), most = stated_time(holder, range.most);
      if (!least || !most || *least <= *most) continue;
      const Element at = holder.child(range.most);
      if (!report.is_reported(at))
        report.add(
            at, "value",
            fmt::format("the {} of {} ({}) is less than its {} ({}); no timing satisfies both; correct one of them",
                        range.most, describe(holder), format_duration(*most), range.least, format_duration(*least)));
    }
}

void check_impossible_limits(const Context& context, Report& report) {
  constexpr std::array<std::string_view, 5> metrics{"ResponseTime", "GrossExecutionTime", "NetExecutionTime",
                                                    "CoreExecutionTime", "EndToEnd"};
  for (const Element limit : context.facts.all("TimeRequirementLimit")) {
    if (limit.attribute_or("limitType", "") != "UpperLimit" ||
        std::find(metrics.begin(), metrics.end(), limit.attribute_or("metric", "")) == metrics.end())
      continue;
    const auto value = stated_time(limit, "limitValue");
    const Element at = limit.child("limitValue");
    if (value && *value <= Duration{} && !report.is_reported(at))
      report.add(at, "value",
                 fmt::format("an upper limit of {} on {} cannot be met; expected a time above zero",
                             format_duration(*value), limit.attribute_or("metric", "")));
  }
}

void check_missing_deadlines(const Context& context, Report& report) {
  if (context.system == nullptr) return;
  const System& system = *context.system;
  std::size_t tasks = 0, missing = 0;
  const Task* first = nullptr;
  for (const Task& task : system.tasks) {
    if (task.side != Side::host || task.folded_into || task.kind != ProcessKind::task ||
        !uses_only_deadlines(system.platform.schedulers[task.scheduler].kind))
      continue;
    ++tasks;
    if (!task.deadline && missing++ == 0) first = &task;
  }
  if (missing > 0)
    report.add(context.model.element(first->origin),
               fmt::format("{} of {} scheduled by the earliest deadline {} no deadline; the analysis uses the period, "
                           "and a task without a period is the least urgent; the first is \"{}\"",
                           missing, counted(tasks, "task"), missing == 1 ? "has" : "have", first->name));
}

void check_deviations(const Context& context, Report& report) {
  constexpr std::array<std::string_view, 6> kinds{"GaussDistribution",   "WeibullEstimatorsDistribution",
                                                  "Statistics",          "Boundaries",
                                                  "UniformDistribution", "BetaDistribution"};
  const auto check = [&](Element element, bool is_time) {
    const std::string what = is_time ? contradiction<Duration>(element) : contradiction<double>(element);
    if (!what.empty() && !report.is_reported(element))
      report.add(element,
                 fmt::format("{} of {}: {}; correct one of them", element.tag(), describe(element.parent()), what));
  };
  for (const std::string_view kind : kinds) {
    for (const std::string_view numbers : {"DiscreteValue", "ContinuousValue"})
      for (const Element element : context.facts.all(fmt::format("{}{}", numbers, kind))) check(element, false);
    for (const Element element : context.facts.all(fmt::format("Time{}", kind))) check(element, true);
  }
  // Before 0.9.3 the parent defines what varies.
  for (const Element element : context.facts.all("Deviation")) {
    const Element bound = element.child("lowerBound") ? element.child("lowerBound") : element.child("upperBound");
    if (bound) check(element, bound.class_name().find("Time") != std::string_view::npos);
  }
}

}  // namespace amalthea::review
