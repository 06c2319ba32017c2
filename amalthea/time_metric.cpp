// SPDX-License-Identifier: Apache-2.0
#include "amalthea/time_metric.hpp"

#include <array>

namespace amalthea {

std::string_view to_string(TimeMetric metric) {
  constexpr std::array<std::string_view, time_metrics> names{
      "ActivateToActivate", "StartToStart",     "EndToEnd",          "EndToStart",       "StartDelay", "ResponseTime",
      "GrossExecutionTime", "NetExecutionTime", "CoreExecutionTime", "MemoryAccessTime", "OsOverhead", "RunningTime",
      "ReadyTime",          "WaitingTime",      "PollingTime",       "ParkingTime",      "Lateness"};
  return names[static_cast<std::size_t>(metric)];
}

}  // namespace amalthea
