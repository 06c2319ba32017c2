// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// System → Results: simulation, demand, verdicts. The one call most users of the library want.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/results/results.hpp"
#include "engine/simulation/simulation_observer.hpp"
#include "engine/simulation/step_limit.hpp"

namespace amalthea::engine {

struct AnalysisOptions {
  Execution execution = Execution::worst;
  std::optional<Duration> until;           ///< simulated time; by default the hyperperiod and the largest offset
  const DeviceProfile* profile = nullptr;  ///< for every GPU; by default chosen per unit by profile_for
  CompileOptions compile;                  ///< what memory costs
  Communication communication = Communication::implicit;  ///< by which latency constraints are judged
  bool strict = false;                                    ///< see Results
  SimulationObserver* observer = nullptr;                 ///< watches the simulation; may be null
  std::uint64_t max_steps = default_simulation_steps;     ///< after which a simulation stops, wherever it is
};

/// Nothing, with a diagnostic, when a device's profile is not known or times exceed what the simulation can hold
/// (26 days).
std::optional<Results> analyze(const System& system, const AnalysisOptions& options, Diagnostics& diagnostics);

/// What a simulation of a system needs beside its programs.
struct Preparation {
  std::vector<const DeviceProfile*> devices;     ///< parallel to Platform::units; null for CPUs
  std::vector<std::string> device_profiles;      ///< their names; "" for CPUs
  std::optional<Duration> hyperperiod;           ///< see Results
  std::vector<std::optional<Duration>> periods;  ///< see periods_of
  Duration until;                                ///< time to measure
  Duration grace;                                ///< how long to wait for measured jobs that go on
};
/// Nothing, with a diagnostic, when a device's profile is not known or a kernel cannot be launched on it. Says what the
/// memory model costs, and where the hyperperiod is not simulated as a whole. May throw std::overflow_error.
std::optional<Preparation> prepare_simulation(const System& system, const AnalysisOptions& options,
                                              Diagnostics& diagnostics);

/// Everything of `results` that does not need the simulation again: demands, bounds, the verdicts on tasks and chains.
/// Asks for what simulate() finds and for what was observed of every chain. May throw std::overflow_error.
void judge_simulation(const System& system, const AnalysisOptions& options, const Preparation& preparation,
                      Results& results);

/// Says that times exceed what the simulation can hold.
void report_time_overflow(Diagnostics& diagnostics);

}  // namespace amalthea::engine
