// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/simulation_observer.hpp"

#include <array>

namespace amalthea::engine {

std::string_view to_string(ProcessEvent event) {
  constexpr std::array<std::string_view, 13> names{"activate",     "mtalimitexceeded", "start",    "preempt", "resume",
                                                   "wait",         "release",          "poll",     "run",     "park",
                                                   "poll_parking", "release_parking",  "terminate"};
  return names[static_cast<std::size_t>(event)];
}

}  // namespace amalthea::engine
