// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Requirements, in one form for all versions.

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "amalthea/time.hpp"
#include "amalthea/time_metric.hpp"

namespace amalthea::views {

struct TimeLimit {
  std::optional<TimeMetric> metric;
  std::optional<Duration> value;  ///< may be negative (lateness)
};
struct CpuPercentageLimit {
  std::string_view metric;  ///< "CPULoad", "CPUReady", …, or ""
  double value = 0;
  Element hardware;  ///< ProcessingUnit; before 0.9.0 any node
};
struct CountLimit {
  std::string_view metric;  ///< "Activations", "Preemptions", …, or ""
  std::int64_t value = 0;
};
struct PercentageLimit {
  std::string_view metric;  ///< "CacheHitRatio", "NormalizedResponseTime", …, or ""
  double value = 0;
};
struct FrequencyLimit {
  std::string_view metric;  ///< "CacheHitFrequency", "CacheMissFrequency" or ""
  std::optional<double> hertz;
};
/// No limit, or one of an unknown class.
struct NoLimit {};

struct Requirement {
  using Kind = amalthea::Requirement::Kind;
  using Severity = amalthea::Requirement::Severity;
  using LimitType = amalthea::Requirement::LimitType;

  Element element;  ///< the requirement, or the process or runnable that states a deadline
  std::string_view name;
  Kind kind = Kind::unknown;
  Element subject;  ///< process, runnable, process chain or component
  Severity severity = Severity::unstated;
  LimitType limit_type = LimitType::unstated;
  std::variant<NoLimit, TimeLimit, CpuPercentageLimit, CountLimit, PercentageLimit, FrequencyLimit> limit;
  Element limit_element;
};

/// The requirements of the constraints model in document order; then the `deadline`s of ISRs and tasks (before 0.7.0)
/// and of runnables (up to 0.9.3), each converted as in later versions: a requirement, named after the process or
/// "deadline", ResponseTime, UpperLimit.
std::vector<Requirement> requirements(const Model& model, Diagnostics& diagnostics);

/// Whether it limits the response times of a process from above.
bool is_deadline(const Requirement& requirement);
/// The element that states the time of a deadline, or an empty one.
Element stated_time(const Requirement& deadline);

}  // namespace amalthea::views
