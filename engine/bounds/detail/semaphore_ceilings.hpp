// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whom the holders of semaphores keep from their cores.
///
/// Semaphores have no bound on waiting for them, and so their users none, unless no request ever waits (all may hold
/// what they hold at a time), or: a priority ceiling, users of one scheduler on one core, no round robin, free at
/// first, every job gives back what it takes, and nobody waits for anything while holding it.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/bounds/detail/analyzed_system.hpp"
#include "engine/bounds/detail/ranks.hpp"

namespace amalthea::engine::bounds {

struct SemaphoreCeilings {
  /// Of every semaphore with a priority ceiling: its holder is left to those above this rank only.
  std::vector<std::optional<std::int64_t>> ceiling;
  std::vector<bool> endless;  ///< of every semaphore: nothing bounds how long tasks wait for it
  Faults faults;              ///< of every task: that it uses such a one
};

SemaphoreCeilings semaphore_ceilings(const AnalyzedSystem& subject, const Ranks& ranks);

}  // namespace amalthea::engine::bounds
