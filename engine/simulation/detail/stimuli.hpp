// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Stimuli while a system is simulated: when they occur, and whom they activate.

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

  /// When the next one occurs by itself.
  Instant next() const { return due_.empty() ? Instant::never() : due_.top().at; }
  /// What is due now occurs, in model order.
  void occur_now();
  /// The stimulus occurs, if its counter and condition let it. `by`: who makes it occur, if not time.
  void occur(StimulusIndex stimulus, std::optional<TaskIndex> by);
  /// Those that occur as one of these events is set, in model order.
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
  std::vector<Arrivals> arrivals_;     ///< parallel to System::stimuli
  std::vector<std::int64_t> counted_;  ///< of every stimulus: how often it was asked to occur
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<std::vector<StimulusIndex>> of_event_;  ///< that occur as it is set
};

}  // namespace amalthea::engine::simulation
