// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The best candidates found: those with the fewest broken constraints, then late tasks, then the least excess, then
/// the fewest tasks without a bound; among these the Pareto front of the objectives.

#include <vector>

#include "explore/exploration.hpp"

namespace amalthea::explore::detail {

/// Without bounds.
struct Member {
  std::size_t placement = 0;
  Candidate candidate;
  Judgement judgement;
};

/// Fewer broken constraints, then fewer late tasks, then less excess, then fewer tasks without a bound.
bool is_closer(const Judgement& a, const Judgement& b);

class Archive {
 public:
  /// What is dominated, or equal in all objectives to what is there already, is left out.
  void add(const Member& member);
  const std::vector<Member>& members() const { return members_; }
  /// By the first objective, then the others.
  void sort();
  /// The best of every objective, and of the others as many as there is room for, evenly spread in that order.
  void thin(std::size_t most);

 private:
  std::vector<Member> members_;  ///< all equally close
};

}  // namespace amalthea::explore::detail
