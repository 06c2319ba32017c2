// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/stimuli.hpp"

#include <algorithm>
#include <iterator>

#include "engine/simulation/detail/listeners.hpp"

namespace amalthea::engine::simulation {

Stimuli::Stimuli(const SimulationInput& input, const Clock& clock, Jobs& jobs, Modes& modes, const Listeners& listeners)
    : system_(input.system),
      clock_(clock),
      jobs_(jobs),
      modes_(modes),
      listeners_(listeners),
      counted_(system_.stimuli.size()),
      of_event_(system_.events.size()) {
  for (StimulusIndex index = 0; index < system_.stimuli.size(); ++index) {
    const Stimulus& stimulus = system_.stimuli[index];
    arrivals_.emplace_back(stimulus, ArrivalOptions{pattern_for(input.execution), input.seed, index});
    if (!stimulus.activates.empty() || !stimulus.sets.empty()) await_next(index);
    if (const auto* driven = std::get_if<EventDriven>(&stimulus.occurrence))
      for (const EventIndex event : driven->events)
        if (of_event_[event].empty() || of_event_[event].back() != index) of_event_[event].push_back(index);
  }
}

void Stimuli::await_next(StimulusIndex stimulus) {
  if (const auto at = arrivals_[stimulus].next()) due_.push({*at, stimulus});
}

void Stimuli::occur_now() {
  while (!due_.empty() && due_.top().at == clock_.now()) {
    const StimulusIndex stimulus = due_.top().stimulus;
    due_.pop();
    await_next(stimulus);
    occur(stimulus, std::nullopt);
  }
}

void Stimuli::occur(StimulusIndex index, std::optional<TaskIndex> by) {
  const Stimulus& stimulus = system_.stimuli[index];
  if (!is_due(stimulus.counter, counted_[index]++)) return;
  if (stimulus.condition && !modes_.holds(*stimulus.condition)) return;
  listeners_.notify(StimulusOccurred{index, by});
  for (const ModeSetting& setting : stimulus.sets) modes_.set(setting);
  for (const TaskIndex task : stimulus.activates) jobs_.release(task, index, by);
}

void Stimuli::occur_by(const std::vector<EventIndex>& events, TaskIndex by) {
  std::vector<StimulusIndex> driven;
  for (const EventIndex event : events)
    std::copy(of_event_[event].begin(), of_event_[event].end(), std::back_inserter(driven));
  std::sort(driven.begin(), driven.end());
  driven.erase(std::unique(driven.begin(), driven.end()), driven.end());
  for (const StimulusIndex stimulus : driven) occur(stimulus, by);
}

}  // namespace amalthea::engine::simulation
