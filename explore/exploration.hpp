// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The search for a mapping: which unit, priority, way of waiting and GPU time slice every task gets.
///
/// A candidate is judged by bounds on its response times (engine/bounds/bounds.hpp): they hold for every execution, so
/// what is feasible by them is feasible. First the search makes every deadline hold that can hold at all, then it
/// improves the objectives; of several objectives it keeps the Pareto front. The best candidates are simulated at the
/// end, to confirm them.
///
/// The same problem, options and seed give the same result, whatever the number of threads: a fixed number of walks is
/// searched, each from a seed of its own, and merged in their order.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "engine/results/results.hpp"

namespace amalthea::explore {

/// What is decided of one task. Of a wrapper that fell away nothing is.
struct Choice {
  UnitIndex unit = 0;
  std::int64_t priority = 0;      ///< larger is more urgent; of host tasks
  bool waits_actively = false;    ///< polls instead of suspending; of host tasks that wait for events
  std::optional<Duration> slice;  ///< of the GPU, of device tasks
  bool migrates = false;          ///< between all units that the model lets it, `unit` being the first of them
  friend bool operator==(const Choice&, const Choice&) = default;
};
/// Parallel to System::tasks.
using Candidate = std::vector<Choice>;

/// What a mapping must keep beside deadlines: the model's affinities and constraints where asked for, and options.
struct Constraints {
  std::vector<std::vector<UnitIndex>> allowed;   ///< per task, never empty: where it may run
  std::vector<std::vector<TaskIndex>> together;  ///< on one unit
  std::vector<std::vector<TaskIndex>> apart;     ///< no two of them on one unit
};

struct Freedom {
  bool mapping = true;     ///< units of host tasks
  bool offloading = true;  ///< device tasks may run on CPUs, their wrappers and copies falling away, and back
  bool priorities = true;
  bool waiting = true;
  bool slices = true;
};

/// Smaller is better.
/// The largest bound relative to its deadline (or period, where there is none, or none that can be kept). Device tasks
/// without a deadline, which their hosts wait for, do not count.
struct LargestResponse {};
struct ChainLatency {
  std::size_t chain = 0;  ///< of System::chains: its reaction in seconds, the bound under implicit communication
};
struct LoadBalance {};  ///< the largest demand on a CPU at worst-case execution times, polling included
using Objective = std::variant<LargestResponse, ChainLatency, LoadBalance>;
std::string describe(const System& system, const Objective& objective);

struct Problem {
  System system;  ///< as the model maps it
  Constraints constraints;
  /// The system with these device tasks (by index, true: on a CPU) offloaded or not; nothing where that cannot be.
  /// Tasks keep their indices. Called from one thread.
  std::function<std::optional<System>(const std::vector<bool>& on_cpu)> place;
};

struct Options {
  Freedom freedom;
  std::vector<Objective> objectives = {LargestResponse{}};
  std::uint64_t candidates = 20000;  ///< to be judged, all walks together; no more again to find a conflict
  /// Of all bounds together (bound_steps), and no more again to find a conflict; then the search ends earlier.
  std::uint64_t steps = 1'000'000'000;
  /// Stop earlier after this time, a fifth of it being left to find a conflict; then results may differ between runs.
  std::optional<double> seconds;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  engine::AnalysisOptions analysis;  ///< profile and memory model
  /// Called now and then, from one thread at a time: how many candidates are judged, the fewest late tasks so far.
  std::function<void(std::uint64_t, std::size_t)> progress;
};

/// A judged candidate. Of tasks that are never activated nothing is asked.
struct Judgement {
  std::vector<engine::Bound> bounds;  ///< per task
  std::vector<TaskIndex> late;        ///< bound beyond the deadline, or none, of those that can be in time
  double excess = 0;                  ///< how much, relative to their deadlines, together; unbounded ones count much
  /// Without a bound though no deadline is asked of them: tasks that have none, or one that cannot be kept. Device
  /// tasks without a deadline, which their hosts wait for, do not count.
  std::size_t unbounded = 0;
  std::vector<double> objectives;  ///< parallel to Options::objectives; infinite where unknown
  /// Affinity constraints that are not kept, and latency constraints whose bound is beyond; none of a solution that is
  /// feasible.
  std::size_t broken = 0;
};
/// Throws std::invalid_argument where Problem::place gives nothing for it.
Judgement judge(const Problem& problem, const Candidate& candidate, const Options& options);
/// Of the same model mapped by somebody else, as it is: functions and tasks may be where the search would not put them.
Judgement judge(const Problem& problem, const System& mapped, const Options& options);

/// What the model decides.
Candidate original_candidate(const System& system);
/// The system with a candidate applied; nothing where Problem::place gives none. A task that moves gets the first
/// scheduler that is responsible for its unit, unless its own is.
std::optional<System> applied(const Problem& problem, const Candidate& candidate);

struct Solution {
  Candidate candidate;
  Judgement judgement;
  /// What its simulation at worst-case execution times saw, per task; nothing where it cannot be simulated.
  std::vector<std::optional<Duration>> simulated;
  bool was_simulated = false;
};

/// A task whose deadline no mapping can keep that the search may choose: even alone it takes longer.
struct Impossible {
  TaskIndex task = 0;
  Duration least;  ///< achievable, on `unit`
  UnitIndex unit = 0;
  Duration deadline;
  bool confined = false;  ///< it, or what it offloads, could run on units that constraints or Freedom leave out
};

/// Demands that cannot be kept together, as far as was found; without any of them the others can, unless time or
/// candidates ran out.
struct Conflict {
  std::vector<TaskIndex> tasks;  ///< whose deadlines these are
  std::string reason;            ///< in words: "CPUs are asked for 5.1 of 5 …"
};

inline constexpr std::size_t most_solutions = 40;

struct Exploration {
  Candidate original;
  Judgement original_judgement;
  std::vector<Impossible> impossible;  ///< left out of feasibility
  /// Best first by the first objective, then the others; one where there is one objective. Of candidates with equal
  /// objectives the one that the earlier walk found first is kept. While somebody is late, or a constraint broken, all
  /// members have the fewest of these, then the least excess; they always have the fewest unbounded tasks. No more than
  /// most_solutions: the best of every objective and some in between.
  std::vector<Solution> front;
  bool feasible = false;             ///< whether front.front() has nobody late
  std::optional<Conflict> conflict;  ///< where it is not
  std::uint64_t judged = 0;
  bool is_cut = false;  ///< by Options::steps
};

/// Empty front only if there is no task. Throws std::overflow_error where times exceed what can be held.
Exploration explore(const Problem& problem, const Options& options);

}  // namespace amalthea::explore
