// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How often tasks of a System are released, in the long run and strictly.

#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"

namespace amalthea::engine {

/// Least common multiple of all periods in use (of periodic, synthetic and burst stimuli); nothing when there is none
/// or it exceeds 2^63 ps.
std::optional<Duration> hyperperiod(const System& system);

/// How a task comes to be released strictly periodically.
struct TaskReleases {
  Periodic periodic;
  std::vector<TaskIndex>
      trigger_path;  ///< the task that is released so, and who is triggered in a row up to the one in question
};
/// Of every task: those of its only stimulus, or of the task that is its only trigger; of a wrapper that fell away
/// those of its function. Nothing where there are several or none.
std::vector<std::optional<TaskReleases>> releases_of(const System& system);

/// Of every task: the least long-run distance of its releases by its only stimulus, which is the period of a periodic
/// one; a triggered task has that of its only trigger, a wrapper that fell away that of its function. Nothing where
/// there are several or none.
std::vector<std::optional<Duration>> periods_of(const System& system);

}  // namespace amalthea::engine
