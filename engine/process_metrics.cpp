#include "engine/process_metrics.hpp"

namespace amalthea::engine {

std::string_view to_string(ProcessState state) {
  constexpr std::array<std::string_view, 7> names{"not active", "active",  "ready",  "running",
                                                  "waiting",    "polling", "parking"};
  return names[static_cast<std::size_t>(state)];
}

std::string_view to_string(TimeMetric metric) {
  constexpr std::array<std::string_view, time_metrics> names{
      "ActivateToActivate", "StartToStart",     "EndToEnd",          "EndToStart",       "StartDelay", "ResponseTime",
      "GrossExecutionTime", "NetExecutionTime", "CoreExecutionTime", "MemoryAccessTime", "OsOverhead", "RunningTime",
      "ReadyTime",          "WaitingTime",      "PollingTime",       "ParkingTime",      "Lateness"};
  return names[static_cast<std::size_t>(metric)];
}

}  // namespace amalthea::engine
