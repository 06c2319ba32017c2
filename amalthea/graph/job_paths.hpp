// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What every job of a task does, and what only some do: over all ways through the branches, loops and ends of its body.
/// Conditions on modes that nothing changes are decided; any other alternative may be taken or not, and a loop may not
/// be entered at all.

#include <cstdint>
#include <functional>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea {

enum class Certainty : std::uint8_t { never, sometimes, always };

class JobPaths {
 public:
  /// What one execution of an activity of the task does.
  using Does = std::function<Certainty(NodeIndex)>;

  explicit JobPaths(const System& system);

  /// Whether jobs of the task execute an activity that does it. A job that never ends counts as one that does not.
  Certainty occurs(TaskIndex task, const Does& does) const;

  /// Whether a job may do `late` before it has certainly done `early`. An activity that does both does `early` first;
  /// in a group without order, nothing else of the group has been done.
  bool may_precede(TaskIndex task, const Does& late, const Does& early) const;

  /// Whether a job may end after it did `early` without certainly doing `late` between. An activity that does both does
  /// `early` first; in a group without order, everything else of the group has been done.
  bool may_remain(TaskIndex task, const Does& early, const Does& late) const;

 private:
  struct Flags;
  struct Walk;

  Certainty truth_of(const ModeCondition& condition) const;

  const System& system_;
  std::vector<bool> constant_;  ///< by mode: nothing changes it
  std::vector<bool> straight_;  ///< by activity: in no branch, and behind none that may end the job
};

}  // namespace amalthea
