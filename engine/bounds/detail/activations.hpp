// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// When jobs come, and who triggers whom.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/bounds/detail/analyzed_system.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"

namespace amalthea::engine::bounds {

/// Longer periods count as this one, and what comes once as if it came again after as much: no window is longer.
inline constexpr Duration longest_period = nvidia::longest_analyzed - Duration::picoseconds(1);

/// Who may make whom go on.
struct Triggers {
  std::vector<std::vector<TaskStep>> of_stimulus;      ///< the steps that trigger it
  std::vector<std::vector<TaskStep>> of_event;         ///< the steps that set it
  std::vector<std::vector<StimulusIndex>> activating;  ///< the stimuli of every task
};
Triggers triggers_of(const AnalyzedSystem& subject);

/// One way in which jobs of a task come.
struct Activation {
  struct Source {
    TaskIndex task = 0;          ///< whose job triggers it,
    std::size_t activation = 0;  ///< by which of its activations
    Duration certain;            ///< the least that it executes before and after the trigger
  };
  Duration period;
  std::optional<Source> source;  ///< of what is triggered
  /// How much releases spread: of what comes by itself as stated, of what is triggered as far as the bounds found so
  /// far say, at first as much as those of its source. Nowhere else: what is analysed takes it from here.
  Duration jitter;
  Duration minimum_distance;  ///< of what comes by itself
};

/// All ways in which jobs of a task come.
struct Activations {
  std::vector<Activation> all;
  std::string fault;  ///< why they are not known; "" when they are

  bool any() const { return !all.empty() || !fault.empty(); }
  /// As many as the task counts for.
  std::size_t count() const { return all.empty() ? 1 : all.size(); }
};

/// Of every task.
std::vector<Activations> activations_of(const AnalyzedSystem& subject, const Triggers& triggers);

}  // namespace amalthea::engine::bounds
