// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How data passes through a chain: which accesses carry it from task to task, and whether every job performs them.
///
/// Between two tasks of a chain, data passes through the label that the events of the chain name there. If they name
/// none, it passes through every label that the first task writes and the second one reads; if the events there are those
/// of runnables, of these labels those that the runnables access, if any. If there is no such label, a trigger or an
/// event that the first task sets for the second one passes the chain on.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/job_paths.hpp"
#include "amalthea/graph/system.hpp"

namespace amalthea {

struct ChainData {
  /// Why the chain has no latency, as a clause: nothing passes from one task to the next, or not every job performs the
  /// accesses and the other events of the chain; "": all do.
  std::string obstacle;
  bool never = false;                ///< no job does; else some may not
  std::optional<std::size_t> event;  ///< that event of the chain (Chain::events) is the obstacle
  /// By task: where jobs access labels at the positions of their accesses, one may write what it passes on before it
  /// reads what it receives. Then its next job passes that on. Empty if there is an obstacle.
  std::vector<bool> writes_first;
};

/// `paths`: of the same system. Chain::gap is an obstacle, too.
ChainData chain_data(const System& system, const JobPaths& paths, const Chain& chain);

/// The labels that a task and its offloads may read or write, in order.
std::vector<LabelIndex> accessed_labels(const System& system, const JobPaths& paths, TaskIndex task);

/// For every chain of the system, whether there is no obstacle.
std::vector<bool> chains_that_pass_data(const System& system);

}  // namespace amalthea
