// SPDX-License-Identifier: Apache-2.0
#include "engine/results/servers.hpp"

#include <algorithm>

namespace amalthea::engine {

bool limits_time(const Scheduler& scheduler) {
  return stops_without_budget(scheduler.kind) && scheduler.share.budget && scheduler.share.period;
}

double share_of(const Scheduler& scheduler) {
  const Duration period = *scheduler.share.period, budget = std::min(period, *scheduler.share.budget);
  return static_cast<double>(budget.picoseconds()) / static_cast<double>(period.picoseconds());
}

bool runs_in(const System& system, const Task& task, SchedulerIndex scheduler) {
  if (task.side == Side::device || task.folded_into) return false;
  std::optional<SchedulerIndex> at = task.scheduler;
  // Parents that form a circle have been reported.
  for (std::size_t steps = 0; at && steps <= system.platform.schedulers.size(); ++steps) {
    if (*at == scheduler) return true;
    at = system.platform.schedulers[*at].parent;
  }
  return false;
}

std::vector<ResourceResult> servers_in_use(const System& system) {
  std::vector<ResourceResult> servers;
  for (SchedulerIndex index = 0; index < system.platform.schedulers.size(); ++index) {
    const Scheduler& scheduler = system.platform.schedulers[index];
    if (!limits_time(scheduler) || *scheduler.share.budget <= Duration{} || *scheduler.share.period <= Duration{})
      continue;
    const auto first = std::find_if(system.tasks.begin(), system.tasks.end(),
                                    [&](const Task& task) { return runs_in(system, task, index); });
    if (first == system.tasks.end()) continue;
    ResourceResult& server = servers.emplace_back();
    server.unit = first->unit;
    server.kind = ResourceKind::server;
    server.server = index;
  }
  return servers;
}

}  // namespace amalthea::engine
