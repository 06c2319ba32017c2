// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/contribution_text.hpp"

#include <array>

#include <fmt/core.h>

namespace amalthea::exporter {

using engine::ContributionKind;

std::string describe(const System& system, const engine::Contribution& part) {
  constexpr std::array<std::string_view, 13> texts{"own execution",
                                                   "own memory accesses",
                                                   "core used by {}",
                                                   "blocked by {} (not a higher priority)",
                                                   "server budget exhausted",
                                                   "own earlier jobs",
                                                   "waiting for an event of {}",
                                                   "copies",
                                                   "kernels",
                                                   "GPU used by {}",
                                                   "behind {} in the same GPU context",
                                                   "GPU context switches",
                                                   "slowed by {}"};
  const bool interferes = part.kind == ContributionKind::interference;
  const std::string by = part.others > 0 && !part.by ? "others"
                         : interferes                ? describe_aggressor(system, part.traffic, part.by)
                         : part.by                   ? system.tasks[*part.by].name
                                                     : "";
  if (part.kind == ContributionKind::blocking && by.empty()) return "blocked";
  return fmt::format(fmt::runtime(texts[static_cast<std::size_t>(part.kind)]), by);
}

std::string describe_aggressor(const System& system, engine::TrafficKind traffic, std::optional<TaskIndex> by) {
  if (!by) return traffic == engine::TrafficKind::cpu ? "constant CPU traffic" : "others";
  const Task& task = system.tasks[*by];
  if (traffic == engine::TrafficKind::cpu && task.units.size() <= 1)
    return fmt::format("CPU traffic of {} on {}", task.name, system.platform.units[task.unit].name);
  constexpr std::array<std::string_view, 4> beginnings{"", "copies of ", "kernels of ", "CPU traffic of "};
  return fmt::format("{}{}", beginnings[static_cast<std::size_t>(traffic)], task.name);
}

}  // namespace amalthea::exporter
