// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The verdict on a whole model: the worst over everything that limits its timing and everything that was not judged
/// (docs/reference/verdicts.md). This is the only place that computes it; formats, exit codes and batch runs use it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/finding_consequences.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// From best to worst.
enum class OverallVerdict : std::uint8_t {
  guaranteed,  ///< no job can violate the limit
  met,         ///< the simulation observed no violation
  unknown,     ///< not judged, or only in part
  unbounded,   ///< the end of a task is unbounded, by computation and in the simulation
  missed,      ///< the simulation observed a violation
};
inline constexpr std::size_t overall_verdicts = 5;
std::string_view to_string(OverallVerdict);

/// A limit that was judged, or something that was not judged and makes the verdict unknown.
struct JudgedLimit {
  enum class Kind : std::uint8_t {
    deadline,     ///< of a task
    task,         ///< a task without deadline that is unbounded, lost activations or was never observed
    requirement,  ///< other than a deadline
    latency,      ///< EventChainLatencyConstraint
    constraint,   ///< every other timing constraint
    finding,      ///< part of the model was not understood or is not simulated
  };
  Kind kind = Kind::deadline;
  OverallVerdict verdict = OverallVerdict::met;
  std::string name;    ///< "Control", "latency constraint \"brake\""; for a finding its location or id
  std::string reason;  ///< a sentence
  Origin origin = {};  ///< of the task, requirement, event chain or constraint
  /// What a guarantee covers; nothing: it is not guaranteed. One that is not complete counts as an assumption, with
  /// Results::strict as unknown.
  std::optional<Coverage> covers = {};
  /// Of a miss: how far the simulation went beyond a limit that is a time.
  std::optional<Duration> beyond = {};
};
std::string_view to_string(JudgedLimit::Kind);  ///< "deadline", "task", …

struct Assessment {
  OverallVerdict verdict = OverallVerdict::met;
  std::array<std::size_t, overall_verdicts> counts{};  ///< number of limits, by verdict
  /// Tasks in their order, then requirements, chains, constraints, findings. A removed wrapper counts with its
  /// function, and a requirement that repeats a task's deadline counts with the task.
  std::vector<JudgedLimit> limits;
  std::vector<Assumption> assumptions;  ///< assumptions of the verdict; with Results::strict they are unknown
  std::vector<std::string> replaced;    ///< what was judged instead of what the model states
  std::size_t tasks = 0;                ///< that were judged; a removed wrapper counts with its function
  std::optional<std::size_t> proved;    ///< of them, is_proved; nothing without proofs

  std::size_t count(OverallVerdict which) const { return counts[static_cast<std::size_t>(which)]; }
  /// Whether the model contains any limit. If not, and nothing is unknown, the verdict is met, under the assumption
  /// that there was nothing to meet.
  bool has_limits() const;
};

/// The verdict on one limit, from its part of the results. Every output states this one.
OverallVerdict verdict_on(const TaskResult& task);
OverallVerdict verdict_on(LimitVerdict verdict, std::optional<bool> guaranteed);

/// Whether a proof assistant has checked a bound of the task, which is within its deadline if it has one.
bool is_proved(const Task& task, const TaskResult& result);

// Facts on tasks that every output states alike. Removed wrappers do not count: their functions run instead.

/// Whether the deadline is missed, or the end of the task unbounded.
bool is_late(Verdict verdict);
std::vector<TaskIndex> late_tasks(const System& system, const Results& results);
/// The number of tasks, by Verdict.
std::array<std::size_t, 5> tasks_by_verdict(const System& system, const Results& results);

/// Lets all parts of the results that speak of one limit say the same: a requirement that is the deadline of a task has
/// the verdict of the task, and a removed wrapper that of its function. Only what is met can be guaranteed. With
/// Results::strict a guarantee that does not cover every run is unknown.
void settle_verdicts(const System& system, Results& results);

/// Whether the requirement is the deadline of a task, which is judged with the task.
bool is_deadline(const System& system, const Requirement& requirement);

/// The verdict on the results of an analysis; `findings` are those of reading, building and analyzing.
Assessment assess(const System& system, const Results& results, const Diagnostics& findings);

}  // namespace amalthea::engine
