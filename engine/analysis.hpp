// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// System → Results: simulation, demand, verdicts. Most users of the library need only this call.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "amalthea/work.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/results/results.hpp"
#include "engine/simulation/simulation_observer.hpp"
#include "engine/simulation/step_limit.hpp"

namespace amalthea::engine {

struct AnalysisOptions {
  Execution execution = Execution::worst;
  std::optional<Duration> until;           ///< simulated time; by default the hyperperiod and the largest offset
  const DeviceProfile* profile = nullptr;  ///< for every GPU that has none asked; else profile_for chooses
  CompileOptions compile;                  ///< options for the compiled programs, such as memory costs
  BoundOptions bounds;
  /// the semantics that latency constraints are judged by
  Communication communication = Communication::implicit;
  Contention contention = Contention::static_;         ///< of label accesses in the simulation
  bool strict = false;                                 ///< see Results
  SimulationObserver* observer = nullptr;              ///< watches the simulation; may be null
  std::uint64_t max_steps = default_simulation_steps;  ///< the simulation stops after this many steps
  Work* work = nullptr;  ///< follows the simulation, or many runs of it, and can stop them; may be null
};

/// Nothing, with a diagnostic, if a device's profile is unknown or times exceed the range of the simulation (26 days).
std::optional<Results> analyze(const System& system, const AnalysisOptions& options, Diagnostics& diagnostics);

/// What a simulation needs in addition to the programs.
struct Preparation {
  std::vector<const DeviceProfile*> devices;     ///< parallel to Platform::units; null for CPUs
  std::vector<std::string> device_profiles;      ///< their names; "" for CPUs
  std::optional<Duration> hyperperiod;           ///< see Results
  std::vector<std::optional<Duration>> periods;  ///< see periods_of
  Duration until;                                ///< time to measure
  Duration grace;                                ///< how long to wait for measured jobs that have not ended
  std::vector<OpenFinding> open;                 ///< findings of the preparation; they may concern all parts
};
/// Nothing, with a diagnostic, if a device's profile is unknown or a kernel cannot be launched on it. Reports the costs
/// of the memory model, and hyperperiods that are not simulated completely. May throw std::overflow_error.
std::optional<Preparation> prepare_simulation(const System& system, const AnalysisOptions& options,
                                              Diagnostics& diagnostics);

/// Computes everything in `results` that needs no further simulation: demands, bounds, verdicts on tasks and chains.
/// Needs the results of simulate() and the observations of every chain. May throw std::overflow_error.
void judge_simulation(const System& system, const AnalysisOptions& options, const Preparation& preparation,
                      Results& results);

/// Reports that a simulation was stopped on request; `when` as in "at 2 s", "after 3 of 10 runs".
void report_interruption(const std::string& when, Diagnostics& diagnostics);

/// Reports that times exceed the range of the simulation.
void report_time_overflow(Diagnostics& diagnostics);

}  // namespace amalthea::engine
