// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/detail/contribution_text.hpp"

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
      return fmt::format("GPU slowed down by {}", by);
  }
  return {};
}

}  // namespace amalthea::exporter
