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
#include "amalthea/location.hpp"
#include "amalthea/time.hpp"

namespace amalthea::views {

enum class RequirementKind : std::uint8_t { unknown, process, runnable, process_chain, architecture };
enum class RequirementSeverity : std::uint8_t { unstated, cosmetic, minor, major, critical };
enum class LimitType : std::uint8_t { unstated, upper, lower };

enum class TimeMetric : std::uint8_t {
  unstated,
  activate_to_activate,
  core_execution_time,
  end_to_end,
  end_to_start,  ///< since 0.8.3
  gross_execution_time,
  lateness,
  memory_access_time,
  net_execution_time,
  os_overhead,
  parking_time,
  polling_time,
  ready_time,
  response_time,
  running_time,
  start_delay,
  start_to_start,
  waiting_time,
};

struct TimeLimit {
  TimeMetric metric = TimeMetric::unstated;
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
  Element element;  ///< the requirement, or the process or runnable that states a deadline
  std::string_view name;
  RequirementKind kind = RequirementKind::unknown;
  Element subject;  ///< process, runnable, process chain or component
  RequirementSeverity severity = RequirementSeverity::unstated;
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
