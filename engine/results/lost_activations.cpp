// SPDX-License-Identifier: Apache-2.0
#include "engine/results/lost_activations.hpp"

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"

namespace amalthea::engine {

std::string why_activations_may_be_lost(const System& system, TaskIndex task, const Bound& bound) {
  const std::uint32_t limit = system.tasks[system.tasks[task].folded_into.value_or(task)].activation_limit;
  if (limit == 0 || (bound.pending && *bound.pending <= limit)) return {};
  if (!bound.worst)
    return fmt::format("activations may be lost: its response time has no bound, the limit is {}", limit);
  if (!bound.pending)
    return fmt::format("activations may be lost: nothing bounds the number that arrives within {}, the limit is {}",
                       format_duration(*bound.worst, Rounding::up), limit);
  return fmt::format("activations may be lost: up to {} may arrive within its bound of {}, the limit is {}",
                     *bound.pending, format_duration(*bound.worst, Rounding::up), limit);
}

}  // namespace amalthea::engine
