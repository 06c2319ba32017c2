// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The search for a mapping: unit, priority, waiting behavior and GPU time slice of every task.
///
/// A candidate is judged by bounds on its response times (engine/bounds/bounds.hpp). They hold for every execution, so
/// a candidate that is feasible by its bounds is feasible. The search first meets every deadline that can be met, then
/// improves the objectives; for several objectives it keeps the Pareto front. In the end, the best candidates are
/// simulated for confirmation.
///
/// A last pass takes back every change of the best candidates that is not needed: it tries one after the other, in the
/// order of the tasks, until none can be taken back without a worse candidate by any measure.
///
/// The same problem, options and seed give the same result for any number of threads: there is a fixed number of walks,
/// each with its own seed, and they are merged in order.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "engine/results/results.hpp"

namespace amalthea::explore {

/// The choices for one task. Removed wrappers have none.
struct Choice {
  UnitIndex unit = 0;
  std::int64_t priority = 0;      ///< larger is more urgent; for host tasks
  bool waits_actively = false;    ///< polls instead of suspending; for host tasks that wait for events
  std::optional<Duration> slice;  ///< on the GPU, for device tasks
  bool migrates = false;          ///< between all units that the model allows; `unit` is the first of them
  friend bool operator==(const Choice&, const Choice&) = default;
};
/// Parallel to System::tasks.
using Candidate = std::vector<Choice>;

/// What a mapping must satisfy in addition to deadlines: the model's affinities and constraints on request, and
/// options.
struct Constraints {
  std::vector<std::vector<UnitIndex>> allowed;   ///< per task, never empty: units it may run on
  std::vector<std::vector<TaskIndex>> together;  ///< on one unit
  std::vector<std::vector<TaskIndex>> apart;     ///< no two of them on one unit
};

struct Freedom {
  bool mapping = true;     ///< units of host tasks
  bool offloading = true;  ///< device tasks may move to CPUs, which removes their wrappers and copies, and back
  bool priorities = true;
  bool waiting = true;
  bool slices = true;
  bool offsets = true;  ///< of periodic stimuli; only a repair changes them
};

/// Minimized. The largest bound relative to its deadline (or to the period, without a deadline that can be met). Device
/// tasks without a deadline for which hosts wait do not count.
struct LargestResponse {};
struct ChainLatency {
  /// index into System::chains: its reaction in seconds, the bound under implicit communication
  std::size_t chain = 0;
};
struct LoadBalance {};    ///< the maximum demand on a CPU at worst-case execution times, including polling
struct FewestChanges {};  ///< how many values of the model's mapping change (Solution::changes)
using Objective = std::variant<LargestResponse, ChainLatency, LoadBalance, FewestChanges>;
std::string describe(const System& system, const Objective& objective);
std::string_view unit_of(const Objective& objective);  ///< "s", "count" or "ratio"

struct Problem {
  System system;  ///< as mapped in the model
  Constraints constraints;
  /// The system with these device tasks (by index, true: on a CPU) offloaded or not; nothing if that is impossible.
  /// Tasks keep their indices. Called from one thread.
  std::function<std::optional<System>(const std::vector<bool>& on_cpu)> place;
};

struct Options {
  Freedom freedom;
  std::vector<Objective> objectives = {LargestResponse{}};
  /// number of candidates to judge, over all walks; at most as many again to find a conflict
  std::uint64_t candidates = 20000;
  /// number of steps of all bounds together (Judgement::steps), and at most as many again to find a conflict; the search
  /// ends earlier if it needs more
  std::uint64_t steps = 250'000'000;
  /// Stop earlier after this time, with a fifth of it reserved to find a conflict; results may then differ between
  /// runs.
  std::optional<double> seconds;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  engine::AnalysisOptions analysis;  ///< profile and memory model
  /// Called periodically, by one thread at a time: number of judged candidates, the fewest late tasks so far.
  std::function<void(std::uint64_t, std::size_t)> progress;
};

/// A judged candidate. Tasks that are never activated do not count.
struct Judgement {
  std::vector<engine::Bound> bounds;  ///< per task
  /// tasks with a bound beyond the deadline or without a bound, among those that can meet it
  std::vector<TaskIndex> late;
  /// sum over late tasks, relative to their deadlines; unbounded tasks count as a large excess
  double excess = 0;
  /// Tasks without a bound and without a deadline that counts: they have none, or one that cannot be met. Device tasks
  /// without a deadline for which hosts wait do not count.
  std::size_t unbounded = 0;
  std::vector<double> objectives;  ///< parallel to Options::objectives; infinite if unknown
  /// Violated affinity constraints, and latency constraints whose bound exceeds the limit; zero for a feasible
  /// solution.
  std::size_t broken = 0;
  std::vector<std::size_t> late_chains = {};  ///< those of the latency constraints among them, once for each
  std::uint64_t steps = 0;                    ///< that the bounds took (BoundOptions::taken)
};
/// Throws std::invalid_argument if Problem::place returns nothing for it.
Judgement judge(const Problem& problem, const Candidate& candidate, const Options& options);
/// For an existing mapping of the same model: functions and tasks may be on units that the search would not select.
Judgement judge(const Problem& problem, const System& mapped, const Options& options);

/// The candidate for the model's own mapping.
Candidate original_candidate(const System& system);
/// The system with a candidate applied; nothing if Problem::place returns none. A task that moves gets the first
/// scheduler that is responsible for its unit, unless its own is.
std::optional<System> applied(const Problem& problem, const Candidate& candidate);

struct Solution {
  Candidate candidate;
  Judgement judgement;
  /// Values of the model's mapping that it changes: for each task its unit or units, its priority, how it waits, and its
  /// time slice.
  std::size_t changes = 0;
  /// Responses in its simulation at worst-case execution times, per task; nothing if it cannot be simulated.
  std::vector<std::optional<Duration>> simulated;
  bool was_simulated = false;
};

/// A task whose deadline no mapping in the search space can meet: it takes longer even if it runs alone.
struct Impossible {
  TaskIndex task = 0;
  Duration least;  ///< minimum achievable, on `unit`
  UnitIndex unit = 0;
  Duration deadline;
  bool confined = false;  ///< it, or what it offloads, could run on units that constraints or Freedom exclude
};

/// Deadlines that cannot all be met, as far as the search found. Without any one of them the others can be met, unless
/// time or candidates ran out.
struct Conflict {
  std::vector<TaskIndex> tasks;  ///< the tasks with these deadlines
  std::string reason;            ///< as text: "the utilization of Core0 is at least 112.00 % with …"
  bool is_narrowed = true;       ///< false: the search ended before it could leave out every one of them
};

inline constexpr std::size_t max_solutions = 40;

struct Exploration {
  Candidate original;
  Judgement original_judgement;
  std::vector<Impossible> impossible;  ///< do not count for feasibility
  /// Best first by the first objective, then the others; a single solution for a single objective. Among candidates
  /// with equal objectives, the one found first by the earlier walk is kept. While tasks are late or constraints
  /// violated, all members have the fewest of these, then the least excess; they always have the fewest unbounded
  /// tasks. At most max_solutions: the best of every objective and some in between.
  std::vector<Solution> front;
  bool feasible = false;             ///< whether front.front() has no late tasks
  std::optional<Conflict> conflict;  ///< if it is not feasible
  std::uint64_t judged = 0;
  std::uint64_t steps = 0;  ///< that the bounds of all judged candidates took
  bool is_cut = false;      ///< by Options::steps, of which each walk has an equal share
};

/// Every search consists of this many walks, however many threads or machines share them.
inline constexpr std::size_t walk_count = 8;

/// A candidate that a walk has found, and where its functions are: an index into the placements of the search.
struct FoundCandidate {
  std::size_t placement = 0;
  Candidate candidate;
  Judgement judgement;  ///< without bounds
};

/// What a walk has found. exporter/exploration/walk_parts.hpp keeps it in files.
struct WalkRecord {
  std::size_t number = 0;             ///< 0 … walk_count - 1
  std::vector<FoundCandidate> front;  ///< its best candidates
  std::uint64_t judged = 0;
  std::uint64_t steps = 0;
  bool is_cut = false;
  std::vector<std::vector<TaskIndex>> late;  ///< sets of tasks that were late together
};
/// The walks with these numbers. `done` is called with each that came to its end, by one thread at a time; it may be
/// empty.
std::vector<WalkRecord> walk(const Problem& problem, const Options& options, const std::vector<std::size_t>& numbers,
                             const std::function<void(const WalkRecord&)>& done);
/// The result of all walks, in any order. Throws std::invalid_argument for walks of no search with this problem.
Exploration conclude(const Problem& problem, const Options& options, std::vector<WalkRecord> walks);

/// Both. The front is empty only if there is no task. Throws std::overflow_error if times exceed the range.
Exploration explore(const Problem& problem, const Options& options);

}  // namespace amalthea::explore
