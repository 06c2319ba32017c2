// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Releases of the tasks of a System: long-run rates, and strictly periodic releases.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"

namespace amalthea::engine {

/// Least common multiple of all periods in use (of periodic, synthetic and burst stimuli); nothing if there is none or
/// it exceeds 2^63 ps.
std::optional<Duration> hyperperiod(const System& system);

/// The strictly periodic releases of a task.
struct TaskReleases {
  Periodic periodic;
  std::vector<TaskIndex>
      trigger_path;        ///< the periodically released task, and the chain of triggered tasks up to the task itself
  bool every_time = true;  ///< every job of each task of the path triggers the next one (JobPaths)
};
/// For every task: the releases by its only stimulus, or those of the task that is its only trigger; for a removed
/// wrapper those of its function. Nothing if there are several or none.
std::vector<std::optional<TaskReleases>> releases_of(const System& system);

/// The same for releases that are not strictly periodic but always come again: `period` is then the longest time from
/// any instant of a run to the next release of the row, and `offset` that of the stimulus.
std::vector<std::optional<TaskReleases>> recurrent_releases_of(const System& system);

/// Why releases_of has none for the task, as a clause.
std::string why_not_periodic(const System& system, TaskIndex task);

/// For every task: the minimum long-run distance of its releases by its only stimulus, which is the period of a
/// periodic one; a triggered task has that of its only trigger, a removed wrapper that of its function. Nothing if
/// there are several or none.
std::vector<std::optional<Duration>> periods_of(const System& system);

}  // namespace amalthea::engine
