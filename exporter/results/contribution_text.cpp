// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/contribution_text.hpp"

#include <fmt/core.h>

namespace amalthea::exporter {

using engine::ContributionKind;

std::string describe(const System& system, const engine::Contribution& part) {
  const std::string by = part.by ? system.tasks[*part.by].name : "";
  switch (part.kind) {
    case ContributionKind::execution:
      return "own execution";
    case ContributionKind::memory:
      return "own memory accesses";
    case ContributionKind::preemption:
      return fmt::format("core used by {}", by);
    case ContributionKind::blocking:
      return by.empty() ? "blocked" : fmt::format("blocked by {} (not a higher priority)", by);
    case ContributionKind::budget:
      return "server budget exhausted";
    case ContributionKind::backlog:
      return "own earlier jobs";
    case ContributionKind::event:
      return fmt::format("waiting for an event of {}", by);
    case ContributionKind::copy:
      return "copies";
    case ContributionKind::kernel:
      return "kernels";
    case ContributionKind::engine_slice:
      return fmt::format("GPU used by {}", by);
    case ContributionKind::engine_queue:
      return fmt::format("behind {} in the same GPU context", by);
    case ContributionKind::context_switch:
      return "GPU context switches";
    case ContributionKind::interference:
      return fmt::format("slowed by {}", describe_aggressor(system, part.traffic, part.by));
  }
  return {};
}

std::string describe_aggressor(const System& system, engine::TrafficKind traffic, std::optional<TaskIndex> by) {
  if (!by) return "others";
  const Task& task = system.tasks[*by];
  switch (traffic) {
    case engine::TrafficKind::none:
      return task.name;
    case engine::TrafficKind::copies:
      return fmt::format("copies of {}", task.name);
    case engine::TrafficKind::kernels:
      return fmt::format("kernels of {}", task.name);
    case engine::TrafficKind::cpu:
      return task.units.size() > 1
                 ? fmt::format("CPU traffic of {}", task.name)
                 : fmt::format("CPU traffic of {} on {}", task.name, system.platform.units[task.unit].name);
  }
  return {};
}

}  // namespace amalthea::exporter
