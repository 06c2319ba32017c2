// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Many independent simulations of a system, aggregated: the distribution of response times under varying execution
/// times.
///
/// Every run starts at time 0 and has its own seed. Runs are distributed over threads and aggregated in order, so the
/// result does not depend on the number of threads. Memory does not grow with the number of runs beyond what Sample
/// keeps for each task.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/analysis.hpp"
#include "engine/results/results.hpp"
#include "engine/results/statistics.hpp"

namespace amalthea::engine {

/// Exclusive upper limit for seeds; every JSON reader can represent them.
inline constexpr std::uint64_t seed_limit = std::uint64_t{1} << 53;

/// The seed of one run: `seed` itself for run 0, so that any run can be repeated alone as run 0 of its own seed.
std::uint64_t seed_of_run(std::uint64_t seed, std::uint64_t run);

struct ManyRunsOptions {
  AnalysisOptions analysis;
  std::uint64_t runs = 1;  ///< > 0
  std::uint64_t seed = 1;  ///< < seed_limit
  unsigned threads = 1;    ///< > 0
  /// Called after each aggregated run with the number of runs so far, by one thread at a time.
  std::function<void(std::uint64_t)> progress = {};
  /// Called likewise, with what all runs so far add up to. It may take time: other threads go on with their runs.
  std::function<void(const struct RunTotals&)> checkpoint = {};
  std::uint64_t watched_run = 0;  ///< the run that analysis.observer watches, on any thread
};

/// The longest job of a task; among equals, that of the first run and the first within it.
struct WorstJob {
  std::uint64_t run = 0;
  std::uint64_t seed = 0;
  Instant release;
  Duration response;
};

struct TaskRuns {
  Sample response;                     ///< release to completion, over the ended jobs of all runs
  RunMeans means;                      ///< over the runs in which a job ended
  std::uint64_t unfinished = 0;        ///< released within the horizon and never ended; over all runs
  std::uint64_t lost_activations = 0;  ///< over all runs
  std::uint64_t late = 0;              ///< late jobs, ended or not, over all runs
  std::uint64_t runs_with_late = 0;    ///< runs with a late job or a lost activation
  std::optional<WorstJob> worst;
  Bound bound;                             ///< of the response time, for all possible execution times
  Verdict verdict = Verdict::no_deadline;  ///< over all runs

  std::uint64_t jobs() const { return response.count() + unfinished; }
};

/// The share of the measured time in which a resource was in use.
struct ResourceRuns {
  UnitIndex unit = 0;
  ResourceKind kind = ResourceKind::core;
  double mean = 0;  ///< over the runs
  double least = 0;
  double most = 0;
  std::optional<SchedulerIndex> server = {};  ///< as in ResourceResult
};

/// What consecutive runs add up to, before it is judged. Totals of neighboring ranges of runs can be added, and then
/// equal those of all their runs, bit by bit. exporter/results/run_parts.hpp keeps them in files.
struct RunTotals {
  std::uint64_t first = 0;      ///< number of the first run
  std::uint64_t runs = 0;       ///< how many there are
  std::vector<TaskRuns> tasks;  ///< parallel to System::tasks; without bounds and verdicts
  std::vector<ObservedLatencies> chains;
  struct Resource {
    UnitIndex unit = 0;
    ResourceKind kind = ResourceKind::core;
    detail::UInt128 sum = 0;  ///< of the shares of all runs, in units of 2^-62
    double least = 0;
    double most = 0;
    std::optional<SchedulerIndex> server = {};  ///< as in ResourceResult
  };
  std::vector<Resource> resources;
  std::vector<RequirementResult> requirements;
  std::vector<ConstraintResult> constraints;
  std::uint64_t events = 0;
  std::uint64_t stopped = 0;
  /// A hash of all response times of a run, if that of every run is the same.
  std::optional<std::uint64_t> common_responses;

  std::uint64_t end() const { return first + runs; }
};
/// `next` begins where `sum` ends. `sum` may be empty.
void add(const System& system, RunTotals& sum, RunTotals next);

struct ManyRuns {
  Execution execution = Execution::random;
  std::uint64_t runs = 0;
  std::uint64_t seed = 0;
  Duration horizon;  ///< measured time of each run
  std::optional<Duration> hyperperiod;
  std::vector<std::string> device_profiles;      ///< parallel to Platform::units
  std::vector<std::optional<Duration>> periods;  ///< parallel to System::tasks
  std::vector<TaskRuns> tasks;                   ///< parallel to System::tasks
  std::vector<ObservedLatencies> chains;         ///< parallel to System::chains; the longest of all runs
  std::vector<ResourceRuns> resources;
  /// The verdicts over all runs, as `analyze` gives them for one: for each requirement the worst of any run, with its
  /// most extreme value. Without accesses, runnables and operations.
  Results judged;
  std::uint64_t events = 0;   ///< instants that the simulations processed
  std::uint64_t stopped = 0;  ///< runs that stopped before the end of the horizon
};

/// Simulates the runs after `so_far`, up to but without run `end`; of those of ManyRunsOptions::runs. Fewer if
/// AnalysisOptions::work stops them. Nothing, with a diagnostic, if `analyze` returns nothing.
std::optional<RunTotals> simulate_range(const System& system, const ManyRunsOptions& options, RunTotals so_far,
                                        std::uint64_t end, Diagnostics& diagnostics);
/// Reports what simulate_range reports before it simulates, for runs that other processes have simulated.
void report_before_runs(const System& system, const ManyRunsOptions& options, Diagnostics& diagnostics);
/// Judges them. What simulate_range has reported is not reported again.
std::optional<ManyRuns> judge_runs(const System& system, const ManyRunsOptions& options, RunTotals totals,
                                   Diagnostics& diagnostics);

/// Both, for all runs. Nothing, with a diagnostic, if `analyze` returns nothing.
std::optional<ManyRuns> simulate_runs(const System& system, const ManyRunsOptions& options, Diagnostics& diagnostics);

}  // namespace amalthea::engine
