// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Values of a system that are at odds with others, and what they may have been meant to be.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"

namespace amalthea::analysis {

/// What is known about a system before anything is tried.
struct Facts {
  Facts(const System& system, const engine::AnalysisOptions& options, const engine::Results& results);

  const System& system;
  const engine::Results& results;
  std::vector<const engine::DeviceProfile*> devices;
  std::vector<engine::Program> programs;           ///< at the execution times of the analysis
  std::vector<Duration> own;                       ///< of a job alone, with the device tasks it offloads to
  std::vector<std::optional<double>> utilization;  ///< `own` per period
  std::vector<std::optional<double>> tightness;    ///< deadline per period
  double usual_tightness = 1;                      ///< median
  std::vector<std::vector<TaskIndex>> chained;     ///< tasks of the same chains
  std::vector<bool> failing;  ///< tasks: their deadline is not guaranteed, or their end not bounded
};

struct Suspicion {
  double evidence = 0;  ///< how much the value is at odds with others; 1: a little, 5: hardly a coincidence
  std::string change;   ///< "period of Wheel: 100 ms instead of 10 ms (its deadline is 100 ms)"
  amalthea::Part part;  ///< what it is about
  std::function<void(System&)> apply;
  std::string pattern = {};  ///< mistakes that may have been made in several places have the same
  std::size_t combined = 1;  ///< how many of them it consists of
};
using Suspicions = std::vector<Suspicion>;

/// Deadlines, requirements, limits of chains, timing constraints.
void suspect_limits(const Facts& facts, Suspicions& found);
/// Periods, jitter, execution times, kernels, copies, clocks.
void suspect_times(const Facts& facts, Suspicions& found);
/// Semaphores, time slices, ways of waiting, priorities, preemption, servers, memories.
void suspect_sharing(const Facts& facts, Suspicions& found);

/// In picoseconds.
inline double number(Duration time) { return static_cast<double>(time.picoseconds()); }
/// Binary orders of magnitude between two positive values.
double distance(double a, double b);
double median(std::vector<double> values);  ///< 0 without values
/// The task's deadline, and the requirements that state it.
void set_deadline(System& system, TaskIndex task, Duration deadline);
/// value × factor, at least a picosecond.
Duration times(Duration value, double factor);
/// "a tenth", "10 times".
std::string ratio_text(double ratio);

}  // namespace amalthea::analysis
