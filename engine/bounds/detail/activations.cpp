// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/activations.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "engine/bounds/detail/step_times.hpp"
#include "engine/program/arrivals.hpp"

namespace amalthea::engine::bounds {
namespace {

/// A task that is activated in more ways has no bound, lest many triggers of triggers multiply without end.
constexpr std::size_t most_activations = 32;

/// Tasks that trigger one another in a row longer than this have no bound.
constexpr std::size_t most_trigger_hops = 64;

class ActivationSearch {
 public:
  ActivationSearch(const Subject& subject, const Triggers& triggers)
      : subject_(subject), triggers_(triggers), found_(subject.tasks()) {}

  std::vector<Activations> run() {
    std::vector<Activations> all;
    for (TaskIndex task = 0; task < subject_.tasks(); ++task) all.push_back(find(task, 0));
    return all;
  }

 private:
  Activations find(TaskIndex task, std::size_t hops) {
    if (found_[task]) return *found_[task];
    if (hops > most_trigger_hops) return {{}, "the chain of tasks that trigger each other is too long"};
    // Found again on the way, it triggers itself.
    found_[task].emplace().fault = "tasks trigger each other in a cycle, which has no period";
    Activations found;
    for (const StimulusIndex stimulus : triggers_.activating[task]) {
      add_occurrences(subject_.system.stimuli[stimulus], hops, found);
      for (const Place& place : triggers_.of_stimulus[stimulus]) add_triggered(place, hops + 1, found);
    }
    if (found.fault.empty() && found.all.size() > most_activations) found.fault = "it has too many activation sources";
    if (!found.fault.empty()) found.all.clear();
    found_[task] = std::move(found);
    return *found_[task];
  }

  void add_occurrences(const Stimulus& stimulus, std::size_t hops, Activations& found) {
    if (std::holds_alternative<InterProcess>(stimulus.occurrence)) return;
    if (const auto* driven = std::get_if<EventDriven>(&stimulus.occurrence)) {
      for (const EventIndex event : driven->events)
        for (const Place& place : triggers_.of_event[event]) add_triggered(place, hops + 1, found);
      return;
    }
    const auto bound = arrival_bound(stimulus);
    if (bound && bound->jitter < nvidia::longest_analysed && bound->period > Duration{})
      found.all.push_back({std::min(bound->period, longest_period), {}, bound->jitter, bound->minimum_distance});
    else if (found.fault.empty())
      found.fault = fmt::format("the stimulus {} has no minimum inter-arrival time", stimulus.name);
  }

  void add_triggered(const Place& place, std::size_t hops, Activations& found) {
    const Activations source = find(place.task, hops);
    if (found.fault.empty()) found.fault = source.fault;
    if (const std::string& unknown = subject_.worst[place.task].unanalysable; found.fault.empty() && !unknown.empty())
      found.fault = fmt::format("{} activates it: {}", subject_.name(place.task), unknown);
    const Duration certain = execution_of(subject_, place.task, 0, place.step).best +
                             execution_of(subject_, place.task, place.step + 1, subject_.steps(place.task).size()).best;
    for (std::size_t index = 0; index < source.all.size() && found.all.size() <= most_activations; ++index)
      found.all.push_back(
          {source.all[index].period, Activation::Source{place.task, index, certain}, source.all[index].jitter, {}});
  }

  const Subject& subject_;
  const Triggers& triggers_;
  std::vector<std::optional<Activations>> found_;
};

}  // namespace

Triggers triggers_of(const Subject& subject) {
  Triggers triggers;
  triggers.of_stimulus.resize(subject.system.stimuli.size());
  triggers.of_event.resize(subject.system.events.size());
  triggers.activating.resize(subject.tasks());
  for (StimulusIndex stimulus = 0; stimulus < subject.system.stimuli.size(); ++stimulus)
    for (const TaskIndex task : subject.system.stimuli[stimulus].activates)
      triggers.activating[task].push_back(stimulus);
  for (TaskIndex task = 0; task < subject.tasks(); ++task)
    for (std::size_t step = 0; step < subject.steps(task).size(); ++step) {
      const Place place{task, step};
      if (subject.step(place).kind == StepKind::trigger)
        triggers.of_stimulus[subject.activity<Trigger>(place).stimulus].push_back(place);
      if (subject.step(place).kind == StepKind::set_events)
        for (const EventIndex event : subject.activity<SetEvents>(place).events)
          triggers.of_event[event].push_back(place);
    }
  return triggers;
}

std::vector<Activations> activations_of(const Subject& subject, const Triggers& triggers) {
  return ActivationSearch(subject, triggers).run();
}

}  // namespace amalthea::engine::bounds
