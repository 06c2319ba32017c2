// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// When jobs are released, and which tasks trigger which.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/bounds/detail/analyzed_system.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"

namespace amalthea::engine::bounds {

/// Upper limit for periods: longer periods count as this one, and a single activation counts as periodic with it. No
/// analyzed window is longer.
inline constexpr Duration longest_period = nvidia::longest_analyzed - Duration::picoseconds(1);

/// Which steps release a task or end its wait.
struct Triggers {
  std::vector<std::vector<TaskStep>> of_stimulus;      ///< the steps that trigger each stimulus
  std::vector<std::vector<TaskStep>> of_event;         ///< the steps that set each event
  std::vector<std::vector<StimulusIndex>> activating;  ///< the stimuli that activate each task
};
Triggers triggers_of(const AnalyzedSystem& subject);

/// The steps that set the event for this task.
std::vector<TaskStep> setters_of(const AnalyzedSystem& subject, const Triggers& triggers, EventIndex event,
                                 TaskIndex receiver);

/// One activation pattern of a task.
struct Activation {
  struct Source {
    TaskIndex task = 0;          ///< the task whose job triggers it, at one step or in several alternatives of a branch
    std::size_t activation = 0;  ///< index into the activations of that task
    Duration certain;            ///< the minimum execution of that job before and after the trigger
    bool is_last = false;        ///< that job executes nothing after the trigger
    Duration before;             ///< its minimum execution before the trigger
    /// Its maximum execution before the trigger, which belongs to the last step of it. Nothing: it may be later.
    std::optional<Duration> most_before;
  };
  /// Its place in a row: what one stimulus activates, and the tasks that trigger each other from there on.
  struct Row {
    std::size_t id = 0;
    bool periodic = false;  ///< the stimulus occurs every period exactly, before its jitter; otherwise that far apart
    Duration offset;        ///< the minimum execution of the row until then
  };
  Duration period;
  std::optional<Source> source;  ///< the triggering job; nothing: activated by a stimulus
  /// Release jitter. A stimulus states it. For a triggered task it follows from the bounds found so far; it starts with
  /// the jitter of the source. This is the only place that holds it: the problems read it from here.
  Duration jitter;
  Duration minimum_distance;  ///< of an activation by a stimulus
  std::optional<Row> row;     ///< releases are in [offset, offset + jitter] after it occurs; nothing: only as above
};

/// All activation patterns of a task.
struct Activations {
  std::vector<Activation> all;
  std::string fault;  ///< why they are unknown; "" if they are known

  bool any() const { return !all.empty() || !fault.empty(); }
  /// The number of tasks that stand for this one in a problem.
  std::size_t count() const { return all.empty() ? 1 : all.size(); }
};

/// A period and a jitter that allow every sequence of releases of all patterns together. With n patterns of the rates
/// 1 / T_i it is T = 1 / (1/T_1 + ... + 1/T_n) and J = T (J_1 / T_1 + ... + J_n / T_n + n - 1): the number of releases
/// in a window w is less than (w + J) / T + 1.
struct MergedReleases {
  Duration period = longest_period, jitter;
};
MergedReleases merged(const std::vector<Activation>& all);

/// For every task.
std::vector<Activations> activations_of(const AnalyzedSystem& subject, const Triggers& triggers);

}  // namespace amalthea::engine::bounds
