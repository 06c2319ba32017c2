// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// AMALTHEA's TimeMetric: times between the events of a process, and times in its states.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace amalthea {

/// One value for every job.
enum class TimeMetric : std::uint8_t {
  activate_to_activate,  ///< from the activation of the previous job
  start_to_start,
  end_to_end,
  end_to_start,          ///< from the end of the previous job to the start
  start_delay,           ///< activation to start
  response_time,         ///< activation to end
  gross_execution_time,  ///< start to end
  net_execution_time,    ///< running and polling
  core_execution_time,   ///< executing its own ticks and accesses: running, without overhead and memory accesses
  memory_access_time,    ///< the part of `running` for label accesses
  os_overhead,           ///< the part of `running` for the operating system
  running_time,
  ready_time,  ///< after the start
  waiting_time,
  polling_time,
  parking_time,
  lateness,  ///< end minus deadline; negative: early. Only with a deadline
};
inline constexpr std::size_t time_metrics = static_cast<std::size_t>(TimeMetric::lateness) + 1;
/// AMALTHEA's literal: "ActivateToActivate", …
std::string_view to_string(TimeMetric);

}  // namespace amalthea
