// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Discrete-event simulation of a System: CPU cores, GPU devices and what passes between them.
///
/// Order of what happens at one instant: (1) steps and operations that end, with the timeless activities that follow
/// them, cores first, then devices, each in model order; (2) releases by stimuli, in model order; (3) consequences
/// until nothing changes: triggers, events, and the decisions who runs on cores and whom engines serve. Nothing depends
/// on the order of memory addresses or threads.
///
/// The simulation of a horizon measures the jobs released in [0, until), and how resources are used in that time. Then
/// it goes on, with releases as before, until all measured jobs have ended or `grace` has passed.
///
/// Semantics:
/// - Jobs of one task run one after the other; a release during a job waits (up to the task's activation limit).
/// - A wait for events with active waiting polls: the task keeps its core at its priority. Passive waiting leaves the
///   core; on the event the task becomes ready anew. An event set before the wait lets it pass at once.
/// - A device task's copies and kernels go to its stream on the GPU in order, each when the one before has ended; its
///   other activities take no time. What the GPU does with them is told by its maker's device
///   (nvidia/device.hpp, amd/device.hpp).

#include <cstdint>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/program/program.hpp"
#include "engine/results/results.hpp"
#include "engine/simulation/simulation_observer.hpp"
#include "engine/simulation/step_limit.hpp"

namespace amalthea::engine {

struct SimulationInput {
  const System& system;
  const std::vector<Program>& programs;                 ///< parallel to System::tasks
  const std::vector<const DeviceProfile*>& devices;     ///< parallel to Platform::units; null for CPUs
  Duration until;                                       ///< measured time, > 0
  Duration grace;                                       ///< how long to wait for measured jobs that go on
  const std::vector<std::optional<Duration>>& periods;  ///< parallel to System::tasks; what RM, DM and EDF go by
  /// That the programs were compiled for; what stimuli leave open follows from it (pattern_for).
  Execution execution = Execution::worst;
  std::uint64_t seed = 0;                  ///< of what is drawn at random
  bool keep_responses = false;             ///< fills Results::responses
  SimulationObserver* observer = nullptr;  ///< may be null
  /// Instants and activities after which the simulation stops, wherever it is.
  std::uint64_t max_steps = default_simulation_steps;
};

/// Fills everything observed: response times, worst jobs, utilisation. Verdicts and demands are left alone.
void simulate(const SimulationInput& input, Results& results);

}  // namespace amalthea::engine
