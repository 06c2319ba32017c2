#pragma once
/// \file
/// System → Results: simulation, demand, verdicts. The one call most users of the library want.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/device_profile.hpp"
#include "engine/results.hpp"
#include "engine/simulation_observer.hpp"

namespace amalthea::engine {

struct AnalysisOptions {
  Execution execution = Execution::worst;
  std::optional<Duration> until;           ///< simulated time; by default the hyperperiod and the largest offset
  const DeviceProfile* profile = nullptr;  ///< for every GPU; by default chosen per unit by profile_for
  CompileOptions compile;                  ///< what memory costs
  Communication communication = Communication::implicit;  ///< by which latency constraints are judged
  bool strict = false;                                    ///< see Results
  SimulationObserver* observer = nullptr;                 ///< watches the simulation; may be null
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

/// Least common multiple of all periods in use (of periodic, synthetic and burst stimuli); nothing when there is none
/// or it exceeds 2^63 ps.
std::optional<Duration> hyperperiod(const System& system);

/// How a task comes to be released strictly periodically.
struct TaskReleases {
  Periodic periodic;
  std::vector<TaskIndex>
      way;  ///< the task that is released so, and who is triggered in a row up to the one in question
};
/// Of every task: those of its only stimulus, or of the task that is its only trigger; of a wrapper that fell away
/// those of its function. Nothing where there are several or none.
std::vector<std::optional<TaskReleases>> releases_of(const System& system);

/// Of every task: the least long-run distance of its releases by its only stimulus, which is the period of a periodic
/// one; a triggered task has that of its only trigger, a wrapper that fell away that of its function. Nothing where
/// there are several or none.
std::vector<std::optional<Duration>> periods_of(const System& system);

}  // namespace amalthea::engine
