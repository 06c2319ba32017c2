// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/event_flags.hpp"

#include <algorithm>
#include <iterator>

namespace amalthea::engine::simulation {

EventFlags::EventFlags(const System& system, const std::vector<Program>& programs)
    : flags_(system.tasks.size()), awaited_by_(system.events.size()) {
  for (TaskIndex task = 0; task < flags_.size(); ++task) {
    flags_[task].resize(system.events.size(), false);
    for (const Step& step : programs[task].steps)
      if (const auto* wait = std::get_if<WaitEvents>(&system.graph[step.node].activity))
        for (const EventIndex event : wait->events)
          if (awaited_by_[event].empty() || awaited_by_[event].back() != task) awaited_by_[event].push_back(task);
  }
}

bool EventFlags::satisfied(TaskIndex task, const WaitEvents& wait) const {
  const auto is_set = [&](EventIndex event) { return static_cast<bool>(flags_[task][event]); };
  return wait.all ? std::all_of(wait.events.begin(), wait.events.end(), is_set)
                  : std::any_of(wait.events.begin(), wait.events.end(), is_set);
}

std::vector<TaskIndex> EventFlags::set(const SetEvents& set) {
  std::vector<TaskIndex> whom;
  if (set.task) {
    whom.push_back(*set.task);
  } else {
    for (const EventIndex event : set.events)
      std::copy(awaited_by_[event].begin(), awaited_by_[event].end(), std::back_inserter(whom));
    std::sort(whom.begin(), whom.end());
    whom.erase(std::unique(whom.begin(), whom.end()), whom.end());
  }
  for (const TaskIndex task : whom)
    for (const EventIndex event : set.events) flags_[task][event] = true;
  return whom;
}

void EventFlags::clear(TaskIndex task, const ClearEvents& clear) {
  for (const EventIndex event : clear.events) flags_[task][event] = false;
}

}  // namespace amalthea::engine::simulation
