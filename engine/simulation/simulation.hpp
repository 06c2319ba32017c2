// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Discrete-event simulation of a System: CPU cores, GPU devices, and their interaction.
///
/// Order within one instant: (1) steps and operations that end, with the timeless activities that follow them, cores
/// before devices, each in model order; (2) releases by stimuli, in model order; (3) consequences until nothing
/// changes: triggers, events, scheduling decisions on cores and engines. Nothing depends on memory addresses or
/// threads.
///
/// The simulation measures the jobs released in [0, until), and the utilization of resources in that time. Afterwards
/// it continues, with further releases, until all measured jobs have ended or `grace` has passed.
///
/// Semantics:
/// - Jobs of a task run one after the other. A release during a job is queued (up to the activation limit of the task).
/// - A wait for events with active waiting polls: the task keeps its core at its priority. With passive waiting the
///   task leaves the core, and becomes ready again when the event is set. If the event is already set, the wait ends at
///   once.
/// - The copies and kernels of a device task go to its stream on the GPU in order, each when the previous one has
///   ended. Its other activities take no time. The device of each vendor defines how the GPU executes them
///   (nvidia/device.hpp, amd/device.hpp).
/// - A core that executes a label access causes memory traffic, which slows operations of the GPUs down. Under dynamic
///   contention an access progresses at the cost of a line that other accesses and the GPUs cause at that instant.

#include <cstdint>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "amalthea/work.hpp"
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
  Duration grace;                                       ///< how long to wait for measured jobs that have not ended
  const std::vector<std::optional<Duration>>& periods;  ///< parallel to System::tasks; used by RM, DM and EDF
  /// The execution times the programs were compiled for. It also selects the arrival pattern (pattern_for).
  Execution execution = Execution::worst;
  std::uint64_t seed = 0;  ///< seed of the random numbers
  Contention contention = Contention::static_;
  bool keep_responses = false;                        ///< fills Results::responses
  std::size_t contributions = default_contributions;  ///< of each longest job, those kept apart (keep_largest)
  SimulationObserver* observer = nullptr;             ///< may be null
  /// The simulation stops after this many instants and activities, at any time.
  std::uint64_t max_steps = default_simulation_steps;
  const std::atomic<bool>* stop = nullptr;  ///< the simulation stops soon after it is set; may be null
  std::atomic<double>* done = nullptr;      ///< set to the simulated share of `until`; may be null
};

/// Fills everything observed: response times, worst jobs, utilization. Does not change verdicts and demands.
void simulate(const SimulationInput& input, Results& results);

}  // namespace amalthea::engine
