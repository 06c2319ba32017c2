// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Deadlines that no mapping can meet: the task takes longer even if it runs alone.

#include <vector>

#include "explore/detail/space.hpp"

namespace amalthea::explore::detail {

/// In the order of their tasks, which are owners (see Placement).
std::vector<Impossible> impossible_deadlines(const Space& space);

/// By owner: all tasks except those.
std::vector<bool> counted_tasks(const Space& space, const std::vector<Impossible>& impossible);

}  // namespace amalthea::explore::detail
