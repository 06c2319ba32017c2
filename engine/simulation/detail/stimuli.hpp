// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Stimuli during a simulation: when they occur, and which tasks they activate.

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "engine/program/arrivals.hpp"
#include "engine/simulation/detail/jobs.hpp"
#include "engine/simulation/detail/modes.hpp"

namespace amalthea::engine::simulation {

class Stimuli {
 public:
  Stimuli(const SimulationInput& input, const Clock& clock, Jobs& jobs, Modes& modes, const Listeners& listeners);

  /// The next occurrence triggered by time.
  Instant next() const { return due_.empty() ? Instant::never() : due_.top().at; }
  /// Triggers everything that is due now, in model order.
  void occur_now();
  /// The stimulus occurs, if its counter and condition allow it. `by`: the task that triggers it; nothing: time.
  void occur(StimulusIndex stimulus, std::optional<TaskIndex> by);
  /// The stimuli that occur when one of these events is set, in model order.
  void occur_by(const std::vector<EventIndex>& events, TaskIndex by);

 private:
  struct Due {
    Instant at;
    StimulusIndex stimulus = 0;
    friend bool operator>(const Due& a, const Due& b) { return a.at != b.at ? a.at > b.at : a.stimulus > b.stimulus; }
  };
  void await_next(StimulusIndex stimulus);

  const System& system_;
  const Clock& clock_;
  Jobs& jobs_;
  Modes& modes_;
  const Listeners& listeners_;
  std::vector<Arrivals> arrivals_;  ///< parallel to System::stimuli
  /// for every stimulus: number of occurrences, including those its counter or condition suppressed
  std::vector<std::int64_t> counted_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<std::vector<StimulusIndex>> of_event_;  ///< the stimuli that occur when an event is set, by event
};

}  // namespace amalthea::engine::simulation
