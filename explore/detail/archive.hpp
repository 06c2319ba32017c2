// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The best candidates found: those with the fewest constraint violations, then late tasks, then the least excess, then
/// the fewest tasks without a bound; among these the Pareto front of the objectives.

#include <vector>

#include "explore/exploration.hpp"

namespace amalthea::explore::detail {

using Member = FoundCandidate;

/// Fewer constraint violations, then fewer late tasks, then less excess, then fewer tasks without a bound.
bool is_closer(const Judgement& a, const Judgement& b);

class Archive {
 public:
  /// Ignores a member that is dominated, or equal to an existing one in all objectives.
  void add(const Member& member);
  const std::vector<Member>& members() const { return members_; }
  /// By the first objective, then the others.
  void sort();
  /// Keeps the best of every objective, and others up to `most` in total, evenly distributed in that order.
  void thin(std::size_t most);

 private:
  std::vector<Member> members_;  ///< all equally close
};

}  // namespace amalthea::explore::detail
