// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Deadlines that no mapping can keep: a task takes longer even when it is alone.

#include <vector>

#include "explore/detail/space.hpp"

namespace amalthea::explore::detail {

/// In the order of their tasks, which are owners (see Placement).
std::vector<Impossible> impossible_deadlines(const Space& space);

/// By owner: all but those.
std::vector<bool> counted_tasks(const Space& space, const std::vector<Impossible>& impossible);

}  // namespace amalthea::explore::detail
