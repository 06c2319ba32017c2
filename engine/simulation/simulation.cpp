// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/simulation.hpp"

#include "engine/simulation/detail/event_loop.hpp"

namespace amalthea::engine {

void simulate(const SimulationInput& input, Results& results) { simulation::EventLoop(input).run(results); }

}  // namespace amalthea::engine
